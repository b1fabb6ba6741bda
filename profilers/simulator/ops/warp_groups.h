#pragma once
/// \file
/// What instructions that let lanes meet share: who takes part, and who should but does not.

#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/ops/lanes.h"

namespace warpmind::simulator {

/// Reports lanes that a member mask names, that live, and that are not here: the machine waits for
/// them, we cannot.
void check_members(Warp& warp, const Instruction& in, Mask members, Mask active);

struct SameMembers {
  static bool apply(std::uint32_t a, std::uint32_t b) { return a == b; }
};

/// Calls visit(participants, leader) for each set of active lanes that name the same members;
/// `participants` are those of them that are active. Checks the masks, and orders the lanes.
template <class Visit>
void for_each_group(Warp& warp, const Instruction& in, const std::uint32_t* members, Mask active,
                    Visit&& visit) {
  Mask left = active;
  while (left != 0) {
    const int leader = __builtin_ctz(left);
    alignas(64) std::uint32_t wanted[kLanes];
    for (std::uint32_t& one : wanted) one = members[leader];
    const Mask same = lanes_where<SameMembers>(members, wanted) & left;
    check_members(warp, in, members[leader], active);
    meet_lanes(warp, same);
    visit(same, leader);
    left &= ~same;
  }
}

}  // namespace warpmind::simulator
