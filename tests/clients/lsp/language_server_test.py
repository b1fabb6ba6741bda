"""`warpmind lsp` from an empty base to an applied variant, on the simulator:
language_server_test.py BIN_DIRECTORY"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from lsp_client import Editor, applied  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.argv.pop(1)).resolve()
HOME = tempfile.TemporaryDirectory(prefix="wml")
ENVIRONMENT = {
    **os.environ,
    "WARPMIND_DAEMON_STATE_DIRECTORY": HOME.name + "/state",
    "WARPMIND_DAEMON_SOCKET": HOME.name + "/d.sock",
    "WARPMIND_KNOWLEDGE_RESERVE_MIB": "192",
    "XDG_CACHE_HOME": HOME.name + "/cache",
    "CUDA_VISIBLE_DEVICES": "",
}
if os.geteuid() == 0:
    ENVIRONMENT["WARPMIND_DAEMON_ALLOW_ROOT"] = "true"
LSP = [str(BIN / "warpmind"), "lsp"]
EVERYWHERE = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}


def tearDownModule():
    subprocess.run(
        [str(BIN / "warpmind"), "daemon", "stop"], env=ENVIRONMENT, capture_output=True, check=False
    )
    HOME.cleanup()


class LanguageServer(unittest.TestCase):
    def setUp(self):
        self.folder = Path(HOME.name) / f"task {self._testMethodName[:20]}"
        shutil.copytree(ROOT / "tasks" / "row_softmax_f16", self.folder)
        self.kernel = self.folder / "kernel.cu"
        self.editor = Editor(LSP, ENVIRONMENT)

    def tearDown(self):
        self.editor.process.kill()
        self.editor.process.wait()
        self.editor.process.stdin.close()
        self.editor.process.stdout.close()

    def titles(self):
        lenses = self.editor.ask("textDocument/codeLens", self.editor.about(self.kernel))
        return [lens["command"]["title"] for lens in lenses]

    def execute(self, command, **argument):
        return self.editor.ask(
            "workspace/executeCommand",
            {"command": command, "arguments": [{"uri": self.kernel.as_uri(), **argument}]},
        )

    def test_from_an_empty_base_to_an_applied_variant(self):
        editor = self.editor
        begun = editor.begin(evaluations=1, provider="sim", predict=False)
        self.assertEqual(begun["serverInfo"]["name"], "warpmind")
        editor.open(self.kernel)
        self.assertEqual(self.titles()[0], "Optimize")
        job = self.execute("warpmind.optimize", kernel="row_softmax")["job_id"]
        editor.await_message(lambda m: m.get("params", {}).get("value", {}).get("kind") == "end")
        said = editor.await_message(
            lambda m: m.get("method") == "window/showMessage" and "improved" in str(m)
        )
        self.assertIn("predicted", said["params"]["message"])

        titles = self.titles()
        self.assertIn("Optimize", titles[0])
        self.assertTrue(any("faster" in title for title in titles), titles)
        hints = editor.ask(
            "textDocument/inlayHint", editor.about(self.kernel, range=EVERYWHERE)
        )
        self.assertRegex(hints[0]["label"], r"\d+ registers · .* shared · \d+ % occupancy")
        winner = self.execute("warpmind.showResult", kernel="row_softmax")
        self.assertEqual(winner["given"], self.kernel.read_text())
        listed = self.execute("warpmind.listEpisodes")["episodes"]
        self.assertEqual((listed[0]["job_id"], listed[0]["outcome"]), (job, "improved"))
        actions = editor.ask(
            "textDocument/codeAction",
            editor.about(self.kernel, range=EVERYWHERE, context={"diagnostics": []}),
        )
        (change,) = actions[0]["edit"]["documentChanges"]
        text = applied(self.kernel.read_text(), change["edits"])
        self.assertEqual(text, winner["better"])
        self.assertEqual(winner["uri"], self.kernel.as_uri())
        self.assertEqual(editor.end(), 0)

    def test_a_job_is_cancelled_from_its_progress(self):
        editor = self.editor
        editor.begin(evaluations=200, provider="sim", predict=False)
        editor.open(self.kernel)
        self.execute("warpmind.optimize", kernel="row_softmax")
        begin = editor.await_message(
            lambda m: m.get("params", {}).get("value", {}).get("kind") == "begin"
        )
        self.assertTrue(begin["params"]["value"]["cancellable"])
        editor.tell("window/workDoneProgress/cancel", {"token": begin["params"]["token"]})
        editor.await_message(lambda m: m.get("params", {}).get("value", {}).get("kind") == "end")
        editor.await_message(
            lambda m: m.get("method") == "window/showMessage" and "cancelled" in str(m)
        )
        self.assertEqual(self.titles()[0], "Optimize")
        self.assertEqual(editor.end(), 0)

    def test_a_file_is_served_while_it_is_typed(self):
        editor = self.editor
        editor.begin(predict=False)
        text = self.kernel.read_text()
        editor.open(self.kernel, "")
        for version, size in enumerate(range(0, len(text), 97), 2):
            editor.tell(
                "textDocument/didChange",
                {"textDocument": {"uri": self.kernel.as_uri(), "version": version},
                 "contentChanges": [{"text": text[:size]}]},
            )
            self.titles()
        with self.assertRaisesRegex(RuntimeError, "save the file first"):
            self.execute("warpmind.optimize", kernel="row_softmax")
        self.assertEqual(editor.end(), 0)

    def test_what_are_no_frames_ends_the_pipe_with_one_sentence(self):
        run = subprocess.run(
            LSP, env=ENVIRONMENT, input=b'{"jsonrpc":"2.0"}\r\n\r\n', capture_output=True, check=False
        )
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"Content-Length", run.stderr)
        self.assertEqual(run.stdout, b"")

    def test_an_editor_that_goes_away_ends_the_pipe(self):
        self.editor.begin()
        self.editor.process.stdin.close()
        self.assertEqual(self.editor.process.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
