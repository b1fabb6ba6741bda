#pragma once
/// \file
/// The text of a body whose loops are shared by a group of lanes.

#include "agents/builtin/loops/lane_spread.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// How the lanes of a group are written.
struct LaneText {
  std::int64_t lanes = 32;
  std::string lane = "wm_lane";
};

/// `for (…)` walks every lanes-th iteration. `inner` are edits of other places: those that lie in
/// text that is replaced are worked in and taken out.
void share_loop(const KernelBody& body, const CountedLoop& loop, const LaneText& text,
                std::vector<TextEdit>& inner, std::vector<TextEdit>& edits);

/// Edits for all of `spread`, with templates/lanes.cuh.
[[nodiscard]] std::vector<TextEdit> lane_edits(const KernelBody& body, const LaneSpread& spread,
                                               const LaneText& text, std::vector<TextEdit> inner);

/// The pieces, one after the other.
[[nodiscard]] std::string joined(std::initializer_list<std::string_view> pieces);

/// "wm_sum_of" of templates/lanes.cuh.
[[nodiscard]] std::string_view combiner_of(Combining how);
/// The value that changes nothing, as C++ of that type; empty for extremes, which need none.
[[nodiscard]] std::string neutral_of(Combining how, const std::string& type);

}  // namespace warpmind::agents::builtin
