#!/usr/bin/env python3
"""How long a daemon takes to be there for a base of so many insights: until it answers, and until its
first search has an answer; after an orderly end and after SIGKILL.

  cold_start.py BIN_DIRECTORY [INSIGHTS] [STARTS]

The base is made by kb_generate, which must be built. Files are in the page cache: what is measured is
the daemon, not the disk.
"""

import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE_S = 300


class Daemon:
    def __init__(self, binaries, home):
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(home), "CUDA_VISIBLE_DEVICES": "",
            "WARPMIND_DAEMON_STATE_DIRECTORY": str(home / "state"),
            "WARPMIND_DAEMON_SOCKET": str(home / "d.sock"), "WARPMIND_KNOWLEDGE_RESERVE_MIB": "192",
            "WARPMIND_DAEMON_ALLOW_ROOT": str(os.geteuid() == 0).lower(),
        }
        start = time.monotonic()
        self.process = subprocess.Popen([str(binaries / "warpmindd")], env=environment)
        self.lines = self.connect(home / "d.sock", start)
        self.ready_ms = 1000 * (time.monotonic() - start)
        found = self.ask("kb.search", {"text": "shared memory bank conflict", "limit": 5})
        self.search_ms = 1000 * (time.monotonic() - start)
        self.documents = found["documents"]

    def connect(self, path, start):
        while time.monotonic() - start < PATIENCE_S:
            if self.process.poll() is not None:
                raise SystemExit(f"cold_start: the daemon ended with {self.process.returncode}")
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(str(path))
                lines = self.socket.makefile("rb")
                lines.readline()
                return lines
            except OSError:
                self.socket.close()
                time.sleep(0.002)
        raise SystemExit("cold_start: the daemon does not answer")

    def ask(self, method, params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        answer = json.loads(self.lines.readline())
        if "result" not in answer:
            raise SystemExit(f"cold_start: {method}: {answer}")
        return answer["result"]

    def end(self, number):
        self.lines.close()
        self.socket.close()
        self.process.send_signal(number)
        self.process.wait(PATIENCE_S)


def main():
    if len(sys.argv) < 2:
        raise SystemExit("usage: cold_start.py BIN_DIRECTORY [INSIGHTS] [STARTS]")
    binaries = Path(sys.argv[1]).resolve()
    insights = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    starts = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    home = Path(tempfile.mkdtemp(prefix="cold"))
    try:
        (home / "state").mkdir(mode=0o700)
        subprocess.run([str(binaries / "kb_generate"), str(home / "state" / "knowledge"), str(insights)],
                       check=True, stdout=subprocess.DEVNULL)
        Daemon(binaries, home).end(signal.SIGTERM)  # builds and saves the index
        figures = {}
        for name, number in (("clean", signal.SIGTERM), ("killed", signal.SIGKILL)):
            Daemon(binaries, home).end(number)
            ready, search = [], []
            for _ in range(starts):
                daemon = Daemon(binaries, home)
                ready.append(daemon.ready_ms)
                search.append(daemon.search_ms)
                documents = daemon.documents
                daemon.end(number)
            figures[name] = (statistics.median(ready), statistics.median(search))
            print(f"after {name}: ready {min(ready):.0f} to {max(ready):.0f} ms, "
                  f"first search answered {min(search):.0f} to {max(search):.0f} ms, {starts} starts")
        print(f"RESULT cold_start insights={documents} "
              + " ".join(f"{name}_ready_ms={ready:.0f} {name}_search_ms={search:.0f}"
                         for name, (ready, search) in figures.items()))
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
