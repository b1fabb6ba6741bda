#include "agents/llm/http_model.h"

#include "agents/llm/answer_intake.h"
#include "agents/llm/choice_fallback.h"
#include "agents/llm/secret_key.h"
#include "agents/llm/token_estimate.h"
#include "agents/llm/wire_errors.h"
#include "base/http/http_exchange.h"
#include "base/log.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace warpmind::agents::llm {
namespace {

using std::chrono::steady_clock;

/// More bytes a token than any tokeniser makes of text, and room for short answers.
constexpr std::size_t kBytesPerToken = 16;
constexpr std::size_t kShortAnswer = 4096;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

/// Sums up what broken attempts took.
class SumMeter final : public CallMeter {
 public:
  Result<void> begin_attempt() override { return {}; }
  void lost(const Usage& usage) override { add_usage(sum, usage); }
  Usage sum;
};

/// Tokens of an answer: reported, or estimated where the report is missing or cannot be true.
Usage usage_of(const ReplyDraft& draft, const ModelRequest& request) {
  const Usage estimate = estimated_usage(request, draft.text.size(), draft.reasoning.size());
  if (!draft.usage) return estimate;
  Usage usage = *draft.usage;
  const bool has_output = !draft.text.empty() || !draft.reasoning.empty();
  if (usage.output_tokens == 0 && has_output) {
    usage.output_tokens = estimate.output_tokens;
    usage.reasoning_tokens = estimate.reasoning_tokens;
    usage.reported = false;
  }
  return usage;
}

/// Of an attempt that broke off: its count of output may be older than its last text.
Usage usage_of_broken(const ReplyDraft& draft, const ModelRequest& request) {
  Usage usage = usage_of(draft, request);
  const Usage estimate = estimated_usage(request, draft.text.size(), draft.reasoning.size());
  if (!draft.finished && estimate.output_tokens > usage.output_tokens) {
    usage.output_tokens = estimate.output_tokens;
    usage.reported = false;
  }
  return usage;
}

HttpChannelOptions channel_options(const EndpointOptions& options, const ServiceAddress& address,
                                   const WireDialect& dialect) {
  return {address.url, dialect.headers(options.key), options.ca_file};
}

WireChoices first_choices(const EndpointOptions& options, const ServiceAddress& address) {
  WireChoices choices;
  choices.stream = options.stream;
  // OpenAI's newer models know the new name alone; most other servers know the old one alone.
  choices.completion_tokens =
      options.output_limit_name == OutputLimitName::max_completion_tokens ||
      (options.output_limit_name == OutputLimitName::automatic &&
       (address.host.ends_with("openai.com") || address.host.ends_with("openai.azure.com")));
  return choices;
}

}  // namespace

struct HttpModel::Attempt {
  std::optional<ModelReply> reply;
  Error error;
  bool again = false;         ///< another attempt may go better
  std::optional<Usage> lost;  ///< what it took without an answer
  RetryHints hints;
  long status = 0;
  std::string said;  ///< the server's reason
};

Result<std::unique_ptr<HttpModel>> HttpModel::create(const EndpointOptions& options,
                                                     HttpModelParts parts) {
  auto dialect = make_dialect(options.dialect);
  WARPMIND_TRY(auto address, resolve_endpoint(options, dialect->path()));
  if (options.retries < 0 || options.stall_timeout.count() < 1) {
    return fail(Errc::invalid_argument, "llm.retries and llm.stall_s must not be below 0 and 1");
  }
  if (!parts.clock) parts.clock = std::make_shared<SystemClock>();
  parts.hooks = completed(std::move(parts.hooks));
  return std::unique_ptr<HttpModel>(
      new HttpModel(options, std::move(parts), std::move(address), std::move(dialect)));
}

HttpModel::HttpModel(EndpointOptions options, HttpModelParts parts, ServiceAddress address,
                     std::unique_ptr<WireDialect> dialect)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      address_(std::move(address)),
      dialect_(std::move(dialect)),
      exchange_(std::make_unique<HttpExchange>(channel_options(options_, address_, *dialect_))),
      learned_(first_choices(options_, address_)) {}

HttpModel::~HttpModel() = default;

std::string HttpModel::name() const {
  return options_.model + " (" + std::string(dialect_->name()) + ")";
}

Result<ModelReply> HttpModel::complete(const ModelRequest& request, std::stop_token stop) {
  SumMeter meter;
  WARPMIND_TRY(auto reply, complete_metered(request, std::move(stop), meter));
  Usage whole = meter.sum;
  add_usage(whole, reply.usage);
  reply.usage = whole;
  return reply;
}

Result<ModelReply> HttpModel::complete_metered(const ModelRequest& request, std::stop_token stop,
                                               CallMeter& meter) {
  const auto start = steady_clock::now();
  const WireChoices known = learned_.with([](const auto& choices) { return choices; });
  WireChoices choices = known;
  for (int retries = 0;;) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "the request was given up");
    WARPMIND_CHECK(meter.begin_attempt());
    Attempt made = attempt(request, choices, stop);
    if (made.reply) {
      // Only what helped is remembered: the server may have refused something else.
      if (choices != known) learned_.with([&](auto& learned) { learned = choices; });
      made.reply->retries = retries;
      made.reply->seconds = seconds_since(start);
      return *std::move(made.reply);
    }
    if (made.lost) meter.lost(*made.lost);
    RefusedRequest refused;
    refused.choices = choices;
    refused.dialect = options_.dialect;
    refused.has_schema = !request.schema.empty();
    refused.limit_name_is_open = options_.output_limit_name == OutputLimitName::automatic &&
                                 choices.completion_tokens == known.completion_tokens;
    refused.status = made.status;
    refused.said = made.said;
    if (const auto easier = easier_choices(refused)) {
      choices = *easier;
      continue;
    }
    if (!made.again || retries >= options_.retries) return fail(shown(made.error, retries));
    const auto wait = retry_wait(retries, made.hints, parts_.hooks.random());
    log::warn("agents", "the language model is asked again",
              {{"why", shown(made.error, retries).message}, {"wait_ms", wait.count()}});
    if (!parts_.hooks.wait(wait, stop)) {
      return fail(Errc::cancelled, "the request was given up");
    }
    ++retries;
  }
}

HttpModel::Attempt HttpModel::attempt(const ModelRequest& request, const WireChoices& choices,
                                      const std::stop_token& stop) const {
  Attempt made;
  const auto body = dialect_->body(request, options_.model, choices);
  if (!body || body->size() > options_.request_bytes) {
    made.error = body ? Error{Errc::invalid_argument,
                              "the request has " + std::to_string(body->size()) +
                                  " bytes, more than " + std::to_string(options_.request_bytes)}
                      : body.error();
    return made;
  }
  const auto start = steady_clock::now();
  const auto text_bytes =
      static_cast<std::size_t>(request.max_output_tokens) * kBytesPerToken + kShortAnswer;
  AnswerIntake intake(dialect_->reader(), {options_.event_bytes, text_bytes, choices.stream});
  HttpHead head;
  const HttpLimits limits{
      options_.connect_timeout, {}, options_.stall_timeout, options_.answer_bytes};
  const auto sent = exchange_->post(*body, limits, intake, head, stop);
  made.status = head.status;
  made.hints = read_retry_hints(head.should_retry, head.retry_after_ms, head.retry_after,
                                parts_.clock->wall());
  if (!sent) {
    made.error = sent.error().error;
    if (sent.error().stood_still) {
      made.error.message += "; a model that thinks for longer needs a longer llm.stall_s";
    }
    // A reader calls a failure that may pass `unavailable`.
    made.again =
        sent.error().of_body ? made.error.code == Errc::unavailable : sent.error().may_pass;
  } else if (head.status < 200 || head.status >= 300) {
    judge_refusal(made, intake.body());
  } else if (const auto ended = intake.end(head); !ended) {
    made.error = ended.error();
    made.again = made.error.code == Errc::unavailable;
  } else {
    const ReplyDraft& draft = intake.draft();
    ModelReply& reply = made.reply.emplace();
    ReplyText& said = reply;
    said = static_cast<const ReplyText&>(draft);
    if (said.model.empty()) said.model = options_.model;
    reply.request_id = head.request_id.empty() ? draft.id : head.request_id;
    reply.usage = usage_of(draft, request);
    price(reply.usage, reply.model);
    const auto first = intake.first_text().value_or(steady_clock::now());
    reply.first_token_seconds = std::chrono::duration<double>(first - start).count();
    return made;
  }
  if (intake.may_be_billed(head)) {
    made.lost = usage_of_broken(intake.draft(), request);
    price(*made.lost, intake.draft().model);
  }
  return made;
}

void HttpModel::judge_refusal(Attempt& made, const std::string& body) const {
  made.said = error_text(body);
  made.again = may_pass(made.status, made.hints);
  const std::string answered = "answered " + std::to_string(made.status);
  const std::string why = made.said.empty() ? "" : ": " + made.said;
  if (made.status >= 300 && made.status < 400) {
    made.again = false;
    made.error = {Errc::invalid_argument, answered +
                                              ", a redirection, which is not followed; put "
                                              "the final address into llm.url"};
  } else if (made.status == 401 || made.status == 403) {
    made.error = {
        Errc::invalid_argument,
        answered + why + " (" +
            (options_.key.empty() ? "no key was sent: set llm.key_file or WARPMIND_LLM_KEY)"
                                  : "check the key in llm.key_file or WARPMIND_LLM_KEY)")};
  } else {
    const bool passes = may_pass(made.status, {});
    const std::string hint =
        made.status == 404 ? " (check llm.url, llm.dialect and llm.model)" : "";
    made.error = {passes ? Errc::unavailable : Errc::invalid_argument, answered + why + hint};
  }
}

Error HttpModel::shown(const Error& error, int retries) const {
  if (error.code == Errc::cancelled) return error;
  std::string text = address_.host + ": " + error.message;
  if (retries > 0) {
    text += " (after " + std::to_string(retries) + (retries == 1 ? " retry)" : " retries)");
  }
  return {error.code, redacted(text, options_.key)};
}

void HttpModel::price(Usage& usage, const std::string& served) const {
  const auto found = parts_.prices.find(served);
  const auto price = found ? found : parts_.prices.find(options_.model);
  if (!price) return;
  usage.priced = true;
  usage.micro_usd = cost_of(usage, *price);
}

}  // namespace warpmind::agents::llm
