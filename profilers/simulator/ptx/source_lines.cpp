#include "profilers/simulator/ptx/source_lines.h"

#include <algorithm>

namespace warpmind::simulator::ptx {

int SourceLines::append(const Position& position, int caller) {
  const int index = static_cast<int>(places_.size());
  places_.push_back({{position.file, position.line}, caller});
  latest_[position] = index;
  return index;
}

int SourceLines::add(const Position& position, const Position* caller) {
  int caller_index = -1;
  if (caller != nullptr) {
    const auto found = latest_.find(*caller);
    caller_index = found == latest_.end() ? append(*caller, -1) : found->second;
  }
  return append(position, caller_index);
}

SourcePlace SourceLines::resolve(int index, int main_file) const {
  if (index < 0) return {};
  for (int at = index; at >= 0; at = places_[static_cast<std::size_t>(at)].caller) {
    const SourcePlace& place = places_[static_cast<std::size_t>(at)].place;
    if (place.file == main_file) return place;
  }
  return places_[static_cast<std::size_t>(index)].place;
}

int find_main_file(const std::map<int, std::string>& files) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [](const auto& file) { return file.second.ends_with(".cu"); });
  if (found != files.end()) return found->first;
  return files.empty() ? 0 : files.begin()->first;
}

}  // namespace warpmind::simulator::ptx
