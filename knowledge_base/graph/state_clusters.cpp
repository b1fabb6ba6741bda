#include "knowledge_base/graph/state_clusters.h"

#include <algorithm>
#include <cmath>

namespace warpmind::knowledge_base {
namespace {

constexpr std::string_view kClassFeature = "bottleneck.";
constexpr std::string_view kFromData = "data";

bool separates(std::string_view feature) { return !feature.starts_with(kClassFeature); }

std::size_t usable(const Features& profile) {
  return static_cast<std::size_t>(
      std::count_if(profile.begin(), profile.end(), [](const auto& feature) {
        return separates(feature.first) && std::isfinite(feature.second);
      }));
}

bool from_data(const StateCluster& state) { return state.source == kFromData; }

std::int64_t weight_of(const StateCluster& state) {
  const std::int64_t given = from_data(state) ? 0 : kSeedWeight;
  return std::min(given + state.members, kMostWeight);
}

/// `towards` joins the centroid with the share `share` of the whole; what only one has stays.
void move(Features& centroid, const Features& towards, double share) {
  for (const auto& [name, value] : towards) {
    if (!separates(name) || !std::isfinite(value)) continue;
    const auto [at, added] = centroid.try_emplace(name, value);
    if (!added) at->second += share * (value - at->second);
  }
}

void take_member(StateCluster& state, const Features& profile) {
  const auto weight = static_cast<double>(weight_of(state));
  move(state.centroid, profile, 1 / (weight + 1));
  ++state.members;
}

struct Near {
  std::size_t index = 0;
  double distance = 0;
};

/// The nearest one alive that `fits`; of equal ones the oldest.
template <class Fits>
std::optional<Near> find_nearest(const std::vector<StateCluster>& states, const Features& profile,
                                 const Fits& fits) {
  std::optional<Near> best;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i].merged_into.empty() || !fits(i)) continue;
    const auto apart = distance(states[i].centroid, profile);
    if (apart && (!best || *apart < best->distance)) best = Near{i, *apart};
  }
  return best;
}

std::size_t alive_count(const std::vector<StateCluster>& states) {
  return static_cast<std::size_t>(
      std::count_if(states.begin(), states.end(),
                    [](const StateCluster& state) { return state.merged_into.empty(); }));
}

/// Index of the state that a vector goes to; states.size() for a new one.
std::size_t place_of(const std::vector<StateCluster>& states, const Features& profile) {
  if (usable(profile) < kLeastSharedFeatures) return 0;  // it says too little: the class takes it
  const auto near = find_nearest(states, profile, [](std::size_t) { return true; });
  if (near && near->distance <= kNewStateDistance) return near->index;
  // A class without a centroid learns it from the first member that is like none of its states.
  if (states.front().centroid.empty()) return 0;
  if (alive_count(states) < kMostStates) return states.size();
  return near ? near->index : 0;
}

StateCluster new_state(const std::vector<StateCluster>& states, BottleneckClass bottleneck) {
  const auto made = std::count_if(states.begin(), states.end(), from_data);
  const std::string number = std::to_string(made + 1);
  StateCluster state;
  state.id = std::string(name_of(bottleneck)) + "/" + number;
  state.name = std::string(name_of(bottleneck)) + ", state " + number + " found in the data";
  state.bottleneck = bottleneck;
  state.source = kFromData;
  return state;
}

/// The state at `moved` and its nearest neighbour become one when they came too near: the older one
/// stays. Two states of the seed are never one, whatever the data say.
void merge_if_near(std::vector<StateCluster>& states, std::size_t moved) {
  const auto fits = [&states, moved](std::size_t i) {
    return i != moved && (from_data(states[i]) || from_data(states[moved]));
  };
  const auto near = find_nearest(states, states[moved].centroid, fits);
  if (!near || near->distance > kMergeDistance) return;
  // The states of the seed come first: the younger one is of the data.
  StateCluster& older = states[std::min(moved, near->index)];
  StateCluster& younger = states[std::max(moved, near->index)];
  const auto mine = static_cast<double>(weight_of(older));
  const auto theirs = static_cast<double>(weight_of(younger));
  move(older.centroid, younger.centroid, theirs / std::max(mine + theirs, 1.0));
  older.members += younger.members;
  younger.merged_into = older.id;
}

}  // namespace

std::optional<double> distance(const Features& a, const Features& b) {
  double sum = 0;
  std::size_t shared = 0;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end() || !separates(name)) continue;
    if (!std::isfinite(value) || !std::isfinite(other->second)) continue;
    const double apart = value - other->second;
    sum += apart * apart;
    ++shared;
  }
  if (shared < kLeastSharedFeatures) return std::nullopt;
  return std::sqrt(sum / static_cast<double>(shared));
}

std::string alive(const std::vector<StateCluster>& states, std::string id) {
  // A state is only ever taken in by an older one: this ends.
  for (std::size_t hops = 0; hops < states.size(); ++hops) {
    const auto found = std::find_if(states.begin(), states.end(),
                                    [&id](const StateCluster& state) { return state.id == id; });
    if (found == states.end() || found->merged_into.empty()) return id;
    id = found->merged_into;
  }
  return id;
}

std::string nearest(const std::vector<StateCluster>& states, BottleneckClass bottleneck,
                    const Features& profile) {
  if (states.empty()) return std::string(name_of(bottleneck));
  const std::size_t place = place_of(states, profile);
  return place < states.size() ? states[place].id : std::string();
}

std::string take_in(std::vector<StateCluster>& states, BottleneckClass bottleneck,
                    const Features& profile) {
  const std::size_t place = place_of(states, profile);
  if (place == states.size()) states.push_back(new_state(states, bottleneck));
  if (usable(profile) < kLeastSharedFeatures) {
    ++states[place].members;
    return states[place].id;
  }
  take_member(states[place], profile);
  merge_if_near(states, place);
  return alive(states, states[place].id);
}

}  // namespace warpmind::knowledge_base
