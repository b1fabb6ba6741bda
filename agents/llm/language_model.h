#pragma once
/// \file
/// A language model, whoever serves it. Dialects, retries, streams and prices are behind this line;
/// nothing that comes through it is trusted.

#include "base/model/token_counts.h"
#include "base/result.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::agents::llm {

enum class Speaker { user, assistant };

struct Message {
  Speaker speaker = Speaker::user;
  std::string text;
  bool operator==(const Message&) const = default;
};

/// One request. `system` and the first messages are the stable prefix: equal between requests of an
/// episode, so that servers can keep them in their cache.
struct ModelRequest {
  std::string purpose;  ///< "proposal", "repair", "critique"; recorded, never sent
  std::string system;
  std::vector<Message> messages;  ///< the last one is the user's
  std::string schema_name;        ///< of `schema`: "candidate", "critique"
  std::string schema;  ///< JSON Schema of the answer, where the endpoint can hold it; empty = text
  std::int64_t max_output_tokens = 16'384;
  bool operator==(const ModelRequest&) const = default;
};

/// Tokens and money of one request.
struct Usage : TokenCounts {
  std::int64_t reasoning_tokens = 0;  ///< of the output
  std::int64_t micro_usd = 0;         ///< by the price table; 0 when the model is not in it
  bool priced = false;
  bool reported = false;  ///< by the server; false = estimated from the text
  bool operator==(const Usage&) const = default;
};

enum class StopReason {
  complete,
  length,   ///< cut at the output limit
  refusal,  ///< the model or the server's filter would not answer
};

/// What a model said.
struct ReplyText {
  std::string text;
  std::string reasoning;  ///< empty where the server returns none
  StopReason stop = StopReason::complete;
  std::string model;  ///< as the server names what answered
  bool operator==(const ReplyText&) const = default;
};

struct ModelReply : ReplyText {
  Usage usage;
  std::string request_id;  ///< of the server
  std::int64_t retries = 0;
  double seconds = 0;              ///< wall time, retries included
  double first_token_seconds = 0;  ///< of the attempt that succeeded
  bool operator==(const ModelReply&) const = default;
};

/// Threads: complete() may be called from several at once.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  /// For provenance: "gpt-5.1 (chat)", "rules:FILE", "replay:FILE".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Blocks until the answer is whole. Errors: cancelled; unavailable when the server cannot be
  /// reached or refuses after all retries, or a budget is spent (the sentence says which);
  /// invalid_argument when the server says that the request or the key is wrong; external_failure
  /// when the answer cannot be read.
  [[nodiscard]] virtual Result<ModelReply> complete(const ModelRequest& request,
                                                    std::stop_token stop) = 0;
};

}  // namespace warpmind::agents::llm
