"""A client of `warpmind mcp` for tests: one process, requests in either era, news kept."""

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

PATIENCE_S = 240  # of a loaded machine; reached only when something is broken
TASKS = "io.modelcontextprotocol/tasks"
META = "io.modelcontextprotocol/"


class Home:
    """A clean home directory with a daemon of its own, which the first client starts."""

    def __init__(self, binaries):
        self.path = Path(tempfile.mkdtemp(prefix="wmm"))
        self.binaries = Path(binaries).resolve()
        self.environment = {
            "HOME": str(self.path),
            "PATH": f"{self.binaries}:/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin",
            "CUDA_VISIBLE_DEVICES": "",
        }
        # A file, not variables: coding agents hand servers an environment of their own making.
        settings = self.path / ".config" / "warpmind" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(
            f"[daemon]\nallow_root = {str(os.geteuid() == 0).lower()}\n"
            "[knowledge]\nreserve_mib = 192\n"
        )

    def run(self, *arguments, **options):
        """`warpmind` with these arguments, to its end."""
        return subprocess.run(
            [str(self.binaries / "warpmind"), *arguments],
            env=self.environment, capture_output=True, text=True, check=False,
            timeout=PATIENCE_S, **options,
        )

    @staticmethod
    def memory_kib(pid, which):
        """"VmHWM": the most that a process ever held; "VmRSS": what it holds."""
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(which + ":"):
                return int(line.split()[1])
        raise ValueError(f"{which} of {pid}")

    def close(self):
        self.run("daemon", "stop", "--no-start")
        shutil.rmtree(self.path, ignore_errors=True)


class Refused(Exception):
    """An error of the protocol."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class McpClient:
    """Reads on a thread of its own, so that a test never waits without end."""

    def __init__(self, home, modern=True, extensions=()):
        self.modern = modern
        self.capabilities = {"extensions": {name: {} for name in extensions}} if extensions else {}
        self.news = []
        self._last = 0
        self._lines = queue.Queue()
        self.process = subprocess.Popen(
            [str(home.binaries / "warpmind"), "mcp"], env=home.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not modern:
            begun = {"protocolVersion": "2025-11-25", "capabilities": {},
                     "clientInfo": {"name": "test", "version": "1"}}
            self.ask("initialize", begun)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def next_message(self):
        line = self._lines.get(timeout=PATIENCE_S)
        if line is None:
            raise EOFError("the pipe has ended")
        return json.loads(line)

    def start(self, method, params=None, meta=None):
        self._last += 1
        params = dict(params or {})
        if self.modern:
            params["_meta"] = {META + "protocolVersion": "2026-07-28",
                               META + "clientCapabilities": self.capabilities, **(meta or {})}
        elif meta:
            params["_meta"] = meta
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self._last

    def answer(self, request):
        while True:
            message = self.next_message()
            if message.get("id") == request and "method" not in message:
                return message
            self.news.append(message)

    def ask(self, method, params=None, meta=None):
        message = self.answer(self.start(method, params, meta))
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def ask_daemon(self, method, **params):
        """A method of the daemon's own protocol, on the same line."""
        self._last += 1
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self.answer(self._last)["result"]

    def call(self, tool, meta=None, **arguments):
        """The tool's result; a handle is followed to its end, as its sentence asks."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments}, meta)
        while "handle" in result.get("structuredContent", {}):
            handle = result["structuredContent"]["handle"]
            result = self.ask(
                "tools/call", {"name": "job", "arguments": {"action": "wait", "job": handle}}
            )
        return result

    def data(self, tool, **arguments):
        """The data of a call that must not fail."""
        result = self.call(tool, **arguments)
        if result.get("isError"):
            raise AssertionError(result["content"][0]["text"])
        return result["structuredContent"]

    def complaint(self, tool, **arguments):
        """Why a call fails, as it must: the method's own words, where the sentence says that they are in the data."""
        result = self.call(tool, **arguments)
        if not result.get("isError"):
            raise AssertionError(f"{tool} did not refuse: {result}")
        return result.get("structuredContent", {}).get("error") or result["content"][0]["text"]

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=PATIENCE_S)
        self._reader.join(timeout=PATIENCE_S)
        self.process.stdout.close()
        return code
