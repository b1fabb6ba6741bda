#pragma once
/// \file
/// Aligned columns of text.

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace warpmind::clients {

enum class Align { left, right };

/// Rows of cells; the first row is the heading. Cells are UTF-8 without line breaks.
class Table {
 public:
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}

  /// Missing cells at the end are empty; more cells than columns are dropped.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }

  /// Columns are two spaces apart; no line ends in spaces. A table that is wider than `most` has
  /// its widest left-aligned columns folded, as far as a few letters each.
  [[nodiscard]] std::string render(
      std::size_t indent, std::size_t most = std::numeric_limits<std::size_t>::max()) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t most) const;

  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace warpmind::clients
