"""Measured FLOPs of kernels, put together from a clone of Scientific-Computing-Lab/gpuFLOPBench.

Three files of the clone are joined by program and kernel: what was profiled (an RTX 3080, clang 18,
sm_86), how people labelled the kernels, and the kernels' text. The assembled table is not in the
repository itself. Nothing of it is kept here.
"""
import csv
import dataclasses
import json
import pathlib
import re

PROFILE = "cuda-profiling/profiling-data.csv"
LABELS = "manual-code-classification/manually_classified_CUDA_kernels.json"
SOURCES = "source-scraping/extracted_CUDA_kernels.json"
FLAGS = ("1: Has Warp Divergence", "2: Has Data-Dependent Warp Divergence", "3: Has FLOP Division",
         "4: Calls EXTERNAL or LIB function", "5: Calls DEVICE function",
         "6: Calls special math function", "7: Has Common Subexpression", "8: Has Recursion")
#: Words of FLAGS, in that order, whose FLOPs can be read off the text.
EASY = frozenset(("10000000", "10001000", "00001000", "00000000"))


@dataclasses.dataclass(frozen=True)
class Measured:
    program: str    # "heat-cuda"
    kernel: str     # "solve"
    sp: int         # of its first launch
    dp: int
    flags: str      # "10000000"
    grid: tuple
    block: tuple
    arguments: str  # of the program

    @property
    def easy(self):
        return self.flags in EASY

    @property
    def key(self):
        return (self.program, self.kernel)


def plain_name(name):
    """'void ns::scale<float>(float*, int)' -> 'scale'."""
    for anonymous in ("(anonymous namespace)::", "(anonymous)::"):
        name = name.replace(anonymous, "")
    name = name.split("(")[0].split("<")[0].strip()
    return name.split("::")[-1].split()[-1] if name else ""


def kernel_in(text):
    """The kernel that a piece of source defines; one that another launches goes behind it."""
    text = re.sub(r"__launch_bounds__\s*\([^()]*\)", "", text)
    names = re.findall(r"__global__(?:[^;{}()]|\([^()]*\))*?\b(\w+)\s*\(", text)
    outer = [name for name in names if not re.search(rf"\b{name}\s*<<<", text)]
    return (outer or names or [None])[0]


def flops(row, kind):
    """The table holds a rate and a time; their product is 0.1 % off at most."""
    return int(float(row[kind + "Perf"] or 0) * 1e-9 * float(row["xtime"] or 0))


def extents(text):
    return tuple(int(part) for part in text.strip("() ").split(","))


def first_launches(clone):
    """The first profiled launch of each kernel of each CUDA program, as rows."""
    found = {}
    with open(clone / PROFILE, newline="") as file:
        for row in csv.DictReader(file):
            if row["targetName"].endswith("-cuda"):
                found.setdefault((row["targetName"], plain_name(row["kernelName"])), row)
    return found


def labelled(clone):
    """(program, kernel) -> word of FLAGS."""
    labels = json.loads((clone / LABELS).read_text())["classifications"]
    sources = json.loads((clone / SOURCES).read_text())
    words = {}
    for key, answers in labels.items():
        program, file, index = key.split("|")
        texts = sources.get(program, {}).get(file, [])
        # A text whose place the sources do not have cannot be named.
        if int(index) >= len(texts):
            continue
        name = kernel_in(texts[int(index)])
        if name:
            words[(program, name)] = "".join(str(int(bool(answers.get(flag)))) for flag in FLAGS)
    return words


def read_table(clone):
    """Every kernel that was both profiled and labelled."""
    clone = pathlib.Path(clone)
    profiled = first_launches(clone)
    return [Measured(key[0], key[1], flops(profiled[key], "sp"), flops(profiled[key], "dp"), word,
                     extents(profiled[key]["Grid Size"]), extents(profiled[key]["Block Size"]),
                     profiled[key]["exeArgs"])
            for key, word in labelled(clone).items() if key in profiled]


def describe(table):
    """One line: how many of which kind."""
    easy = [one for one in table if one.easy]
    hard = [one for one in table if not one.easy]

    def zero(rows):
        return sum(one.sp == 0 and one.dp == 0 for one in rows)

    return (f"kernels={len(table)} easy={len(easy)} easy_zero={zero(easy)} hard={len(hard)} "
            f"hard_zero={zero(hard)}")
