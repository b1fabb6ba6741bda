#pragma once
/// \file
/// The parts of a scan's problem that do not hang on where its terms come from.

#include "agents/builtin/loops/carried_loop.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// Name of the member that holds the number of rows, where the problem needs it from the launch.
inline constexpr const char* kScanRows = "wm_row_count";

struct ScanProblem {
  std::string text;
  std::string value_type;  ///< "int", or "wm_value" for several running values
  int value_bytes = 4;
  bool needs_rows = false;  ///< a last member kScanRows
};

[[nodiscard]] bool has_word(std::string_view text, std::string_view word);

/// Both must outlive it.
class ScanText {
 public:
  ScanText(const KernelBody& body, const std::vector<CarriedValue>& values);

  /// The problem up to its first method.
  [[nodiscard]] ScanProblem head(bool needs_rows, bool is_long) const;
  /// A member function of `lines`, with the parameters of the kernel that they name.
  [[nodiscard]] std::string method(const std::string& head, const std::string& lines) const;
  /// `sum = 0;` for each value.
  [[nodiscard]] std::string neutral_lines() const;
  /// `sum`, or `{a, b}`.
  [[nodiscard]] std::string values_brace() const;
  /// `sum = start + from;`, `from` a value of the problem.
  [[nodiscard]] std::string taking_in(const CarriedValue& value, const std::string& start,
                                      const std::string& from) const;
  /// Definition of `wm_piece<type, N>`.
  [[nodiscard]] static std::string piece_type();

 private:
  [[nodiscard]] bool is_single() const { return values_.size() == 1; }
  /// "wm_before", or "wm_before.of_sum".
  [[nodiscard]] std::string part(const std::string& value, const CarriedValue& of) const;
  [[nodiscard]] std::string values_text() const;

  const KernelBody& body_;
  const std::vector<CarriedValue>& values_;
};

}  // namespace warpmind::agents::builtin
