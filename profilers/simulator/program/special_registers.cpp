#include "profilers/simulator/program/special_registers.h"

#include <array>
#include <utility>

namespace warpmind::simulator {

std::optional<SpecialRegister> find_special_register(std::string_view name) {
  using Entry = std::pair<std::string_view, SpecialRegister>;
  static constexpr std::array kNames = {
      Entry{"%tid.x", SpecialRegister::tid_x},
      Entry{"%tid.y", SpecialRegister::tid_y},
      Entry{"%tid.z", SpecialRegister::tid_z},
      Entry{"%ntid.x", SpecialRegister::ntid_x},
      Entry{"%ntid.y", SpecialRegister::ntid_y},
      Entry{"%ntid.z", SpecialRegister::ntid_z},
      Entry{"%ctaid.x", SpecialRegister::ctaid_x},
      Entry{"%ctaid.y", SpecialRegister::ctaid_y},
      Entry{"%ctaid.z", SpecialRegister::ctaid_z},
      Entry{"%nctaid.x", SpecialRegister::nctaid_x},
      Entry{"%nctaid.y", SpecialRegister::nctaid_y},
      Entry{"%nctaid.z", SpecialRegister::nctaid_z},
      Entry{"%laneid", SpecialRegister::laneid},
      Entry{"%warpid", SpecialRegister::warpid},
      Entry{"%nwarpid", SpecialRegister::nwarpid},
      Entry{"%smid", SpecialRegister::smid},
      Entry{"%nsmid", SpecialRegister::nsmid},
      Entry{"%lanemask_eq", SpecialRegister::lanemask_eq},
      Entry{"%lanemask_lt", SpecialRegister::lanemask_lt},
      Entry{"%lanemask_le", SpecialRegister::lanemask_le},
      Entry{"%lanemask_gt", SpecialRegister::lanemask_gt},
      Entry{"%lanemask_ge", SpecialRegister::lanemask_ge},
      Entry{"%clock", SpecialRegister::clock},
      Entry{"%clock_hi", SpecialRegister::clock_hi},
      Entry{"%clock64", SpecialRegister::clock64},
      Entry{"%globaltimer", SpecialRegister::globaltimer},
      Entry{"%globaltimer_lo", SpecialRegister::globaltimer_lo},
      Entry{"%globaltimer_hi", SpecialRegister::globaltimer_hi},
      Entry{"%gridid", SpecialRegister::gridid},
      Entry{"%dynamic_smem_size", SpecialRegister::dynamic_smem_size},
      Entry{"%total_smem_size", SpecialRegister::total_smem_size},
      Entry{"%cluster_ctaid.x", SpecialRegister::cluster_ctaid_x},
      Entry{"%cluster_ctaid.y", SpecialRegister::cluster_ctaid_y},
      Entry{"%cluster_ctaid.z", SpecialRegister::cluster_ctaid_z},
      Entry{"%cluster_nctaid.x", SpecialRegister::cluster_nctaid_x},
      Entry{"%cluster_nctaid.y", SpecialRegister::cluster_nctaid_y},
      Entry{"%cluster_nctaid.z", SpecialRegister::cluster_nctaid_z},
      Entry{"%cluster_ctarank", SpecialRegister::cluster_ctarank},
      Entry{"%cluster_nctarank", SpecialRegister::cluster_nctarank},
      Entry{"%envreg1", SpecialRegister::envreg1},
      Entry{"%envreg2", SpecialRegister::envreg2},
      // A cluster is one block here: its number is the block's.
      Entry{"%clusterid.x", SpecialRegister::ctaid_x},
      Entry{"%clusterid.y", SpecialRegister::ctaid_y},
      Entry{"%clusterid.z", SpecialRegister::ctaid_z},
      Entry{"%nclusterid.x", SpecialRegister::nctaid_x},
      Entry{"%nclusterid.y", SpecialRegister::nctaid_y},
      Entry{"%nclusterid.z", SpecialRegister::nctaid_z},
  };
  for (const auto& [known, which] : kNames) {
    if (known == name) return which;
  }
  return std::nullopt;
}

}  // namespace warpmind::simulator
