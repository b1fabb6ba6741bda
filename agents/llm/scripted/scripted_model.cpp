#include "agents/llm/scripted/scripted_model.h"

#include "agents/llm/scripted/replay_model.h"
#include "agents/llm/scripted/rules_model.h"

#include <string>

namespace warpmind::agents::llm {
namespace {

constexpr std::string_view kRules = "rules:";
constexpr std::string_view kReplay = "replay:";

}  // namespace

bool is_scripted(std::string_view spec) {
  return spec.starts_with(kRules) || spec.starts_with(kReplay);
}

Result<std::unique_ptr<LanguageModel>> make_scripted_model(std::string_view spec) {
  if (spec.starts_with(kRules)) {
    WARPMIND_TRY(auto model, RulesModel::open(spec.substr(kRules.size())));
    return std::unique_ptr<LanguageModel>(std::move(model));
  }
  if (spec.starts_with(kReplay)) {
    WARPMIND_TRY(auto model, ReplayModel::open(spec.substr(kReplay.size())));
    return std::unique_ptr<LanguageModel>(std::move(model));
  }
  return fail(Errc::invalid_argument,
              "'" + std::string(spec) + "' is no scripted model; write rules:FILE or replay:FILE");
}

}  // namespace warpmind::agents::llm
