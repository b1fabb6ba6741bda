#pragma once
/// \file
/// `replay:FILE`: says what was recorded before (recording_model.h), bit for bit.

#include "agents/llm/language_model.h"
#include "agents/llm/scripted/recorded_call.h"

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpmind::agents::llm {

/// Answers by the hash of the request; a request that was made several times gets its answers in
/// the order in which they were recorded. Threads: any.
class ReplayModel final : public LanguageModel {
 public:
  /// A last line that was cut short is left out. Errors: not_found; corrupt_data as `FILE:line: …`.
  [[nodiscard]] static Result<std::unique_ptr<ReplayModel>> open(const std::filesystem::path& file);

  [[nodiscard]] std::string name() const override { return name_; }
  /// Errors: cancelled; those that were recorded; not_found when the request was not recorded, with
  /// the first difference from the one that was next.
  [[nodiscard]] Result<ModelReply> complete(const ModelRequest& request,
                                            std::stop_token stop) override;
  /// Recorded calls that were not asked for yet.
  [[nodiscard]] std::size_t left() const;

 private:
  ReplayModel(std::string name, std::vector<RecordedCall> calls);

  std::string name_;
  std::vector<RecordedCall> calls_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<bool> used_;
  std::map<std::string, std::deque<std::size_t>> waiting_;  // by hash, positions in calls_
};

/// Where two requests first differ: "messages[1] differs at byte 12: recorded '…', asked '…'";
/// empty when they do not.
[[nodiscard]] std::string first_difference(const ModelRequest& recorded, const ModelRequest& asked);

}  // namespace warpmind::agents::llm
