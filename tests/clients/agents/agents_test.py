"""The instructions of docs/agents.md from a clean home directory, agents with a scripted model on
loopback: agents_test.py BIN_DIRECTORY codex|opencode|python|http|skill [PROGRAM]"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mcp"))
from loopback_model import LoopbackModel, Turn, results_of, tools_of  # noqa: E402
from mcp_client import Home  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
BIN, AGENT, PROGRAM = (sys.argv[1:] + [""])[:3]
del sys.argv[1:]
AGENT_PATIENCE_S = 540
SOURCE = 'extern "C" __global__ void twice(float* a) { a[threadIdx.x] *= 2; }'
TOOLS = {"kb_search", "kb_get", "kb_record", "kernel_analyze", "kernel_profile", "kernel_optimize",
         "job", "explain_bottleneck", "device_info"}


def data_of(result):
    """The data of a result as the agent shows it to its model, whatever it writes around them."""
    at = result.find('{"')
    return json.JSONDecoder().raw_decode(result[at:])[0] if at >= 0 else {}


def wait_for_the_job(results):
    return {"action": "wait", "job": data_of(results[1])["job"]}


def script_for(task):
    return [
        Turn("kernel_analyze", {"source": SOURCE}),
        Turn("kernel_optimize", {"directory": str(task), "provider": "sim", "evaluations": 1}),
        *[Turn("job", wait_for_the_job)] * 12,
        Turn(text="the job did not end"),
    ]


class ModelThatReads(LoopbackModel):
    """Waits until the data say that the job has ended."""

    def turn_after(self, results):
        if len(results) > 2 and data_of(results[-1]).get("status") == "done":
            return Turn(text="the job has ended")
        return super().turn_after(results)


def model_of_codex(home, url):
    """What the newcomer has already: a model, and no questions asked in this test."""
    file = home.path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(
        'model = "scripted"\nmodel_provider = "loopback"\napproval_policy = "never"\n'
        'sandbox_mode = "danger-full-access"\n\n[model_providers.loopback]\nname = "loopback"\n'
        f'base_url = "{url}"\nwire_api = "responses"\nrequires_openai_auth = false\n')


def model_of_opencode(home, url):
    file = home.path / ".config" / "opencode" / "opencode.json"
    file.parent.mkdir()
    file.write_text(json.dumps({
        "model": "loopback/scripted", "permission": "allow",
        "provider": {"loopback": {
            "npm": "@ai-sdk/openai-compatible", "name": "loopback",
            "options": {"baseURL": url, "apiKey": "none"},
            "models": {"scripted": {"name": "scripted"}}}}}))
    home.environment.update(OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1")


MODELS = {"codex": model_of_codex, "opencode": model_of_opencode}


def instructions(client):
    """The five lines of docs/agents.md, as they stand there."""
    text = (ROOT / "docs" / "agents.md").read_text()
    block = text.split(f"## {client}\n```sh\n")[1].split("```")[0]
    assert len(block.splitlines()) == 5, block
    return "set -euo pipefail\n" + block


class Newcomer(unittest.TestCase):
    def setUp(self):
        self.home = Home(BIN)
        self.addCleanup(self.home.close)
        self.project = self.home.path / "project"
        self.project.mkdir()

    def follow(self, client, changed=lambda block: block):
        environment = {**self.home.environment, "SOURCE": str(ROOT)}
        if PROGRAM:
            environment["PATH"] = f"{Path(PROGRAM).parent}:{environment['PATH']}"
        ran = subprocess.run(
            ["bash", "-c", changed(instructions(client))], cwd=self.project, env=environment,
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=AGENT_PATIENCE_S,
            check=False)
        self.told = f"{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
        self.assertEqual(ran.returncode, 0, self.told)
        return ran.stdout

    @unittest.skipUnless(AGENT == "python", "of Python")
    def test_the_python_client_gets_a_better_kernel(self):
        told = self.follow("Python")
        self.assertIn("improved", told)
        self.assertIn("__global__", (self.project / "best.cu").read_text())
        print(f"\npython: {told.splitlines()[0]}", file=sys.stderr)

    @unittest.skipUnless(AGENT == "http", "over HTTP")
    def test_http_is_switched_on_and_answers_who_has_the_token(self):
        settings = self.home.path / ".config" / "warpmind" / "config.toml"
        told = self.follow("Over HTTP", lambda block: block.replace(":7411", ":0"))
        self.assertIn("[http]", settings.read_text())
        answer = json.loads(told.splitlines()[-1])["result"]
        self.assertEqual(answer["serverInfo"]["name"], "warpmind")
        self.assertIn("tools", answer["capabilities"])
        print(f"\nhttp: {answer['serverInfo']['name']} {answer['serverInfo']['version']}, "
              f"{answer['protocolVersion']}", file=sys.stderr)

    @unittest.skipUnless(AGENT == "skill", "without MCP")
    def test_what_the_skill_names_does_its_job(self):
        told = self.follow("Without MCP")
        skill = (self.project / "SKILL.md").read_text()
        self.assertTrue(skill.startswith("---\nname: warpmind\n"), skill[:80])
        self.assertIn("__global__", (self.project / "best.cu").read_text())
        self.assertIn("improved", told)
        # Whatever command it names is one, with these flags.
        named = set(re.findall(r"`warpmind ((?:[a-z-]+ ?)+)", skill))
        self.assertGreater(len(named), 6)
        for words in named:
            ran = self.home.run(*words.split(), "--help", cwd=self.project)
            self.assertEqual(ran.returncode, 0, words)
        print(f"\nskill: {len(named)} commands of the skill, a better kernel", file=sys.stderr)

    @unittest.skipUnless(AGENT in MODELS, "of agents")
    def test_an_agent_lists_the_tools_analyses_optimises_and_reads_the_verdict(self):
        model = ModelThatReads("warpmind", script_for(self.project / "task"))
        self.addCleanup(model.close)
        MODELS[AGENT](self.home, model.url)
        said = self.follow({"codex": "Codex", "opencode": "opencode"}[AGENT])
        self.assertEqual(model.faults, [], self.told)
        self.assertTrue(model.requests, self.told)
        offered = {name.rsplit("warpmind_", 1)[-1] for space, name in tools_of(model.requests[0])
                   if "warpmind" in space + name}
        self.assertEqual(offered, TOOLS)
        analysed, started, *_, ended = map(data_of, results_of(model.requests[-1]))
        self.assertEqual(analysed["kernels"][0]["name"], "twice")
        self.assertGreater(analysed["kernels"][0]["registers"], 0)
        self.assertRegex(started["job"], r"^j-\d{10}$")
        self.assertEqual((ended["job"], ended["state"]), (started["job"], "done"))
        self.assertEqual(ended["provider"], "sim")
        (verdict,) = [step for step in ended["judged"] if step["index"] == 1]
        self.assertIn(verdict["outcome"], ("improved", "same", "regressed"))
        self.assertGreater(verdict["ratio"], 0)
        self.assertIn("the job has ended", said, self.told)
        print(f"\n{AGENT}: {len(TOOLS)} tools, {len(model.requests)} turns, "
              f"step 1 {verdict['outcome']} ({verdict['ratio']:.2f})", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
