#include "agents/llm/scripted/rules_file.h"

#include "agents/llm/scripted/model_call_json.h"
#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"
#include "base/file.h"
#include "base/sequence.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace warpmind::agents::llm {
namespace {

constexpr std::size_t kRulesBytesLimit = std::size_t{16} << 20U;
constexpr std::int64_t kBytesPerToken = 4;  // of English text and code, roughly

/// Nothing but `allowed` may stand in `object`. Throws, like nlohmann's own access.
void allow_only(const nlohmann::json& object, std::initializer_list<std::string_view> allowed) {
  if (!object.is_object()) throw std::invalid_argument("an object is wanted");
  for (const auto& [key, value] : object.items()) {
    if (!contains(allowed, key)) {
      throw std::invalid_argument("unknown member '" + key + "'");
    }
  }
}

RuleCondition condition_of(const nlohmann::json& value) {
  allow_only(value, {"purpose", "contains", "not_contains", "call"});
  RuleCondition out;
  out.purpose = value.value("purpose", "");
  out.contains = value.value("contains", std::vector<std::string>{});
  out.not_contains = value.value("not_contains", std::vector<std::string>{});
  if (value.contains("call")) out.call = value["call"].get<std::int64_t>();
  return out;
}

ModelRule rule_of(const nlohmann::json& value, const std::filesystem::path& directory) {
  allow_only(value, {"when", "reply", "reply_file", "reasoning", "stop", "usage", "times"});
  ModelRule rule;
  if (value.contains("when")) rule.when = condition_of(value["when"]);
  if (value.contains("reply") == value.contains("reply_file")) {
    throw std::invalid_argument("a rule has either 'reply' or 'reply_file'");
  }
  if (value.contains("reply")) {
    rule.reply.text = value["reply"].get<std::string>();
  } else {
    auto text = read_file(directory / value["reply_file"].get<std::string>(), kRulesBytesLimit);
    if (!text) throw std::invalid_argument("reply_file: " + text.error().message);
    rule.reply.text = *std::move(text);
  }
  rule.reply.reasoning = value.value("reasoning", "");
  if (value.contains("stop")) rule.reply.stop = value["stop"].get<StopReason>();
  if (value.contains("usage")) {
    rule.reply.usage = value["usage"].get<Usage>();
    rule.reply.usage.reported = true;
  } else {
    rule.reply.usage.output_tokens =
        static_cast<std::int64_t>(rule.reply.text.size()) / kBytesPerToken + 1;
  }
  if (value.contains("times")) rule.times = value["times"].get<std::int64_t>();
  rule.reply.model = "rules";
  return rule;
}

}  // namespace

Result<std::vector<ModelRule>> read_rules(const std::filesystem::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kRulesBytesLimit));
  auto document = codec::parse_json(text);
  if (!document) {
    return fail(Errc::invalid_argument, file.string() + ": " + document.error().message);
  }
  std::vector<ModelRule> rules;
  try {
    allow_only(*document, {"rules"});
    for (const auto& rule : document->at("rules")) {
      rules.push_back(rule_of(rule, file.parent_path()));
    }
  } catch (const std::exception& e) {
    return fail(Errc::invalid_argument, file.string() + ": rule " +
                                            std::to_string(rules.size() + 1) + ": " +
                                            codec::misfit_of({}, e).what());
  }
  return rules;
}

}  // namespace warpmind::agents::llm
