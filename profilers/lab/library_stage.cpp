/// \file
/// Stage library: what the fastest library call takes that computes the same. It is judged as a
/// candidate is, and timed by the same worker.

#include "base/best_library.h"
#include "base/compiler_complaint.h"
#include "base/log.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/toolkit_search.h"
#include "profilers/baseline/kept_best_library.h"
#include "profilers/lab/kernel_judging.h"

#include <chrono>
#include <utility>

namespace warpmind::profilers {
namespace {

/// After which no further call is tried.
constexpr std::chrono::seconds kMostSeconds{120};
constexpr int kProcesses = 2;

LinkedLibraries linked(const FoundLibrary& found) {
  LinkedLibraries libraries;
  if (!found.headers.empty()) libraries.headers.push_back(found.headers);
  if (!found.folder.empty()) libraries.folders.push_back(found.folder);
  if (!found.file.empty()) libraries.files.push_back(found.file);
  return libraries;
}

}  // namespace

StagedJudging::Continue StagedJudging::build_call(const LinkedLibraries& libraries) {
  begin(Stage::build);
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built,
               parts_.toolchain.build_linked(order_.kernel, libraries, architecture, stop_));
  if (!built.report.succeeded) {
    return stop_with(
        Stage::build,
        {Outcome::build_failed, "does not build: " + first_complaint(built.report.diagnostics)});
  }
  candidate_.binary = std::move(built.binary);
  verdict_.build = std::move(built.report);
  verdict_.profile.emplace();
  return pass(Stage::build, architecture);
}

Result<LibraryTime> KernelJudging::time_call(const LinkedLibraries& libraries) {
  const auto ended = [this] { return LibraryTime{verdict_.outcome, verdict_.reason, 0, ""}; };
  WARPMIND_CHECK(find_device());
  WARPMIND_TRY(const bool built, build_call(libraries));
  if (!built) return ended();
  WARPMIND_TRY(const bool judged, start_judge());
  if (!judged) return ended();
  WARPMIND_TRY(const bool right, run_oracles());
  if (!right) return ended();
  WARPMIND_TRY(const bool general, run_hidden());
  if (!general) return ended();
  std::vector<TimingSample> samples;
  for (int i = 0; i < kProcesses; ++i) {
    const TimingOrder order{candidate_, std::nullopt, order_.baseline_error, true};
    WARPMIND_TRY(auto end, time_once(*judging_, order));
    if (auto* failure = std::get_if<StageFailure>(&end)) {
      return LibraryTime{failure->outcome, failure->reason, 0, ""};
    }
    samples.push_back(std::move(std::get<TimingSample>(end)));
  }
  return LibraryTime{Outcome::same, "", median_of(candidate_blocks(samples)),
                     samples.back().front().choice};
}

KernelJudging::Continue KernelJudging::time_library() {
  const bool wanted =
      order_.library != LibraryTiming::by_setting || parts_.settings.lab.library_baseline;
  WARPMIND_TRY(BestLibrary best, best_library(wanted));
  Measurement& measurement = *verdict_.measurement;
  measurement.best_library = std::move(best);
  if (library_detail_.empty()) return true;
  return pass(Stage::library,
              describe_best_library(measurement.best_library, measurement.median_ns) +
                  "; tried: " + library_detail_);
}

Result<BestLibrary> KernelJudging::best_library(bool may_measure) {
  BestLibrary none;
  const auto calls = library_calls_for(order_.task);
  if (calls.empty()) {
    none.unknown = "no library call is known that computes this";
    return none;
  }
  const LibraryPlaces places(parts_.toolchain.toolkit(),
                             config::toolkit_search(parts_.settings.toolchain).environment);
  LibrarySituation situation{order_.task, *identity_, parts_.toolchain.release(), {}};
  std::vector<LibraryTrial> trials;
  for (const LibraryCall& call : calls) {
    auto found = places.find(call.library);
    situation.libraries.push_back(found ? found->name : found.error().message);
    if (found) {
      trials.push_back({&call, std::move(*found)});
    } else {
      none.unknown = found.error().message;
    }
  }
  if (trials.empty()) return none;
  const std::string key = key_of(situation);
  const auto& state = parts_.settings.daemon.state_directory;
  if (!may_measure || order_.library != LibraryTiming::again) {
    const auto known = parts_.best_libraries.find(key);
    if (known != parts_.best_libraries.end()) return known->second;
    auto kept = read_best_library(state, key);
    if (kept) return parts_.best_libraries[key] = std::move(*kept);
  }
  if (!may_measure) return BestLibrary{};
  WARPMIND_TRY(const LibraryTrials all, try_calls(trials));
  if (!all.was_blocked || all.best.ns > 0) parts_.best_libraries[key] = all.best;
  if (all.was_blocked || state.empty()) return all.best;
  if (const auto written = keep_best_library(state, situation, all.best); !written) {
    log::warn("profilers", "the time of a library is not kept", {{"why", written.error().message}});
  }
  return all.best;
}

Result<LibraryTrials> KernelJudging::try_calls(const std::vector<LibraryTrial>& trials) {
  begin(Stage::library);
  LibraryTrials all;
  const auto start = std::chrono::steady_clock::now();
  for (const LibraryTrial& trial : trials) {
    if (!all.worth_a_try(*trial.call)) continue;
    if (std::chrono::steady_clock::now() - start > kMostSeconds) {
      all.detail += "; others were left out after " + std::to_string(kMostSeconds.count()) + " s";
      break;
    }
    JudgeOrder order{order_.task, trial.call->kernel, nullptr, baseline_error()};
    order.effort = Effort::quick;
    auto time = KernelJudging(parts_, order, stop_).time_call(linked(trial.library));
    if (!time && time.error().code == Errc::cancelled) return fail(time.error());
    // No kernel is at fault: the judging goes on without it.
    all.add(trial, time ? *time : LibraryTime{Outcome::blocked, time.error().message, 0, ""});
  }
  if (all.best.ns <= 0) {
    all.best.unknown = "no library call that was tried computes this: " + all.detail;
  }
  library_detail_ = all.detail;
  log::info("profilers", "library calls were timed",
            {{"task", order_.task.name}, {"what", all.detail}});
  return all;
}

double KernelJudging::baseline_error() const {
  return verdict_.correctness ? verdict_.correctness->baseline_error : order_.baseline_error;
}

}  // namespace warpmind::profilers
