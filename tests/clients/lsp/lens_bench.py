"""From nothing to the lenses of a file, through `warpmind lsp`: lens_bench.py BIN_DIRECTORY [RUNS]

warm: the daemon runs; start of `warpmind lsp`, initialize, didOpen, codeLens, until its answer.
cold: the same, and `warpmind lsp` has to start the daemon first. Times in ms; the last line is
`RESULT key=value …` with median, smallest and largest of RUNS (default 15)."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from lsp_client import Editor  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def main():
    bin_directory = Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    program = str(bin_directory / "warpmind")
    with tempfile.TemporaryDirectory(prefix="wml") as home:
        environment = {
            **os.environ,
            "WARPMIND_DAEMON_STATE_DIRECTORY": home + "/state",
            "WARPMIND_DAEMON_SOCKET": home + "/d.sock",
            "WARPMIND_KNOWLEDGE_RESERVE_MIB": "192",
            "XDG_CACHE_HOME": home + "/cache",
            "CUDA_VISIBLE_DEVICES": "",
        }
        if os.geteuid() == 0:
            environment["WARPMIND_DAEMON_ALLOW_ROOT"] = "true"
        folder = Path(home) / "task"
        shutil.copytree(ROOT / "tasks" / "row_softmax_f16", folder)

        def stop():
            subprocess.run([program, "daemon", "stop"], env=environment, capture_output=True, check=True)

        def once():
            begun = time.monotonic()
            editor = Editor([program, "lsp"], environment)
            editor.begin(predict=False)
            editor.open(folder / "kernel.cu")
            lenses = editor.ask("textDocument/codeLens", editor.about(folder / "kernel.cu"))
            took = (time.monotonic() - begun) * 1000
            assert lenses[0]["command"]["title"] == "Optimize", lenses
            assert editor.end() == 0
            return took

        once()  # creates the base
        times = {"warm": [once() for _ in range(runs)], "cold": []}
        for _ in range(runs):
            stop()
            times["cold"].append(once())
        stop()
    result = f"runs={runs}"
    for name, found in times.items():
        middle, low, high = statistics.median(found), min(found), max(found)
        print(f"{name}: median {middle:.0f} ms, {low:.0f} to {high:.0f} ms, of {runs} runs")
        result += f" {name}_ms={middle:.1f} {name}_min_ms={low:.1f} {name}_max_ms={high:.1f}"
    print("RESULT", result)


if __name__ == "__main__":
    main()
