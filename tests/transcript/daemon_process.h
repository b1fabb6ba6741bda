#pragma once
/// \file
/// A daemon of its own for a test: fresh directories, its own socket, ended with the test.

#include "base/file.h"
#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace warpmind::tests {

/// Long enough for a loaded machine under a sanitizer; reached only when something is broken.
inline constexpr std::chrono::seconds kPatience{60};

/// How much an attack may add to what the daemon holds.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::int64_t kMemoryBoundKib = std::int64_t{1024} * 1024;  // shadows, quarantine
#else
inline constexpr std::int64_t kMemoryBoundKib = std::int64_t{128} * 1024;
#endif

/// A blocking client that speaks bytes: tests must be able to send what no client would.
class WireClient {
 public:
  /// Nullopt when nobody listens.
  [[nodiscard]] static std::optional<WireClient> connect(const std::filesystem::path& socket);

  /// Connects and reads the greeting.
  [[nodiscard]] static WireClient greeted(const std::filesystem::path& socket);

  /// False when the daemon has closed.
  bool send(std::string_view bytes);
  /// The next line; nullopt when the daemon closed, or after kPatience (then timed_out()).
  [[nodiscard]] std::optional<std::string> read_line();
  /// Sends a request and reads lines until the one with its id; "" when there is none.
  [[nodiscard]] std::string call(std::string_view method, std::string_view params = "{}");
  /// True when the daemon closes without another line.
  [[nodiscard]] bool at_end();
  [[nodiscard]] bool timed_out() const { return timed_out_; }
  void finish_sending();
  void close() { fd_.reset(); }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit WireClient(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
  std::string buffer_;
  std::string chunk_ = std::string(std::size_t{16} * 1024, '\0');
  bool timed_out_ = false;
  int next_id_ = 1000;
};

class DaemonProcess {
 public:
  struct Options {
    std::string program;                   ///< path of the executable
    std::vector<std::string> arguments{};  ///< added to those that place it in `home`
    std::vector<std::string> environment{};
    std::string socket{};    ///< instead of the one in `home`
    int passed_socket = -1;  ///< handed over as systemd does
    bool wait_until_ready = true;
    bool allow_root = true;
  };

  /// Fresh directories under the temporary folder.
  [[nodiscard]] static ScratchDirectory make_home();
  /// Aborts the test program when the daemon does not get ready.
  DaemonProcess(const std::filesystem::path& home, const Options& options);
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;
  ~DaemonProcess();

  [[nodiscard]] std::filesystem::path socket() const { return home_ / "run" / "d.sock"; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// "VmHWM" is the most that it ever held, "VmRSS" what it holds. KiB; -1 when it has ended.
  [[nodiscard]] std::int64_t memory_kib(const std::string& which) const;
  /// Waits for the end: the exit status, 128 + n for signal n, -1 when it does not end.
  [[nodiscard]] int wait();
  /// What it said on standard error. After wait().
  [[nodiscard]] std::string stderr_text() const;
  /// Waits for a state told to the service manager ("READY=1"). False when the daemon ended first.
  [[nodiscard]] bool await_notice(std::string_view state);

 private:
  std::filesystem::path home_;
  UniqueFd notices_;
  UniqueFd pidfd_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

}  // namespace warpmind::tests
