"""How well a predictor counts: the metrics of the gpuFLOPBench paper, and exactness.

A prediction is a line of JSON: {"program": "heat-cuda", "kernel": "solve", "sp": 0, "dp": 1.5e8}.
"""
import dataclasses
import json
import math

KINDS = ("sp", "dp")


def read_predictions(path):
    """(program, kernel) -> {"sp", "dp"}; lines without numbers are left out: not predicted."""
    predictions = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                one = json.loads(line)
                key = (one["program"], one["kernel"])
                if one.get("sp") is not None and one.get("dp") is not None:
                    predictions[key] = {kind: float(one[kind]) for kind in KINDS}
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path}: line {number} is no prediction: {error!r}") from error
    return predictions


def read_recorded(path):
    """The kernels whose launch the predictor saw, counted or not: lines with a grid."""
    with open(path) as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return {(one["program"], one["kernel"]) for one in rows if "grid" in one}


def matthews(pairs):
    """Correlation of (truth, predicted) truth values; 0 where one side never changes."""
    both = sum(t and p for t, p in pairs)
    none = sum(not t and not p for t, p in pairs)
    wrong = sum(not t and p for t, p in pairs)
    missed = sum(t and not p for t, p in pairs)
    below = (both + wrong) * (both + missed) * (none + wrong) * (none + missed)
    return (both * none - wrong * missed) / math.sqrt(below) if below else 0.0


def log_error(pairs):
    """Mean |ln(predicted / truth)| of those that are not zero on either side; none = nan."""
    logs = [abs(math.log(p / t)) for t, p in pairs if t > 0 and p > 0]
    return math.fsum(logs) / len(logs) if logs else math.nan


def is_close(truth, predicted, share=0.01):
    if truth == 0:
        return predicted == 0
    return abs(predicted / truth - 1) <= share


@dataclasses.dataclass
class Scores:
    kernels: int    # in this part of the table
    predicted: int
    nonzero: int    # predicted ones that have FLOPs
    close: int      # of those: both precisions within 1 %
    mcc: dict       # by precision
    male: dict

    def line(self):
        text = (f"kernels={self.kernels} predicted={self.predicted} nonzero={self.nonzero} "
                f"within_1_percent={self.close}")
        for kind in KINDS:
            text += f" mcc_{kind}={self.mcc[kind]:.4f} male_{kind}={self.male[kind]:.4f}"
        return text


def score(table, predictions):
    pairs = [(one, predictions[one.key]) for one in table if one.key in predictions]
    nonzero = [(one, said) for one, said in pairs if one.sp or one.dp]
    close = sum(all(is_close(getattr(one, kind), said[kind]) for kind in KINDS)
                for one, said in nonzero)
    mcc, male = {}, {}
    for kind in KINDS:
        values = [(getattr(one, kind), said[kind]) for one, said in pairs]
        mcc[kind] = matthews([(t != 0, p != 0) for t, p in values])
        male[kind] = log_error(values)
    return Scores(len(table), len(pairs), len(nonzero), close, mcc, male)


def parts(table, flags):
    """(name, rows): all, easy, hard, and those with each flag."""
    yield "all", table
    yield "easy", [one for one in table if one.easy]
    yield "hard", [one for one in table if not one.easy]
    for at, name in enumerate(flags):
        yield name.split(": ")[1], [one for one in table if one.flags[at] == "1"]
