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
};
struct SkillNewOptions {
  std::string name;
  std::string from;
  std::string folder;  ///< empty = ./NAME
};
struct SkillCheckOptions {
  std::string folder;
  std::string device;
};
struct SkillAddOptions {
  std::string folder;
};
struct SkillExportOptions {
  std::string name;
  std::string folder;
};

using SkillOptions =
    std::variant<SkillPrintOptions, SkillListOptions, SkillShowOptions, SkillNewOptions,
                 SkillCheckOptions, SkillAddOptions, SkillExportOptions>;

}  // namespace warpmind::clients
