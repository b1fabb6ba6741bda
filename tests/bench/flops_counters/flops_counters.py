#!/usr/bin/env python3
"""Launches what flops_counters prepared, under the counters of a GPU, and compares.

    flops_counters.py FOLDER --worker build/release/bin/warpmind-worker [--ncu ncu]
    flops_counters.py FOLDER --worker … --simulator build/ci/lib/simulator   # no counters: does it run?

Prints a line a launch, counted beside measured, then RESULT. ncu needs the right to read counters
(root, or NVreg_RestrictProfilingToAdminUsers=0).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import ncu_table


def read_counts(case):
    return [json.loads(line) for line in (case / "counts.json").read_text().splitlines()]


def ncu_command(options):
    return [options.ncu, "--target-processes", "all", "--csv", "--page", "raw", "--print-units", "base",
            "--clock-control", "none", "--cache-control", "none",
            "--metrics", ",".join(ncu_table.METRICS.values())]


def launch(case, options):
    """Standard output of ncu. The worker reports on descriptor 3, which must say that all ran."""
    environment = dict(os.environ)
    # The shell stands inside of ncu: what ncu does with descriptors does not matter then.
    command = ["bash", "-c", 'exec "$@" <job.json 3>report.json', "bash", str(options.worker)]
    if options.simulator:
        environment["LD_LIBRARY_PATH"] = str(options.simulator)
        command.append("--simulated")
    else:
        command = ncu_command(options) + command
    report = case / "report.json"
    report.unlink(missing_ok=True)
    ran = subprocess.run(command, cwd=case, env=environment, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace", timeout=options.seconds)
    answer = json.loads(report.read_text() or "{}") if report.exists() else {}
    bad = [one for one in answer.get("cases", []) if one.get("status", "ok") != "ok"]
    if not answer.get("ok") or bad:
        said = answer.get("error") or (bad[0].get("message") if bad else "")
        lines = [line for line in ran.stdout.splitlines() if line.strip()]
        raise ValueError(said or (lines[-1] if lines else f"{command[0]} ended with {ran.returncode}"))
    return ran.stdout


def run_case(case, options, score, kept):
    counts = read_counts(case)
    printed = launch(case, options)
    if options.simulator:
        return len(counts)
    for count, row in ncu_table.join(counts, ncu_table.read_rows(printed)):
        score.add(count, row)
        print(ncu_table.describe(case.name, count, row), flush=True)
        kept.append({"case": case.name, "counted": count, "measured": row})
    return len(counts)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--worker", type=pathlib.Path, required=True)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--simulator", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=120, help="most for a case")
    parser.add_argument("--all-seconds", type=float, default=540, help="no case begins later")
    parser.add_argument("--output", type=pathlib.Path, help="both counts of every launch, as JSON")
    options = parser.parse_args()
    options.worker = options.worker.resolve()
    options.simulator = options.simulator and options.simulator.resolve()
    return options


def main():
    options = read_options()
    cases = sorted(file.parent for file in options.folder.glob("*/job.json"))
    if not cases:
        sys.exit(f"flops_counters.py: {options.folder} has no cases; make them with flops_counters")
    score, kept, failed, ran, begun = ncu_table.Score(), [], 0, 0, time.monotonic()
    for case in cases:
        if time.monotonic() - begun > options.all_seconds:
            print(f"{case.name}: left out, the time is over")
            failed += 1
            continue
        try:
            ran += run_case(case, options, score, kept)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{case.name}: {str(error)[:300]}", flush=True)
    if options.output:
        options.output.write_text("[" + ",\n".join(json.dumps(one) for one in kept) + "]\n")
    if options.simulator:
        print(f"RESULT cases={len(cases)} launches={ran} failed_cases={failed}")
    else:
        print(f"{score.line()} failed_cases={failed}")
    return 0 if failed == 0 and ran > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
