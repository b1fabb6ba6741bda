#include "knowledge_base/packs/supersede_order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

enum class Visit { open, done };

std::string path_text(const std::vector<std::pair<InsightId, std::size_t>>& path,
                      const InsightId& again) {
  constexpr std::size_t kMostNamed = 4;
  const auto from =
      std::find_if(path.begin(), path.end(), [&](const auto& step) { return step.first == again; });
  std::string text;
  std::size_t named = 0;
  for (auto at = from; at != path.end() && named < kMostNamed; ++at, ++named) {
    text += at->first.str() + " → ";
  }
  if (static_cast<std::size_t>(path.end() - from) > kMostNamed) text += "… → ";
  return text + again.str();
}

}  // namespace

void SupersedeOrder::add(const Insight& insight) {
  if (!insight.supersedes.empty()) older_[insight.id] = insight.supersedes;
}

std::string SupersedeOrder::circle() const {
  std::map<InsightId, Visit> visits;
  std::vector<std::pair<InsightId, std::size_t>> path;  // and the next of its list
  for (const auto& [start, list] : older_) {
    if (visits.contains(start)) continue;
    visits[start] = Visit::open;
    path.emplace_back(start, 0);
    while (!path.empty()) {
      auto& [id, next] = path.back();
      const auto found = older_.find(id);
      if (found == older_.end() || next >= found->second.size()) {
        visits[id] = Visit::done;
        path.pop_back();
        continue;
      }
      const InsightId child = found->second[next++];
      const auto known = visits.find(child);
      if (known == visits.end()) {
        visits[child] = Visit::open;
        path.emplace_back(child, 0);
      } else if (known->second == Visit::open) {
        return path_text(path, child);
      }
    }
  }
  return {};
}

}  // namespace warpmind::knowledge_base
