#include "daemon/model_writers.h"

#include "agents/builtin/technique.h"
#include "agents/gradient/builtin_critic.h"
#include "agents/llm/budgeted_model.h"
#include "agents/llm/day_ledger.h"
#include "agents/llm/episode_ledger.h"
#include "agents/llm/make_model.h"
#include "agents/llm/scripted/recording_model.h"
#include "agents/llm/scripted/scripted_model.h"
#include "agents/llm/secret_key.h"
#include "agents/writing/model_critic.h"
#include "agents/writing/model_proposer.h"
#include "base/job_names.h"
#include "config/prompt_library.h"
#include "daemon/known_skills.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/spending.h"

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmind::daemon {
namespace {

namespace llm = agents::llm;
constexpr std::string_view kRecord = "record:";

llm::SpendLimits day_limits(const config::LlmSettings& settings) {
  return {settings.tokens_per_day, std::llround(settings.usd_per_day * 1e6)};
}

/// What one episode with a language model needs, in order of construction.
struct ModelEpisode {
  explicit ModelEpisode(const llm::SpendLimits& limits) : ledger(limits) {}

  llm::EpisodeLedger ledger;
  std::shared_ptr<llm::LanguageModel> model;  ///< asked by proposer and critic
  std::unique_ptr<llm::LanguageModel> recorder;
  agents::BuiltinCritic steps;
};

}  // namespace

struct ModelWriters::Parts {
  Parts(knowledge_base::KnowledgeBase& opened, const config::Settings& given, const Clock& clock,
        std::string environment_key, config::PromptLibrary library)
      : base(opened),
        settings(given),
        key(std::move(environment_key)),
        prompts(std::move(library)),
        day(base.spending(), clock, day_limits(settings.llm)) {}

  knowledge_base::KnowledgeBase& base;
  const config::Settings& settings;
  std::string key;
  config::PromptLibrary prompts;
  llm::DayLedger day;
};

ModelWriters::ModelWriters(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ModelWriters::~ModelWriters() = default;

Result<std::unique_ptr<ModelWriters>> ModelWriters::create(knowledge_base::KnowledgeBase& base,
                                                           const config::Settings& settings,
                                                           const Clock& clock) {
  std::string key = llm::take_key_from_environment();
  WARPMIND_TRY(auto prompts, config::PromptLibrary::load(settings.llm.prompts));
  return std::unique_ptr<ModelWriters>(new ModelWriters(
      std::make_unique<Parts>(base, settings, clock, std::move(key), std::move(prompts))));
}

Result<agents::Writers> ModelWriters::make(const JobRequest& request) {
  if (request.proposer != kModelProposer) {
    return agents::make_writers_with(known_skills(parts_->settings, parts_->base), request);
  }
  const Budget& budget = request.budget;
  auto episode = std::make_shared<ModelEpisode>(llm::SpendLimits{budget.tokens, budget.micro_usd});
  llm::LanguageModel* asked = nullptr;
  if (llm::is_scripted(request.model)) {
    WARPMIND_TRY(auto scripted, llm::make_scripted_model(request.model));
    episode->model = std::move(scripted);
    asked = episode->model.get();
  } else {
    if (parts_->settings.llm.url.empty()) {
      return fail(Errc::unavailable,
                  "no language model is set up: set llm.url and llm.model (docs/llm.md), or name a "
                  "script with --model rules:FILE");
    }
    const bool record = request.model.starts_with(kRecord);
    auto options = llm::model_options(parts_->settings.llm, parts_->key);
    if (!request.model.empty() && !record) options.endpoint.model = request.model;
    WARPMIND_TRY(auto http, llm::make_http_model(options));
    WARPMIND_TRY(const auto price, llm::price_of(options));
    const std::vector<llm::SpendLedger*> ledgers{&episode->ledger, &parts_->day};
    episode->model = std::make_shared<llm::BudgetedModel>(
        std::shared_ptr<llm::LanguageModel>(std::move(http)), ledgers, price);
    asked = episode->model.get();
    if (record) {
      WARPMIND_TRY(episode->recorder,
                   llm::RecordingModel::open(*asked, request.model.substr(kRecord.size())));
      asked = episode->recorder.get();
    }
  }
  WARPMIND_TRY(auto cards, parts_->base.insights().techniques());
  agents::Writers writers;
  agents::writing::WritingOptions writing;
  writing.max_output_tokens = parts_->settings.llm.max_output_tokens;
  writers.proposer = std::make_unique<agents::writing::ModelProposer>(*asked, parts_->prompts,
                                                                      std::move(cards), writing);
  writers.critic =
      std::make_unique<agents::writing::ModelCritic>(*asked, parts_->prompts, episode->steps);
  writers.parts = std::move(episode);
  return writers;
}

}  // namespace warpmind::daemon
