#pragma once
/// \file
/// A technique of the built-in agent: where it applies, with which parameters, and the rewrite.
/// In code, one file each in techniques/, or a skill (skills/skill.h); the id is the one that the
/// knowledge base uses.

#include "agents/builtin/scene.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

class SkillLibrary;

/// The variants of a technique that are legal on a scene, or why there is none.
struct Offer {
  std::vector<Move> moves;  ///< the most promising first; each changes the kernel when applied
  std::string refusal;      ///< one clause without a full stop, when `moves` is empty

  [[nodiscard]] static Offer refuse(std::string why) { return {{}, std::move(why)}; }
};

/// The refusal of what needs grids and sizes, where there is no launch.
inline constexpr const char* kNoLaunch = "no launch of a kernel is known";

/// Both functions are pure and total: no text makes them fail, they refuse.
struct Technique {
  std::string name;
  std::string rationale;   ///< why it can help, one sentence without a full stop
  std::string parameters;  ///< "block=32x1x1 … 1024x1x1"; empty when it has none
  std::function<Offer(const Scene& scene)> offer;
  /// The rewritten kernel. nullopt when the parameters are none that offer() would name; never a
  /// kernel that does not build.
  std::function<std::optional<Kernel>(const Scene& scene, std::string_view parameters)> apply;
  /// Writes the kernel anew from what it computes: it may be shown a kernel without its tiles, and
  /// the gain of its moves is the given time over the time that is expected of what it writes.
  bool writes_anew = false;
};

/// Those written in code and the shipped skills, in the order in which they are listed to people.
[[nodiscard]] const std::vector<Technique>& techniques();
/// The same with the skills of `library`.
[[nodiscard]] std::vector<Technique> techniques_with(const SkillLibrary& library);

/// "ceil_div(EXTENT, BY)", as launch plans have it.
[[nodiscard]] std::string divided_text(const std::string& extent, std::int64_t by);

/// The number after `key` in "block=64;items=4", keys apart by ';'.
[[nodiscard]] std::optional<std::int64_t> parameter_number(std::string_view parameters,
                                                           std::string_view key);
/// The text after `key`, up to the next ';'.
[[nodiscard]] std::optional<std::string> parameter_text(std::string_view parameters,
                                                        std::string_view key);

}  // namespace warpmind::agents::builtin
