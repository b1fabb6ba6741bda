# Printed by `warpmindd --print-types python` and these methods:
# task.submit task.status task.progress task.cancel task.result kb.search

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Literal, Optional

ArgumentKind = Literal["in", "out", "inout", "scalar"]
BottleneckClass = Literal["memory_bandwidth", "uncoalesced_access", "memory_latency", "shared_bank_conflicts", "compute_throughput", "tensor_cores_idle", "low_parallelism", "low_occupancy", "register_spills", "thread_divergence", "synchronisation", "launch_overhead", "extra_traffic", "wave_tail", "load_imbalance", "at_limit", "unknown"]
CacheState = Literal["unknown", "cold", "warm"]
ClaimKind = Literal["positive", "negative", "precondition", "diagnosis_error"]
DeltaKind = Literal["add", "amend", "split_scope", "merge", "deprecate"]
Distribution = Literal["recorded", "normal", "uniform", "constant", "one_hot", "large", "denormal", "exact", "wide", "index_range"]
Dtype = Literal["f16", "bf16", "f32", "f64", "i8", "u8", "i32", "u32", "i64"]
Effort = Literal["quick", "normal", "strict"]
InsightKind = Literal["positive", "negative", "precondition", "composite"]
InsightState = Literal["proposed", "probation", "confirmed", "contested", "quarantined", "deprecated", "retracted"]
JobState = Literal["queued", "running", "done", "failed", "cancelled"]
LimitedBy = Literal["unknown", "memory", "l2", "arithmetic", "launch"]
MetricOrigin = Literal["measured", "exact", "modelled"]
Outcome = Literal["improved", "same", "regressed", "inconclusive", "wrong", "build_failed", "crashed", "timed_out", "cheating", "blocked", "unjudgeable"]
ProfileTier = Literal["T0", "T1", "T2"]
Provider = Literal["gpu", "sim", "fixture"]
RelationKind = Literal["scaling", "additivity", "permutation"]
Split = Literal["train", "heldout"]
Stage = Literal["static", "build", "simulation", "tiny_oracle", "full_oracle", "hidden_oracle", "sanitizer", "timing", "profile", "promotion", "library"]
Tier = Literal["a", "b", "c"]
ToleranceClass = Literal["exact", "elementwise", "contraction", "reduction"]
Trust = Literal["T0", "T1", "T2", "T3", "T4"]


@dataclass(frozen=True)
class Argument:
    name: str
    kind: ArgumentKind
    dtype: Dtype
    shape: List[str]
    value: str
    distributions: List[Distribution]
    low: float
    high: float
    #: only where it is known
    recorded: Optional[RecordedInput] = None


@dataclass(frozen=True)
class Attempt:
    epoch: int
    holder: str
    started: int
    ended: Optional[int]
    outcome: str


@dataclass(frozen=True)
class BestLibrary:
    library: str
    call: str
    ns: float
    unknown: str


@dataclass(frozen=True)
class Bottleneck:
    primary: BottleneckClass
    secondary: List[BottleneckClass]
    kernel: str
    deciders: List[DecidingMetric]
    headroom: float
    confidence: float
    explanation: str
    launches: List[LaunchState]
    causes: List[Cause]


@dataclass(frozen=True)
class Budget:
    evaluations: int
    seconds: float
    tokens: int
    micro_usd: int
    gpu_seconds: float


@dataclass(frozen=True)
class BuildReport:
    succeeded: bool
    from_cache: bool
    architecture: str
    kernels: List[KernelResources]
    diagnostics: str
    #: digest, where it is known
    machine_code: Optional[str] = None


@dataclass(frozen=True)
class Candidate:
    kernel: Kernel
    parent: str
    proposer: str
    technique: str
    parameters: str
    rationale: str
    predicted_gain: float
    predicted_low: float
    predicted_high: float
    prior_gain: float
    model: str


@dataclass(frozen=True)
class Cause:
    which: BottleneckClass
    kernel: str
    at_stake_ns: float
    share: float
    confidence: float
    explanation: str
    deciders: List[DecidingMetric]


@dataclass(frozen=True)
class Comparison:
    ratio: float
    confidence: float
    processes: int
    quads: int
    #: of the interval; null: nobody can say
    low: Optional[float]
    #: of the interval; null: nobody can say
    high: Optional[float]


@dataclass(frozen=True)
class Contract:
    tolerance: ToleranceClass
    accumulate: Dtype
    ulp: float
    reduction_length: str
    tf32_allowed: bool
    deterministic: bool


@dataclass(frozen=True)
class Correctness:
    passed: bool
    cases: int
    elements: int
    worst_error_ratio: float
    baseline_error: float
    worst_case: str
    worst_relative_l2: float
    worst_ulp: float
    unchecked: str


@dataclass(frozen=True)
class CostModel:
    bytes: str
    flops: str


@dataclass(frozen=True)
class CritiqueClaim:
    kind: ClaimKind
    text: str
    mechanism: str
    technique: str
    parameters: str
    bottleneck: BottleneckClass
    steps: List[int]
    log_gain: float
    confidence: float
    refused: str


@dataclass(frozen=True)
class DecidingMetric:
    name: str
    value: float
    needed: Optional[float]
    unit: str


@dataclass(frozen=True)
class Delta:
    kind: DeltaKind
    claim: int
    target: str
    into: str
    technique: str
    field: str
    text: str
    bottlenecks: List[BottleneckClass]
    refused: str


@dataclass(frozen=True)
class DeviceIdentity:
    name: str
    uuid: str
    compute_major: int
    compute_minor: int
    sm_count: int
    memory_bytes: int
    l2_bytes: int
    driver: str
    runtime: str


@dataclass(frozen=True)
class Empty:
    pass


@dataclass(frozen=True)
class Episode:
    id: str
    task: str
    task_name: str
    operator_family: str
    split: Split
    provider: Provider
    started: int
    finished: int
    steps: List[Step]
    best_step: int
    best_against_baseline: Optional[Comparison]
    outcome: Outcome
    summary: str
    policy: str
    proposer: str
    seed: int
    ended: str
    critic: str
    claims: List[CritiqueClaim]
    deltas: List[Delta]
    spending: ModelSpending
    critique: List[Exchange]


@dataclass(frozen=True)
class Exchange:
    purpose: str
    model: str
    prompt_hash: str
    prompt: str
    reasoning: str
    answer: str


@dataclass(frozen=True)
class Exposure:
    insight: str
    propensity: float
    shown: bool


@dataclass(frozen=True)
class Gradient:
    author: str
    predicted_log_gain: float
    measured_log_gain: Optional[float]
    changes: List[MetricChange]
    after: Optional[BottleneckClass]
    text: str


@dataclass(frozen=True)
class HiddenRange:
    size: str
    low: int
    high: int
    multiple_of: int


@dataclass(frozen=True)
class InsightAction:
    techniques: List[str]
    parameters: str


@dataclass(frozen=True)
class Job:
    id: str
    state: JobState
    request: JobRequest
    submitted: int
    attempts: int
    episode: Optional[Episode]
    receipt: Optional[WriteBackReceipt]
    error: str
    epoch: int
    held: bool
    dead: bool
    history: List[Attempt]
    spent: Spent


@dataclass(frozen=True)
class JobParams:
    #: `j-` and 10 digits
    job_id: str


@dataclass(frozen=True)
class JobRequest:
    task: Task
    budget: Budget
    provider: Provider
    provider_automatic: Optional[bool] = None
    #: who writes the candidates: `builtin` rewrites the kernel by rules, `llm` asks a language model, `replay` reads them from `replay_file`; default `builtin`
    proposer: Optional[str] = None
    #: candidates as JSON lines, with `proposer` `replay`; an absolute path
    replay_file: Optional[str] = None
    #: recording to replay, with `provider` `fixture`; an absolute path; default `lab.fixture_directory`
    fixture_directory: Optional[str] = None
    #: device to predict for, such as `h200` or `a100_80`. With `provider` `gpu`: the GPU to measure on, here or at a worker, such as `sm_90` or `h200`; default `lab.target`
    device: Optional[str] = None
    #: how candidates are chosen; one of `auto`, `greedy`, `fsr`, `mcgs`, `evolve` or `turns`; default `episode.policy`
    policy: Optional[str] = None
    #: candidates written at the same time; default `episode.workers`
    workers: Optional[int] = None
    #: random seed; the same seed gives the same search; default drawn from the episode's name
    seed: Optional[int] = None
    #: language model, with `proposer` `llm`: its name at the endpoint, `rules:FILE` or `replay:FILE`; default `llm.model`
    model: Optional[str] = None
    #: kept with the job and shown in its reports; one line of at most 200 characters
    note: Optional[str] = None
    effort: Optional[Effort] = None
    terms: Optional[QueueTerms] = None


@dataclass(frozen=True)
class KbSearchParams:
    #: words, identifiers, names of techniques
    text: Optional[str] = None
    #: bottleneck classes, the primary one first
    bottlenecks: Optional[List[str]] = None
    #: as in task.toml: `softmax`
    operator_family: Optional[str] = None
    #: element types: `f16`
    dtypes: Optional[List[str]] = None
    #: driver's name, or key of the device table: `h200`
    device: Optional[str] = None
    #: 90 = 9.0; default: that of `device`
    capability: Optional[int] = None
    #: CUDA source, at most 1 MiB: its structure is compared
    kernel: Optional[str] = None
    #: features of the kernel's profile, by name
    profile: Optional[Dict[str, float]] = None
    #: only insights about one of these
    techniques: Optional[List[str]] = None
    #: namespaces to read; default all
    spaces: Optional[List[str]] = None
    #: what the task allows; absent = not known
    contracts: Optional[List[str]] = None
    #: 1 to 200, default 10
    limit: Optional[int] = None
    #: also quarantined, deprecated and retracted insights
    all: Optional[bool] = None


@dataclass(frozen=True)
class Kernel:
    tier: Tier
    source: str
    plan: LaunchPlan
    entry: str
    build_flags: List[str]


@dataclass(frozen=True)
class KernelProfile:
    kernel: str
    time_share: float
    metrics: List[Metric]


@dataclass(frozen=True)
class KernelResources:
    kernel: str
    registers: int
    static_shared_bytes: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int


@dataclass(frozen=True)
class Launch:
    kernel: str
    grid: List[str]
    block: List[str]
    shared_bytes: str
    arguments: List[str]
    #: only where it is set
    cooperative: Optional[bool] = None


@dataclass(frozen=True)
class LaunchPlan:
    constants: Dict[str, int]
    scratch: List[ScratchBuffer]
    launches: List[Launch]


@dataclass(frozen=True)
class LaunchState:
    kernel: str
    time_share: float
    primary: BottleneckClass
    confidence: float


@dataclass(frozen=True)
class Limit:
    ns: float
    by: LimitedBy
    bytes: float
    flops: float
    bandwidth_gb_s: float
    peak_gflops: float
    peak: str
    counted: bool
    measured: bool
    unknown: str


@dataclass(frozen=True)
class LineProfile:
    kernel: str
    line: int
    metrics: List[Metric]


@dataclass(frozen=True)
class Measurement:
    provider: Provider
    device: DeviceIdentity
    toolkit: str
    workload: str
    tier: Tier
    sandboxed: bool
    cold_l2: bool
    median_ns: float
    samples: int
    launches_per_sample: int
    sm_clock_mhz: float
    harness: str
    bound: str
    confidence: str
    #: of the interval; null: nobody can say
    low_ns: Optional[float]
    #: of the interval; null: nobody can say
    high_ns: Optional[float]
    #: where a worker on another machine measured
    host: Optional[str] = None
    #: where one was looked for
    best_library: Optional[BestLibrary] = None
    #: how many times as fast as the best library call; null: there is none
    times_best_library: Optional[float] = None
    #: where it was computed
    limit: Optional[Limit] = None
    #: time of the limit / median; null: no limit is known
    share_of_limit: Optional[float] = None


@dataclass(frozen=True)
class Metric:
    name: str
    value: float
    unit: str
    origin: MetricOrigin


@dataclass(frozen=True)
class MetricChange:
    name: str
    before: float
    after: float
    unit: str


@dataclass(frozen=True)
class ModelSpending:
    calls: int
    input_tokens: int
    cached_tokens: int
    written_tokens: int
    output_tokens: int
    reasoning_tokens: int
    micro_usd: int
    seconds: float


@dataclass(frozen=True)
class Profile:
    tier: ProfileTier
    workload: str
    kernels: List[KernelProfile]
    lines: List[LineProfile]
    absent: List[str]
    note: str
    #: where it is known
    caches: Optional[CacheState] = None


@dataclass(frozen=True)
class ProgressParams:
    #: `j-` and 10 digits
    job_id: str
    #: a final state ends the stream
    state: JobState
    #: candidates judged so far
    step: int
    #: candidates in the budget
    steps: int
    #: baseline time / best time so far
    best_ratio: float
    #: for a person, one line
    line: str
    #: that is worked at, from 1; 0 = the given kernel
    candidate: int
    #: of that candidate; empty for the given kernel
    technique: str
    #: what is being done to it now, as `building` or `measuring`; empty = nothing
    stage: str
    #: worth a line in a log: a kernel was judged, or memory was asked
    milestone: bool


@dataclass(frozen=True)
class QueueTerms:
    user: str
    priority: int
    background: bool
    after: List[str]
    not_before: Optional[int]
    deadline: Optional[int]
    night: str
    worth: Optional[float]
    worth_why: str


@dataclass(frozen=True)
class RecordedInput:
    values: str
    offset: int
    reorder: bool
    most: str
    low: float
    high: float
    mean: float
    deviation: float
    zeros: float
    denormals: float
    not_finite: float
    sorted: bool
    shares: List[float]


@dataclass(frozen=True)
class Relation:
    kind: RelationKind
    arguments: List[str]
    degree: int


@dataclass(frozen=True)
class RetrievalAnswer:
    #: best first: `id`, `kind`, `state`, `trust`, `claim`, `action`, `utility`, `score`, `propensity`, `shown`, `why`
    insights: List[RetrievedInsight]
    #: why there is none
    note: str
    #: insights in the index
    documents: int
    #: that passed the hard filters
    candidates: int


@dataclass(frozen=True)
class RetrievedInsight:
    id: str
    kind: InsightKind
    state: InsightState
    trust: Trust
    claim: str
    action: InsightAction
    utility: Utility
    score: float
    propensity: float
    shown: bool
    why: str


@dataclass(frozen=True)
class ScratchBuffer:
    name: str
    dtype: Dtype
    elements: str
    zeroed: bool


@dataclass(frozen=True)
class SimulatorFinding:
    kind: str
    defect: bool
    kernel: str
    line: int
    where: str
    count: int


@dataclass(frozen=True)
class Spent:
    evaluations: int
    seconds: float
    gpu_seconds: float
    tokens: int
    micro_usd: int


@dataclass(frozen=True)
class StageReport:
    stage: Stage
    seconds: float
    passed: bool
    detail: str


@dataclass(frozen=True)
class Step:
    index: int
    candidate: Candidate
    before: Bottleneck
    verdict: Verdict
    accepted: bool
    exposures: List[Exposure]
    edited: int
    promotion: Optional[Comparison]
    gradient: Optional[Gradient]
    score: float
    turn_return: float
    spending: ModelSpending
    exchanges: List[Exchange]


@dataclass(frozen=True)
class Task:
    id: str
    name: str
    description: str
    operator_family: str
    split: Split
    arguments: List[Argument]
    workloads: List[Workload]
    contract: Contract
    cost: CostModel
    reference: str
    kernel: Kernel
    directory: str
    hidden: List[HiddenRange]
    relations: List[Relation]


@dataclass(frozen=True)
class TaskCancelResult:
    #: `cancelled`, or `running`: it ends soon after
    state: JobState


@dataclass(frozen=True)
class TaskResultResult:
    #: the job; with `episode` and `receipt` when there are any
    job: Job


@dataclass(frozen=True)
class TaskStatusParams:
    #: `j-` and 10 digits
    job_id: str
    #: also send `task.progress` on this connection
    watch: Optional[bool] = None


@dataclass(frozen=True)
class TaskStatusResult:
    #: `j-` and 10 digits
    job_id: str
    #: `queued`, `running`, `done`, `failed`, `cancelled`
    state: JobState
    #: name of the task
    task: str
    #: candidates judged so far
    step: int
    #: candidates in the budget
    steps: int
    #: baseline time / best time so far
    best_ratio: float
    #: what is being done, for a person
    activity: str
    #: when failed: why
    error: str


@dataclass(frozen=True)
class TaskSubmitParams:
    #: absolute path of the task folder
    directory: str
    #: candidates to judge; default `episode.evaluations`
    evaluations: Optional[int] = None
    #: wall time, seconds; default `episode.seconds`
    seconds: Optional[float] = None
    #: `gpu` measures, `sim` predicts in the simulator, `fixture` replays recorded verdicts, `auto` is `gpu` where there is one and `sim` elsewhere; default `lab.provider`
    provider: Optional[str] = None
    #: who writes the candidates: `builtin` rewrites the kernel by rules, `llm` asks a language model, `replay` reads them from `replay_file`; default `builtin`
    proposer: Optional[str] = None
    #: candidates as JSON lines, with `proposer` `replay`; an absolute path
    replay_file: Optional[str] = None
    #: recording to replay, with `provider` `fixture`; an absolute path; default `lab.fixture_directory`
    fixture_directory: Optional[str] = None
    #: device to predict for, such as `h200` or `a100_80`. With `provider` `gpu`: the GPU to measure on, here or at a worker, such as `sm_90` or `h200`; default `lab.target`
    device: Optional[str] = None
    #: how candidates are chosen; one of `auto`, `greedy`, `fsr`, `mcgs`, `evolve` or `turns`; default `episode.policy`
    policy: Optional[str] = None
    #: candidates written at the same time; default `episode.workers`
    workers: Optional[int] = None
    #: random seed; the same seed gives the same search; default drawn from the episode's name
    seed: Optional[int] = None
    #: language model, with `proposer` `llm`: its name at the endpoint, `rules:FILE` or `replay:FILE`; default `llm.model`
    model: Optional[str] = None
    #: kept with the job and shown in its reports; one line of at most 200 characters
    note: Optional[str] = None
    #: most tokens of language models, input and output; 0 = no limit; default `episode.tokens`
    tokens: Optional[int] = None
    #: most US dollars for language models; 0 = no limit; default `episode.usd`
    usd: Optional[float] = None
    #: most lab time, seconds; 0 = no limit; default 0
    gpu_seconds: Optional[float] = None
    #: how much a kernel is checked: `quick` checks less and is marked so, `strict` checks more; one of `quick`, `normal` or `strict`; default `lab.effort`
    effort: Optional[str] = None
    #: send `task.progress` on this connection
    watch: Optional[bool] = None


@dataclass(frozen=True)
class TaskSubmitResult:
    #: `j-` and 10 digits; the job is durable
    job_id: str
    #: jobs that come before it
    ahead: int


@dataclass(frozen=True)
class Utility:
    mean: float
    deviation: float
    low: float
    high: float
    observations: int


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    reason: str
    stages: List[StageReport]
    build: Optional[BuildReport]
    correctness: Optional[Correctness]
    measurement: Optional[Measurement]
    comparison: Optional[Comparison]
    profile: Optional[Profile]
    findings: List[SimulatorFinding]
    effort: Effort


@dataclass(frozen=True)
class Workload:
    name: str
    sizes: Dict[str, int]
    timed: bool


@dataclass(frozen=True)
class WriteBackReceipt:
    sequence: int
    steps: int
    kernels: int
    measurements: int
    lessons: List[str]
