#!/usr/bin/env python3
"""The table of gpuFLOPBench, and a predictor's score on it.

    flops_table.py show CLONE                      # how many kernels of which kind
    flops_table.py score CLONE PREDICTIONS.jsonl   # MCC, MALE, within 1 %: all, easy, hard, by flag
    flops_table.py misses CLONE PREDICTIONS.jsonl  # predicted beside measured, where they differ

CLONE is a checkout of github.com/Scientific-Computing-Lab/gpuFLOPBench.
"""
import sys

import score
import truth


def show(table, _):
    print(truth.describe(table))


def print_scores(table, file):
    predictions = score.read_predictions(file)
    recorded = score.read_recorded(file) | set(predictions)
    for name, rows in score.parts(table, truth.FLAGS):
        print(f"{name}: {score.score(rows, predictions).line()}")
    easy = score.score([one for one in table if one.easy], predictions)
    whole = score.score(table, predictions)
    seen = sum(one.easy and bool(one.sp or one.dp) and one.key in recorded for one in table)
    print(f"RESULT flops_table kernels={whole.kernels} recorded={len(recorded)} "
          f"counted={whole.predicted} easy_nonzero={seen} easy_nonzero_counted={easy.nonzero} "
          f"within_1_percent={easy.close} "
          f"mcc_sp={whole.mcc['sp']:.4f} mcc_dp={whole.mcc['dp']:.4f} "
          f"male_sp={whole.male['sp']:.4f} male_dp={whole.male['dp']:.4f}")


def print_misses(table, file):
    predictions = score.read_predictions(file)
    for one in sorted(table, key=lambda row: (not row.easy, row.key)):
        said = predictions.get(one.key)
        if said is None or all(score.is_close(getattr(one, kind), said[kind])
                               for kind in score.KINDS):
            continue
        print(f"{'easy' if one.easy else 'hard'} {one.program} {one.kernel}: "
              f"sp {said['sp']:.0f} measured {one.sp}, dp {said['dp']:.0f} measured {one.dp}, "
              f"flags {one.flags}")


COMMANDS = {"show": (show, 1), "score": (print_scores, 2), "misses": (print_misses, 2)}


def main(arguments):
    if not arguments or arguments[0] not in COMMANDS:
        sys.exit(__doc__)
    command, files = COMMANDS[arguments[0]]
    if len(arguments) != files + 1:
        sys.exit(__doc__)
    try:
        table = truth.read_table(arguments[1])
        command(table, arguments[2] if files > 1 else None)
    except (OSError, ValueError) as error:
        sys.exit(f"flops_table.py: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
