// Printed by `warpmindd --print-types typescript` and these methods:
// status queue.list queue.rules queue.report queue.why queue.pause queue.resume queue.cancel
// queue.move episode.list episode.explain episode.profile episode.roofline kb.search kb.show kb.why
// kb.history kb.change kb.undo kb.graph kb.calibration task.progress

export type BottleneckClass = "memory_bandwidth" | "uncoalesced_access" | "memory_latency" | "shared_bank_conflicts" | "compute_throughput" | "tensor_cores_idle" | "low_parallelism" | "low_occupancy" | "register_spills" | "thread_divergence" | "synchronisation" | "launch_overhead" | "extra_traffic" | "wave_tail" | "load_imbalance" | "at_limit" | "unknown";
export type CacheState = "unknown" | "cold" | "warm";
export type ClaimKind = "positive" | "negative" | "precondition" | "diagnosis_error";
export type DeltaKind = "add" | "amend" | "split_scope" | "merge" | "deprecate";
export type Dtype = "f16" | "bf16" | "f32" | "f64" | "i8" | "u8" | "i32" | "u32" | "i64";
export type Effort = "quick" | "normal" | "strict";
export type InsightKind = "positive" | "negative" | "precondition" | "composite";
export type InsightOp = "add" | "evidence" | "attest" | "amend" | "transition" | "pin" | "unpin" | "supersede" | "undo" | "distrust" | "trust";
export type InsightState = "proposed" | "probation" | "confirmed" | "contested" | "quarantined" | "deprecated" | "retracted";
export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";
export type LimitedBy = "unknown" | "memory" | "l2" | "arithmetic" | "launch";
export type MetricOrigin = "measured" | "exact" | "modelled";
export type Outcome = "improved" | "same" | "regressed" | "inconclusive" | "wrong" | "build_failed" | "crashed" | "timed_out" | "cheating" | "blocked" | "unjudgeable";
export type PairedBy = "none" | "kernel" | "time_share";
export type ProfileTier = "T0" | "T1" | "T2";
export type Provider = "gpu" | "sim" | "fixture";
export type Split = "train" | "heldout";
export type Stage = "static" | "build" | "simulation" | "tiny_oracle" | "full_oracle" | "hidden_oracle" | "sanitizer" | "timing" | "profile" | "promotion" | "library";
export type Tier = "a" | "b" | "c";
export type Trust = "T0" | "T1" | "T2" | "T3" | "T4";

export interface Attempt {
  epoch: number;
  holder: string;
  started: number;
  ended: number | null;
  outcome: string;
}
export interface Attestation {
  origin: string;
  sequence: number;
  state: InsightState;
  supports: number;
  contradicts: number;
  mean_log_gain: number;
}
export interface BestLibrary {
  library: string;
  call: string;
  ns: number;
  unknown: string;
}
export interface BlameLine {
  field: string;
  value: string;
  change: number;
  actor: string;
}
export interface Bottleneck {
  primary: BottleneckClass;
  secondary: BottleneckClass[];
  kernel: string;
  deciders: DecidingMetric[];
  headroom: number;
  confidence: number;
  explanation: string;
  launches: LaunchState[];
  causes: Cause[];
}
export interface Budget {
  evaluations: number;
  seconds: number;
  tokens: number;
  micro_usd: number;
  gpu_seconds: number;
}
export interface BuildReport {
  succeeded: boolean;
  from_cache: boolean;
  architecture: string;
  kernels: KernelResources[];
  diagnostics: string;
  /** digest, where it is known */
  machine_code?: string;
}
export interface Calibration {
  /** steps that were predicted and measured */
  predictions: number;
  /** share inside the predicted 80 % interval */
  coverage: number;
  /** 95 % interval of it */
  coverage_low: number;
  /** 95 % interval of it */
  coverage_high: number;
  /** rank correlation of predicted and measured ln(gain) */
  spearman: number;
  /** mean of measured - predicted ln(gain) */
  bias: number;
}
export interface Candidate {
  kernel: Kernel;
  parent: string;
  proposer: string;
  technique: string;
  parameters: string;
  rationale: string;
  predicted_gain: number;
  predicted_low: number;
  predicted_high: number;
  prior_gain: number;
  model: string;
}
export interface Cause {
  which: BottleneckClass;
  kernel: string;
  at_stake_ns: number;
  share: number;
  confidence: number;
  explanation: string;
  deciders: DecidingMetric[];
}
export interface Comparison {
  ratio: number;
  confidence: number;
  processes: number;
  quads: number;
  /** of the interval; null: nobody can say */
  low: number | null;
  /** of the interval; null: nobody can say */
  high: number | null;
}
export interface Correctness {
  passed: boolean;
  cases: number;
  elements: number;
  worst_error_ratio: number;
  baseline_error: number;
  worst_case: string;
  worst_relative_l2: number;
  worst_ulp: number;
  unchecked: string;
}
export interface CritiqueClaim {
  kind: ClaimKind;
  text: string;
  mechanism: string;
  technique: string;
  parameters: string;
  bottleneck: BottleneckClass;
  steps: number[];
  log_gain: number;
  confidence: number;
  refused: string;
}
export interface DecidingMetric {
  name: string;
  value: number;
  needed: number | null;
  unit: string;
}
export interface Delta {
  kind: DeltaKind;
  claim: number;
  target: string;
  into: string;
  technique: string;
  field: string;
  text: string;
  bottlenecks: BottleneckClass[];
  refused: string;
}
export interface DeviceIdentity {
  name: string;
  uuid: string;
  compute_major: number;
  compute_minor: number;
  sm_count: number;
  memory_bytes: number;
  l2_bytes: number;
  driver: string;
  runtime: string;
}
export interface EdgeExample {
  episode: string;
  step: number;
  task: string;
  operator_family: string;
  /** kernel ids */
  before: string;
  after: string;
  log_gain: number;
  parameters: string;
}
export interface EdgeStatistics {
  from: string;
  to: string;
  cluster: string;
  family: string;
  device: string;
  provider: Provider;
  /** confirmed comparisons */
  measured: number;
  /** of them */
  mean_log_gain: number;
  /** seen not to gain, weight 1/2 each */
  screened: number;
  feasible: number;
  infeasible: number;
  /** became the incumbent */
  better: number;
  examples: EdgeExample[];
}
export type Empty = Record<string, never>;
export interface Episode {
  id: string;
  task: string;
  task_name: string;
  operator_family: string;
  split: Split;
  provider: Provider;
  started: number;
  finished: number;
  steps: Step[];
  best_step: number;
  best_against_baseline: Comparison | null;
  outcome: Outcome;
  summary: string;
  policy: string;
  proposer: string;
  seed: number;
  ended: string;
  critic: string;
  claims: CritiqueClaim[];
  deltas: Delta[];
  spending: ModelSpending;
  critique: Exchange[];
}
export interface EpisodeExplainParams {
  /** `e-` or `j-` and 10 digits, the bare number, or `last` */
  id: string;
  /** a step of the episode, 0 is the baseline; default all */
  step?: number | null;
}
export interface EpisodeExplainResult {
  /** of the episode; empty when the job is gone */
  job_id: string;
  /** of the job */
  state: JobState;
  /** that the job was given */
  budget: Budget;
  /** as stored, every step */
  episode: Episode;
  /** behind the exposures of the steps, each once and in its current state: `id`, `known` (false: gone), `kind`, `state`, `claim`, `techniques`, `utility` */
  insights: ExplainedInsight[];
  /** that was asked for */
  step?: number | null;
  /** what to do first about the kernel that this step edited (of step 0: about the given kernel), as in `kernel.analyze`; null without a step, and where the base holds the episode without its task */
  advice?: FirstAdvice | null;
  /** of a task made of a recorded program: which inputs are as recorded, like the recorded values, or invented; else empty */
  inputs: string;
}
export interface EpisodeListParams {
  /** absolute path of a CUDA file: only episodes of the task beside it whose kernel it is; default all */
  file?: string;
  /** 1 to 200, default 20 */
  limit?: number | null;
}
export interface EpisodeListResult {
  /** task folder whose kernel is `file`; empty = none */
  directory: string;
  /** its name */
  task: string;
  /** why `file` has no task, and the way out */
  note: string;
  /** newest first: each with `job_id`, `state`, `task`, `directory`, `provider`, `submitted` (ms since 1970), and where there is an episode `episode_id`, `outcome`, `device`, `given_ns`, `best_ns`, `ratio` (given / best, measured directly), `technique` (of the best step), `summary`, `bottleneck` (of the given kernel), `how` (techniques that led to the best), `curve` (best ratio after each candidate), `limit_ns` and `limited_by` (time below which no kernel can be, and what sets it: `memory bandwidth`, `FP32 arithmetic`, `one kernel launch`; 0 = not known) */
  episodes: ListedEpisode[];
}
export interface EpisodeProfileParams {
  /** as for `episode.explain`; the episode may be open */
  id: string;
  /** default the best one */
  step?: number | null;
  /** step to hold it against; default the one whose kernel it edited */
  against?: number | null;
}
export interface EpisodeProfileResult {
  /** of the episode */
  job_id: string;
  /** that was profiled */
  step: number;
  /** step that it is held against; null for the given kernel */
  against: number | null;
  /** `sim`: times are predicted */
  provider: Provider;
  /** the episode had judged the step without a profile */
  made_now: boolean;
  /** of the step, with all metrics: `tier`, `workload`, `caches` (`cold` or `warm`; absent where it is not known), `kernels`, `lines`, `absent`, `note` */
  profile: Profile;
  /** of both steps, the most time first: `before` and `after` (null where a launch has no counterpart), `paired_by` (`kernel`, `time_share`, `none`). Each side has `kernel` and its readable `name`, `time_share`, `time_ns`, `bytes` with the `memory` they passed (`DRAM`, `L2`, `requested`) and `gb_per_s`, `flops` and `gflop_per_s`, `limited_by`, `pipe` and `pipe_percent`, `stall` with `stall_percent`, `line` and `stall_origin` */
  launches: LaunchChange[];
  /** of the step; null when it was not timed */
  measurement: Measurement | null;
  /** of the simulator's checks; defects first */
  findings: SimulatorFinding[];
  /** what is missing, and why */
  note: string;
}
export interface EpisodeRooflineParams {
  /** as for `episode.explain` */
  id: string;
}
export interface EpisodeRooflineResult {
  /** its name */
  task: string;
  /** whose peaks these are */
  device: string;
  /** that the steps were timed on */
  workload: string;
  /** of the times; those of `sim` are predictions */
  provider: Provider;
  /** whose peak it is: `FP64`, `FP32`, or the tensor cores that the contract allows */
  peak: string;
  /** Gflop/s */
  peak_gflops: number;
  /** GB/s */
  bandwidth_gb_s: number;
  /** those that were timed: `step`, `accepted`, `intensity` (flop a byte of the limit; 0 = it counts no arithmetic), `gflops` (Gflop/s), `time_ns`, `share` (of the limit; 0 = not known) */
  steps: RooflineMark[];
}
export interface EvidenceRef {
  episode: string;
  step: number;
  task: string;
  operator_family: string;
  provider: Provider;
  device: string;
  supports: boolean;
  log_gain: number;
  confirmed: boolean;
}
export interface Exchange {
  purpose: string;
  model: string;
  prompt_hash: string;
  prompt: string;
  reasoning: string;
  answer: string;
}
export interface ExplainedInsight {
  id: string;
  /** false: no longer in the base, nothing below is filled */
  known: boolean;
  kind: InsightKind;
  state: InsightState;
  claim: string;
  techniques: string[];
  utility: Utility;
}
export interface Exposure {
  insight: string;
  propensity: number;
  shown: boolean;
}
export interface FirstAdvice {
  against: BottleneckClass;
  text: string;
  technique: string;
  by_agent: boolean;
}
export interface Gradient {
  author: string;
  predicted_log_gain: number;
  measured_log_gain: number | null;
  changes: MetricChange[];
  after: BottleneckClass | null;
  text: string;
}
export interface HistoryEntry {
  /** position in the log */
  change: number;
  position: number;
  at: number;
  /** "add", "evidence", "transition", … */
  op: InsightOp;
  /** "user:alice", "gate", "episode e-0000000007" */
  actor: string;
  reason: string;
  /** one line */
  summary: string;
  undone: boolean;
}
export interface Insight {
  id: string;
  kind: InsightKind;
  claim: string;
  mechanism: string;
  action: InsightAction;
  scope: InsightScope;
  profile_signature: Record<string, number>;
  code_signature: Record<string, number>;
  state: InsightState;
  trust: Trust;
  pinned: boolean;
  space: string;
  provenance: Provenance;
  evidence: EvidenceRef[];
  attestations: Attestation[];
  supersedes: string[];
  superseded_by: string;
  utility: Utility;
  state_reason: string;
  created: number;
  changed: number;
  document: number;
  created_at: number;
  changed_at: number;
}
export interface InsightAction {
  techniques: string[];
  parameters: string;
}
export interface InsightScope {
  operator_families: string[];
  dtypes: Dtype[];
  bottlenecks: BottleneckClass[];
  capability_min: number;
  capability_max: number;
  device: string;
  contracts: string[];
}
export interface KbCalibrationParams {
  /** `gpu`, `sim` or `fixture`; default all */
  provider?: string;
}
export interface KbChangeParams {
  /** id of an insight, or its unambiguous beginning */
  id: string;
  /** `retire`, `retract`, `pin`, `unpin`, `quarantine` or `reinstate` */
  command: string;
  /** one sentence, kept in the history */
  reason?: string;
}
export interface KbGraphParams {
  /** technique before; empty = first thing; default any */
  from?: string | null;
  /** id of a cluster; default over all */
  cluster?: string;
  /** driver's name; default over all */
  device?: string;
  /** `gpu`, `sim` or `fixture`; default each by itself */
  provider?: string;
  /** 1 to 10000, default 100 */
  limit?: number | null;
}
export interface KbGraphResult {
  /** `from`, `to`, `cluster`, `family`, `device`, `provider`, `measured`, `mean_log_gain`, `screened`, `feasible`, `infeasible`, `better`, `examples` */
  edges: EdgeStatistics[];
}
export interface KbHistoryParams {
  /** id of an insight, or its unambiguous beginning */
  id: string;
  /** also answer the insight as it stood after this change */
  as_of?: number | null;
}
export interface KbHistoryResult {
  /** the whole id */
  id: string;
  /** oldest first: `change`, `position`, `at`, `op`, `actor`, `reason`, `summary`, `undone` */
  entries: HistoryEntry[];
  /** which change gave a field its value: `field`, `value`, `change`, `actor` */
  blame: BlameLine[];
  /** as it stood, or null */
  insight: Insight | null;
}
export interface KbInsightParams {
  /** id of an insight, or its unambiguous beginning */
  id: string;
}
export interface KbInsightResult {
  /** as it is now */
  insight: Insight;
}
export interface KbSearchParams {
  /** words, identifiers, names of techniques */
  text?: string;
  /** bottleneck classes, the primary one first */
  bottlenecks?: string[];
  /** as in task.toml: `softmax` */
  operator_family?: string;
  /** element types: `f16` */
  dtypes?: string[];
  /** driver's name, or key of the device table: `h200` */
  device?: string;
  /** 90 = 9.0; default: that of `device` */
  capability?: number;
  /** CUDA source, at most 1 MiB: its structure is compared */
  kernel?: string;
  /** features of the kernel's profile, by name */
  profile?: Record<string, number>;
  /** only insights about one of these */
  techniques?: string[];
  /** namespaces to read; default all */
  spaces?: string[];
  /** what the task allows; absent = not known */
  contracts?: string[] | null;
  /** 1 to 200, default 10 */
  limit?: number | null;
  /** also quarantined, deprecated and retracted insights */
  all?: boolean;
}
export interface KbShowParams {
  /** id of an insight, its beginning, or a technique's name */
  id: string;
}
export interface KbShowResult {
  /** the insight, or null */
  insight: Insight | null;
  /** the technique, or null */
  technique: Technique | null;
}
export interface KbUndoParams {
  /** id of an insight, or its unambiguous beginning */
  id: string;
  /** as the history names it; default the newest */
  change?: number | null;
  /** one sentence, kept in the history */
  reason?: string;
}
export interface KbWhyResult {
  /** with `evidence`, `attestations`, `utility`, `provenance` */
  insight: Insight;
  /** what showing it is worth: `shown`, `withheld`, `lift`, `low`, `high`, `known` */
  lift: LiftEstimate;
  /** history without evidence and attestations */
  decisions: HistoryEntry[];
}
export interface Kernel {
  tier: Tier;
  source: string;
  plan: LaunchPlan;
  entry: string;
  build_flags: string[];
}
export interface KernelProfile {
  kernel: string;
  time_share: number;
  metrics: Metric[];
}
export interface KernelResources {
  kernel: string;
  registers: number;
  static_shared_bytes: number;
  stack_bytes: number;
  spill_store_bytes: number;
  spill_load_bytes: number;
}
export interface Launch {
  kernel: string;
  grid: string[];
  block: string[];
  shared_bytes: string;
  arguments: string[];
  /** only where it is set */
  cooperative?: boolean;
}
export interface LaunchChange {
  before: LaunchRow | null;
  after: LaunchRow | null;
  paired_by: PairedBy;
}
export interface LaunchPlan {
  constants: Record<string, number>;
  scratch: ScratchBuffer[];
  launches: Launch[];
}
export interface LaunchRow {
  kernel: string;
  name: string;
  time_share: number;
  time_ns: number;
  bytes: number | null;
  memory: string;
  gb_per_s: number;
  flops: number | null;
  gflop_per_s: number;
  limited_by: string;
  pipe: string;
  pipe_percent: number;
  stall: string;
  stall_percent: number;
  line: number;
  stall_origin: MetricOrigin;
}
export interface LaunchState {
  kernel: string;
  time_share: number;
  primary: BottleneckClass;
  confidence: number;
}
export interface LiftEstimate {
  shown: number;
  withheld: number;
  /** difference of mean ln(gain) */
  lift: number;
  /** 95 % interval */
  low: number;
  high: number;
  /** both arms have enough steps */
  known: boolean;
}
export interface Limit {
  ns: number;
  by: LimitedBy;
  bytes: number;
  flops: number;
  bandwidth_gb_s: number;
  peak_gflops: number;
  peak: string;
  counted: boolean;
  measured: boolean;
  unknown: string;
}
export interface LineProfile {
  kernel: string;
  line: number;
  metrics: Metric[];
}
export interface ListedEpisode {
  job_id: string;
  state: JobState;
  task: string;
  /** of the task */
  directory: string;
  provider: Provider;
  /** ms since 1970 */
  submitted: number;
  episode_id: string;
  outcome: string;
  /** "NVIDIA H200" */
  device: string;
  /** time of the given kernel; 0 = not measured */
  given_ns: number;
  best_ns: number;
  /** given / best, measured directly; 1 = nothing was better */
  ratio: number;
  /** of the best step */
  technique: string;
  summary: string;
  /** of the given kernel */
  bottleneck: string;
  /** techniques that led to the best, in their order */
  how: string[];
  /** best ratio after each candidate */
  curve: number[];
  /** base/limit.h; 0 = not known */
  limit_ns: number;
  /** "memory bandwidth", "FP32 arithmetic", "one kernel launch" */
  limited_by: string;
}
export interface Measurement {
  provider: Provider;
  device: DeviceIdentity;
  toolkit: string;
  workload: string;
  tier: Tier;
  sandboxed: boolean;
  cold_l2: boolean;
  median_ns: number;
  samples: number;
  launches_per_sample: number;
  sm_clock_mhz: number;
  harness: string;
  bound: string;
  confidence: string;
  /** of the interval; null: nobody can say */
  low_ns: number | null;
  /** of the interval; null: nobody can say */
  high_ns: number | null;
  /** where a worker on another machine measured */
  host?: string;
  /** where one was looked for */
  best_library?: BestLibrary;
  /** how many times as fast as the best library call; null: there is none */
  times_best_library?: number | null;
  /** where it was computed */
  limit?: Limit;
  /** time of the limit / median; null: no limit is known */
  share_of_limit?: number | null;
}
export interface Metric {
  name: string;
  value: number;
  unit: string;
  origin: MetricOrigin;
}
export interface MetricChange {
  name: string;
  before: number;
  after: number;
  unit: string;
}
export interface ModelSpending {
  calls: number;
  input_tokens: number;
  cached_tokens: number;
  written_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  micro_usd: number;
  seconds: number;
}
export interface Profile {
  tier: ProfileTier;
  workload: string;
  kernels: KernelProfile[];
  lines: LineProfile[];
  absent: string[];
  note: string;
  /** where it is known */
  caches?: CacheState;
}
export interface ProgressParams {
  /** `j-` and 10 digits */
  job_id: string;
  /** a final state ends the stream */
  state: JobState;
  /** candidates judged so far */
  step: number;
  /** candidates in the budget */
  steps: number;
  /** baseline time / best time so far */
  best_ratio: number;
  /** for a person, one line */
  line: string;
  /** that is worked at, from 1; 0 = the given kernel */
  candidate: number;
  /** of that candidate; empty for the given kernel */
  technique: string;
  /** what is being done to it now, as `building` or `measuring`; empty = nothing */
  stage: string;
  /** worth a line in a log: a kernel was judged, or memory was asked */
  milestone: boolean;
}
export interface Provenance {
  source: string;
  author: string;
  model: string;
  prompt_hash: string;
  licence: string;
  toolkit: string;
  driver: string;
}
export interface QueueJob {
  job_id: string;
  state: JobState;
  task: string;
  user: string;
  priority: number;
  background: boolean;
  held: boolean;
  /** expected, per second of the device */
  value: number;
  /** that it does not run; what it does when it runs */
  why: string;
  /** on which it runs; empty = on none */
  lane: string;
  /** of a job that recurs */
  every: string;
  /** the daemon thought of it */
  proposed: boolean;
}
export interface QueueJobsParams {
  /** `j-` and 10 digits each */
  job_ids?: string[];
  /** every job of the background that waits; for `queue.retry` every job of the newest night that failed */
  all?: boolean;
}
export interface QueueJobsResult {
  /** jobs for which it was done */
  changed: string[];
  /** one sentence for each other job */
  refused: string[];
}
export interface QueueLane {
  /** "gpu 0", "sim"; "lane 0" where it is the only one */
  name: string;
  /** as CUDA_VISIBLE_DEVICES names it; empty = none of its own */
  device: string;
  model: string;
  /** that has it; empty = none */
  job_id: string;
  /** share of the time since the daemon's start in which it had a job */
  busy: number;
}
export interface QueueListParams {
  /** jobs that are listed, 1 to 10000; default 100 */
  limit?: number | null;
}
export interface QueueListResult {
  /** date of its evening; a night ends at noon, local time */
  night: string;
  /** these are quiet hours */
  quiet: boolean;
  /** jobs that wait */
  waiting: number;
  /** jobs that run */
  running: number;
  /** those that run, then the next first: `job_id`, `state`, `task`, `user`, `priority`, `background`, `held`, `value`, `why`, `lane`, `every`, `proposed` (the daemon thought of it) */
  jobs: QueueJob[];
  /** `name`, `device` (as CUDA_VISIBLE_DEVICES names it), `model`, `job_id` (that has it), `busy` (share of the time since the daemon's start) */
  lanes: QueueLane[];
}
export interface QueueMoveParams {
  /** `j-` and 10 digits */
  job_id: string;
  /** -100 to 100, higher first */
  priority: number;
}
export interface QueueReportInsight {
  /** id */
  insight: string;
  /** `added`, `supported`, `contradicted`, or the state that it came to */
  change: string;
  claim: string;
  /** of a change of state */
  reason: string;
  job_id: string;
}
export interface QueueReportJob {
  job_id: string;
  task: string;
  user: string;
  state: JobState;
  /** of the episode; empty without one */
  outcome: string;
  provider: string;
  /** baseline time / best time; 0 = not compared */
  ratio: number;
  /** null = low confidence, no interval */
  low: number | null;
  high: number | null;
  confidence: number;
  summary: string;
  error: string;
  dead: boolean;
  attempts: number;
  spent: Spent;
  history: Attempt[];
  lessons: string[];
  /** best ratio after each candidate */
  curve: number[];
  /** candidates that were compared and had a predicted interval */
  predicted: number;
  /** whose ratio lay inside it; 80 % should */
  covered: number;
  /** what was measured on, or predicted for */
  device: string;
  /** that was timed */
  workload: string;
  /** of the given kernel */
  bottleneck: string;
  /** one run of the given kernel */
  given_ns: number;
  /** of the best; 0 = nothing was better */
  best_ns: number;
  /** techniques that led to the best, in their order */
  how: string[];
  /** by outcome */
  candidates: Record<string, number>;
  predictions: QueueReportPrediction[];
  roofline: QueueReportRoofline;
  /** those that reports print, by name */
  options: Record<string, string>;
}
export interface QueueReportParams {
  /** `2026-11-24`; default the newest that there is */
  night?: string;
  /** any jobs instead of a night, in the order to show them */
  job_ids?: string[];
}
export interface QueueReportPrediction {
  /** ratio */
  predicted: number;
  /** interval in which 80 % should lie */
  low: number;
  high: number;
  /** found */
  ratio: number;
}
export interface QueueReportResult {
  /** that it is about; empty when there was none */
  night: string;
  /** the newest first, at most 30 */
  nights: string[];
  /** in the order of acceptance: `job_id`, `task`, `user`, `state`, `outcome`, `provider`, `ratio`, `low` and `high` (null = low confidence), `confidence`, `summary`, `error`, `dead`, `attempts`, `spent`, `history`, `lessons`, `curve` (best ratio after each candidate), `predicted` and `covered` (candidates compared with their prediction, and those inside its 80 % interval), `device`, `workload`, `bottleneck`, `given_ns`, `best_ns` (0 = nothing was better), `how` (techniques that led to the best), `candidates` (counts by outcome), `predictions` (each with `predicted`, `low`, `high` and `ratio`), `roofline` (`intensity` in flop a byte, `given_gflops`, `best_gflops`, `peak_gflops`, `bandwidth_gb_s`; 0 = not known), `options` (those that reports print, by name) */
  jobs: QueueReportJob[];
  /** by all of them */
  spent: Spent;
  /** of it, what counts against the limits: that of jobs of the background */
  charged: Spent;
  /** of their episodes; `failed` and `cancelled` are jobs without one */
  outcomes: Record<string, number>;
  /** as they are set now; 0 = none */
  night_limits: Record<string, number>;
  /** what the base learned and unlearned: `insight`, `change` (`added`, `supported`, `contradicted`, or the state that it came to), `claim`, `reason`, `job_id` */
  insights: QueueReportInsight[];
}
export interface QueueReportRoofline {
  /** flop a byte; 0 = not known */
  intensity: number;
  given_gflops: number;
  /** as given_gflops when nothing was better */
  best_gflops: number;
  peak_gflops: number;
  bandwidth_gb_s: number;
}
export interface QueueRulesParams {
  /** `08:00-19:00`, local time: nothing of the background runs then; empty = never */
  quiet_hours?: string | null;
  /** most that one night may spend: `evaluations`, `seconds`, `gpu_seconds`, `tokens`, `usd`; 0 = no limit */
  night?: Record<string, number>;
  /** most that one user may spend in one night */
  user?: Record<string, number>;
}
export interface QueueRulesResult {
  /** as set */
  quiet_hours: string;
  /** these are quiet hours */
  quiet: boolean;
  /** the night of now */
  night: string;
  /** 0 = none */
  night_limits: Record<string, number>;
  /** spent, and reserved by what runs */
  night_spent: Record<string, number>;
  /** of what has a limit */
  night_left: Record<string, number>;
  /** 0 = none */
  user_limits: Record<string, number>;
  /** by the daemon's user */
  user_spent: Record<string, number>;
}
export interface QueueWhyParams {
  /** `j-` and 10 digits */
  job_id: string;
}
export interface QueueWhyResult {
  /** `j-` and 10 digits */
  job_id: string;
  /** why it does not run, or what became of it */
  why: string;
  /** expected worth per second of the device */
  value: number;
  /** how that was made up; empty for a job that does not wait */
  worth: string;
}
export interface RetrievalAnswer {
  /** best first: `id`, `kind`, `state`, `trust`, `claim`, `action`, `utility`, `score`, `propensity`, `shown`, `why` */
  insights: RetrievedInsight[];
  /** why there is none */
  note: string;
  /** insights in the index */
  documents: number;
  /** that passed the hard filters */
  candidates: number;
}
export interface RetrievedInsight {
  id: string;
  kind: InsightKind;
  state: InsightState;
  trust: Trust;
  claim: string;
  action: InsightAction;
  utility: Utility;
  score: number;
  propensity: number;
  shown: boolean;
  why: string;
}
export interface RooflineMark {
  step: number;
  /** flop a byte, by the task's cost model; 0 = it counts no arithmetic */
  intensity: number;
  /** reached */
  gflops: number;
  /** least time that the device allows / its time; 0 = unknown */
  share: number;
  accepted: boolean;
  time_ns: number;
}
export interface ScratchBuffer {
  name: string;
  dtype: Dtype;
  elements: string;
  zeroed: boolean;
}
export interface SimulatorFinding {
  kind: string;
  defect: boolean;
  kernel: string;
  line: number;
  where: string;
  count: number;
}
export interface Spent {
  evaluations: number;
  seconds: number;
  gpu_seconds: number;
  tokens: number;
  micro_usd: number;
}
export interface StageReport {
  stage: Stage;
  seconds: number;
  passed: boolean;
  detail: string;
}
export interface StatusResult {
  /** version of the daemon */
  version: string;
  /** process id */
  pid: number;
  /** seconds since start */
  uptime_s: number;
  /** `gpu`, `sim`, `fixture`, or `static` when nothing is usable */
  mode: string;
  /** what measures, empty without one */
  device: string;
  /** why the mode is not better, and the way out */
  note: string;
  /** log, base and lock */
  state_directory: string;
  /** jobs waiting */
  queued: number;
  /** jobs at work */
  running: number;
  /** clients connected, this one included */
  connections: number;
  /** the base is read-only; see `kb.stats` */
  degraded: boolean;
  /** one line a job, newest first */
  jobs: string[];
  /** one line a lane: its job, and how busy it was so far */
  lanes: string[];
}
export interface Step {
  index: number;
  candidate: Candidate;
  before: Bottleneck;
  verdict: Verdict;
  accepted: boolean;
  exposures: Exposure[];
  edited: number;
  promotion: Comparison | null;
  gradient: Gradient | null;
  score: number;
  turn_return: number;
  spending: ModelSpending;
  exchanges: Exchange[];
}
export interface Technique {
  name: string;
  title: string;
  category: string;
  bottlenecks: BottleneckClass[];
  capability_min: number;
  capability_max: number;
  when: string;
  when_not: string;
  how: string;
  parameters: string[];
  risks: string;
  generations: Record<string, string>;
  aliases: string[];
  typical_low: number;
  typical_high: number;
  source: string;
  edited: boolean;
}
export interface Utility {
  mean: number;
  deviation: number;
  low: number;
  high: number;
  observations: number;
}
export interface Verdict {
  outcome: Outcome;
  reason: string;
  stages: StageReport[];
  build: BuildReport | null;
  correctness: Correctness | null;
  measurement: Measurement | null;
  comparison: Comparison | null;
  profile: Profile | null;
  findings: SimulatorFinding[];
  effort: Effort;
}

/** What each method takes and answers. */
export interface Methods {
  "status": { params: Empty; result: StatusResult };
  "queue.list": { params: QueueListParams; result: QueueListResult };
  "queue.rules": { params: QueueRulesParams; result: QueueRulesResult };
  "queue.report": { params: QueueReportParams; result: QueueReportResult };
  "queue.why": { params: QueueWhyParams; result: QueueWhyResult };
  "queue.pause": { params: QueueJobsParams; result: QueueJobsResult };
  "queue.resume": { params: QueueJobsParams; result: QueueJobsResult };
  "queue.cancel": { params: QueueJobsParams; result: QueueJobsResult };
  "queue.move": { params: QueueMoveParams; result: Empty };
  "episode.list": { params: EpisodeListParams; result: EpisodeListResult };
  "episode.explain": { params: EpisodeExplainParams; result: EpisodeExplainResult };
  "episode.profile": { params: EpisodeProfileParams; result: EpisodeProfileResult };
  "episode.roofline": { params: EpisodeRooflineParams; result: EpisodeRooflineResult };
  "kb.search": { params: KbSearchParams; result: RetrievalAnswer };
  "kb.show": { params: KbShowParams; result: KbShowResult };
  "kb.why": { params: KbInsightParams; result: KbWhyResult };
  "kb.history": { params: KbHistoryParams; result: KbHistoryResult };
  "kb.change": { params: KbChangeParams; result: KbInsightResult };
  "kb.undo": { params: KbUndoParams; result: KbInsightResult };
  "kb.graph": { params: KbGraphParams; result: KbGraphResult };
  "kb.calibration": { params: KbCalibrationParams; result: Calibration };
  "task.progress": { params: ProgressParams; result: Empty };
}
