#pragma once
/// \file
/// The protocol, client side: one blocking connection to warpmindd over its Unix socket.

#include "base/file.h"
#include "base/result.h"
#include "daemon/protocol/envelope.h"
#include "daemon/protocol/frame_codec.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/messages.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

namespace warpmind::clients {

using Milliseconds = std::chrono::milliseconds;

/// Enough for a daemon that answers from memory or disk; jobs are waited for without a limit.
inline constexpr Milliseconds kCallTimeout{30'000};
inline constexpr Milliseconds kGreetingTimeout{5'000};
/// For what takes as long as the base is large: a rebuild, a backup.
inline constexpr Milliseconds kNoTimeout = Milliseconds::max();

/// One connection. Every function blocks.
///
/// Does:      greeting and version check, requests with a deadline, progress while waiting.
/// Does not:  start a daemon (daemon_launcher.h), retry, print.
/// Threads:   one at a time.
/// Errors:    after an error of the connection itself (lost, garbage, timeout) connected() is
///            false; after an error that the daemon answered, it is true and the next call works.
class DaemonClient {
 public:
  using ProgressHandler = std::function<void(const daemon::protocol::ProgressParams&)>;

  /// Connects and reads the greeting. Errors: not_found when nobody listens at `socket`; conflict
  /// when the daemon speaks another protocol; corrupt_data when something else listens there;
  /// timeout; external_failure; or what the daemon says instead of a greeting.
  [[nodiscard]] static Result<DaemonClient> connect(const std::filesystem::path& socket,
                                                    Milliseconds timeout);

  [[nodiscard]] const daemon::protocol::Greeting& greeting() const { return greeting_; }
  [[nodiscard]] bool connected() const { return static_cast<bool>(socket_); }

  /// The connection itself, for whoever goes on in another protocol; connected() is false then.
  [[nodiscard]] UniqueFd release() { return std::move(socket_); }

  /// Called for every progress notification, from within call() and wait_for_end().
  void on_progress(ProgressHandler handler) { handler_ = std::move(handler); }

  /// `tell` is called once in each call() that has waited for `after`.
  void on_long_wait(Milliseconds after, std::function<void()> tell) {
    patience_ = after;
    tell_ = std::move(tell);
  }

  /// `tick` is called every `period` within wait_for_end(), news or none.
  void on_tick(Milliseconds period, std::function<void()> tick) {
    period_ = period;
    tick_ = std::move(tick);
  }

  /// A descriptor that becomes readable when the user wants out: every function then ends with
  /// `cancelled`, the connection stays. -1 = none. It is never read here.
  void set_interrupt(int fd) { interrupt_ = fd; }

  /// One request. `params` is a JSON text. Errors: the daemon's; timeout, corrupt_data or
  /// external_failure of the connection; cancelled by the interrupt.
  [[nodiscard]] Result<daemon::protocol::Document> call(std::string_view method,
                                                        std::string_view params,
                                                        Milliseconds timeout = kCallTimeout);
  template <class Params, class Reply>
  [[nodiscard]] Result<Reply> call(const daemon::protocol::Method<Params, Reply>& method,
                                   const std::type_identity_t<Params>& params,
                                   Milliseconds timeout = kCallTimeout) {
    WARPMIND_TRY(const auto answer, call(method.name, daemon::protocol::encode(params), timeout));
    return daemon::protocol::decode<Reply>(answer);
  }
  [[nodiscard]] Result<daemon::protocol::StatusResult> status();
  [[nodiscard]] Result<daemon::protocol::TaskValidateResult> validate(
      const std::filesystem::path& directory);
  [[nodiscard]] Result<daemon::protocol::TaskSubmitResult> submit(
      const daemon::protocol::TaskSubmitParams& params);
  /// Also subscribes to the job's progress when `watch`.
  [[nodiscard]] Result<daemon::protocol::TaskStatusResult> job_status(const std::string& job_id,
                                                                      bool watch);
  [[nodiscard]] Result<daemon::protocol::TaskCancelResult> cancel(const std::string& job_id);
  [[nodiscard]] Result<daemon::protocol::TaskResultResult> result(const std::string& job_id);
  [[nodiscard]] Result<void> shutdown(daemon::protocol::ShutdownMode mode);

  /// Waits until a watched job has ended, and returns its final state. Errors: `timeout` drops the
  /// connection, as it does everywhere; those of the connection; cancelled by the interrupt.
  [[nodiscard]] Result<JobState> wait_for_end(const std::string& job_id,
                                              Milliseconds timeout = kNoTimeout);

  /// Waits until the daemon has closed the connection, as it does at its end.
  [[nodiscard]] Result<void> wait_for_close(Milliseconds timeout);

 private:
  using Clock = std::chrono::steady_clock;

  explicit DaemonClient(UniqueFd socket);
  [[nodiscard]] static Clock::time_point deadline_after(Milliseconds timeout);
  [[nodiscard]] Result<void> read_greeting(Clock::time_point deadline);
  [[nodiscard]] Result<void> send(std::string_view bytes, Clock::time_point deadline);
  [[nodiscard]] Result<daemon::protocol::Message> next_message(Clock::time_point deadline);
  [[nodiscard]] Result<void> wait_for(short events, Clock::time_point deadline);
  [[nodiscard]] Result<void> read_some();
  [[nodiscard]] Result<JobState> next_end(const std::string& job_id, Clock::time_point deadline);
  void take_notification(const daemon::protocol::Message& message);
  [[nodiscard]] tl::unexpected<Error> drop(Errc code, std::string why);

  UniqueFd socket_;
  daemon::protocol::LineBuffer lines_;
  daemon::protocol::Greeting greeting_;
  ProgressHandler handler_;
  Milliseconds patience_ = kNoTimeout;
  std::function<void()> tell_;
  Clock::time_point tell_at_ = Clock::time_point::max();
  Milliseconds period_ = kNoTimeout;
  std::function<void()> tick_;
  Clock::time_point tick_at_ = Clock::time_point::max();
  std::map<std::string, JobState, std::less<>> ended_;  // final states seen in notifications
  std::int64_t last_id_ = 0;
  int interrupt_ = -1;
};

}  // namespace warpmind::clients
