#include "agents/builtin/technique.h"

namespace warpmind::agents::builtin {

const std::vector<Technique>& techniques() {
  static const std::vector<Technique> table = {
      {"block_size",
       "another block shape changes how many blocks the device gets, how warps meet memory and how "
       "many fit on a multiprocessor",
       block_size_moves, apply_block_size},
      {"launch_bounds",
       "the compiler may use more registers when it knows the block size, or fewer when asked for "
       "more resident blocks",
       launch_bounds_moves, apply_launch_bounds},
      {"restrict",
       "pointers that are promised not to alias let loads move across stores and use the read-only "
       "path",
       restrict_moves, apply_restrict},
      {"unroll", "unrolled inner loops keep more independent loads in flight", unroll_moves,
       apply_unroll},
      {"fast_math", "approximate division, square root and transcendental instructions",
       fast_math_moves, apply_build_flag},
      {"fast_intrinsics", "hardware approximations of the transcendental functions only",
       fast_intrinsics_moves, apply_fast_intrinsics},
      {"register_limit", "fewer registers a thread allow more resident warps", register_limit_moves,
       apply_build_flag},
  };
  return table;
}

}  // namespace warpmind::agents::builtin
