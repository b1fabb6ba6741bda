#pragma once
/// \file
/// Shows whether a report of launches is what the simulator wrote: candidate code shares its
/// process and may reach the file.

#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind::simulator {

/// A keyed hash over all lines so far, in order.
class ReportSeal {
 public:
  explicit ReportSeal(std::string key) : key_(std::move(key)) {}

  void add(std::string_view line);
  /// A line could not be written: from now on value() is empty.
  void spoil() { spoilt_ = true; }
  /// 40 hex digits. Lines that were changed, cut, added or left out give another value, and
  /// without the key nobody can make the right one.
  [[nodiscard]] std::string value() const;
  [[nodiscard]] bool has_key(std::string_view key) const { return key == key_; }

 private:
  std::string key_;
  std::string chain_;
  std::uint64_t lines_ = 0;
  bool spoilt_ = false;
};

}  // namespace warpmind::simulator
