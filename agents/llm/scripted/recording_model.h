#pragma once
/// \file
/// Writes down what another language model is asked and says, for ReplayModel to say again.

#include "agents/llm/language_model.h"
#include "base/file.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace warpmind::agents::llm {

/// A file of lines as recorded_call.h has them, mode 0600, in the order in which answers came. A
/// line is on disk before its answer is given. Threads: any.
class RecordingModel final : public LanguageModel {
 public:
  /// Appends to `file`. `inner` must outlive the recorder. Errors: external_failure.
  [[nodiscard]] static Result<std::unique_ptr<RecordingModel>> open(
      LanguageModel& inner, const std::filesystem::path& file);

  [[nodiscard]] std::string name() const override { return inner_.name(); }
  /// Errors: those of the recorded model, which are recorded too unless the request was cancelled;
  /// external_failure when the line cannot be written.
  [[nodiscard]] Result<ModelReply> complete(const ModelRequest& request,
                                            std::stop_token stop) override;

 private:
  RecordingModel(LanguageModel& inner, std::filesystem::path file, UniqueFd fd)
      : inner_(inner), file_(std::move(file)), fd_(std::move(fd)) {}

  [[nodiscard]] Result<void> append(const std::string& line);

  LanguageModel& inner_;
  std::filesystem::path file_;
  std::mutex mutex_;  // of the file
  UniqueFd fd_;
};

}  // namespace warpmind::agents::llm
