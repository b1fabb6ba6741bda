#!/usr/bin/env python3
"""A night on this machine's GPU: how busy it keeps the device, and what SIGKILL changes.

  night_gpu.py BIN_DIRECTORY [TASK...]

Queues every shipped task (or those named), `--provider gpu`, with small budgets and a fixed seed, and
lets the night run undisturbed; then again on a fresh base, with the daemon killed at drawn moments.
Measured times differ from night to night, so that a verdict near its bound may: what is the same and
what is not is printed job by job, and fails nothing but a job that did not end.

NIGHT_JOBS (30), NIGHT_EVALUATIONS (2), NIGHT_KILLS (5; 0 = the undisturbed night alone),
NIGHT_KILL_SEED (drawn, printed), NIGHT_KEEP (folder that gets reports and results of both nights),
NIGHT_CALM (results.json of an undisturbed night with these jobs or more: only the other one is run).

Settings of the queue and the lab in the environment (WARPMIND_QUEUE_JOBS_PER_GPU=1) are passed on.

busy     share of the time in which NVML saw a kernel on the device (nvidia-smi, twice a second)
lab      time in the lab's stages on the device, of the wall time of the night; several seats add up
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))
from nights import Night, Plan, jobs_of, keep_report, let_run, queue_jobs, restarts_of  # noqa: E402

BEFORE_THE_DEVICE = ("static", "build", "simulation")


@contextmanager
def utilisation(path):
    """What nvidia-smi says twice a second, in per cent, into `path`."""
    with path.open("w") as log:
        watch = subprocess.Popen(
            ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "500"],
            stdout=log)
        try:
            yield
        finally:
            watch.terminate()
            watch.wait()


def mean_share(path):
    samples = [float(line) for line in path.read_text().split("\n") if line.strip().isdigit()]
    return sum(samples) / max(1, len(samples)) / 100


def summary(entry, job):
    """What a night says of one job."""
    episode = job.get("episode") or {}
    best = next((s for s in episode.get("steps", []) if s["index"] == episode.get("best_step")), None)
    kernel = json.dumps(best["candidate"]["kernel"], sort_keys=True) if best else ""
    return {
        "task": entry["task"], "state": entry["state"], "outcome": entry["outcome"],
        "ratio": entry["ratio"], "low": entry["low"], "high": entry["high"],
        "evaluations": entry["spent"]["evaluations"], "attempts": len(entry["history"]),
        "given_ns": median_of(episode, 0), "best_ns": median_of(episode, episode.get("best_step")),
        "best": hashlib.sha256(kernel.encode()).hexdigest()[:12], "error": entry.get("error", ""),
    }


def median_of(episode, index):
    step = next((s for s in episode.get("steps", []) if s["index"] == index), {})
    return ((step.get("verdict") or {}).get("measurement") or {}).get("median_ns")


def stage_seconds(job):
    seconds = Counter()
    episode = job.get("episode") or {}
    for step in episode.get("steps", []):
        for stage in step["verdict"].get("stages", []):
            seconds[stage["stage"]] += stage["seconds"]
    return seconds


def whole_night(plan, home, kills):
    passed_on = {name: value for name, value in os.environ.items()
                 if name.startswith(("WARPMIND_QUEUE_", "WARPMIND_LAB_"))}
    night = Night(plan.binaries, home, home.parent / (home.name + "-cache"), passed_on)
    night.start()
    start = time.monotonic()
    try:
        with utilisation(home / "utilisation"):
            queue_jobs(night, plan, "gpu")
            let_run(night, plan, kills)
            wall = time.monotonic() - start
        report = night.ask("queue", "report")
        results, stages = {}, Counter()
        for entry, job in jobs_of(night, report):
            results[entry["job_id"]] = summary(entry, job)
            stages += stage_seconds(job)
        if plan.keep:
            folder = Path(plan.keep) / home.name
            keep_report(night, folder)
            (folder / "results.json").write_text(json.dumps(results, indent=1))
        night.stop()
    finally:
        if night.daemon.poll() is None:
            night.kill()
    busy = mean_share(home / "utilisation")
    print_night(home.name, report, stages, wall, busy)
    return results, report, wall, busy


def print_night(name, report, stages, wall, busy):
    lab = sum(s for stage, s in stages.items() if stage not in BEFORE_THE_DEVICE)
    evaluations = report["spent"]["evaluations"]
    print(f"{name}: {wall:.0f} s, device busy {100 * busy:.0f} %, in the lab's device stages "
          f"{100 * lab / wall:.0f} %, {60 * evaluations / wall:.1f} candidates a minute")
    for stage, seconds in stages.most_common():
        print(f"  {stage:14s} {seconds:8.1f} s  {100 * seconds / wall:5.1f} % of the wall time")


def figures_of(name, report, wall, busy):
    jobs = report["jobs"]
    done = sum(1 for entry in jobs if entry["state"] == "done")
    improved = sum(1 for entry in jobs if entry["outcome"] == "improved")
    minute = 60 * report["spent"]["evaluations"] / wall
    return [f"{name}_jobs={len(jobs)}", f"{name}_done={done}", f"{name}_improved={improved}",
            f"{name}_s={wall:.0f}", f"{name}_busy={busy:.3f}",
            f"{name}_candidates_per_minute={minute:.2f}"]


def compare(calm, killed):
    """Prints a line for each job; returns how many are alike, and in which way."""
    same = Counter()
    for job, one in calm.items():
        other = killed[job]
        outcome = one["outcome"] == other["outcome"] and one["state"] == other["state"]
        kernel = one["best"] == other["best"]
        overlap = one["low"] <= other["high"] and other["low"] <= one["high"]
        same.update(outcome=outcome, kernel=kernel, overlap=overlap)
        mark = " " if outcome and kernel else "*"
        print(f"{mark} {job} {one['task']:26s} {one['state']} {one['outcome']} {one['ratio']:.3f}x | "
              f"{other['state']} {other['outcome']} {other['ratio']:.3f}x, {other['attempts']} starts"
              f"{'' if kernel else ', another kernel'}{other['error'][:80]}")
    return same


def main():
    plan = Plan("night_gpu.py")
    device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,uuid", "--format=csv,noheader"],
                            capture_output=True, text=True, check=True).stdout.strip()
    print(f"{device}, {plan}", flush=True)
    home = Path(tempfile.mkdtemp(prefix="wmg"))
    try:
        figures = []
        if recorded := os.environ.get("NIGHT_CALM"):
            calm, ended = json.loads(Path(recorded).read_text()), True
        else:
            calm, report, wall, busy = whole_night(plan, home / "calm", 0)
            ended = all(one["state"] == "done" for one in calm.values())
            figures += figures_of("calm", report, wall, busy)
        if plan.kills > 0:
            killed, report, wall, busy = whole_night(plan, home / "killed", plan.kills)
            same = compare({job: calm[job] for job in killed}, killed)
            ended = ended and all(one["state"] == "done" for one in killed.values())
            figures += figures_of("killed", report, wall, busy)
            figures += [f"kills={plan.kills}", f"starts_again={restarts_of(report)}",
                        f"same_outcome={same['outcome']}", f"same_kernel={same['kernel']}",
                        f"intervals_meet={same['overlap']}"]
    finally:
        shutil.rmtree(home, ignore_errors=True)
    print("RESULT night_gpu " + " ".join(figures))
    return 0 if ended else 1


if __name__ == "__main__":
    sys.exit(main())
