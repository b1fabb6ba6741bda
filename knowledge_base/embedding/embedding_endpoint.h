#pragma once
/// \file
/// A server that turns texts into vectors: asked, retried, and not believed unchecked.

#include "base/http/http_exchange.h"
#include "base/result.h"
#include "knowledge_base/embedding/embedding_options.h"
#include "knowledge_base/embedding/endpoint_address.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// Threads: all functions from any thread at the same time.
class EmbeddingEndpoint {
 public:
  using Vectors = std::vector<std::vector<float>>;

  /// Sends nothing. Errors: those of resolve_endpoint().
  [[nodiscard]] static Result<std::unique_ptr<EmbeddingEndpoint>> create(
      const EmbeddingOptions& options);
  EmbeddingEndpoint(EmbeddingOptions options, const EndpointAddress& address);

  /// Vectors of unit length, in the order of `texts`. Waits and asks again, twice, when the server
  /// is busy, fails or does not answer. Errors: invalid_argument when the server refuses the texts;
  /// unavailable, timeout, cancelled; corrupt_data for an answer that cannot be right.
  [[nodiscard]] Result<Vectors> embed(const std::vector<std::string>& texts,
                                      const std::stop_token& stop) const;
  /// One attempt, within query_timeout. Errors: as embed().
  [[nodiscard]] Result<std::vector<float>> embed_query(const std::string& text,
                                                       const std::stop_token& stop = {}) const;

  [[nodiscard]] const EmbeddingOptions& options() const { return options_; }

 private:
  struct Attempt;
  [[nodiscard]] Attempt attempt(const std::vector<std::string>& texts, const HttpLimits& limits,
                                const std::stop_token& stop) const;
  [[nodiscard]] Error refusal(long status, const std::string& body) const;

  const EmbeddingOptions options_;
  const std::string host_;
  const HttpExchange exchange_;
};

}  // namespace warpmind::knowledge_base
