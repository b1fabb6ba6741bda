#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/opcodes.h"

namespace warpmind::simulator {

std::span<const OpcodeEntry> integer_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"add", TypeClass::integer, decode_with<decode_integer_add>},
      {"addc", TypeClass::any, decode_with<decode_addc>},
      {"sub", TypeClass::integer, decode_with<decode_integer_sub>},
      {"subc", TypeClass::any, decode_with<decode_subc>},
      {"mul", TypeClass::integer, decode_with<decode_integer_mul>},
      {"mad", TypeClass::integer, decode_with<decode_integer_mad>},
      {"madc", TypeClass::any, decode_with<decode_madc>},
      {"mul24", TypeClass::any, decode_with<decode_mul24>},
      {"mad24", TypeClass::any, decode_with<decode_mad24>},
      {"div", TypeClass::integer, decode_with<decode_integer_div>},
      {"rem", TypeClass::any, decode_with<decode_integer_rem>},
      {"abs", TypeClass::integer, decode_with<decode_integer_abs>},
      {"neg", TypeClass::integer, decode_with<decode_integer_neg>},
      {"min", TypeClass::integer, decode_with<decode_integer_min>},
      {"max", TypeClass::integer, decode_with<decode_integer_max>},
      // By the first modifier: the packed types belong to no class, nor does .relu after a type.
      {"add.u16x2", TypeClass::any, decode_with<decode_integer_add>},
      {"add.s16x2", TypeClass::any, decode_with<decode_integer_add>},
      {"min.u16x2", TypeClass::any, decode_with<decode_integer_min>},
      {"min.s16x2", TypeClass::any, decode_with<decode_integer_min>},
      {"min.s32", TypeClass::any, decode_with<decode_integer_min>},
      {"min.relu", TypeClass::any, decode_with<decode_integer_min>},
      {"max.u16x2", TypeClass::any, decode_with<decode_integer_max>},
      {"max.s16x2", TypeClass::any, decode_with<decode_integer_max>},
      {"max.s32", TypeClass::any, decode_with<decode_integer_max>},
      {"max.relu", TypeClass::any, decode_with<decode_integer_max>},
      {"sad", TypeClass::any, decode_with<decode_sad>},
      {"and", TypeClass::predicate, decode_with<decode_predicate_and>},
      {"or", TypeClass::predicate, decode_with<decode_predicate_or>},
      {"xor", TypeClass::predicate, decode_with<decode_predicate_xor>},
      {"not", TypeClass::predicate, decode_with<decode_predicate_not>},
      {"and", TypeClass::any, decode_with<decode_and>},
      {"or", TypeClass::any, decode_with<decode_or>},
      {"xor", TypeClass::any, decode_with<decode_xor>},
      {"not", TypeClass::any, decode_with<decode_not>},
      {"cnot", TypeClass::any, decode_with<decode_cnot>},
      {"lop3", TypeClass::any, decode_with<decode_lop3>},
      {"shl", TypeClass::any, decode_with<decode_shl>},
      {"shr", TypeClass::any, decode_with<decode_shr>},
      {"shf", TypeClass::any, decode_with<decode_shf>},
      {"bfe", TypeClass::any, decode_with<decode_bfe>},
      {"bfi", TypeClass::any, decode_with<decode_bfi>},
      {"bfind", TypeClass::any, decode_with<decode_bfind>},
      {"clz", TypeClass::any, decode_with<decode_clz>},
      {"popc", TypeClass::any, decode_with<decode_popc>},
      {"brev", TypeClass::any, decode_with<decode_brev>},
      {"fns", TypeClass::any, decode_with<decode_fns>},
      {"bmsk", TypeClass::any, decode_with<decode_bmsk>},
      {"szext", TypeClass::any, decode_with<decode_szext>},
      {"prmt", TypeClass::any, decode_with<decode_prmt>},
      {"dp4a", TypeClass::any, decode_with<decode_dp4a>},
      {"dp2a", TypeClass::any, decode_with<decode_dp2a>},
      {"vabsdiff", TypeClass::any, decode_with<decode_vabsdiff>},
      {"vabsdiff2", TypeClass::any, decode_with<decode_vabsdiff2>},
      {"vabsdiff4", TypeClass::any, decode_with<decode_vabsdiff4>},
  };
  return table;
}

}  // namespace warpmind::simulator
