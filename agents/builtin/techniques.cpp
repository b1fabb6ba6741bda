#include "agents/builtin/plain_techniques.h"
#include "agents/builtin/technique.h"

namespace warpmind::agents::builtin {
namespace {

template <auto moves>
Offer offer_of(const Scene& scene) {
  Offer offer{moves(scene.context()), {}};
  if (offer.moves.empty()) offer.refusal = "nothing to edit";
  return offer;
}

template <auto apply>
std::optional<Kernel> apply_of(const Scene& scene, std::string_view parameters) {
  return apply(scene.kernel(), parameters);
}

}  // namespace

const std::vector<Technique>& techniques() {
  static const std::vector<Technique> table = {
      {"block_size",
       "another block shape changes how many blocks the device gets, how warps meet memory and how "
       "many fit on a multiprocessor",
       "", offer_of<block_size_moves>, apply_of<apply_block_size>},
      {"launch_bounds",
       "the compiler may use more registers when it knows the block size, or fewer when asked for "
       "more resident blocks",
       "", offer_of<launch_bounds_moves>, apply_of<apply_launch_bounds>},
      {"restrict",
       "pointers that are promised not to alias let loads move across stores and use the read-only "
       "path",
       "", offer_of<restrict_moves>, apply_of<apply_restrict>},
      {"unroll", "unrolled inner loops keep more independent loads in flight", "",
       offer_of<unroll_moves>, apply_of<apply_unroll>},
      {"fast_math", "approximate division, square root and transcendental instructions", "",
       offer_of<fast_math_moves>, apply_of<apply_build_flag>},
      {"fast_intrinsics", "hardware approximations of the transcendental functions only", "",
       offer_of<fast_intrinsics_moves>, apply_of<apply_fast_intrinsics>},
      {"register_limit", "fewer registers a thread allow more resident warps", "",
       offer_of<register_limit_moves>, apply_of<apply_build_flag>},
  };
  return table;
}

}  // namespace warpmind::agents::builtin
