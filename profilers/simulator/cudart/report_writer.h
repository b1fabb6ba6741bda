#pragma once
/// \file
/// Where the runtime says what launches did: a file of JSON lines, and stderr for people.

#include "base/result.h"
#include "profilers/simulator/profile/launch_record_codec.h"
#include "profilers/simulator/profile/report_seal.h"

#include <optional>
#include <string>
#include <string_view>

namespace warpmind::simulator {

/// Threads: one.
class ReportWriter {
 public:
  /// `target`: a file, which is appended to; "fd:N", an inherited descriptor, which stays open; or
  /// empty. Errors: invalid_argument when it cannot be written to.
  [[nodiscard]] static Result<ReportWriter> open(const std::string& target);
  ReportWriter(ReportWriter&& other) noexcept;
  ReportWriter(const ReportWriter&) = delete;
  ReportWriter& operator=(const ReportWriter&) = delete;
  ReportWriter& operator=(ReportWriter&&) = delete;
  ~ReportWriter();

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// Writes one line at once, so that a program that dies later has said it. False when the other
  /// end is gone.
  [[nodiscard]] bool write(const LaunchReport& report);

  /// From now on every line is sealed with `key`; only the first key counts.
  void seal_with(std::string key);
  /// Of all lines since; empty without the right key, and when a line could not be written.
  [[nodiscard]] std::string seal(std::string_view key) const;

 private:
  ReportWriter(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  int descriptor_ = -1;
  bool owned_ = false;
  std::optional<ReportSeal> seal_;
};

/// What the checks found, a line each: "global out of bounds in k(float*), line 12: …".
[[nodiscard]] std::string describe_findings(const LaunchRecord& record);

}  // namespace warpmind::simulator
