"""The MCP tools against a real daemon on the simulator: tools_test.py BIN_DIRECTORY"""

import copy
import json
import os
import select
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mcp_client import PATIENCE_S, TASKS, Home, McpClient, Refused  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
TASK = ROOT / "tasks" / "row_softmax_f16"
BIN = sys.argv.pop(1)
# A warp a row: four rows a block of the plan's 128 threads.
BY_WARPS = """#include <cuda_fp16.h>

extern "C" __global__ void row_softmax(const __half* x, __half* y, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const __half* from = x + row * columns;
  float largest = -INFINITY;
  for (int i = lane; i < columns; i += 32) largest = fmaxf(largest, __half2float(from[i]));
  for (int d = 16; d > 0; d /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, d));
  }
  float sum = 0.0f;
  for (int i = lane; i < columns; i += 32) sum += expf(__half2float(from[i]) - largest);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  const float scale = 1.0f / sum;
  for (int i = lane; i < columns; i += 32) {
    y[row * columns + i] = __float2half(expf(__half2float(from[i]) - largest) * scale);
  }
}
"""


def setUpModule():
    global HOME  # noqa: PLW0603
    HOME = Home(BIN)


def tearDownModule():
    HOME.close()


class WithClient(unittest.TestCase):
    def client(self, **options):
        client = McpClient(HOME, **options)
        self.addCleanup(lambda: self.assertEqual(client.close(), 0))
        return client


class OutsideWriter(WithClient):
    """One episode of a client that writes kernels; its steps are in the order of their names."""

    @classmethod
    def setUpClass(cls):
        with_client = McpClient(HOME)
        cls.opened = with_client.data(
            "kernel_optimize", mode="open", directory=str(TASK), provider="sim", evaluations=6)
        with_client.close()  # an episode outlives the connection that opened it
        cls.job = cls.opened["job"]

    def submit(self, source, **more):
        plan = copy.deepcopy(self.opened["kernel"]["plan"])
        plan["launches"][0]["grid"][0] = "ceil_div(rows, 4)"
        return self.client().data(
            "kernel_optimize", mode="submit", job=self.job, source=source, plan=plan, **more)

    def test_1_opening_gives_the_kernel_and_what_limits_it(self):
        self.assertIn("row_softmax", self.opened["kernel"]["source"])
        self.assertEqual(self.opened["evaluations_left"], 6)
        self.assertNotEqual(self.opened["bottleneck"]["primary"], "unknown")
        self.assertTrue(self.opened["advice"]["techniques"])
        again = self.client().data("kernel_optimize", mode="brief", job=self.job)
        self.assertEqual(again["kernel"], self.opened["kernel"])

    def test_2_what_does_not_compile_is_judged_so_with_the_compilers_words(self):
        judged = self.submit(BY_WARPS.replace("float scale", "flaot scale"), technique="coalesced_mapping")
        self.assertEqual((judged["step"], judged["outcome"]), (1, "build_failed"))
        self.assertFalse(judged["accepted"])
        self.assertIn("flaot", judged["diagnostics"])

    def test_3_wrong_results_are_never_a_win(self):
        judged = self.submit(BY_WARPS.replace("1.0f / sum", "2.0f / sum"), technique="coalesced_mapping")
        self.assertEqual((judged["step"], judged["outcome"]), (2, "wrong"))
        self.assertFalse(judged["accepted"])
        self.assertNotIn("ratio", judged)
        self.assertTrue(judged["reason"])

    def test_4_a_better_kernel_wins_with_its_predicted_gain(self):
        judged = self.submit(BY_WARPS, technique="coalesced_mapping", predicted_gain=4,
                             rationale="neighbours read neighbours", model="test writer")
        self.assertEqual((judged["step"], judged["outcome"]), (3, "improved"), judged)
        self.assertTrue(judged["accepted"])
        self.assertGreater(judged["ratio"], 1.0)
        self.assertEqual(judged["provider"], "sim")
        self.assertGreater(judged["time_us"], 0)
        self.assertGreater(judged["share_of_limit"], 0)

    def test_4b_an_open_step_and_a_plan_of_ones_own_can_be_profiled(self):
        client = self.client()
        profile = client.data("kernel_profile", job=self.job, step=3, metrics=True)
        launch = profile["launches"][0]
        self.assertGreater(launch["time_us"], 0)
        self.assertGreater(launch["before"]["time_us"], launch["time_us"])
        self.assertEqual((launch["paired_by"], profile["against"]), ("kernel", 0))
        self.assertEqual(profile["caches"], "cold")
        self.assertGreater(launch["gb_per_s"], 0)
        self.assertGreater(launch["stall_line"], 0)
        self.assertTrue(profile["metrics"][0]["metrics"])
        self.assertNotIn(0, profile["metrics"][0]["metrics"].values())
        plan = copy.deepcopy(self.opened["kernel"]["plan"])
        plan["launches"][0]["grid"] = ["ceil_div(rows, 4)"]
        ahead = client.data("kernel_profile", directory=str(TASK), source=BY_WARPS, plan=plan)
        self.assertEqual(ahead["measurement"]["provider"], "sim")
        plan["launches"][0]["grid"] = []
        said = client.complaint("kernel_profile", directory=str(TASK), source=BY_WARPS, plan=plan)
        self.assertIn("'plan.launches.grid' must be a list", said)
        self.assertNotIn("exception", said)

    def test_5_closing_ends_it(self):
        client = self.client()
        closed = client.data("kernel_optimize", mode="close", job=self.job, rationale="enough")
        self.assertEqual((closed["outcome"], closed["best_step"]), ("improved", 3))
        for mode in ("submit", "brief", "close"):
            said = client.complaint("kernel_optimize", mode=mode, job=self.job, source=BY_WARPS)
            self.assertIn(self.job, said)
            self.assertEqual(said.count("\n"), 0)
        ended = client.data("job", action="result", job=self.job)
        self.assertEqual([step["outcome"] for step in ended["judged"][1:]],
                         ["build_failed", "wrong", "improved"])
        kernel = client.ask("resources/read", {"uri": f"warpmind://kernel/{self.job}"})
        self.assertEqual(kernel["contents"][0]["text"], BY_WARPS)

    def test_6_a_profile_of_a_judged_step_is_its_own(self):
        profile = self.client().data("kernel_profile", job=self.job, step=3)
        self.assertEqual(profile["measurement"]["provider"], "sim")
        self.assertGreater(profile["launches"][0]["time_us"], 0)
        self.assertNotIn("metrics", profile)
        self.assertTrue(profile["lines"])
        self.assertIn("no step 77", self.client().complaint("kernel_profile", job=self.job, step=77))
        explained = self.client().data("explain_bottleneck", job=self.job, step=3)
        self.assertNotEqual(explained["bottleneck"]["primary"], "unknown")
        causes = explained["bottleneck"]["causes"]
        shares = [cause["share"] for cause in causes]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertTrue(all(0 < cause["confidence"] <= 1 for cause in causes))
        self.assertEqual(explained["advice"]["against"], explained["bottleneck"]["primary"])
        self.assertTrue(explained["advice"]["text"])
        self.assertNotIn("cures", explained)

    def test_7_a_claim_needs_the_step_that_measured_it(self):
        client = self.client()
        claim = "Warps that walk along their rows read whole sectors."
        def refused(**arguments):
            return client.complaint("kb_record", claim=claim, **arguments)

        self.assertEqual(refused(), "argument 'evidence' is missing")
        self.assertEqual(refused(evidence={"job": self.job}), "argument 'evidence.step' is missing")
        self.assertIn("at least 1", refused(evidence={"job": self.job, "step": 0}))
        self.assertIn("no step 9", refused(evidence={"job": self.job, "step": 9}))
        refused(evidence={"job": "j-0000009999", "step": 1})
        for step, outcome in ((1, "build_failed"), (2, "wrong")):
            said = refused(evidence={"job": self.job, "step": step})
            self.assertIn(f"'{outcome}', which does not support a positive claim", said)
        said = refused(evidence={"job": self.job, "step": 3}, kind="negative")
        self.assertIn("does not support a negative claim", said)
        before = client.data("kb_search", query=claim)["documents"]

        noted = client.data("kb_record", claim=claim, evidence={"job": self.job, "step": 3},
                            mechanism="fewer sectors a request")
        self.assertRegex(noted["evidence"], r"e-\d{10} step 3: improved")
        self.assertIn("not measured on a GPU", noted["evidence"])
        found = client.data("kb_search", query=claim)
        self.assertEqual(found["documents"], before + 1)
        self.assertIn(noted["id"], [insight["id"] for insight in found["insights"]])
        kept = client.data("kb_get", id=noted["id"], history=True)
        self.assertEqual(kept["insight"]["claim"], claim)
        self.assertTrue(kept["history"])


class Profiles(WithClient):
    def test_a_task_folder_is_simulated_and_lines_are_named(self):
        profile = self.client().data("kernel_profile", directory=str(TASK))
        self.assertEqual(profile["tier"], "simulated")
        self.assertGreater(profile["measurement"]["median_ns"], 0)
        self.assertTrue(profile["launches"])
        lines = TASK.joinpath("kernel.cu").read_text().splitlines()
        for hot in profile["lines"]:
            self.assertLessEqual(hot["line"], len(lines))

    def test_without_a_launch_there_is_nothing_to_profile(self):
        client = self.client()
        self.assertIn("needs a launch", client.complaint("kernel_profile", source=BY_WARPS))
        self.assertIn("must be given", client.complaint("kernel_profile"))


class Explanations(WithClient):
    """What is not known is said so, and nothing is advised from it."""

    def test_a_source_that_does_not_build_shows_the_compilers_words(self):
        client = self.client()
        for tool in ("kernel_analyze", "explain_bottleneck"):
            result = client.call(tool, source="__global__ void k( {")
            self.assertIn("does not build", result["content"][0]["text"])
            self.assertIn("error", result["structuredContent"]["diagnostics"])
            self.assertFalse(result["structuredContent"].get("advice", {}).get("text"))

    def test_without_a_launch_the_limit_is_not_known(self):
        result = self.client().call("explain_bottleneck", source=BY_WARPS)
        self.assertIn("not known", result["content"][0]["text"])
        self.assertTrue(result["structuredContent"]["note"])
        self.assertNotIn("advice", result["structuredContent"])

    def test_a_text_without_kernels_is_told_so(self):
        result = self.client().call("kernel_analyze", source="int x;")
        self.assertIn("no kernel", result["content"][0]["text"])
        self.assertFalse(result["structuredContent"].get("moves"))


class Jobs(WithClient):
    def test_a_client_of_the_tasks_extension_gets_a_task_and_news_of_it(self):
        client = self.client(extensions=[TASKS])
        task = client.ask("tools/call", {"name": "kernel_optimize", "arguments": {
            "directory": str(TASK), "provider": "sim", "evaluations": 1}})
        self.assertEqual((task["resultType"], task["status"]), ("task", "working"))
        client.start("subscriptions/listen", {"notifications": {"taskIds": [task["taskId"]]}})
        told = []
        while not told or told[-1].get("params", {}).get("status") != "completed":
            told.append(client.next_message())
        self.assertEqual(told[0]["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual({news["method"] for news in told[1:]}, {"notifications/tasks"})
        got = client.ask("tasks/get", {"taskId": task["taskId"]})
        self.assertEqual(got["result"]["structuredContent"]["state"], "done")
        self.assertNotIn("isError", got["result"])

    def test_a_task_of_many_candidates_is_cancelled(self):
        client = self.client(extensions=[TASKS])
        task = client.ask("tools/call", {"name": "kernel_optimize", "arguments": {
            "directory": str(TASK), "provider": "sim", "evaluations": 100000}})
        client.ask("tasks/cancel", {"taskId": task["taskId"]})
        ended = client.data("job", action="wait", job=task["taskId"])
        while ended["status"] == "working":
            ended = client.data("job", action="wait", job=task["taskId"])
        self.assertEqual(ended["state"], "cancelled")
        self.assertEqual(client.ask("tasks/get", {"taskId": task["taskId"]})["status"], "cancelled")

    def test_without_the_extension_it_is_a_job(self):
        client = self.client(modern=False)
        with self.assertRaises(Refused) as refused:
            client.ask("tasks/get", {"taskId": "j-0000000001"})
        self.assertEqual(refused.exception.code, -32601)
        started = client.call("kernel_optimize", directory=str(TASK), provider="sim", evaluations=1)
        self.assertNotIn("resultType", started)
        job = started["structuredContent"]["job"]
        self.assertIn("status", client.data("job", action="cancel", job=job))


class Arguments(WithClient):
    """What no well-meaning client sends: one sentence each, and the pipe goes on."""

    def test_paths_that_lead_elsewhere_are_refused(self):
        client = self.client()
        outside = HOME.path / "outside"
        shutil.copytree(TASK, outside, dirs_exist_ok=True)
        link = HOME.path / "link.cu"
        if not link.is_symlink():
            link.symlink_to("/etc/passwd")
        for tool in ("kernel_analyze", "kernel_profile", "explain_bottleneck"):
            for path in ("/etc/passwd", "../../etc/passwd", str(link), "/proc/self/environ",
                         f"{outside}/../outside/kernel.cu", "kernel.cu", "/dev/zero", "/a\0b.cu"):
                said = client.complaint(tool, path=path)
                self.assertNotIn("root:", said)
                self.assertEqual(said.count("\n"), 0, said)
        for mode in ("start", "open"):
            for folder in ("/", "/etc", f"{outside}/../outside", "tasks/row_softmax_f16"):
                said = client.complaint("kernel_optimize", mode=mode, directory=folder)
                self.assertEqual(said.count("\n"), 0, said)
        for job in ("../1", "j-1/../2", "j-99999999999", "1; rm", ""):
            client.complaint("job", action="status", job=job)
        for uri in ("warpmind://kernel/../../etc/passwd", "warpmind://run/%2e%2e/x",
                    "file:///etc/passwd", "warpmind://insight/../config"):
            with self.assertRaises(Refused):
                client.ask("resources/read", {"uri": uri})

    def test_ten_megabytes_are_too_long_in_every_argument_of_text(self):
        client = self.client()
        listed = client.ask("tools/list")["tools"]
        much = "x" * 10_000_000
        for tool, name in (("kernel_analyze", "source"), ("kernel_optimize", "rationale"),
                           ("kb_search", "query"), ("kb_get", "id"), ("job", "job"),
                           ("device_info", "device")):
            self.assertIn(tool, [one["name"] for one in listed])
            said = client.complaint(tool, **{name: much}, **(
                {"action": "status"} if tool == "job" else {}))
            self.assertRegex(said, rf"argument '{name}' may have at most \d+ bytes, not 10000000")
        self.assertTrue(client.data("device_info")["mode"])


class Deaf(WithClient):
    def test_one_that_never_reads_is_stopped_and_nobody_else(self):
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}}}).encode() + b"\n"
        honest = self.client()
        before = HOME.memory_kib(honest.ask_daemon("status")["pid"], "VmHWM")
        pipe = subprocess.Popen(
            [str(HOME.binaries / "warpmind"), "mcp"], env=HOME.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.addCleanup(pipe.stdout.close)
        os.set_blocking(pipe.stdin.fileno(), False)
        taken, most = 0, 200_000 * len(line)  # whose answers would be gigabytes
        while taken < most and select.select([], [pipe.stdin], [], 3)[1]:
            taken += os.write(pipe.stdin.fileno(), line * 16)
        self.assertLess(taken, most)
        self.assertTrue(honest.data("device_info")["mode"])
        # Sanitizers keep shadows of what is held, and what was freed.
        program = (HOME.binaries / "warpmind").read_bytes()
        factor = 32 if b"__asan_init" in program or b"__tsan_init" in program else 1
        self.assertLess(HOME.memory_kib(pipe.pid, "VmHWM"), factor * 32 * 1024)
        after = HOME.memory_kib(honest.ask_daemon("status")["pid"], "VmHWM")
        self.assertLess(after - before, factor * 128 * 1024)
        pipe.stdin.close()
        pipe.stdout.close()
        self.assertIn(pipe.wait(timeout=PATIENCE_S), (0, 3))


if __name__ == "__main__":
    unittest.main()
