"""One connection: newline-delimited JSON-RPC over the Unix socket (docs/protocol.md)."""

from __future__ import annotations

import json
import os
import socket
import struct
import time
from collections import deque
from pathlib import Path
from typing import Any, Deque, Dict, Optional

from .errors import ConnectionFailed, DaemonAbsent, RequestRefused, WaitTimedOut

PROTOCOL = 1
_GREETING_SECONDS = 5.0
_CHUNK_BYTES = 64 * 1024
_LONGEST_LINE_BYTES = 64 * 1024 * 1024  # a result carries every kernel of an episode

Json = Dict[str, Any]


class Connection:
    """Requests with a deadline, and the notifications that come between. One thread at a time."""

    def __init__(self, path: Path) -> None:
        """Connects and reads the greeting. Raises DaemonAbsent or ConnectionFailed."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._input = bytearray()
        self._searched = 0
        self._last_id = 0
        self._progress: Dict[str, Deque[Json]] = {}
        try:
            self._socket.connect(str(path))
        except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError) as error:
            self.close()
            raise DaemonAbsent(f"no daemon listens at {path}") from error
        except OSError as error:
            self.close()
            raise ConnectionFailed(f"cannot connect to {path}: {error}") from error
        self._check_listener(path)
        self.greeting = self._read_greeting()

    def _check_listener(self, path: Path) -> None:
        """Kernels are told to nobody but a daemon of this user, or of root."""
        if not hasattr(socket, "SO_PEERCRED"):
            return
        told = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, user, _ = struct.unpack("3i", told)
        if user not in (os.geteuid(), 0):
            self.close()
            raise ConnectionFailed(f"another user (id {user}) listens at {path}")

    @property
    def is_open(self) -> bool:
        return self._socket.fileno() >= 0

    def close(self) -> None:
        self._socket.close()

    def call(self, method: str, params: Optional[Json] = None, timeout: float = 30.0) -> Json:
        """One request. Raises RequestRefused with what the daemon answered."""
        self._last_id += 1
        number = self._last_id
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
        deadline = time.monotonic() + timeout
        self._send(json.dumps(request).encode() + b"\n", deadline)
        while True:
            message = self._next_message(deadline)
            if message is None:
                # The answer would be taken for that of the next call: ids differ, so it is not.
                raise WaitTimedOut(f"the daemon did not answer {method} within {timeout:g} s")
            if "method" in message:
                self._keep(message)
            elif message.get("id") == number:
                return self._result_of(message)
            elif message.get("id") is None and "error" in message:
                raise self._refusal(message)  # it could not read the request

    def next_progress(self, job_id: str, deadline: Optional[float]) -> Json:
        """The next ``task.progress`` of a job that is watched. Raises WaitTimedOut."""
        while True:
            waiting = self._progress.get(job_id)
            if waiting:
                return waiting.popleft()
            message = self._next_message(deadline)
            if message is None:
                raise WaitTimedOut(f"{job_id} has not ended yet; it goes on by itself")
            if "method" in message:
                self._keep(message)

    def watch(self, job_id: str) -> None:
        self._progress.setdefault(job_id, deque())

    def unwatch(self, job_id: str) -> None:
        self._progress.pop(job_id, None)

    def _keep(self, message: Json) -> None:
        if message["method"] != "task.progress":
            return  # newer daemons may tell more
        params = message.get("params", {})
        waiting = self._progress.get(str(params.get("job_id")))
        if waiting is not None:
            waiting.append(params)

    def _read_greeting(self) -> Json:
        message = self._next_message(time.monotonic() + _GREETING_SECONDS)
        if message is None or message.get("method") != "greeting":
            self.close()
            if message is not None and "error" in message:
                raise self._refusal(message)
            raise ConnectionFailed(
                "what listens at the socket is not warpmindd: it did not send a greeting"
            )
        greeting: Json = message["params"]
        if greeting.get("protocol") != PROTOCOL:
            self.close()
            raise ConnectionFailed(
                f"the daemon (version {greeting.get('version')}) speaks protocol "
                f"{greeting.get('protocol')} and this client {PROTOCOL}; use both of one version"
            )
        return greeting

    @staticmethod
    def _refusal(message: Json) -> RequestRefused:
        error = message["error"]
        data = error.get("data")
        errc = data.get("errc", "") if isinstance(data, dict) else ""
        return RequestRefused(str(error.get("message", "")), int(error.get("code", 0)), errc)

    def _result_of(self, message: Json) -> Json:
        if "error" in message:
            raise self._refusal(message)
        result = message.get("result")
        return result if isinstance(result, dict) else {}

    def _send(self, data: bytes, deadline: float) -> None:
        try:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            self._socket.sendall(data)
        except OSError as error:  # a time-out, too: half a request is on its way
            self.close()
            raise ConnectionFailed(f"the connection to the daemon is lost: {error}") from error

    def _next_message(self, deadline: Optional[float]) -> Optional[Json]:
        """None at the deadline; the connection stays good."""
        while True:
            end = self._input.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._input[:end])
                del self._input[: end + 1]
                self._searched = 0
                return self._parsed(line)
            self._searched = len(self._input)
            if self._searched > _LONGEST_LINE_BYTES:
                self.close()
                raise ConnectionFailed("the daemon sent an endless line; update warpmind")
            if not self._read_some(deadline):
                return None

    def _parsed(self, line: bytes) -> Json:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self.close()
            raise ConnectionFailed("what listens at the socket does not speak JSON-RPC")
        return message

    def _read_some(self, deadline: Optional[float]) -> bool:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return False
        try:
            self._socket.settimeout(left)
            data = self._socket.recv(_CHUNK_BYTES)
        except socket.timeout:
            return False
        except OSError as error:
            self.close()
            raise ConnectionFailed(f"the connection to the daemon is lost: {error}") from error
        if not data:
            self.close()
            raise ConnectionFailed("the daemon closed the connection")
        self._input += data
        return True
