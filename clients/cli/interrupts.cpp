#include "clients/cli/interrupts.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace warpmind::clients {
namespace {

/// A signal handler can reach nothing but a global.
std::atomic<int> interrupt_target{
    -1};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int /*number*/) {
  const int saved = errno;
  const int fd = interrupt_target.load();
  // A full pipe means that many signals are waiting already.
  if (fd >= 0) (void)!::write(fd, "!", 1);
  errno = saved;
}

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

Result<Interrupts> Interrupts::install() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return fail(Errc::external_failure, std::string("pipe: ") + std::strerror(errno));
  }
  UniqueFd read(ends[0]);
  UniqueFd write(ends[1]);
  int nobody = -1;
  if (!interrupt_target.compare_exchange_strong(nobody, write.get())) {
    return fail(Errc::conflict, "signals are watched already");
  }
  set_handler(on_signal);
  return Interrupts(std::move(read), std::move(write));
}

Interrupts::~Interrupts() {
  if (!write_) return;  // moved from
  set_handler(SIG_DFL);
  interrupt_target.store(-1);
}

void Interrupts::drain() {
  std::array<char, 64> bytes{};
  while (::read(read_.get(), bytes.data(), bytes.size()) > 0) {
  }
}

}  // namespace warpmind::clients
