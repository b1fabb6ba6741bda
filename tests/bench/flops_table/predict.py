#!/usr/bin/env python3
"""Our counter as a predictor for the table: the first launch of each kernel, walked.

    predict.py CLONE WORK --build build/ci [--only-compile] [--simulate] [--program NAME …]

Each program is built by nvcc and run on the simulator's runtime, where kernels do nothing; its
launches are counted from PTX and their arguments. Kernels whose loops depend on data are counted by
executing them, where --simulate is given. One program after the other; what WORK holds already is not
done again. Programs whose name has an odd number of letters are left alone. Writes
WORK/predictions.jsonl and prints how far each program came.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

import compilation
import record
import truth


def is_ours(program):
    name = program.removesuffix("-cuda")
    return sum(letter.isalpha() for letter in name) % 2 == 0


def nice():
    os.nice(10)


def compile_once(options, program, folder):
    """None, or why there is no program. What came of it is kept beside it."""
    file, failure = folder / "program", folder / "not_built"
    if file.exists():
        return None
    if failure.exists():
        return failure.read_text()
    said = compiled(options, program, file)
    if said:
        failure.write_text(said)
    return said


def compiled(options, program, output):
    command = compilation.nvcc_command(options.clone, program, output)
    if command is None:
        return "no build is recorded"
    try:
        built = subprocess.run(command, cwd=options.clone / "src" / program, capture_output=True,
                               text=True, errors="replace", timeout=options.compile_seconds,
                               preexec_fn=nice)
    except subprocess.TimeoutExpired:
        return "not built: time"
    except OSError as error:
        return f"not built: {error}"
    if built.returncode == 0:
        return None
    said = [line for line in built.stderr.splitlines() if "error" in line or "undefined" in line]
    return "not built: " + (said or ["nvcc failed"])[0][:200]


def environment_of(options, **settings):
    return {"LD_LIBRARY_PATH": str(options.build / "lib/simulator"),
            "CUDASIM_DEVICE": options.device, "CUDASIM_CHECKS": "none", **settings}


def counted(options, *arguments):
    """What flops_launches prints, by kernel."""
    ran = subprocess.run([options.build / "bin/flops_launches", *arguments], capture_output=True,
                         text=True, errors="replace", timeout=options.count_seconds)
    if ran.returncode != 0:
        raise ValueError(ran.stderr.strip()[:200])
    rows = {}
    for line in ran.stdout.splitlines():
        row = json.loads(line)
        rows.setdefault(truth.plain_name(row["kernel"]), row)
    return rows


def count_first(options, file, trace, kernel):
    """The first launch of one kernel, from a record of it alone; None where there is none."""
    lines = record.first_launch(trace, kernel)
    if not lines:
        return None
    short = trace.with_name("first")
    short.write_bytes(lines)
    try:
        return counted(options, file, short).get(kernel)
    except subprocess.TimeoutExpired:
        return {"grid": [], "block": [], "how": "walked", "undecided": "counting took too long"}


def run_recorded(options, program, file, folder, kernels, arguments):
    """(how it ended, counts by kernel) of launches that did nothing."""
    trace = folder / "trace"
    watched = record.Watched(trace, kernels)
    environment = environment_of(options, CUDASIM_TRACE=str(trace), CUDASIM_NULL_KERNELS="on")
    end = record.run([file, *shlex.split(arguments)], options.clone / "src" / program, environment,
                     watched, options.run_seconds)
    if not trace.exists():
        return end, {}
    counts = {kernel: count_first(options, file, trace, kernel) for kernel in kernels}
    return end, {kernel: count for kernel, count in counts.items() if count}


def run_simulated(options, program, file, folder, kernels, arguments):
    """Counts by kernel of launches that the simulator executed."""
    report = folder / "report"
    watched = record.Watched(report, kernels)
    environment = environment_of(options, CUDASIM_REPORT=str(report))
    record.run([file, *shlex.split(arguments)], options.clone / "src" / program, environment,
               watched, options.run_seconds)
    return counted(options, "--simulated", report) if report.exists() else {}


def predict_program(options, program, rows):
    """{"status": …, "kernels": {name: count}}."""
    folder = options.work / program
    failed = compile_once(options, program, folder)
    if failed:
        return {"status": failed, "kernels": {}}
    file = folder / "program"
    for left in ("trace", "report"):
        (folder / left).unlink(missing_ok=True)
    names = [row.kernel for row in rows]
    arguments = rows[0].arguments
    end, counts = run_recorded(options, program, file, folder, names, arguments)
    undecided = [name for name, count in counts.items() if count["undecided"]]
    if options.simulate and undecided:
        executed = run_simulated(options, program, file, folder, undecided, arguments)
        for name in undecided:
            if name in executed and not executed[name]["undecided"]:
                counts[name] = {**executed[name], "walk": counts[name]["undecided"]}
    return {"status": end, "kernels": counts}


def prediction_lines(program, rows, result):
    for row in rows:
        count = result["kernels"].get(row.kernel)
        line = {"program": program, "kernel": row.kernel, "status": result["status"]}
        if count:
            line.update(grid=count["grid"], block=count["block"], how=count["how"],
                        same_shape=(tuple(count["grid"]), tuple(count["block"])) ==
                        (row.grid, row.block), undecided=count["undecided"])
            if not count["undecided"]:
                line.update(sp=count["sp"], dp=count["dp"])
        yield json.dumps(line) + "\n"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("work", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--program", action="append", help="only this one; may be repeated")
    parser.add_argument("--device", default="rtx3090", help="what the simulator says it is")
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--only-compile", action="store_true")
    parser.add_argument("--easy", action="store_true", help="only easy kernels that have flops")
    parser.add_argument("--all-seconds", type=float, default=3600, help="no program begins later")
    parser.add_argument("--compile-seconds", type=float, default=120)
    parser.add_argument("--run-seconds", type=float, default=60)
    parser.add_argument("--count-seconds", type=float, default=120)
    return parser.parse_args()


def result_of(options, program, rows):
    kept = options.work / f"{program}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    try:
        result = predict_program(options, program, rows)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        result = {"status": f"not counted: {str(error)[:200]}", "kernels": {}}
    kept.write_text(json.dumps(result))
    print(f"{program}: {result['status']}, {len(result['kernels'])} of {len(rows)} kernels",
          flush=True)
    return result


def programs_of(options):
    """{program: rows}; those with easy kernels first, which are what is wanted most."""
    found = {}
    for row in truth.read_table(options.clone):
        wanted = not options.easy or (row.easy and (row.sp or row.dp))
        if wanted and is_ours(row.program) and (
                not options.program or row.program in options.program):
            found.setdefault(row.program, []).append(row)
    return dict(sorted(found.items(), key=lambda one: (
        not any(row.easy and (row.sp or row.dp) for row in one[1]), one[0])))


def main():
    options = read_options()
    begun, lines = time.monotonic(), []
    for program, rows in programs_of(options).items():
        if time.monotonic() - begun > options.all_seconds:
            break
        (options.work / program).mkdir(parents=True, exist_ok=True)
        if options.only_compile:
            print(f"{program}: {compile_once(options, program, options.work / program) or 'built'}",
                  flush=True)
        else:
            lines += prediction_lines(program, rows, result_of(options, program, rows))
    if not options.only_compile:
        (options.work / "predictions.jsonl").write_text("".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
