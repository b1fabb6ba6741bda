"""Where the daemon listens, by the rules of docs/settings.md, and how one is started."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Mapping, Optional

from .errors import DaemonAbsent

_START_SECONDS = 60


def default_socket(environment: Optional[Mapping[str, str]] = None) -> Path:
    """The socket that environment and XDG folders name; a configuration file is not read.

    Raises :class:`DaemonAbsent` when neither HOME nor a folder is known.
    """
    env = os.environ if environment is None else environment
    given = env.get("WARPMIND_DAEMON_SOCKET", "")
    if given:
        return Path(given).expanduser()
    runtime = _absolute(env, "XDG_RUNTIME_DIR")
    if runtime is not None:
        return runtime / "warpmind" / "warpmindd.sock"
    state = env.get("WARPMIND_DAEMON_STATE_DIRECTORY", "")
    if state:
        return Path(state).expanduser() / "run" / "warpmindd.sock"
    base = _absolute(env, "XDG_STATE_HOME")
    home = _absolute(env, "HOME")
    if base is None and home is not None:
        base = home / ".local" / "state"
    if base is None:
        raise DaemonAbsent(
            "the daemon's socket has no place to default to: set HOME, XDG_RUNTIME_DIR or "
            "WARPMIND_DAEMON_SOCKET"
        )
    return base / "warpmind" / "run" / "warpmindd.sock"


def start_daemon(socket_path: Optional[Path] = None, program: Optional[str] = None) -> Path:
    """Starts a daemon unless one runs, with the program ``warpmind``; answers its socket.

    Raises :class:`DaemonAbsent` with the program's own sentence when it does not start.
    """
    # pip puts the program beside the interpreter, whose folder need not be on PATH.
    beside = sysconfig.get_path("scripts")
    executable = program or shutil.which("warpmind") or shutil.which("warpmind", path=beside)
    if not executable:
        raise DaemonAbsent(
            "no daemon runs, and the program `warpmind` that starts one is not on PATH; install "
            "warpmind, or put it there"
        )
    command = [executable, "--json"]
    if socket_path is not None:
        command += ["--socket", str(socket_path)]
    command += ["daemon", "start"]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=_START_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DaemonAbsent(f"`{executable} daemon start` did not work: {error}") from error
    answer = _document(run.stdout)
    if run.returncode != 0 or "socket" not in answer:
        raise DaemonAbsent(_reason(answer, run.stderr) or f"{executable} could not start a daemon")
    return Path(answer["socket"])


def _absolute(environment: Mapping[str, str], name: str) -> Optional[Path]:
    path = Path(environment.get(name, ""))
    return path if path.is_absolute() else None


def _document(text: str) -> dict:
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _reason(answer: dict, standard_error: str) -> str:
    error = answer.get("error")
    if isinstance(error, dict) and error.get("message"):
        return str(error["message"])
    lines = [line for line in standard_error.splitlines() if line.strip()]
    return lines[-1] if lines else ""
