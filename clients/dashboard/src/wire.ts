/** What the daemon answers (docs/protocol.md): the members that the page shows. */

export type Provider = "gpu" | "sim" | "fixture";
export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";
export type Amounts = Record<string, number>;

export interface Status {
  version: string;
  uptime_s: number;
  mode: string;
  device: string;
  note: string;
  queued: number;
  running: number;
  degraded: boolean;
}

/** A device that works through the queue. */
export interface Lane {
  name: string;
  device: string;
  model: string;
  job_id: string;
  busy?: number;
}

export interface QueueJob {
  job_id: string;
  state: JobState;
  task: string;
  user: string;
  priority: number;
  background: boolean;
  held: boolean;
  value: number;
  why: string;
}
export interface QueueList {
  night: string;
  quiet: boolean;
  waiting: number;
  running: number;
  jobs: QueueJob[];
  lanes?: Lane[];
}
export interface OrderResult {
  changed: string[];
  refused: string[];
}
export interface Rules {
  quiet_hours: string;
  quiet: boolean;
  night: string;
  night_limits: Amounts;
  night_spent: Amounts;
  night_left: Amounts;
  user_limits: Amounts;
  user_spent: Amounts;
}
export interface Progress {
  job_id: string;
  state: JobState;
  step: number;
  steps: number;
  best_ratio: number;
  line: string;
  candidate: number;
  technique: string;
  stage: string;
  milestone: boolean;
}

export interface ReportJob {
  job_id: string;
  task: string;
  user: string;
  state: JobState;
  outcome: string;
  provider: string;
  ratio: number;
  low: number;
  high: number;
  confidence: number;
  summary: string;
  error: string;
  lessons: string[];
  curve: number[];
  predicted: number;
  covered: number;
}
export interface Report {
  night: string;
  nights: string[];
  jobs: ReportJob[];
}

export interface ListedEpisode {
  job_id: string;
  state: JobState;
  task: string;
  provider: Provider;
  submitted: number;
  episode_id: string;
  outcome: string;
  device: string;
  given_ns: number;
  best_ns: number;
  ratio: number;
  technique: string;
  summary: string;
  bottleneck: string; // of the given kernel
  how: string[]; // techniques that led to the best
  curve: number[]; // best ratio after each candidate
  limit_ns: number; // least time that the device allows; 0 = not known
  limited_by: string;
}

export interface Measurement {
  provider: Provider;
  device: { name: string };
  workload: string;
  median_ns: number;
  low_ns: number | null; // null: the simulator's confidence is low
  high_ns: number | null;
  samples: number;
  best_library?: { library: string; call: string; ns: number; unknown: string };
  times_best_library?: number | null;
}
export interface Comparison {
  ratio: number;
  low: number | null; // null: the simulator's confidence is low
  high: number | null;
  confidence: number;
}
export interface Cause {
  which: string;
  at_stake_ns: number; // 0 where the time is not known
  share: number; // of the time
  confidence: number;
  explanation: string;
}
export interface Bottleneck {
  primary: string;
  headroom: number;
  confidence: number;
  explanation: string;
  causes: Cause[]; // costliest first; empty in older records
}
export interface Gradient {
  author: string;
  predicted_log_gain: number;
  measured_log_gain: number | null;
  changes: { name: string; before: number; after: number; unit: string }[];
  after: string | null;
  text: string;
}
export interface Verdict {
  outcome: string;
  reason: string;
  stages: { stage: string; seconds: number; passed: boolean; detail: string }[];
  build: { succeeded: boolean; diagnostics: string } | null;
  measurement: Measurement | null;
  comparison: Comparison | null;
  profile: { tier: string; lines: object[] } | null; // tier T0: nothing of time
}
/** One launch of a plan; numbers are 0 and texts empty where nothing is known. */
export interface LaunchRow {
  kernel: string;
  name: string; // for a person
  time_share: number;
  time_ns: number;
  bytes: number | null;
  memory: string; // that the bytes passed: "DRAM", "L2"; "requested" by threads
  gb_per_s: number;
  flops: number | null;
  gflop_per_s: number;
  limited_by: string; // the busiest pipe, or "latency"
  pipe: string;
  pipe_percent: number;
  stall: string; // what its warps wait for most
  stall_percent: number;
  line: number; // where
  stall_origin: string;
}
export interface LaunchChange {
  before: LaunchRow | null;
  after: LaunchRow | null;
  paired_by: string;
}
export interface StepProfile {
  step: number;
  against: number | null;
  provider: Provider;
  profile: { tier: string; workload: string; caches?: string; note: string };
  launches: LaunchChange[]; // the most time first
  note: string;
}
export interface Step {
  index: number;
  candidate: {
    kernel: { source: string };
    proposer: string;
    technique: string;
    parameters: string;
    rationale: string;
    model: string;
    predicted_gain: number;
    predicted_low: number;
    predicted_high: number;
  };
  before: Bottleneck;
  verdict: Verdict;
  accepted: boolean;
  exposures: { insight: string; shown: boolean }[];
  edited: number;
  promotion: Comparison | null;
  gradient: Gradient | null;
}
export interface CritiqueClaim {
  kind: string;
  text: string;
  mechanism: string;
  technique: string;
  steps: number[];
  log_gain: number;
  refused: string;
}
export interface Episode {
  id: string;
  task_name: string;
  operator_family: string;
  provider: Provider;
  steps: Step[];
  best_step: number;
  best_against_baseline: Comparison | null;
  outcome: string;
  summary: string;
  policy: string;
  ended: string;
  critic: string;
  claims: CritiqueClaim[];
}
export interface ExplainedEpisode {
  job_id: string;
  state: JobState;
  episode: Episode;
  insights: { id: string; known: boolean; state: string; claim: string }[];
}
export interface RooflineMark {
  step: number;
  accepted: boolean;
  intensity: number; // flop a byte; 0 = its task counts no arithmetic
  gflops: number;
  time_ns: number;
  share: number; // of the limit
}
export interface Roofline {
  task: string;
  device: string;
  workload: string;
  provider: Provider;
  peak: string; // "FP32", "FP16 tensor cores"
  peak_gflops: number;
  bandwidth_gb_s: number;
  steps: RooflineMark[];
}

export interface Utility {
  mean: number;
  low: number;
  high: number;
  observations: number;
}
export interface FoundInsight {
  id: string;
  kind: string;
  state: string;
  trust: string;
  claim: string;
  action: { techniques: string[]; parameters: string };
  utility: Utility;
  pinned?: boolean;
}
export interface Evidence {
  episode: string;
  step: number;
  operator_family: string;
  provider: Provider;
  device: string;
  supports: boolean;
  log_gain: number;
  confirmed: boolean;
}
export interface Insight extends FoundInsight {
  mechanism: string;
  pinned: boolean;
  space: string;
  state_reason: string;
  scope: {
    operator_families: string[];
    dtypes: string[];
    bottlenecks: string[];
    capability_min: number; // 80 = 8.0; 0 = any
    capability_max: number;
    device: string;
    contracts: string[];
  };
  evidence: Evidence[];
  attestations: { origin: string; state: string; supports: number; contradicts: number }[];
  provenance: { source: string; author: string; model: string };
}
export interface HistoryEntry {
  change: number;
  at: number;
  op: string;
  actor: string;
  reason: string;
  summary: string;
  undone: boolean;
}
export interface WhyInsight {
  insight: Insight;
  lift: { shown: number; withheld: number; lift: number; low: number; high: number; known: boolean };
}
export interface Edge {
  from: string;
  to: string;
  cluster: string;
  family: string;
  device: string;
  provider: Provider;
  measured: number;
  mean_log_gain: number;
  feasible: number;
  infeasible: number;
  better: number;
  examples: { episode: string; step: number; task: string; log_gain: number; parameters: string }[];
}
export interface Technique {
  name: string;
  title: string;
  category: string;
  when: string;
  when_not: string;
  how: string;
  risks: string;
}
export interface Calibration {
  predictions: number;
  coverage: number;
  coverage_low: number;
  coverage_high: number;
}
