#pragma once
/// \file
/// Whose turn it is on a device, among all processes of this machine.

#include "base/file.h"
#include "base/result.h"

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

namespace warpmind::profilers {

/// Two lock files named after the device: one for the process that has it, one for the process that
/// waits next. While a process has the device, its labs share it; when another one waits, no
/// further lab joins, so that those who came first cannot keep it for ever. A process that dies
/// gives up both. Threads: any.
class MachineTurn {
 public:
  /// A share of the turn until it is destroyed.
  class Held {
   public:
    explicit Held(MachineTurn* turn) : turn_(turn) {}
    ~Held();
    Held(Held&& other) noexcept : turn_(std::exchange(other.turn_, nullptr)) {}
    Held& operator=(Held&&) = delete;  // held, not passed from one to another
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    MachineTurn* turn_;  // null = nothing is held
  };

  /// Waits until no other process has the device `uuid` ("" = the only one of its machine).
  /// `this` outlives what is held. Errors: cancelled; external_failure when a lock cannot be taken
  /// for another reason than its holder.
  [[nodiscard]] Result<Held> take(const std::string& uuid, const std::stop_token& stop);

 private:
  void release();

  std::mutex mutex_;
  int holders_ = 0;
  UniqueFd lock_;
};

}  // namespace warpmind::profilers
