"""Answers of the daemon as values. ``raw`` is the whole of what it said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

Json = Dict[str, Any]

#: States after which nothing more happens to a job.
FINAL_STATES = frozenset({"done", "failed", "cancelled"})


@dataclass(frozen=True)
class Submission:
    """A job that is on disk."""

    job_id: str
    ahead: int  #: jobs that come before it

    @staticmethod
    def read(raw: Json) -> "Submission":
        return Submission(raw["job_id"], raw["ahead"])


@dataclass(frozen=True)
class Progress:
    """A sign of life of a job."""

    job_id: str
    state: str  #: ``queued``, ``running``, ``done``, ``failed``, ``cancelled``
    step: int  #: candidates judged so far
    steps: int  #: candidates in the budget
    best_ratio: float  #: baseline time / best time so far
    line: str  #: for a person
    candidate: int  #: that is worked at, from 1; 0 = the given kernel
    technique: str  #: of that candidate
    stage: str  #: what is being done to it now; empty = nothing
    milestone: bool  #: worth a line in a log

    @property
    def is_final(self) -> bool:
        return self.state in FINAL_STATES

    @staticmethod
    def read(raw: Json) -> "Progress":
        return Progress(
            raw["job_id"],
            raw["state"],
            raw["step"],
            raw["steps"],
            raw["best_ratio"],
            raw["line"],
            raw["candidate"],
            raw["technique"],
            raw["stage"],
            raw["milestone"],
        )


@dataclass(frozen=True)
class JobStatus:
    """Where a job stands."""

    job_id: str
    state: str
    task: str
    step: int
    steps: int
    best_ratio: float
    activity: str
    error: str

    @staticmethod
    def read(raw: Json) -> "JobStatus":
        return JobStatus(
            raw["job_id"],
            raw["state"],
            raw["task"],
            raw["step"],
            raw["steps"],
            raw["best_ratio"],
            raw["activity"],
            raw["error"],
        )


@dataclass(frozen=True)
class Step:
    """One candidate and its verdict; step 0 is the given kernel."""

    index: int
    technique: str
    parameters: str
    rationale: str
    outcome: str
    reason: str
    source: str  #: the CUDA text
    raw: Json = field(repr=False)

    @staticmethod
    def read(raw: Json) -> "Step":
        candidate, verdict = raw["candidate"], raw["verdict"]
        return Step(
            raw["index"],
            candidate["technique"],
            candidate["parameters"],
            candidate["rationale"],
            verdict["outcome"],
            verdict["reason"],
            candidate["kernel"]["source"],
            raw,
        )


@dataclass(frozen=True)
class JobResult:
    """A job that has ended, with its episode."""

    job_id: str
    state: str
    outcome: str  #: ``improved``, ``same`` … (docs/glossary.md)
    provider: str  #: who measured: ``gpu``, ``sim`` or ``fixture``
    summary: str  #: one sentence
    speedup: Optional[float]  #: measured, best against given; None when nothing was better
    best_step: int
    steps: List[Step]
    raw: Json = field(repr=False)

    @property
    def best_kernel(self) -> str:
        """Source of the fastest verified kernel: the given one when nothing was better."""
        return self.steps[self.best_step].source

    @staticmethod
    def read(job: Json) -> "JobResult":
        episode = job["episode"]
        best = episode.get("best_against_baseline")
        return JobResult(
            job["id"],
            job["state"],
            episode["outcome"],
            episode["provider"],
            episode["summary"],
            best["ratio"] if best else None,
            episode["best_step"],
            [Step.read(step) for step in episode["steps"]],
            job,
        )


@dataclass(frozen=True)
class Insight:
    """A claim of the knowledge base that fits what was asked."""

    id: str
    kind: str
    state: str
    claim: str
    score: float
    raw: Json = field(repr=False)

    @staticmethod
    def read(raw: Json) -> "Insight":
        return Insight(raw["id"], raw["kind"], raw["state"], raw["claim"], raw["score"], raw)


@dataclass(frozen=True)
class SearchResult:
    insights: List[Insight]  #: best first
    note: str  #: why there is none
    documents: int  #: insights in the index

    @staticmethod
    def read(raw: Json) -> "SearchResult":
        found = [Insight.read(one) for one in raw["insights"]]
        return SearchResult(found, raw["note"], raw["documents"])
