#pragma once
/// \file
/// A kernel whose rows are passed over several times: first for what is found over all of a row's
/// terms, last for what each term becomes.

#include "agents/builtin/forms/row_machine.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct Normalization {
  std::string kernel;  ///< names the problem
  std::vector<Parameter> parameters;
  RowLanes lanes;
  RowProgram program;
  /// Totals by number, in passes: those of one pass need nothing that it finds itself.
  std::vector<std::vector<std::size_t>> passes;
  /// Loads that several passes read: a template holds them.
  std::vector<RowValueId> elements;
  /// Of a term, elements that one load of at most 16 bytes brings; 1: there is no such load.
  int along = 1;
  /// Axes of the grid, the one first along which rows follow each other.
  std::array<std::size_t, 3> axes{0, 1, 2};

  [[nodiscard]] bool is_wide_index() const;
  /// 32-bit words of a pass's state.
  [[nodiscard]] std::int64_t state_words(std::size_t pass) const;
};

/// Fills passes, elements and along. Returns why the program is no normalization, as a clause, or
/// nothing.
[[nodiscard]] std::string arrange(const RowValues& values, Normalization& what);

/// In front of which pass a value is known; passes are counted from 0. All must outlive it.
class PassNumbers {
 public:
  PassNumbers(const RowValues& values, const RowProgram& program)
      : values_(values), program_(program) {}

  std::size_t operator()(RowValueId id);

 private:
  const RowValues& values_;
  const RowProgram& program_;
  std::map<RowValueId, std::size_t> known_;
};

/// What each stage computes: one for each pass, then the stores of terms. `is_certain`: what it
/// computes whatever its conditions say.
[[nodiscard]] std::vector<std::vector<RowValueId>> stages_of(const Normalization& what,
                                                             bool is_certain);
/// What a store computes where no condition stands in front of it; else the first condition.
[[nodiscard]] std::vector<RowValueId> certain_roots(const RowStore& store);
[[nodiscard]] std::vector<RowValueId> roots_of(const RowStore& store);
/// A load of a plain element or a vector of CUDA that depends on the term.
[[nodiscard]] bool is_element(const RowValue& value);
[[nodiscard]] int bytes_of_element(const std::string& type);

}  // namespace warpmind::agents::builtin
