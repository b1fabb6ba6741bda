#pragma once
/// \file
/// A file that an editor has open, and what is known about its kernels.

#include "daemon/lsp/kernel_marks.h"
#include "daemon/lsp/text_document.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/record_messages.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpmind::daemon::lsp {

struct FileKnowledge {
  std::string directory;  ///< task folder whose kernel the file is; empty = none
  std::string task;       ///< its name
  std::string note;       ///< why there is no task
  std::optional<protocol::EpisodeExplainResult> last;  ///< newest episode of that task
  std::optional<KernelAnalysis> analysis;
  std::string analysed_text;  ///< that `analysis` is about
};

struct OpenFile {
  std::string uri;
  std::filesystem::path path;
  TextDocument document;
  std::int64_t version = 0;
  bool unsaved = false;
  KernelMarks marks = {};  ///< of the text, unless it was edited since
  bool marks_are_old = true;
  FileKnowledge knowledge = {};
  bool loaded = false;        ///< what the base knows is here
  std::string job = {};       ///< that optimises it now
  std::string activity = {};  ///< of that job, for a person
};

/// What is known of one kernel, from the newest source that says it. Pointers into the file.
struct KernelFacts {
  const AnalyzedKernel* analysed = nullptr;
  const KernelResources* built = nullptr;    ///< of the shown step
  const KernelProfile* profile = nullptr;    ///< of the shown step
  const Measurement* measurement = nullptr;  ///< of the whole launch plan
  const Bottleneck* bottleneck = nullptr;
  const FirstAdvice* advice = nullptr;  ///< about `bottleneck`
  bool stale = false;                   ///< the text was edited since the shown step was judged
  bool analysis_stale = false;          ///< the text was edited since `analysed` was made
};

/// The step of the last episode whose kernel the text is, else the given kernel. Null without one.
[[nodiscard]] const Step* shown_step(const OpenFile& file);
/// The kernel of a step as it stands in the file once it was applied: with a comment above it that
/// says how it is launched, where that differs from the given kernel.
[[nodiscard]] std::string applied_text(const Episode& episode, const Step& step);
/// The text is the kernel of that step.
[[nodiscard]] bool holds(const OpenFile& file, const Step& step);
/// The best step when it is confirmed and better than the given kernel, else null.
[[nodiscard]] const Step* better_step(const Episode& episode);
[[nodiscard]] const Step* better_step(const OpenFile& file);
/// Why better_step() cannot be applied to the text; empty when it can.
[[nodiscard]] std::string why_not_applied(const OpenFile& file);
[[nodiscard]] KernelFacts facts_of(const OpenFile& file, const std::string& kernel);
/// Insights for one kernel, else those behind the last episode: claims, best first.
[[nodiscard]] std::vector<std::string> claims_of(const OpenFile& file, const std::string& kernel);

}  // namespace warpmind::daemon::lsp
