"""Rows of `ncu --csv --page raw`, and how counted flops stand beside them."""
import csv
import io

CLASSES = ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")
METRICS = {name: f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum" for name in CLASSES}


def number(text):
    """'1,024.00' -> 1024.0; an absent value is none."""
    plain = text.replace(",", "").strip()
    if plain in ("", "n/a", "nan"):
        return None
    return float(plain)


def extents(text):
    """'(256, 1, 1)' -> [256, 1, 1]."""
    return [int(part) for part in text.strip("() ").split(",")]


def plain_name(name):
    """'void scale<float>(float *, int)' -> 'scale'."""
    name = name.split("(")[0].split("<")[0].strip()
    return name.split()[-1].split("::")[-1] if name else ""


def read_rows(text):
    """Profiled launches in order. Lines of ncu and of the program before the table are skipped."""
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith('"ID"')]
    if not starts:
        said = [line for line in lines if line.startswith("==ERROR==")]
        raise ValueError(said[0] if said else "ncu printed no table")
    table = [line for line in lines[starts[0]:] if line.startswith('"')]
    rows = []
    for row in csv.DictReader(io.StringIO("\n".join(table))):
        if not row["ID"].strip().isdigit():
            continue  # the row of units, or a second heading
        absent = [metric for metric in METRICS.values() if number(row.get(metric) or "") is None]
        if absent:
            raise ValueError(f"ncu gave no value for {absent[0]}")
        rows.append({"kernel": plain_name(row["Kernel Name"]), "grid": extents(row["Grid Size"]),
                     "block": extents(row["Block Size"]),
                     **{name: number(row[metric]) for name, metric in METRICS.items()}})
    return rows


def flops(mix):
    return {"f32": mix["fadd"] + mix["fmul"] + 2 * mix["ffma"],
            "f64": mix["dadd"] + mix["dmul"] + 2 * mix["dfma"]}


def distance(counted, measured):
    """Of the worse type, as a share of what was measured; infinite where nothing was."""
    worst = 0.0
    for kind, there in flops(measured).items():
        here = flops(counted)[kind]
        if here != there:
            worst = max(worst, abs(here / there - 1) if there else float("inf"))
    return worst


def join(counts, rows):
    """(count, row or None) for each counted launch, by kernel, grid, block and order."""
    waiting = list(rows)
    pairs = []
    for count in counts:
        key = (count["kernel"], count["grid"], count["block"])
        at = next((i for i, row in enumerate(waiting)
                   if (row["kernel"], row["grid"], row["block"]) == key), None)
        pairs.append((count, None if at is None else waiting.pop(at)))
    return pairs


class Score:
    def __init__(self):
        self.launches = self.exact = self.one = self.five = self.undecided = self.missing = 0

    def add(self, count, row):
        self.launches += 1
        if row is None:
            self.missing += 1
        elif count["undecided"]:
            self.undecided += 1
        else:
            off = distance(count, row)
            self.exact += off == 0
            self.one += off <= 0.01
            self.five += off <= 0.05

    def line(self):
        return (f"RESULT launches={self.launches} exact={self.exact} within_1_percent={self.one} "
                f"within_5_percent={self.five} undecided={self.undecided} missing={self.missing}")


def describe(case, count, row):
    """One line a launch, with the classes where they differ."""
    head = f"{case} {count['kernel']}:"
    if row is None:
        return f"{head} not measured"
    there = flops(row)
    if count["undecided"]:
        return f"{head} undecided, measured f32 {there['f32']:.0f} f64 {there['f64']:.0f}"
    parts = []
    for kind, here in flops(count).items():
        if here == 0 and there[kind] == 0:
            continue
        ratio = f"{here / there[kind]:.4f}" if there[kind] else "-"
        parts.append(f"{kind} counted {here:.0f} measured {there[kind]:.0f} ratio {ratio}")
    differ = [f"{name} {count[name]:.0f}/{row[name]:.0f}" for name in CLASSES
              if count[name] != row[name]]
    if differ and distance(count, row) > 0:
        parts.append("(" + ", ".join(differ) + ")")
    return f"{head} {' '.join(parts) or 'no flops'}, {count['how']}"
