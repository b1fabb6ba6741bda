"""Nights on a real daemon: queue them, kill the daemon at drawn moments, wait for their end.

For night_test.py (the simulator) and tests/bench/night_gpu.py (a GPU).
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUCK_S = 1800  # without news of the queue; reached only when something is broken


class Plan:
    """What the command line and the environment ask for; the names are in the scripts' own texts."""

    def __init__(self, script):
        if len(sys.argv) < 2:
            raise SystemExit(f"usage: {script} BIN_DIRECTORY [TASK...]")
        self.binaries = Path(sys.argv[1]).resolve()
        self.tasks = sys.argv[2:] or sorted(f.parent.name for f in ROOT.glob("tasks/*/task.toml"))
        self.jobs = int(os.environ.get("NIGHT_JOBS", "30"))
        self.evaluations = int(os.environ.get("NIGHT_EVALUATIONS", "2"))
        self.kills = int(os.environ.get("NIGHT_KILLS", "5"))
        self.seed = int(os.environ.get("NIGHT_KILL_SEED", str(random.randrange(1 << 30))))
        self.keep = os.environ.get("NIGHT_KEEP")

    def __str__(self):
        return f"{len(self.tasks)} tasks, NIGHT_KILL_SEED={self.seed}"


class Night:
    """One base, its daemon, and the client that talks to it."""

    def __init__(self, binaries, home, cache, environment):
        """`environment` is added to what every daemon gets."""
        self.binaries = binaries
        self.home = home
        home.mkdir(mode=0o700)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(home), "XDG_CACHE_HOME": str(cache),
            "WARPMIND_DAEMON_STATE_DIRECTORY": str(home / "state"),
            "WARPMIND_DAEMON_SOCKET": str(home / "d.sock"), "WARPMIND_KNOWLEDGE_RESERVE_MIB": "192",
            "WARPMIND_DAEMON_ALLOW_ROOT": str(os.geteuid() == 0).lower(), **environment,
        }
        self.daemon = None

    def start(self):
        self.daemon = subprocess.Popen([str(self.binaries / "warpmindd")], env=self.environment)
        while subprocess.run([str(self.binaries / "warpmind"), "daemon", "status"], check=False,
                             env=self.environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL).returncode != 0:
            if self.daemon.poll() is not None:
                raise SystemExit(f"night: the daemon ended with {self.daemon.returncode}")
            time.sleep(0.05)

    def kill(self):
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()

    def stop(self):
        self.run("daemon", "stop")
        self.daemon.wait()

    def run(self, *words):
        done = subprocess.run([str(self.binaries / "warpmind"), *words, "--no-start"],
                              env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"night: warpmind {' '.join(words)}: {done.stderr or done.stdout}")
        return done.stdout

    def ask(self, *words):
        return json.loads(self.run(*words, "--json"))


def queue_jobs(night, plan, provider):
    """All tasks, then the first again with another seed."""
    turns = range(plan.jobs // len(plan.tasks) + 1)
    items = [(ROOT / "tasks" / name, 7 + turn) for turn in turns for name in plan.tasks]
    manifest = night.home / "night.jsonl"
    manifest.write_text("".join(
        json.dumps({"directory": str(folder), "seed": seed}) + "\n" for folder, seed in items[:plan.jobs]))
    night.run("queue", "add", str(manifest), "--provider", provider, "--evaluations",
              str(plan.evaluations), "--seconds", "86400")


def left_of(night):
    queue = night.ask("queue", "list")
    return queue["waiting"] + queue["running"]


def let_run(night, plan, kills):
    """Until nothing waits, with SIGKILL when so many jobs have ended and another one runs."""
    jobs, draw = plan.jobs, random.Random(plan.seed)
    # Never the last one: it could end before its kill.
    marks = sorted(draw.sample(range(1, jobs - 1), min(kills, jobs - 2)))
    killed = 0
    start = time.monotonic()
    last, since = None, start
    while (left := left_of(night)) > 0:
        if left != last:
            last, since = left, time.monotonic()
            print(f"  {jobs - left} of {jobs} jobs, {killed} kills", flush=True)
        if time.monotonic() - since > STUCK_S:
            raise SystemExit("night: nothing ends any more:\n" + night.run("queue", "list"))
        if marks and jobs - left >= marks[0]:
            marks.pop(0)
            # The moment is what is drawn, in half of a job's time: two jobs have hardly ended by then.
            time.sleep(draw.uniform(0, 0.5) * (time.monotonic() - start) / (jobs - left))
            while night.ask("queue", "list")["running"] == 0 and left_of(night) > 0:
                time.sleep(0.02)
            night.kill()
            killed += 1
            night.start()
        else:
            time.sleep(0.25)
    if killed != kills:
        raise SystemExit(f"night: only {killed} of {kills} kills came to pass")


def restarts_of(report):
    return sum(max(0, len(entry["history"]) - 1) for entry in report["jobs"])


def keep_report(night, folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    night.run("report", "--last-night", "--html", str(Path(folder) / "night.html"),
              "--markdown", str(Path(folder) / "night.md"))


def jobs_of(night, report):
    """Of each job of the night: its line of the report, and the job with its episode."""
    for entry in report["jobs"]:
        answer = night.ask("result", entry["job_id"])
        yield entry, answer.get("job", answer)
