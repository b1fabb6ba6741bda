"""Client of warpmindd: submit a task, follow it, take the result, search what is known.

Start at :func:`connect`. Everything that can go wrong is a :class:`WarpmindError`.
"""

from .client import Client, connect
from .errors import (
    ConnectionFailed,
    DaemonAbsent,
    JobFailed,
    RequestRefused,
    WaitTimedOut,
    WarpmindError,
)
from .values import (
    FINAL_STATES,
    Insight,
    JobResult,
    JobStatus,
    Progress,
    SearchResult,
    Step,
    Submission,
)

__all__ = [
    "FINAL_STATES",
    "Client",
    "ConnectionFailed",
    "DaemonAbsent",
    "Insight",
    "JobFailed",
    "JobResult",
    "JobStatus",
    "Progress",
    "RequestRefused",
    "SearchResult",
    "Step",
    "Submission",
    "WaitTimedOut",
    "WarpmindError",
    "connect",
]
__version__ = "0.1.0"
