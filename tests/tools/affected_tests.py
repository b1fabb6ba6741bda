#!/usr/bin/env python3
"""Names the test programs that a change can affect.

    affected_tests.py BUILD_DIR REVISION     what changed since REVISION, committed or not
    affected_tests.py --self-test

Prints `all`, or a CMake target a line: each test program of which a source changed, or a source or header of a
library that it links, directly or through others. Needs the reply of CMake's file API (codemodel-v2) in BUILD_DIR:
an empty file `.cmake/api/v1/query/codemodel-v2` there before configuring asks for it.

Of those in BUILD_DIR/wanted_tests.txt, which tests/CMakeLists.txt writes. Documents, pages and scripts affect no
program; any other file that belongs to no target (CMake files, settings, data of tests) affects all.
"""
import json
import pathlib
import subprocess
import sys

# What these do is checked by tests of whole programs, of packages and of clients.
NO_PROGRAM = (".md", ".sh", ".py", ".ts", ".tsx", ".js", ".css", ".html", ".svg", ".png", ".lua", ".el", ".yml")


def read_targets(build):
    """name -> (kind, sources relative to the root, names of what it depends on)"""
    replies = build / ".cmake/api/v1/reply"
    index = max(replies.glob("index-*.json"), default=None)
    if index is None:
        sys.exit(f"{build} holds no reply of CMake's file API: create {build}/.cmake/api/v1/query/codemodel-v2 and configure again")
    model = json.loads((replies / json.loads(index.read_text())["reply"]["codemodel-v2"]["jsonFile"]).read_text())
    read = [json.loads((replies / entry["jsonFile"]).read_text()) for entry in model["configurations"][0]["targets"]]
    names = {target["id"]: target["name"] for target in read}
    return {
        target["name"]: (
            target["type"],
            {source["path"] for source in target.get("sources", [])},
            {names[link["id"]] for link in target.get("dependencies", []) if link["id"] in names},
        )
        for target in read
    }


def affected_tests(targets, tests, changed):
    """The names of `tests` that changes of the files `changed` can affect; None: all of them."""
    touched = set()
    for path in changed:
        owners = {name for name, (_, sources, _) in targets.items() if path in sources}
        if not owners and not path.endswith(NO_PROGRAM):
            return None
        touched |= owners
    found = set()
    for test in tests:
        seen, waiting = set(), [test]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting.extend(targets[name][2])
        if seen & touched:
            found.add(test)
    return found


def changed_since(revision):
    listed = subprocess.run(["git", "diff", "--name-only", "--no-renames", revision], check=True, capture_output=True, text=True)
    new = subprocess.run(["git", "ls-files", "--others", "--exclude-standard"], check=True, capture_output=True, text=True)
    return (listed.stdout + new.stdout).splitlines()


def self_test():
    targets = {
        "base": ("STATIC_LIBRARY", {"base/a.cpp", "base/a.h"}, set()),
        "lab": ("STATIC_LIBRARY", {"lab/b.cpp"}, {"base"}),
        "page": ("STATIC_LIBRARY", {"page/c.cpp"}, {"base"}),
        "base_test": ("EXECUTABLE", {"tests/base.cpp"}, {"base"}),
        "lab_test": ("EXECUTABLE", {"tests/lab.cpp"}, {"lab"}),
        "page_test": ("EXECUTABLE", {"tests/page.cpp"}, {"page"}),
    }
    tests = ["base_test", "lab_test", "page_test"]
    for changed, wanted in (
        (["base/a.h"], set(tests)),
        (["lab/b.cpp"], {"lab_test"}),
        (["tests/page.cpp", "README.md"], {"page_test"}),
        (["README.md"], set()),
        (["CMakeLists.txt"], None),
        (["tests/data/x.json"], None),
    ):
        got = affected_tests(targets, tests, changed)
        if got != wanted:
            sys.exit(f"{changed}: got {got}, want {wanted}")
    print("affected tests are found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    targets = read_targets(pathlib.Path(sys.argv[1]))
    tests = (pathlib.Path(sys.argv[1]) / "wanted_tests.txt").read_text().split()
    found = affected_tests(targets, tests, changed_since(sys.argv[2]))
    print("all" if found is None or len(found) == len(tests) else "\n".join(sorted(found)))


main()
