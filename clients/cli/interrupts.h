#pragma once
/// \file
/// Ctrl-C as something that can be polled for.

#include "base/file.h"
#include "base/result.h"

namespace warpmind::clients {

/// While it lives, SIGINT and SIGTERM do not end the process but make fd() readable. One at a time.
class Interrupts {
 public:
  /// Errors: external_failure; conflict when another one lives.
  [[nodiscard]] static Result<Interrupts> install();

  Interrupts(Interrupts&& other) noexcept = default;
  Interrupts& operator=(Interrupts&& other) = delete;  // two cannot live at the same time
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  [[nodiscard]] int fd() const { return read_.get(); }
  /// Forgets what came so far; fd() is readable again at the next signal.
  void drain();

 private:
  Interrupts(UniqueFd read, UniqueFd write) : read_(std::move(read)), write_(std::move(write)) {}

  UniqueFd read_;
  UniqueFd write_;
};

}  // namespace warpmind::clients
