#pragma once
/// \file
/// A job: a submitted task with its budget, durable from acceptance to result.

#include "base/clock.h"
#include "base/describe.h"
#include "base/ids.h"
#include "base/job_names.h"
#include "base/model/effort.h"
#include "base/model/episode.h"
#include "base/model/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

enum class JobState { queued, running, done, failed, cancelled };
WARPMIND_ENUM_NAMES(JobState, {JobState::queued, "queued"}, {JobState::running, "running"},
                    {JobState::done, "done"}, {JobState::failed, "failed"},
                    {JobState::cancelled, "cancelled"});

struct Budget {
  std::int64_t evaluations = 24;  ///< candidates judged, the baseline not counted
  double seconds = 600;           ///< wall time of the episode
  std::int64_t tokens = 0;        ///< of language models, input and output; 0 = no limit
  std::int64_t micro_usd = 0;     ///< for language models; 0 = no limit
  double gpu_seconds = 0;         ///< spent in the lab; 0 = no limit
  bool operator==(const Budget&) const = default;
};

/// When a job may run, and for whom.
struct QueueTerms {
  std::string user = {};                      ///< who submitted it; shares of the daemon go by it
  std::int64_t priority = 0;                  ///< -100 to 100, higher first
  bool background = false;                    ///< night work: gives way to requests that somebody
                                              ///< waits for, and keeps the quiet hours
  std::vector<JobId> after = {};              ///< jobs that must be done first
  std::optional<UnixMillis> not_before = {};  ///< the earliest start
  std::optional<UnixMillis> deadline = {};    ///< a job not begun by then fails
  std::string night = {};                     ///< the night it belongs to; empty = none
  std::optional<double> worth = {};           ///< expected when it was accepted, of background
                                              ///< work; absent = asked at each start of the daemon
  std::string worth_why = {};                 ///< how that was made up, for a person
  bool operator==(const QueueTerms&) const = default;
};

/// What work has cost. Time in a queue is not in it.
struct Spent {
  std::int64_t evaluations = 0;  ///< candidates judged
  double seconds = 0;            ///< of active work
  double gpu_seconds = 0;        ///< in the lab
  std::int64_t tokens = 0;       ///< of language models, input and output
  std::int64_t micro_usd = 0;
  bool operator==(const Spent&) const = default;
};

/// One start of a job: the evidence behind a job given up.
struct Attempt {
  std::int64_t epoch = 0;  ///< of the lease it ran under
  std::string holder;      ///< lane or worker
  UnixMillis started;
  std::optional<UnixMillis> ended = {};
  std::string outcome = {};  ///< how it ended, one sentence; empty = not ended
  bool operator==(const Attempt&) const = default;
};

/// Options that a job keeps as they were given. A member here is a flag of `optimize` and `queue
/// add`, a parameter of `task.submit` and `queue.add`, and a part of the job's record.
struct KeptOptions {
  std::string proposer = {};
  std::string replay_file = {};
  std::string fixture_directory = {};
  std::string device = {};
  std::string policy = {};
  std::optional<std::int64_t> workers = {};
  std::optional<std::int64_t> seed = {};
  std::string model = {};
  std::string note = {};
  bool operator==(const KeptOptions&) const = default;

  static void describe(auto& self, auto& field) {
    field.optional("proposer", self.proposer,
                   Option{.text = "who writes the candidates: `builtin` rewrites the kernel by "
                                  "rules, `llm` asks a language model, `replay` reads them from "
                                  "`replay_file`",
                          .value = "NAME",
                          .heading = "Search",
                          .fallback = "builtin",
                          .choices = kQueuedProposerNames});
    field.optional("replay_file", self.replay_file,
                   Option{.text = "candidates as JSON lines, with `proposer` `replay`",
                          .value = "FILE",
                          .flag = "replay",
                          .heading = "Search"});
    field.optional("fixture_directory", self.fixture_directory,
                   Option{.text = "recording to replay, with `provider` `fixture`",
                          .value = "DIR",
                          .flag = "fixtures",
                          .heading = "Judging",
                          .setting = "lab.fixture_directory"});
    field.optional(
        "device", self.device,
        Option{.text = "device to predict for, such as `h200` or `a100_80`. With `provider` `gpu`: "
                       "the GPU to measure on, here or at a worker, such as `sm_90` or `h200`",
               .value = "DEVICE",
               .heading = "Judging",
               .setting = "lab.target",
               .help = "device to predict for, such as h200 or a100_80; implies --provider sim. "
                       "With --provider gpu: the GPU to measure on, here or at a worker, such as "
                       "sm_90 or h200"});
    field.optional("policy", self.policy,
                   Option{.text = "how candidates are chosen",
                          .value = "NAME",
                          .heading = "Search",
                          .setting = "episode.policy",
                          .choices = kPolicyNames});
    field.optional("workers", self.workers,
                   Option{.text = "candidates written at the same time",
                          .value = "N",
                          .heading = "Search",
                          .setting = "episode.workers",
                          .limits = {.least = 1, .most = 64}});
    field.optional("seed", self.seed,
                   Option{.text = "random seed; the same seed gives the same search",
                          .value = "N",
                          .heading = "Search",
                          .fallback = "drawn from the episode's name",
                          .limits = {.least = 0}});
    field.optional("model", self.model,
                   Option{.text = "language model, with `proposer` `llm`: its name at the "
                                  "endpoint, `rules:FILE` or `replay:FILE`",
                          .value = "NAME",
                          .heading = "Search",
                          .setting = "llm.model"});
    field.optional("note", self.note,
                   Option{.text = "kept with the job and shown in its reports",
                          .value = "TEXT",
                          .limits = {.longest = 200},
                          .is_reported = true});
  }
};

/// What a job is to do, with nothing left to a setting but what is empty.
struct JobRequest : KeptOptions {
  JobRequest() {
    proposer = kBuiltinProposer;
    policy = "greedy";
    workers = 1;
    seed = 0;  // drawn from the episode's name
  }

  Task task;
  Budget budget;
  Provider provider = Provider::gpu;
  bool provider_automatic = false;  ///< `sim` takes the place of `gpu` where there is none
  Effort effort = Effort::normal;   ///< of the lab, for every candidate
  QueueTerms terms = {};
  bool operator==(const JobRequest&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("task", self.task);
    field.required("budget", self.budget);
    field.required("provider", self.provider);
    field.optional("provider_automatic", self.provider_automatic);
    KeptOptions::describe(self, field);
    field.optional("effort", self.effort);
    field.optional("terms", self.terms);
  }
};

struct Job {
  JobId id;
  JobState state = JobState::queued;
  JobRequest request;
  UnixMillis submitted;
  std::int64_t attempts = 0;       ///< starts; after three crashes of the daemon under it, failed
  std::optional<Episode> episode;  ///< when done; also when cancelled after the baseline
  std::optional<WriteBackReceipt> receipt;
  std::string error;       ///< when failed
  std::int64_t epoch = 0;  ///< of the newest lease: a result that bears an older one is refused
  bool held = false;       ///< paused: not started until resumed
  bool dead = false;       ///< given up after three attempts; `history` says why
  std::vector<Attempt> history = {};  ///< the newest last
  Spent spent = {};
  bool operator==(const Job&) const = default;
};

}  // namespace warpmind
