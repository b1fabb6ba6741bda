#pragma once
/// \file
/// A value that can only be reached with its mutex held.

#include <mutex>
#include <utility>

namespace warpmind {

template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  /// Calls `f(value)` under the lock and returns its result. Never call out to other locks in `f`.
  template <class F>
  decltype(auto) with(F&& f) {
    const std::scoped_lock lock(mutex_);
    return std::forward<F>(f)(value_);
  }
  template <class F>
  decltype(auto) with(F&& f) const {
    const std::scoped_lock lock(mutex_);
    return std::forward<F>(f)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

}  // namespace warpmind
