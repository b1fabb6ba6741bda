#include "clients/cli/report/table.h"

#include "clients/cli/report/text.h"

#include <algorithm>

namespace warpmind::clients {

std::string Table::render(std::size_t indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      const std::string gap(widths[i] - columns_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i] == Align::left ? row[i] + gap : gap + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace warpmind::clients
