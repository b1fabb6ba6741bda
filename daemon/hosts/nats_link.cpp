#include "daemon/hosts/nats_link.h"

#include "base/log.h"

#include <array>
#include <chrono>
#include <utility>

namespace warpmind::daemon::hosts {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kCallMs = 3000;
constexpr std::int64_t kConnectMs = 3000;
/// A link that is cut says nothing: after three pings without answer it is given up.
constexpr std::int64_t kPingMs = 2000;
constexpr int kPingsOut = 2;
constexpr std::int64_t kReconnectMs = 500;
constexpr std::int64_t kMegabyte = 1'000'000;

constexpr std::int64_t nanoseconds(std::chrono::nanoseconds time) { return time.count(); }

struct StreamPlan {
  const char* name;
  const char* subject;
  jsRetentionPolicy retention;
  std::chrono::nanoseconds age;
  std::int64_t bytes;        ///< -1 = no limit
  std::int64_t per_subject;  ///< -1 = no limit
  bool is_log;               ///< messages cannot be taken out
};

constexpr std::chrono::hours kDay{24};

/// Orders wait for a week; results for an hour, in which a daemon that was killed comes back; what
/// bases say stays for three months, longer than anybody is on holiday, and so do the long bodies
/// (blobs), which the oldest ones leave first.
constexpr std::array kStreams{
    StreamPlan{kEvaluationStream, "warpmind.eval.>", js_WorkQueuePolicy, 7 * kDay, -1, -1, false},
    StreamPlan{kResultStream, "warpmind.result.*", js_LimitsPolicy, 1h, -1, 1, false},
    StreamPlan{kBlobStream, "warpmind.blob.*.*", js_LimitsPolicy, 90 * kDay, 1000 * kMegabyte, 1,
               false},
    StreamPlan{kInsightStream, "warpmind.insights.*", js_LimitsPolicy, 90 * kDay, 1000 * kMegabyte,
               -1, true}};

NatsOutcome make_stream(jsCtx* js, const StreamPlan& plan) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {plan.subject};  // NOLINT(modernize-avoid-c-arrays): the library's shape
  config.Name = plan.name;
  config.Subjects = static_cast<const char**>(subjects);
  config.SubjectsLen = 1;
  config.Retention = plan.retention;
  config.Storage = js_FileStorage;
  config.MaxAge = nanoseconds(plan.age);
  config.MaxBytes = plan.bytes;
  config.MaxMsgsPerSubject = plan.per_subject;
  config.Duplicates = nanoseconds(10min);
  config.DenyDelete = plan.is_log;
  config.DenyPurge = plan.is_log;
  NatsOutcome outcome;
  outcome.status = js_AddStream(nullptr, js, &config, nullptr, &outcome.reason);
  // One that an older or newer build made stays as it is.
  if (outcome.reason == JSStreamNameExistErr) return {};
  return outcome;
}

NatsOutcome open_bucket(jsCtx* js, const char* name, std::chrono::nanoseconds age,
                        UniqueBucket& into) {
  kvStore* bucket = nullptr;
  NatsOutcome outcome;
  outcome.status = js_KeyValue(&bucket, js, name);
  if (!outcome) {
    kvConfig config;
    kvConfig_Init(&config);
    config.Bucket = name;
    config.TTL = nanoseconds(age);
    config.History = 1;
    config.StorageType = js_FileStorage;
    outcome.status = js_CreateKeyValue(&bucket, js, &config);
    // Made by another at the same moment.
    if (!outcome) outcome.status = js_KeyValue(&bucket, js, name);
  }
  into.reset(bucket);
  return outcome;
}

bool is_missing(const NatsOutcome& outcome) {
  return outcome.reason == JSStreamNotFoundErr || outcome.reason == JSConsumerNotFoundErr ||
         outcome.status == NATS_NO_RESPONDERS || outcome.status == NATS_CONNECTION_CLOSED;
}

natsStatus set_options(natsOptions* made, const NatsOptions& options) {
  natsStatus status = natsOptions_SetURL(made, options.url.c_str());
  const auto then = [&status](natsStatus next) {
    if (status == NATS_OK) status = next;
  };
  then(natsOptions_SetName(made, options.name.c_str()));
  then(natsOptions_SetTimeout(made, kConnectMs));
  then(natsOptions_SetMaxReconnect(made, -1));
  then(natsOptions_SetReconnectWait(made, kReconnectMs));
  then(natsOptions_SetPingInterval(made, kPingMs));
  then(natsOptions_SetMaxPingsOut(made, kPingsOut));
  if (!options.token.empty()) then(natsOptions_SetToken(made, options.token.c_str()));
  const bool secure = options.url.starts_with("tls://") || !options.ca_file.empty();
  if (secure) then(natsOptions_SetSecure(made, true));
  if (!options.ca_file.empty()) {
    then(natsOptions_LoadCATrustedCertificates(made, options.ca_file.c_str()));
  }
  return status;
}

}  // namespace

Error error_of(const NatsOutcome& outcome, const std::string& what) {
  const Errc code = outcome.is_conflict() ? Errc::conflict : Errc::unavailable;
  std::string reason = natsStatus_GetText(outcome.status);
  if (outcome.status == NATS_NO_RESPONDERS) {
    reason =
        "nothing answers there: the server runs without JetStream (start it with -js), or its "
        "streams are gone";
  }
  if (outcome.reason != 0) reason += " (JetStream " + std::to_string(outcome.reason) + ")";
  return {code, what + ": " + reason};
}

NatsLink::~NatsLink() {
  session_.reset();
  if (connection_) natsConnection_Close(connection_.get());
}

Error NatsLink::note(const NatsOutcome& outcome, const std::string& what) {
  if (is_missing(outcome)) {
    const std::scoped_lock lock(mutex_);
    session_.reset();
  }
  return error_of(outcome, what);
}

Result<void> NatsLink::connect() {
  natsOptions* raw = nullptr;
  NatsOutcome outcome{natsOptions_Create(&raw)};
  const UniqueOptions made(raw);
  if (outcome) outcome.status = set_options(made.get(), options_);
  natsConnection* connection = nullptr;
  if (outcome) outcome.status = natsConnection_Connect(&connection, made.get());
  if (!outcome) return fail(error_of(outcome, "connecting to " + options_.url));
  connection_.reset(connection);
  return {};
}

Result<std::shared_ptr<NatsSession>> NatsLink::set_up() {
  auto session = std::make_shared<NatsSession>();
  session->connection = connection_.get();
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = kCallMs;
  jsCtx* js = nullptr;
  NatsOutcome outcome{natsConnection_JetStream(&js, connection_.get(), &options)};
  session->js.reset(js);
  for (const auto& plan : kStreams) {
    if (outcome) outcome = make_stream(js, plan);
  }
  const auto lease = std::chrono::duration_cast<std::chrono::nanoseconds>(options_.lease);
  if (outcome) outcome = open_bucket(js, "warpmind_workers", lease, session->workers);
  if (outcome) outcome = open_bucket(js, "warpmind_starts", 1h, session->starts);
  if (outcome) outcome = open_bucket(js, "warpmind_asked", 90 * kDay, session->asked);
  if (!outcome) return fail(error_of(outcome, "preparing the server at " + options_.url));
  return session;
}

Result<std::shared_ptr<NatsSession>> NatsLink::session() {
  const std::scoped_lock lock(mutex_);
  if (connection_ && natsConnection_IsClosed(connection_.get())) {
    session_.reset();
    connection_.reset();
  }
  if (!connection_) WARPMIND_CHECK(connect());
  if (!session_) {
    WARPMIND_TRY(session_, set_up());
  }
  return session_;
}

Result<std::optional<UniqueMessage>> NatsLink::last_on(const char* stream,
                                                       const std::string& subject) {
  WARPMIND_TRY(const auto at, session());
  natsMsg* message = nullptr;
  NatsOutcome outcome;
  outcome.status =
      js_GetLastMsg(&message, at->js.get(), stream, subject.c_str(), nullptr, &outcome.reason);
  UniqueMessage owned(message);
  if (outcome.is_absent()) return std::optional<UniqueMessage>();
  if (!outcome) return fail(note(outcome, "reading " + subject));
  return std::optional<UniqueMessage>(std::move(owned));
}

Result<std::optional<UniqueMessage>> NatsLink::message_at(const char* stream,
                                                          std::uint64_t position) {
  WARPMIND_TRY(const auto at, session());
  natsMsg* message = nullptr;
  NatsOutcome outcome;
  outcome.status = js_GetMsg(&message, at->js.get(), stream, position, nullptr, &outcome.reason);
  UniqueMessage owned(message);
  if (outcome.is_absent()) return std::optional<UniqueMessage>();
  if (!outcome) return fail(note(outcome, std::string("reading ") + stream));
  return std::optional<UniqueMessage>(std::move(owned));
}

Result<NatsLink::Published> NatsLink::publish(const std::string& subject, const std::string& body,
                                              const Expectation& expectation) {
  WARPMIND_TRY(const auto at, session());
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MaxWait = kCallMs;
  if (!expectation.message_id.empty()) options.MsgId = expectation.message_id.c_str();
  if (expectation.newest) {
    options.ExpectLastSubjectSeq = *expectation.newest;
    options.ExpectNoMessage = *expectation.newest == 0;
  }
  jsPubAck* raw = nullptr;
  NatsOutcome outcome;
  outcome.status = js_Publish(&raw, at->js.get(), subject.c_str(), body.data(),
                              static_cast<int>(body.size()), &options, &outcome.reason);
  const UniqueAck ack(raw);
  if (!outcome) return fail(note(outcome, "publishing on " + subject));
  return Published{ack->Sequence, ack->Duplicate};
}

}  // namespace warpmind::daemon::hosts
