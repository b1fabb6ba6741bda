#!/usr/bin/env python3
"""A night on the simulator that is killed ends as one that is not.

  night_test.py BIN_DIRECTORY [TASK...]

Queues every shipped task (or those named) as a newcomer does, `warpmind queue add`, with small
budgets and a fixed seed, lets the night run undisturbed, then again on a fresh base with the daemon
killed by SIGKILL at random moments and started again. Both must end with the same jobs, the same
candidates, the same verdicts with the same predicted times, and the same best kernels.

NIGHT_JOBS (30; the first tasks are queued again with another seed until there are so many),
NIGHT_EVALUATIONS (2), NIGHT_KILLS (5), NIGHT_KILL_SEED (drawn, printed), NIGHT_KEEP (folder that gets
the report of the disturbed night as night.html and night.md), NIGHT_HOME (an absent folder for both
bases, which stay).
"""

import difflib
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from nights import Night, Plan, jobs_of, keep_report, let_run, queue_jobs, restarts_of

# The search is what is tried here, not the simulator: sampled blocks and few cases keep it short.
LAB = {
    "CUDA_VISIBLE_DEVICES": "",
    "WARPMIND_LAB_SIMULATED_GINST": "0.02", "WARPMIND_LAB_CHECK_SEEDS": "5",
    "WARPMIND_LAB_CASE_TIMEOUT_S": "600", "WARPMIND_TOOLCHAIN_TIMEOUT_S": "600",
}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def describe_step(step):
    verdict = step["verdict"]
    candidate = step["candidate"]
    measured = verdict.get("measurement") or {}
    compared = verdict.get("comparison") or {}
    return (f"    {step['index']} {candidate['technique']} {candidate['parameters']} "
            f"kernel {digest(json.dumps(candidate['kernel'], sort_keys=True))} "
            f"{verdict['outcome']} {measured.get('median_ns', 0):.3f} ns "
            f"x{compared.get('ratio', 0):.6f} accepted {step['accepted']}")


def results_of(night):
    """What must be the same, one line each: nothing with a time of day or of work."""
    lines = []
    report = night.ask("queue", "report")
    for entry, job in jobs_of(night, report):
        episode = job.get("episode") or {}
        lines.append(f"{entry['job_id']} {entry['task']} {entry['state']} {entry['outcome']} "
                     f"x{entry['ratio']:.6f} {entry['spent']['evaluations']} candidates, "
                     f"best step {episode.get('best_step')}, seed {episode.get('seed')}")
        lines += [describe_step(step) for step in episode.get("steps", [])]
    return lines, report


def whole_night(plan, home, kills, keep):
    night = Night(plan.binaries, home, home.parent / "cache", LAB)
    start = time.monotonic()
    night.start()
    try:
        queue_jobs(night, plan, "sim")
        let_run(night, plan, kills)
        lines, report = results_of(night)
        if keep:
            keep_report(night, keep)
        night.stop()
    finally:
        if night.daemon.poll() is None:
            night.kill()
    return lines, report, time.monotonic() - start


def main():
    plan = Plan("night_test.py")
    kills = plan.kills
    print(plan, flush=True)
    stays = os.environ.get("NIGHT_HOME")
    home = Path(stays) if stays else Path(tempfile.mkdtemp(prefix="wmn"))
    home.mkdir(mode=0o700, exist_ok=True)
    try:
        calm, calm_report, calm_s = whole_night(plan, home / "calm", 0, None)
        killed, report, killed_s = whole_night(plan, home / "killed", kills, plan.keep)
    finally:
        if not stays:
            shutil.rmtree(home, ignore_errors=True)
    difference = list(difflib.unified_diff(calm, killed, "calm", "killed", lineterm="", n=1))
    print("\n".join(difference))
    improved = sum(1 for entry in report["jobs"] if entry["outcome"] == "improved")
    print(f"RESULT night jobs={len(report['jobs'])} improved={improved} "
          f"candidates={report['spent']['evaluations']} kills={kills} starts_again={restarts_of(report)} "
          f"calm_s={calm_s:.0f} killed_s={killed_s:.0f} differences={len(difference)}")
    if restarts_of(calm_report) != 0 or (kills > 0 and restarts_of(report) == 0):
        print("night_test: the kills did not hit the night that they were meant for")
        return 1
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
