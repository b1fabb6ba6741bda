#pragma once
/// \file
/// Values of rows as statements of C++: every value that is always needed becomes a constant, what
/// is needed under a condition stays below it.

#include "agents/builtin/forms/row_values.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

using ValueTexts = std::map<RowValueId, std::string>;

class ValueWriter {
 public:
  /// `given` are values that are there already, by the text that names them.
  ValueWriter(const RowValues& values, ValueTexts given, std::string indent)
      : values_(values), texts_(std::move(given)), indent_(std::move(indent)) {}

  /// Text that stands for the value; `lines()` must stand in front of it.
  [[nodiscard]] std::string of(RowValueId id);
  /// An expression that needs nothing in front of it but what is there.
  [[nodiscard]] std::string closed(RowValueId id);
  void line(const std::string& text) { lines_ += indent_ + text + "\n"; }
  [[nodiscard]] const std::string& lines() const { return lines_; }
  [[nodiscard]] const ValueTexts& texts() const { return texts_; }
  /// Whether some value could not be written.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  [[nodiscard]] std::string expression(RowValueId id, bool is_closed);
  [[nodiscard]] std::string leaf(const RowValue& value);
  [[nodiscard]] std::string pointer(RowValueId base, bool is_closed);

  const RowValues& values_;
  ValueTexts texts_;
  std::string indent_;
  std::string lines_;
  bool failed_ = false;
};

/// Values that are needed whatever conditions hold, at or below those.
[[nodiscard]] std::set<RowValueId> always_needed(const RowValues& values,
                                                 const std::vector<RowValueId>& roots);
/// All values at or below those.
[[nodiscard]] std::set<RowValueId> all_below(const RowValues& values,
                                             const std::vector<RowValueId>& roots);

}  // namespace warpmind::agents::builtin
