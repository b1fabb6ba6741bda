"""The client: one method a verb, each a request to the daemon."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Iterator, List, Optional, Type, Union

from .discovery import default_socket, start_daemon
from .errors import DaemonAbsent, JobFailed
from .values import (
    FINAL_STATES,
    JobResult,
    JobStatus,
    Json,
    Progress,
    SearchResult,
    Submission,
    read,
)
from .wire import Connection

PathLike = Union[str, Path]


def connect(
    socket: Optional[PathLike] = None, *, start: bool = True, program: Optional[str] = None
) -> "Client":
    """Connects to the daemon, and starts one when none runs and ``start`` allows it.

    ``socket``: default by the environment and the XDG folders. ``program``: path of ``warpmind``;
    default the one on PATH. Raises DaemonAbsent, ConnectionFailed.
    """
    path = Path(socket) if socket is not None else default_socket()
    try:
        return Client(Connection(path))
    except DaemonAbsent:
        if not start:
            raise
    return Client(Connection(start_daemon(path if socket is not None else None, program)))


class Client:
    """One connection to the daemon; a context manager. One thread at a time.

    Errors that the daemon answers are RequestRefused, and the next call works.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    @property
    def daemon_version(self) -> str:
        return str(self._connection.greeting["version"])

    def call(self, method: str, params: Optional[Json] = None, timeout: float = 30.0) -> Json:
        """Any method of docs/protocol.md."""
        return self._connection.call(method, params, timeout)

    def status(self) -> Json:
        """What the daemon is and does: ``mode``, ``device``, ``queued`` …"""
        return self.call("status")

    def submit(self, directory: PathLike, **options: Any) -> Submission:
        """Queues a task folder; when this returns, the job survives a power cut.

        ``options`` are those of ``task.submit``: ``evaluations``, ``seconds``, ``provider``,
        ``device``, ``proposer``, ``policy`` …; None leaves one out.
        """
        params: Json = {name: value for name, value in options.items() if value is not None}
        params["directory"] = str(Path(directory).absolute())
        return read(Submission, self.call("task.submit", params))

    def job(self, job_id: str) -> JobStatus:
        return read(JobStatus, self.call("task.status", {"job_id": job_id}))

    def stream(self, job_id: str, timeout: Optional[float] = None) -> Iterator[Progress]:
        """Progress until the job has ended; the last item is final. Other calls may be made
        meanwhile. Raises WaitTimedOut after ``timeout`` seconds: the job goes on."""
        deadline = None if timeout is None else time.monotonic() + timeout
        self._connection.watch(job_id)
        try:
            self.call("task.status", {"job_id": job_id, "watch": True})
            while True:
                progress = read(Progress, self._connection.next_progress(job_id, deadline))
                yield progress
                if progress.is_final:
                    return
        finally:
            self._connection.unwatch(job_id)

    def wait(
        self,
        job_id: str,
        timeout: Optional[float] = None,
        on_progress: Optional[Callable[[Progress], None]] = None,
    ) -> JobResult:
        """Waits for the end and answers the result. Raises WaitTimedOut, JobFailed."""
        for progress in self.stream(job_id, timeout):
            if on_progress is not None:
                on_progress(progress)
        return self.result(job_id)

    def result(self, job_id: str) -> JobResult:
        """What a job that has ended left. Raises JobFailed when it has no episode."""
        job = self.call("task.result", {"job_id": job_id})["job"]
        if not job.get("episode"):
            why = job.get("error", "")
            if job["state"] not in FINAL_STATES:
                why = "it has not ended; wait() waits for it"
            raise JobFailed(job_id, job["state"], why)
        return JobResult.read(job)

    def cancel(self, job_id: str) -> str:
        """Ends a job; what was measured is kept. Answers its state: ``cancelled``, or ``running``
        when it ends soon after."""
        return str(self.call("task.cancel", {"job_id": job_id})["state"])

    def search(
        self,
        text: str = "",
        *,
        bottlenecks: Optional[List[str]] = None,
        operator_family: Optional[str] = None,
        device: Optional[str] = None,
        kernel: Optional[str] = None,
        limit: int = 10,
    ) -> SearchResult:
        """Insights that apply to a situation; what is left out does not filter."""
        given = {
            "text": text or None,
            "bottlenecks": bottlenecks,
            "operator_family": operator_family,
            "device": device,
            "kernel": kernel,
            "limit": limit,
        }
        params = {name: value for name, value in given.items() if value is not None}
        return read(SearchResult, self.call("kb.search", params))
