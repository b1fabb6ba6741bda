#pragma once
/// \file
/// The connection to a server, with the streams and buckets that the buses use. For nats_*.cpp
/// only.

#include "daemon/hosts/buses.h"
#include "daemon/hosts/nats_handles.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace warpmind::daemon::hosts {

inline constexpr const char* kEvaluationStream = "WARPMIND_EVAL";
inline constexpr const char* kResultStream = "WARPMIND_RESULTS";
inline constexpr const char* kBlobStream = "WARPMIND_BLOBS";
inline constexpr const char* kInsightStream = "WARPMIND_INSIGHTS";

/// What there is while the server is up and its streams are made.
struct NatsSession {
  natsConnection* connection = nullptr;
  UniqueContext js;
  UniqueBucket workers;  ///< forgotten after the lease time
  UniqueBucket starts;
  UniqueBucket asked;
};

/// Threads: any.
class NatsLink {
 public:
  explicit NatsLink(NatsOptions options) : options_(std::move(options)) {}
  ~NatsLink();
  NatsLink(const NatsLink&) = delete;
  NatsLink& operator=(const NatsLink&) = delete;

  [[nodiscard]] const NatsOptions& options() const { return options_; }

  /// Connects and makes what is missing. Errors: unavailable.
  [[nodiscard]] Result<std::shared_ptr<NatsSession>> session();
  /// After a call failed: makes the streams again at the next turn when they are gone, as on a
  /// server that was wiped. Returns the error to pass on.
  [[nodiscard]] Error note(const NatsOutcome& outcome, const std::string& what);

  /// Messages as they lie in a stream. Nothing where there is none.
  [[nodiscard]] Result<std::optional<UniqueMessage>> last_on(const char* stream,
                                                             const std::string& subject);
  [[nodiscard]] Result<std::optional<UniqueMessage>> message_at(const char* stream,
                                                                std::uint64_t position);
  struct Published {
    std::uint64_t position = 0;
    bool is_duplicate = false;
  };
  /// What must hold of the subject for a publication to be taken.
  struct Expectation {
    std::string message_id = {};               ///< of two with one id the second is dropped
    std::optional<std::uint64_t> newest = {};  ///< position of the newest of the subject; 0 = none
  };
  [[nodiscard]] Result<Published> publish(const std::string& subject, const std::string& body,
                                          const Expectation& expectation);

 private:
  Result<void> connect();
  Result<std::shared_ptr<NatsSession>> set_up();

  const NatsOptions options_;
  std::mutex mutex_;
  UniqueConnection connection_;
  std::shared_ptr<NatsSession> session_;
};

}  // namespace warpmind::daemon::hosts
