"""The compiler calls of a program of the table, as one call of nvcc."""
import json
import pathlib
import re
import shlex

COMMANDS = "cuda-profiling/compile_commands.json"


def commands_of(clone, program):
    commands = json.loads((pathlib.Path(clone) / COMMANDS).read_text())
    marker = f"CMakeFiles/{program}.dir/"
    return [one for one in commands if one["output"].startswith(marker)]


def inside(clone, path):
    """The place in this clone of a path that was recorded on another machine; none outside src."""
    at = path.find("/src/")
    return None if at < 0 else pathlib.Path(clone) / path[at + 1:]


def options_of(clone, command):
    """-I and -D, and what the host compiler needs for OpenMP."""
    options = []
    for word in shlex.split(command):
        if word.startswith("-I"):
            place = inside(clone, word[2:])
            options += [f"-I{place}"] if place else []
        elif re.match(r"-D\w", word):
            options.append(word)
        elif word == "-fopenmp":
            options += ["-Xcompiler", "-fopenmp"]
    return options


def nvcc_command(clone, program, output):
    """None where the clone does not say how the program is built."""
    sources, options = [], []
    for one in commands_of(clone, program):
        source = inside(clone, one["file"])
        if source is None or source.suffix not in (".cu", ".cpp", ".cc", ".c", ".cxx"):
            continue
        sources.append(str(source))
        options += [word for word in options_of(clone, one["command"])
                    if word not in options or word == "-Xcompiler"]
    if not sources:
        return None
    return ["nvcc", "-w", "-O3", "-std=c++17", "--extended-lambda", "-cudart", "shared",
            "-gencode", "arch=compute_86,code=compute_86", *options, *sources,
            # A library that is not here ends the program where it is called, not its build.
            "-Xlinker", "--unresolved-symbols=ignore-all", "-o", str(output)]
