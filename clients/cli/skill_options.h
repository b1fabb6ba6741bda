#pragma once
/// \file
/// Options of `warpmind skill …`.

#include <string>
#include <variant>

namespace warpmind::clients {

struct SkillPrintOptions {};
struct SkillListOptions {};
struct SkillShowOptions {
  std::string name;
  std::string source;  ///< "pack:<name>"; empty = the one that is chosen
};
struct SkillNewOptions {
  std::string name;
  std::string from;
  std::string folder;  ///< empty = ./NAME
};
struct SkillCheckOptions {
  std::string subject;  ///< a folder, or the name of a skill that came with a pack
  bool all = false;     ///< instead: every skill of the user's folder and of packs
  std::string source;
  std::string device;
};
struct SkillTrustOptions {
  std::string name;
  std::string source;
  bool withdraw = false;
  std::string reason;
};
struct SkillAddOptions {
  std::string folder;
};
struct SkillRemoveOptions {
  std::string name;
  std::string source;
};
struct SkillExportOptions {
  std::string name;
  std::string source;
  std::string folder;
};

using SkillOptions = std::variant<SkillPrintOptions, SkillListOptions, SkillShowOptions,
                                  SkillNewOptions, SkillCheckOptions, SkillAddOptions,
                                  SkillTrustOptions, SkillRemoveOptions, SkillExportOptions>;

}  // namespace warpmind::clients
