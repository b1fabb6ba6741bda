#include "agents/llm/scripted/rules_model.h"

#include "agents/llm/scripted/rules_file.h"

#include <algorithm>
#include <utility>

namespace warpmind::agents::llm {
namespace {

constexpr std::size_t kShownBytes = 160;
constexpr std::int64_t kBytesPerInputToken = 4;  // of English text and code, roughly

std::string whole_text(const ModelRequest& request) {
  std::string text = request.system;
  for (const auto& message : request.messages) text += "\n" + message.text;
  return text;
}

bool holds(const RuleCondition& when, const ModelRequest& request, const std::string& text,
           std::int64_t call) {
  const auto stands_in = [&](const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  return (when.purpose.empty() || when.purpose == request.purpose) &&
         (!when.call || *when.call == call) &&
         std::all_of(when.contains.begin(), when.contains.end(), stands_in) &&
         std::none_of(when.not_contains.begin(), when.not_contains.end(), stands_in);
}

std::string end_of_last_message(const ModelRequest& request) {
  if (request.messages.empty()) return "(no message)";
  const std::string& text = request.messages.back().text;
  std::string end = text.substr(text.size() > kShownBytes ? text.size() - kShownBytes : 0);
  std::replace(end.begin(), end.end(), '\n', ' ');
  return end;
}

}  // namespace

Result<std::unique_ptr<RulesModel>> RulesModel::open(const std::filesystem::path& file) {
  WARPMIND_TRY(auto rules, read_rules(file));
  return std::unique_ptr<RulesModel>(new RulesModel("rules:" + file.string(), std::move(rules)));
}

Result<ModelReply> RulesModel::complete(const ModelRequest& request, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the request was cancelled");
  const std::string text = whole_text(request);
  const std::lock_guard lock(mutex_);
  const std::int64_t call = ++calls_[request.purpose];
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const ModelRule& rule = rules_[i];
    if (rule.times && used_[i] >= *rule.times) continue;
    if (!holds(rule.when, request, text, call)) continue;
    ++used_[i];
    ModelReply reply = rule.reply;
    if (!reply.usage.reported) {
      reply.usage.input_tokens = static_cast<std::int64_t>(text.size()) / kBytesPerInputToken + 1;
    }
    return reply;
  }
  return fail(Errc::not_found, name_ + ": no rule answers request " + std::to_string(call) +
                                   " of purpose '" + request.purpose + "', which ends in '" +
                                   end_of_last_message(request) + "'; add a rule for it");
}

}  // namespace warpmind::agents::llm
