#include "clients/cli/report/table.h"

#include "clients/cli/report/text.h"

#include <algorithm>
#include <numeric>

namespace warpmind::clients {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWidth = 8;

}  // namespace

/// Of each column, so that the row takes at most `most` where folding can do that.
std::vector<std::size_t> Table::widths(std::size_t most) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  std::size_t total = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  total += widths.empty() ? 0 : kGap * (widths.size() - 1);
  while (total > most) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (columns_[i] != Align::left || widths[i] <= kLeastWidth) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::string Table::render(std::size_t indent, std::size_t most) const {
  const auto widths = this->widths(most > indent ? most - indent : 0);
  std::string text;
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      const bool fits = columns_of(row[i]) <= widths[i];
      cells.push_back(fits ? std::vector<std::string>{row[i]} : fold(row[i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t part = 0; part < height; ++part) {
      std::string line(indent, ' ');
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = part < cells[i].size() ? cells[i][part] : std::string();
        const std::string gap(widths[i] - std::min(columns_of(cell), widths[i]), ' ');
        if (i > 0) line += std::string(kGap, ' ');
        line += columns_[i] == Align::left ? cell + gap : gap + cell;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace warpmind::clients
