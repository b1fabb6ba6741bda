#pragma once
/// \file
/// The arms of the memory experiment, as data.

#include "agents/benchmark/filtered_store.h"

#include <span>
#include <string_view>

namespace warpmind::agents::benchmark {

/// What the base of an arm holds when a stream of tasks starts.
enum class StartingBase {
  none,
  fresh,       ///< as installed: the seed pack
  pretrained,  ///< has worked on all tasks of the other operator families
};

/// Over which tasks a stream goes.
enum class StreamScope {
  family,     ///< those of the family that was left out
  all_tasks,  ///< every task, the families mixed
};

struct Arm {
  std::string_view name;
  std::string_view what;  ///< for the legend
  StartingBase base = StartingBase::none;
  StreamScope scope = StreamScope::family;
  MemoryRules rules = {};
  bool again = false;  ///< the stream is gone through a second time, and the second time counts
};

[[nodiscard]] std::span<const Arm> all_arms();

/// Null when there is none of that name.
[[nodiscard]] const Arm* find_arm(std::string_view name);

inline constexpr std::string_view kControl = "none";
inline constexpr std::string_view kProduct = "pretrained-growing";

/// Two arms that were to be compared before anything was measured.
struct PlannedComparison {
  std::string_view arm;
  std::string_view against;
};
[[nodiscard]] std::span<const PlannedComparison> planned_comparisons();

}  // namespace warpmind::agents::benchmark
