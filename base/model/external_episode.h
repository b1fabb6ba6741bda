#pragma once
/// \file
/// What somebody outside needs to write the next candidate of an episode, and what comes back.

#include "base/ids.h"
#include "base/launch_profile.h"
#include "base/model/advice.h"
#include "base/model/bottleneck.h"
#include "base/model/device.h"
#include "base/model/kernel.h"
#include "base/model/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

struct EpisodeBrief {
  JobId job;
  EpisodeId episode;
  std::int64_t step = 0;
  Kernel kernel;
  double best_ratio = 1;
  Bottleneck bottleneck;
  std::vector<Metric> metrics;
  Advice advice;
  DeviceSpec device;
  std::string gradient;
  std::string contract;  ///< tolerance, accumulation, determinism, in words
  std::vector<std::string> forbidden;
  std::int64_t evaluations_left = 0;
  double lease_s = 0;
  std::vector<LaunchRow> launches = {};

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job, "of the job");
    field.required("episode_id", self.episode, "of the episode");
    field.required("step", self.step, "whose kernel is the one to edit: the best so far");
    field.required("kernel", self.kernel, "that kernel: source, launch plan, build flags");
    field.required("best_ratio", self.best_ratio, "time of the given kernel / time of that one");
    field.required("bottleneck", self.bottleneck, "what limits it, by which metrics");
    field.required("metrics", self.metrics, "of the launch with the largest share of time");
    field.required("advice", self.advice, "techniques and insights, best first");
    field.required("device", self.device, "its row of the device table");
    field.required("gradient", self.gradient,
                   "what the newest step taught; empty before the first");
    field.required("contract", self.contract, "what the result must satisfy, in words");
    field.required("forbidden", self.forbidden, "what is refused");
    field.required("evaluations_left", self.evaluations_left,
                   "candidates that will still be judged");
    field.required("lease_s", self.lease_s,
                   "s from now until the episode is closed without a call; each call renews it");
    field.required(
        "launches", self.launches,
        "of that kernel, in launch order: each as a side of a pair in `episode.profile`");
  }
};

/// A candidate from outside: what its author changed of the kernel that it edits.
struct Submission {
  std::optional<std::string> source = {};
  std::optional<LaunchPlan> plan = {};
  std::optional<std::vector<std::string>> build_flags = {};
  std::optional<std::int64_t> edits = {};
  std::string technique;  ///< a name of the base, or "free_form"
  std::string parameters;
  std::string rationale;
  std::optional<double> predicted_gain = {};
  std::string author;  ///< "claude-code", "alice"
  std::string model;

  static void describe(auto& self, auto& field) {
    field.optional("source", self.source, "CUDA C++; default that of the edited kernel");
    field.optional("plan", self.plan, "launch plan, whole; default that of the edited kernel");
    field.optional("build_flags", self.build_flags, "default those of the edited kernel");
    field.optional("edits", self.edits, "step whose kernel was edited; default the best so far");
    field.optional("technique", self.technique, "what was done, a name of `kb.techniques`");
    field.optional("parameters", self.parameters, "of the technique, `block=256x1x1`");
    field.optional("rationale", self.rationale, "why, one sentence");
    field.optional("predicted_gain", self.predicted_gain,
                   "expected factor over the edited kernel; default 1");
    field.optional("author", self.author, "who wrote it, for provenance");
    field.optional("model", self.model, "language model that wrote it");
  }
};

}  // namespace warpmind
