#include "agents/llm/make_model.h"

#include "agents/llm/http_model.h"
#include "agents/llm/secret_key.h"
#include "config/settings.h"

#include <chrono>
#include <utility>

namespace warpmind::agents::llm {
namespace {

Dialect dialect_named(const std::string& name) {
  if (name == "responses") return Dialect::responses;
  if (name == "messages") return Dialect::messages;
  return Dialect::chat;
}

OutputLimitName limit_named(const std::string& name) {
  if (name == "max_tokens") return OutputLimitName::max_tokens;
  if (name == "max_completion_tokens") return OutputLimitName::max_completion_tokens;
  return OutputLimitName::automatic;
}

}  // namespace

ModelOptions model_options(const config::LlmSettings& settings, std::string environment_key) {
  ModelOptions options;
  options.key_file = settings.key_file;
  options.price_file = settings.price_file;
  EndpointOptions& endpoint = options.endpoint;
  endpoint.url = settings.url;
  endpoint.dialect = dialect_named(settings.dialect);
  endpoint.model = settings.model;
  if (settings.key_file.empty()) endpoint.key = std::move(environment_key);
  endpoint.output_limit_name = limit_named(settings.output_limit_name);
  endpoint.stream = settings.stream;
  endpoint.ca_file = settings.ca_file;
  endpoint.connect_timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(settings.connect_timeout_s * 1000));
  endpoint.stall_timeout = std::chrono::seconds(settings.stall_s);
  endpoint.retries = static_cast<int>(settings.retries);
  return options;
}

Result<std::unique_ptr<LanguageModel>> make_http_model(const ModelOptions& options,
                                                       RetryHooks hooks) {
  EndpointOptions endpoint = options.endpoint;
  if (!endpoint.key.empty()) {
    WARPMIND_TRY(endpoint.key, checked_key(std::move(endpoint.key), kKeyVariable));
  } else if (!options.key_file.empty()) {
    WARPMIND_TRY(endpoint.key, read_key_file(options.key_file));
  }
  HttpModelParts parts;
  parts.hooks = std::move(hooks);
  WARPMIND_TRY(parts.prices, PriceTable::load(options.price_file));
  WARPMIND_TRY(auto model, HttpModel::create(endpoint, std::move(parts)));
  return std::unique_ptr<LanguageModel>(std::move(model));
}

Result<std::optional<ModelPrice>> price_of(const ModelOptions& options) {
  WARPMIND_TRY(const auto prices, PriceTable::load(options.price_file));
  return prices.find(options.endpoint.model);
}

}  // namespace warpmind::agents::llm
