"""Runs a program on the simulator's runtime until the kernels that are wanted were launched."""
import os
import pathlib
import signal
import subprocess
import time

MOST_BYTES = 6 << 30   # resident
POLL_SECONDS = 0.25


def resident_bytes(process):
    try:
        pages = pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def is_launched(text, kernel):
    """In the lines of a record: the kernel's own name, or mangled with its length."""
    return f'"{kernel}"' in text or f"{len(kernel)}{kernel}" in text


def first_launch(path, kernel):
    """The lines of a record that say who wrote it and how the kernel was first launched."""
    head = b""
    with open(path, "rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break  # the program was stopped while it wrote
            text = line.decode("utf-8", "replace")
            head = head or line
            if '"launch"' in text and is_launched(text, kernel):
                return head + line
    return b""


class Watched:
    """A file that grows, and the kernels that were not yet seen in it."""

    def __init__(self, path, kernels):
        self.path, self.waiting, self.at = path, set(kernels), 0

    def look(self):
        if not self.path.exists():
            return
        with open(self.path, "rb") as file:
            file.seek(self.at)
            block = file.read()
        end = block.rfind(b"\n") + 1
        self.at += end
        text = block[:end].decode("utf-8", "replace")
        self.waiting = {kernel for kernel in self.waiting if not is_launched(text, kernel)}


def stop(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(command, folder, environment, watched, seconds):
    """How it ended: "seen", "ended N", "time", "memory". The program and its children are gone."""
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **environment},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while True:
            try:
                code = process.wait(POLL_SECONDS)
                watched.look()
                return "seen" if not watched.waiting else f"ended {code}"
            except subprocess.TimeoutExpired:
                pass
            watched.look()
            if not watched.waiting:
                return "seen"
            if time.monotonic() - begun > seconds:
                return "time"
            if resident_bytes(process) > MOST_BYTES:
                return "memory"
    finally:
        stop(process)
