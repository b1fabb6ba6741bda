#pragma once
/// \file
/// `rules:FILE`: a language model that is a list of rules. For tests and demonstrations: no
/// network, no key, the same answer each time (docs/writing.md has the format).

#include "agents/llm/language_model.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::llm {

/// When a rule answers. Everything that is set must hold.
struct RuleCondition {
  std::string purpose;                ///< of the request; empty = any
  std::vector<std::string> contains;  ///< in its system text or messages
  std::vector<std::string> not_contains;
  std::optional<std::int64_t> call;  ///< the n-th request of this purpose, from 1
};

struct ModelRule {
  RuleCondition when;
  ModelReply reply;
  std::optional<std::int64_t> times;  ///< answers so often, then never again
};

/// Threads: any; calls are answered one after the other.
class RulesModel final : public LanguageModel {
 public:
  /// `reply_file` is looked for beside the file. Errors: not_found; invalid_argument naming the
  /// file and the rule for a member that is unknown, missing or of the wrong type.
  [[nodiscard]] static Result<std::unique_ptr<RulesModel>> open(const std::filesystem::path& file);

  [[nodiscard]] std::string name() const override { return name_; }
  /// Errors: cancelled; not_found when no rule matches, with what was asked.
  [[nodiscard]] Result<ModelReply> complete(const ModelRequest& request,
                                            std::stop_token stop) override;

 private:
  RulesModel(std::string name, std::vector<ModelRule> rules)
      : name_(std::move(name)), rules_(std::move(rules)), used_(rules_.size(), 0) {}

  std::string name_;
  std::vector<ModelRule> rules_;
  std::mutex mutex_;  // of what follows
  std::vector<std::int64_t> used_;
  std::map<std::string, std::int64_t> calls_;  // by purpose
};

}  // namespace warpmind::agents::llm
