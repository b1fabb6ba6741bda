#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/opcodes.h"

namespace warpmind::simulator {

std::span<const OpcodeEntry> float_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"add", TypeClass::half, decode_with<decode_half_add>},
      {"sub", TypeClass::half, decode_with<decode_half_sub>},
      {"mul", TypeClass::half, decode_with<decode_half_mul>},
      {"fma", TypeClass::half, decode_with<decode_half_fma>},
      {"min", TypeClass::half, decode_with<decode_half_min>},
      {"max", TypeClass::half, decode_with<decode_half_max>},
      {"abs", TypeClass::half, decode_with<decode_half_abs>},
      {"neg", TypeClass::half, decode_with<decode_half_neg>},
      {"ex2", TypeClass::half, decode_with<decode_half_ex2>},
      {"tanh", TypeClass::half, decode_with<decode_half_tanh>},
      {"add", TypeClass::real, decode_with<decode_float_add>},
      {"sub", TypeClass::real, decode_with<decode_float_sub>},
      {"mul", TypeClass::real, decode_with<decode_float_mul>},
      {"fma", TypeClass::real, decode_with<decode_float_fma>},
      {"mad", TypeClass::real, decode_with<decode_float_fma>},
      {"div", TypeClass::real, decode_with<decode_float_div>},
      {"min", TypeClass::real, decode_with<decode_float_min>},
      {"max", TypeClass::real, decode_with<decode_float_max>},
      {"abs", TypeClass::real, decode_with<decode_float_abs>},
      {"neg", TypeClass::real, decode_with<decode_float_neg>},
      {"copysign", TypeClass::any, decode_with<decode_copysign>},
      {"rcp", TypeClass::any, decode_with<decode_rcp>},
      {"sqrt", TypeClass::any, decode_with<decode_sqrt>},
      {"rsqrt", TypeClass::any, decode_with<decode_rsqrt>},
      {"sin", TypeClass::any, decode_with<decode_sin>},
      {"cos", TypeClass::any, decode_with<decode_cos>},
      {"lg2", TypeClass::any, decode_with<decode_lg2>},
      {"ex2", TypeClass::real, decode_with<decode_ex2>},
      {"tanh", TypeClass::real, decode_with<decode_tanh>},
      {"testp", TypeClass::any, decode_with<decode_testp>},
  };
  return table;
}

}  // namespace warpmind::simulator
