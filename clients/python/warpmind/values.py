"""Answers of the daemon as values: those of ``wire_types``, and what is often asked of them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union, get_args, get_origin, get_type_hints

from . import wire_types
from .wire_types import Episode, Job
from .wire_types import RetrievalAnswer as SearchResult
from .wire_types import RetrievedInsight as Insight
from .wire_types import TaskStatusResult as JobStatus
from .wire_types import TaskSubmitResult as Submission

Json = Dict[str, Any]

#: States after which nothing more happens to a job.
FINAL_STATES = frozenset({"done", "failed", "cancelled"})


def read(kind: Any, raw: Any) -> Any:
    """``raw`` as a value of the type ``kind``. What only a newer daemon says is left out; what an
    older one does not say is None."""
    arguments = get_args(kind)
    if raw is None:
        return None
    if get_origin(kind) is Union:  # Optional
        return read(arguments[0], raw)
    if get_origin(kind) is list:
        return [read(arguments[0], one) for one in raw]
    if get_origin(kind) is dict:
        return {name: read(arguments[1], one) for name, one in raw.items()}
    if not dataclasses.is_dataclass(kind):
        return raw
    return kind(**{name: read(hint, raw.get(name)) for name, hint in get_type_hints(kind).items()})


class Progress(wire_types.ProgressParams):
    """A sign of life of a job."""

    @property
    def is_final(self) -> bool:
        return self.state in FINAL_STATES


class Step(wire_types.Step):
    """One candidate and its verdict; step 0 is the given kernel."""

    @property
    def technique(self) -> str:
        return self.candidate.technique

    @property
    def parameters(self) -> str:
        return self.candidate.parameters

    @property
    def rationale(self) -> str:
        return self.candidate.rationale

    @property
    def outcome(self) -> str:
        """``improved``, ``same`` … (docs/glossary.md)"""
        return self.verdict.outcome

    @property
    def reason(self) -> str:
        return self.verdict.reason

    @property
    def source(self) -> str:
        """The CUDA text."""
        return self.candidate.kernel.source


@dataclass(frozen=True)
class JobResult:
    """A job that has ended, with its episode."""

    job: Job
    episode: Episode
    steps: List[Step]

    @staticmethod
    def read(raw: Json) -> "JobResult":
        job = read(Job, raw)
        return JobResult(job, job.episode, [Step(**vars(step)) for step in job.episode.steps])

    @property
    def job_id(self) -> str:
        return self.job.id

    @property
    def state(self) -> str:
        return self.job.state

    @property
    def outcome(self) -> str:
        return self.episode.outcome

    @property
    def provider(self) -> str:
        """Who measured: ``gpu``, ``sim`` or ``fixture``."""
        return self.episode.provider

    @property
    def summary(self) -> str:
        return self.episode.summary

    @property
    def speedup(self) -> Optional[float]:
        """Measured, best against given; None when nothing was better."""
        best = self.episode.best_against_baseline
        return best.ratio if best else None

    @property
    def best_step(self) -> int:
        return self.episode.best_step

    @property
    def best_kernel(self) -> str:
        """Source of the fastest verified kernel: the given one when nothing was better."""
        return self.steps[self.best_step].source


__all__ = [
    "FINAL_STATES",
    "Insight",
    "JobResult",
    "JobStatus",
    "Json",
    "Progress",
    "SearchResult",
    "Step",
    "Submission",
    "read",
]
