#include "knowledge_base/embedding/embedding_endpoint.h"

#include "base/sleep.h"
#include "knowledge_base/embedding/embedding_codec.h"

#include <algorithm>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using std::chrono::milliseconds;

constexpr int kAttempts = 3;
/// Beyond it, what the server asks for is not waited for here: searches go on without it.
constexpr milliseconds kLongestRetryAfter{60'000};
constexpr milliseconds kLongestRetry{8'000};
constexpr milliseconds kConnectToEmbed{5'000};
constexpr milliseconds kConnectToAsk{300};
constexpr std::size_t kAnswerBytes = 64UL * 1024 * 1024;

// Status codes of HTTP.
constexpr long kOk = 200;
constexpr long kRedirect = 300;
constexpr long kBadRequest = 400;
constexpr long kUnauthorized = 401;
constexpr long kForbidden = 403;
constexpr long kRequestTimeout = 408;
constexpr long kConflict = 409;
constexpr long kTooLarge = 413;
constexpr long kUnprocessable = 422;
constexpr long kTooMany = 429;
constexpr long kServerError = 500;

/// Keeps the whole answer.
class Collected final : public HttpBody {
 public:
  Result<void> take(const HttpHead& /*head*/, std::string_view bytes) override {
    text.append(bytes);
    return {};
  }
  [[nodiscard]] bool finished() const override { return false; }
  std::string text;
};

std::vector<std::string> headers_with(const std::string& key) {
  std::vector<std::string> headers{"Accept: application/json"};
  if (!key.empty()) headers.push_back("Authorization: Bearer " + key);
  return headers;
}

Errc code_of(const HttpFailure& failure) {
  if (failure.late) return Errc::timeout;
  if (failure.too_long) return Errc::corrupt_data;
  return failure.error.code;
}

bool may_pass(long status) {
  return status == kRequestTimeout || status == kConflict || status == kTooMany ||
         status >= kServerError;
}

}  // namespace

/// Its result, and whether another one may have a better one.
struct EmbeddingEndpoint::Attempt {
  Result<Vectors> vectors;
  bool again = false;
  milliseconds asked_wait{0};
};

Result<std::unique_ptr<EmbeddingEndpoint>> EmbeddingEndpoint::create(
    const EmbeddingOptions& options) {
  WARPMIND_TRY(const auto address, resolve_endpoint(options));
  return std::make_unique<EmbeddingEndpoint>(options, address);
}

EmbeddingEndpoint::EmbeddingEndpoint(EmbeddingOptions options, const EndpointAddress& address)
    : options_(std::move(options)),
      host_(address.service.host),
      exchange_({address.service.url, headers_with(address.key), {}}) {}

Error EmbeddingEndpoint::refusal(long status, const std::string& body) const {
  std::string text = host_ + " answers with status " + std::to_string(status);
  if (status == kUnauthorized || status == kForbidden) {
    // What it says may repeat the key.
    return {Errc::unavailable, text +
                                   ": it does not take the key of "
                                   "knowledge.embeddings_key_file"};
  }
  if (status >= kRedirect && status < kBadRequest) {
    return {Errc::unavailable, text +
                                   ", a redirect, which is not followed; set "
                                   "knowledge.embeddings_url to where it leads"};
  }
  const std::string said = refusal_in(body);
  if (!said.empty()) text += ": " + said;
  const bool texts = status == kBadRequest || status == kTooLarge || status == kUnprocessable;
  return {texts ? Errc::invalid_argument : Errc::unavailable, text};
}

EmbeddingEndpoint::Attempt EmbeddingEndpoint::attempt(const std::vector<std::string>& texts,
                                                      const HttpLimits& limits,
                                                      const std::stop_token& stop) const {
  Attempt attempt;
  Collected answer;
  HttpHead head;
  const auto sent =
      exchange_.post(embedding_request(options_.model, texts), limits, answer, head, stop);
  if (!sent) {
    const Errc code = code_of(sent.error());
    attempt.again = code == Errc::unavailable;
    attempt.vectors = fail(Error{code, sent.error().error.message}.while_doing(host_));
  } else if (head.status != kOk) {
    attempt.again = may_pass(head.status);
    attempt.asked_wait = head.retry_wait;
    attempt.vectors = fail(refusal(head.status, answer.text));
  } else {
    attempt.vectors = read_embeddings(answer.text, texts.size());
    if (!attempt.vectors) {
      attempt.vectors = fail(std::move(attempt.vectors).error().while_doing(host_));
    }
  }
  return attempt;
}

Result<EmbeddingEndpoint::Vectors> EmbeddingEndpoint::embed(const std::vector<std::string>& texts,
                                                            const std::stop_token& stop) const {
  const HttpLimits limits{kConnectToEmbed, options_.batch_timeout, {}, kAnswerBytes};
  milliseconds wait = options_.first_wait;
  for (int made = 1;; ++made) {
    Attempt last = attempt(texts, limits, stop);
    const bool over = made == kAttempts || last.asked_wait > kLongestRetryAfter;
    if (last.vectors || !last.again || over) return std::move(last.vectors);
    sleep_for(std::max(last.asked_wait, std::min(wait, kLongestRetry)), stop);
    if (stop.stop_requested()) return fail(Errc::cancelled, "the request was given up");
    wait *= 2;
  }
}

Result<std::vector<float>> EmbeddingEndpoint::embed_query(const std::string& text,
                                                          const std::stop_token& stop) const {
  const HttpLimits limits{
      std::min(kConnectToAsk, options_.query_timeout), options_.query_timeout, {}, kAnswerBytes};
  Attempt only = attempt({text}, limits, stop);
  if (!only.vectors) return fail(std::move(only.vectors).error());
  return std::move(only.vectors->front());
}

}  // namespace warpmind::knowledge_base
