#include "agents/benchmark/bench_program.h"
#include "base/log.h"

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iostream>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

namespace {

constexpr int kCancelled = 5;
constexpr long kLookEveryNs = 200'000'000;

/// Waits for Ctrl-C: the first asks for an orderly end, in which a recording is kept; a second one
/// ends the program at once.
std::jthread watch_interrupts(std::stop_source source) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // Blocked in every thread that starts later, and waited for in one.
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return std::jthread([source = std::move(source), signals](const std::stop_token& end) mutable {
    const timespec patience{0, kLookEveryNs};
    while (!end.stop_requested()) {
      if (::sigtimedwait(&signals, nullptr, &patience) < 0) continue;
      if (source.stop_requested()) std::_Exit(kCancelled);
      source.request_stop();
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // A base that is copied while it is open makes RocksDB warn, each time, of nothing that
    // matters.
    warpmind::log::Settings quiet;
    quiet.level = warpmind::log::Level::error;
    if (const auto opened = warpmind::log::open(quiet); !opened) {
      std::cerr << "warpmind-bench: " << opened.error().message << '\n';
      return 4;
    }
    // g++ 12 takes one on the stack for uninitialised at -O1.
    const auto source = std::make_unique<std::stop_source>();
    const std::jthread watch = watch_interrupts(*source);
    const int code = warpmind::agents::benchmark::run_bench_program(argc, argv, std::cout,
                                                                    std::cerr, source->get_token());
    warpmind::log::flush();
    return code;
  } catch (const std::exception& e) {
    std::cerr << "warpmind-bench: a fault of the program itself: " << e.what() << '\n';
    return 3;
  }
}
