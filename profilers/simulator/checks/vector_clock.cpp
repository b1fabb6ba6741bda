#include "profilers/simulator/checks/vector_clock.h"

#include <algorithm>
#include <limits>

namespace warpmind::simulator {

std::size_t VectorClock::place_of(Key key) const {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), key,
                       [](const auto& entry, Key wanted) { return entry.first < wanted; });
  return static_cast<std::size_t>(at - entries_.begin());
}

void VectorClock::limit() {
  if (entries_.size() <= kMostEntries) return;
  entries_.clear();
  is_everything_ = true;
}

void VectorClock::raise(Key key, std::uint32_t time) {
  if (is_everything_ || time == 0) return;
  const std::size_t place = place_of(key);
  if (place < entries_.size() && entries_[place].first == key) {
    entries_[place].second = std::max(entries_[place].second, time);
    return;
  }
  entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(place), {key, time});
  limit();
}

void VectorClock::join(const VectorClock& other) {
  if (is_everything_) return;
  if (other.is_everything_) {
    entries_.clear();
    is_everything_ = true;
    return;
  }
  std::vector<std::pair<Key, std::uint32_t>> all;
  all.reserve(entries_.size() + other.entries_.size());
  auto a = entries_.begin();
  auto b = other.entries_.begin();
  while (a != entries_.end() && b != other.entries_.end()) {
    if (a->first < b->first) {
      all.push_back(*a++);
    } else if (b->first < a->first) {
      all.push_back(*b++);
    } else {
      all.emplace_back(a->first, std::max(a->second, b->second));
      ++a;
      ++b;
    }
  }
  all.insert(all.end(), a, entries_.end());
  all.insert(all.end(), b, other.entries_.end());
  entries_ = std::move(all);
  limit();
}

std::uint32_t VectorClock::at(Key key) const {
  if (is_everything_) return std::numeric_limits<std::uint32_t>::max();
  const std::size_t place = place_of(key);
  return place < entries_.size() && entries_[place].first == key ? entries_[place].second : 0;
}

std::uint32_t VectorClock::latest_of(std::uint32_t block) const {
  if (is_everything_) return std::numeric_limits<std::uint32_t>::max();
  std::uint32_t latest = 0;
  for (std::size_t i = place_of(of_block(block)); i < entries_.size(); ++i) {
    if (entries_[i].first >= of_block(block + 1)) break;
    latest = std::max(latest, entries_[i].second);
  }
  return latest;
}

bool VectorClock::covers(const VectorClock& other) const {
  if (is_everything_) return true;
  if (other.is_everything_ || other.entries_.size() > entries_.size()) return false;
  auto a = entries_.begin();
  for (const auto& [key, time] : other.entries_) {
    while (a != entries_.end() && a->first < key) ++a;
    if (a == entries_.end() || a->first != key || a->second < time) return false;
  }
  return true;
}

Knowledge joined(const Knowledge& one, const Knowledge& other) {
  if (other == nullptr || one == other) return one;
  if (one == nullptr || other->covers(*one)) return other;
  if (one->covers(*other)) return one;
  auto both = std::make_shared<VectorClock>(*one);
  both->join(*other);
  return both;
}

}  // namespace warpmind::simulator
