"""The Python client against a real daemon on the simulator: client_test.py BIN_DIRECTORY"""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "clients" / "python"
BIN = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(PACKAGE))

import warpmind  # noqa: E402
from warpmind.discovery import default_socket  # noqa: E402

TASK = ROOT / "tasks" / "row_softmax_f16"
HOME = tempfile.TemporaryDirectory(prefix="wmp")
SOCKET = Path(HOME.name) / "run" / "d.sock"


def setUpModule() -> None:
    os.environ.update(
        WARPMIND_DAEMON_STATE_DIRECTORY=HOME.name + "/state",
        WARPMIND_DAEMON_SOCKET=str(SOCKET),
        XDG_CACHE_HOME=HOME.name + "/cache",
        WARPMIND_KNOWLEDGE_RESERVE_MIB="192",
        WARPMIND_LAB_PROVIDER="sim",
        PATH=f"{BIN}:{os.environ['PATH']}",
        CUDA_VISIBLE_DEVICES="",
        PYTHONPATH=str(PACKAGE),
    )
    if os.geteuid() == 0:
        os.environ["WARPMIND_DAEMON_ALLOW_ROOT"] = "true"


def tearDownModule() -> None:
    subprocess.run([str(BIN / "warpmind"), "daemon", "stop"], capture_output=True, check=False)
    HOME.cleanup()


class WithDaemon(unittest.TestCase):
    def setUp(self) -> None:
        self.client = warpmind.connect()
        self.addCleanup(self.client.close)

    def test_a_running_daemon_is_found_and_not_started_again(self) -> None:
        with warpmind.connect(start=False) as second:
            self.assertEqual(second.status()["pid"], self.client.status()["pid"])

    def test_a_job_is_streamed_to_its_end_and_leaves_a_better_kernel(self) -> None:
        job = self.client.submit(TASK, evaluations=1, provider="sim")
        states = []
        for progress in self.client.stream(job.job_id, timeout=300):
            states.append(progress.state)
            if len(states) == 1:  # other calls go through while a job is streamed
                self.assertEqual(self.client.job(job.job_id).task, "row_softmax_f16")
        self.assertEqual(states[-1], "done")
        result = self.client.result(job.job_id)
        self.assertEqual((result.outcome, result.provider), ("improved", "sim"))
        self.assertGreater(result.speedup, 1)
        self.assertEqual(result.steps[0].source, (TASK / "kernel.cu").read_text())
        self.assertNotEqual(result.best_kernel, result.steps[0].source)
        # What has ended is answered at once.
        self.assertEqual(self.client.wait(job.job_id, timeout=300).summary, result.summary)

    def test_a_cancelled_job_keeps_what_was_measured_or_says_that_nothing_was(self) -> None:
        job = self.client.submit(TASK, evaluations=200, provider="sim")
        final = None
        asked = False
        for progress in self.client.stream(job.job_id, timeout=300):
            final = progress
            if progress.state == "running" and not asked:
                asked = True
                self.assertIn(self.client.cancel(job.job_id), ("running", "cancelled"))
        self.assertTrue(asked)
        self.assertEqual(final.state, "cancelled")
        try:
            self.assertEqual(self.client.result(job.job_id).state, "cancelled")
        except warpmind.JobFailed as error:
            self.assertEqual(error.state, "cancelled")

    def test_a_wait_that_is_over_leaves_job_and_client_alive(self) -> None:
        job = self.client.submit(TASK, evaluations=200, provider="sim")
        with self.assertRaisesRegex(warpmind.WaitTimedOut, "goes on by itself"):
            list(self.client.stream(job.job_id, timeout=0))
        with self.assertRaisesRegex(warpmind.JobFailed, "wait\\(\\) waits for it"):
            self.client.result(job.job_id)
        self.client.cancel(job.job_id)
        *_, last = self.client.stream(job.job_id, timeout=300)
        self.assertEqual(last.state, "cancelled")

    def test_what_the_daemon_refuses_has_a_name_and_the_next_call_works(self) -> None:
        with self.assertRaises(warpmind.RequestRefused) as caught:
            self.client.submit("/nonexistent/task")
        self.assertEqual(caught.exception.errc, "not_found")
        self.assertIn("/nonexistent/task", str(caught.exception))
        with self.assertRaisesRegex(warpmind.RequestRefused, "no_such_option"):
            self.client.submit(TASK, no_such_option=1)
        with self.assertRaises(warpmind.RequestRefused):
            self.client.job("j-9999999999")
        self.assertEqual(self.client.daemon_version, self.client.status()["version"])

    def test_the_base_is_searched(self) -> None:
        found = self.client.search("uncoalesced stores in a transpose", limit=3)
        self.assertLessEqual(len(found.insights), 3)
        self.assertGreaterEqual(found.documents, len(found.insights))
        with self.assertRaises(warpmind.RequestRefused):
            self.client.search("x", limit=100000)

    def test_the_documented_examples_are_these_files_and_they_work(self) -> None:
        document = (ROOT / "docs" / "python.md").read_text()
        best = Path(HOME.name) / "best.cu"
        runs = {
            "optimize_folder.py": ([str(TASK), str(best)], "improved: "),
            "search_base.py": (["softmax rows", str(TASK / "kernel.cu")], " insights."),
        }
        for name, (arguments, expected) in runs.items():
            file = PACKAGE / "examples" / name
            self.assertIn(f"```python\n{file.read_text()}```", document)
            run = subprocess.run(
                [sys.executable, str(file), *arguments], capture_output=True, text=True, check=False
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(expected, run.stdout)
        self.assertIn("__global__", best.read_text())


class WithoutDaemon(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="wmp")
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "d.sock"

    def test_an_absent_daemon_is_named_with_its_socket(self) -> None:
        with self.assertRaisesRegex(warpmind.DaemonAbsent, str(self.path)):
            warpmind.connect(self.path, start=False)
        with self.assertRaisesRegex(warpmind.DaemonAbsent, "did not work"):
            warpmind.connect(self.path, program=self.folder.name + "/warpmind")

    def test_a_daemon_that_cannot_start_says_why(self) -> None:
        too_long = Path(self.folder.name) / ("x" * 200)
        with self.assertRaises(warpmind.WarpmindError):
            warpmind.connect(too_long)

    def test_the_socket_follows_the_environment(self) -> None:
        home = {"HOME": "/h"}
        cases = [
            ({"WARPMIND_DAEMON_SOCKET": "/a/b.sock", "XDG_RUNTIME_DIR": "/r"}, "/a/b.sock"),
            ({"XDG_RUNTIME_DIR": "/r", **home}, "/r/warpmind/warpmindd.sock"),
            ({"XDG_RUNTIME_DIR": "relative", **home}, "/h/.local/state/warpmind/run/warpmindd.sock"),
            ({"XDG_STATE_HOME": "/s", **home}, "/s/warpmind/run/warpmindd.sock"),
            ({"WARPMIND_DAEMON_STATE_DIRECTORY": "/d", **home}, "/d/run/warpmindd.sock"),
        ]
        for environment, expected in cases:
            self.assertEqual(default_socket(environment), Path(expected))
        with self.assertRaisesRegex(warpmind.DaemonAbsent, "set HOME"):
            default_socket({})

    def test_what_is_no_daemon_is_left(self) -> None:
        greeting = b'{"jsonrpc":"2.0","method":"greeting","params":{"protocol":9,"version":"x"}}\n'
        refusal = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32011,"message":"too many"}}\n'
        for answer, kind, text in (
            (b"HTTP/1.1 400 Bad Request\r\n\r\n", warpmind.ConnectionFailed, "JSON-RPC"),
            (b"[1]\n", warpmind.ConnectionFailed, "JSON-RPC"),
            (b'{"id":1}\n', warpmind.ConnectionFailed, "greeting"),
            (greeting, warpmind.ConnectionFailed, "protocol 9"),
            (refusal, warpmind.RequestRefused, "too many"),
            (b"", warpmind.ConnectionFailed, "closed"),
        ):
            with self.subTest(answer=answer), self.assertRaisesRegex(kind, text):
                self.connect_to(answer)

    @unittest.skipIf(os.geteuid() != 0, "only root can act as another user")
    def test_a_listener_of_another_user_is_told_nothing(self) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.path))
            os.seteuid(65534)
            try:
                listener.listen()  # as whom is what the client is told
            finally:
                os.seteuid(0)
            with self.assertRaisesRegex(warpmind.ConnectionFailed, "another user"):
                warpmind.connect(self.path, start=False)

    def connect_to(self, answer: bytes) -> None:
        self.path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.path))
            listener.listen()

            def serve() -> None:
                peer, _ = listener.accept()
                peer.sendall(answer)
                peer.close()

            thread = threading.Thread(target=serve)
            thread.start()
            try:
                warpmind.connect(self.path, start=False)
            finally:
                thread.join()


if __name__ == "__main__":
    unittest.main()
