// Printed by `warpmindd --print-types typescript` and these methods:
// episode.list kb.search

export type InsightKind = "positive" | "negative" | "precondition" | "composite";
export type InsightState = "proposed" | "probation" | "confirmed" | "contested" | "quarantined" | "deprecated" | "retracted";
export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";
export type Provider = "gpu" | "sim" | "fixture";
export type Trust = "T0" | "T1" | "T2" | "T3" | "T4";

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
export interface InsightAction {
  techniques: string[];
  parameters: string;
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
export interface Utility {
  mean: number;
  deviation: number;
  low: number;
  high: number;
  observations: number;
}

/** What each method takes and answers. */
export interface Methods {
  "episode.list": { params: EpisodeListParams; result: EpisodeListResult };
  "kb.search": { params: KbSearchParams; result: RetrievalAnswer };
}
