#pragma once
/// \file
/// Device code that turns the number of a row, a column or a batch into digits of the outputs, and
/// those into the numbers of the thread that the kernel had for that output.

#include "agents/builtin/contraction/contraction.h"

namespace warpmind::agents::builtin {

class DigitText {
 public:
  /// Must outlive it.
  explicit DigitText(const Contraction& contraction) : what_(&contraction) {}

  /// Names of an axis: its extent, its digit.
  [[nodiscard]] static std::string extent(std::size_t axis);
  [[nodiscard]] static std::string digit(std::size_t axis);
  /// Of a quotient: of the variable that it is of.
  [[nodiscard]] static std::string whole_extent(std::size_t axis);
  /// The variable of a remainder and a quotient, from their digits.
  [[nodiscard]] static std::string joined_digits(std::size_t quotient);
  /// "a * b", or "1u" of none.
  [[nodiscard]] static std::string joined(const std::vector<std::string>& factors);
  /// Of the extents.
  [[nodiscard]] static std::string product(const std::vector<std::size_t>& axes);
  /// What taking a number of these axes apart needs to have been prepared.
  [[nodiscard]] static std::string dividers(const std::vector<std::size_t>& axes);

  /// What `code` needs to know of the thread that it speaks of; a side that is not in `names` is
  /// at its first output.
  [[nodiscard]] std::string virtual_thread(const std::vector<std::string>& names,
                                           const std::string& code) const;

 private:
  [[nodiscard]] std::string place(std::size_t axis) const;
  [[nodiscard]] static std::string digits_of(const std::string& name,
                                             const std::vector<std::size_t>& axes);
  [[nodiscard]] std::string index_structs(const std::array<std::string, 3>& coordinates,
                                          const std::string& code) const;

  const Contraction* what_;
};

}  // namespace warpmind::agents::builtin
