#pragma once
/// \file
/// A language model behind HTTP, in one of three dialects.

#include "agents/llm/endpoint_address.h"
#include "agents/llm/endpoint_options.h"
#include "agents/llm/metered_model.h"
#include "agents/llm/price_table.h"
#include "agents/llm/retry_policy.h"
#include "agents/llm/wire_dialect.h"
#include "base/clock.h"
#include "base/guarded.h"

#include <memory>
#include <string>

namespace warpmind {
class HttpExchange;
}

namespace warpmind::agents::llm {

/// What HttpModel stands on, besides its options.
struct HttpModelParts {
  PriceTable prices;
  RetryHooks hooks;
  std::shared_ptr<const Clock> clock;  ///< null = the system's
};

/// Does:      one request a call, retries, stream and whole answers, token counts in one form.
/// Does not:  budgets (BudgetedModel), prompts, trust in what comes back.
/// Threads:   complete() from any number of threads; each has a connection of its own.
class HttpModel final : public MeteredModel {
 public:
  /// Errors: invalid_argument for what is wrong in the options.
  [[nodiscard]] static Result<std::unique_ptr<HttpModel>> create(const EndpointOptions& options,
                                                                 HttpModelParts parts);
  ~HttpModel() override;
  HttpModel(const HttpModel&) = delete;
  HttpModel& operator=(const HttpModel&) = delete;

  [[nodiscard]] std::string name() const override;
  /// The usage of the reply includes attempts that broke off.
  [[nodiscard]] Result<ModelReply> complete(const ModelRequest& request,
                                            std::stop_token stop) override;
  [[nodiscard]] Result<ModelReply> complete_metered(const ModelRequest& request,
                                                    std::stop_token stop,
                                                    CallMeter& meter) override;

 private:
  struct Attempt;
  HttpModel(EndpointOptions options, HttpModelParts parts, ServiceAddress address,
            std::unique_ptr<WireDialect> dialect);
  [[nodiscard]] Attempt attempt(const ModelRequest& request, const WireChoices& choices,
                                const std::stop_token& stop) const;
  void judge_refusal(Attempt& made, const std::string& body) const;
  [[nodiscard]] Error shown(const Error& error, int retries) const;
  void price(Usage& usage, const std::string& served) const;

  const EndpointOptions options_;
  const HttpModelParts parts_;
  const ServiceAddress address_;
  const std::unique_ptr<WireDialect> dialect_;
  const std::unique_ptr<HttpExchange> exchange_;
  Guarded<WireChoices> learned_;  ///< what this server can take
};

}  // namespace warpmind::agents::llm
