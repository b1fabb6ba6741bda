#include "profilers/simulator/ops/opcodes.h"
#include "profilers/simulator/ops/tensor_decoders.h"

#include <array>

namespace warpmind::simulator {

std::span<const OpcodeEntry> tensor_opcodes() {
  static constexpr std::array table = {
      OpcodeEntry{"mma", TypeClass::any, decode_with<decode_mma>},
      OpcodeEntry{"wmma.mma", TypeClass::any, decode_with<decode_wmma_mma>},
      OpcodeEntry{"wmma.load", TypeClass::any, decode_with<decode_wmma_load>},
      OpcodeEntry{"wmma.store", TypeClass::any, decode_with<decode_wmma_store>},
      OpcodeEntry{"wgmma.mma_async", TypeClass::any, decode_with<decode_wgmma>},
      OpcodeEntry{"wgmma.fence", TypeClass::any, decode_with<decode_wgmma_order>},
      OpcodeEntry{"wgmma.commit_group", TypeClass::any, decode_with<decode_wgmma_order>},
      OpcodeEntry{"wgmma.wait_group", TypeClass::any, decode_with<decode_wgmma_order>},
      OpcodeEntry{"ldmatrix", TypeClass::any, decode_with<decode_ldmatrix>},
      OpcodeEntry{"stmatrix", TypeClass::any, decode_with<decode_stmatrix>},
      OpcodeEntry{"movmatrix", TypeClass::any, decode_with<decode_movmatrix>},
  };
  return table;
}

}  // namespace warpmind::simulator
