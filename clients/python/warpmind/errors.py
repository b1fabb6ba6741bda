"""What can go wrong, by what a caller can do about it."""

from __future__ import annotations


class WarpmindError(Exception):
    """Base of every error of this package; its text is one sentence for a person."""


class DaemonAbsent(WarpmindError):
    """No daemon listens, and none was started."""


class ConnectionFailed(WarpmindError):
    """The connection is lost, or what listens is not warpmindd. This client cannot go on."""


class WaitTimedOut(WarpmindError):
    """The time that the caller gave is over. A job goes on by itself; the client can go on, too."""


class RequestRefused(WarpmindError):
    """The daemon answered with an error; the next call works.

    ``errc`` is the stable name of it (``not_found``, ``invalid_argument`` …, docs/protocol.md), or
    empty for a fault of the request itself; ``code`` is its number on the wire.
    """

    def __init__(self, message: str, code: int, errc: str) -> None:
        super().__init__(message)
        self.code = code
        self.errc = errc


class JobFailed(WarpmindError):
    """A job ended without an episode: it failed, or was cancelled before its first measurement."""

    def __init__(self, job_id: str, state: str, why: str) -> None:
        super().__init__(f"{job_id} is {state}" + (f": {why}" if why else ""))
        self.job_id = job_id
        self.state = state
