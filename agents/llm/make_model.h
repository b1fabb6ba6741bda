#pragma once
/// \file
/// A model from the settings: the one place that knows which parts belong together.

#include "agents/llm/endpoint_options.h"
#include "agents/llm/language_model.h"
#include "agents/llm/price_table.h"
#include "agents/llm/retry_policy.h"
#include "base/result.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace warpmind::config {
struct LlmSettings;
}

namespace warpmind::agents::llm {

struct ModelOptions {
  EndpointOptions endpoint;          ///< its `key` wins over the file
  std::filesystem::path key_file;    ///< mode 0600; empty = none
  std::filesystem::path price_file;  ///< empty = the built-in table
};

/// `environment_key` is what take_key_from_environment() returned; it is used when the settings
/// name no key file.
[[nodiscard]] ModelOptions model_options(const config::LlmSettings& settings,
                                         std::string environment_key);

/// Errors: invalid_argument for what is wrong in the options, the key or the price file; not_found
/// for a price file that is not there.
[[nodiscard]] Result<std::unique_ptr<LanguageModel>> make_http_model(const ModelOptions& options,
                                                                     RetryHooks hooks = {});

/// What the model of `options` costs, for BudgetedModel; nullopt when the table does not have it.
[[nodiscard]] Result<std::optional<ModelPrice>> price_of(const ModelOptions& options);

}  // namespace warpmind::agents::llm
