#pragma once
/// \file
/// What a program prints, as the fields that two runs of it agree on: times and the like are left
/// out when a changed program is compared with it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

/// What differs between what two programs wrote.
enum class OutputMatch { same, last_digits, differs };

/// Fields are the words and numbers of a line.
class OutputPattern {
 public:
  explicit OutputPattern(std::string_view output);

  /// Another run of the same program printed `output`: fields in which it differs are not compared
  /// any more; of a line with other fields none is. False when the runs differ in their lines, so
  /// that no field can be told from another.
  [[nodiscard]] bool leave_out_changes(std::string_view output);
  /// `last_digits`: fields are equal, or numbers within 0.1 %.
  [[nodiscard]] OutputMatch compare(std::string_view output) const;
  /// Fields that are not compared.
  [[nodiscard]] std::size_t left_out() const;

 private:
  struct Field {
    std::string text;
    bool is_compared = true;
  };
  struct Line {
    std::vector<Field> fields;
    bool is_compared = true;
  };

  std::string output_;
  std::vector<Line> lines_;
};

}  // namespace warpmind::clients
