#pragma once
/// \file
/// The grammar of `warpmind skill …`. For command_line.cpp.

#include "base/result.h"
#include "clients/cli/skill_options.h"

#include <functional>

namespace CLI {
class App;
}

namespace warpmind::clients {

/// Holds the options that CLI11 writes into: must outlive the parse.
class SkillGrammar {
 public:
  /// Called, while parsing, with how to get the options of the command that was meant.
  using Select = std::function<void(std::function<SkillOptions()>)>;

  SkillGrammar(CLI::App& app, Select select);
  SkillGrammar(const SkillGrammar&) = delete;
  SkillGrammar& operator=(const SkillGrammar&) = delete;
  ~SkillGrammar() = default;

  /// What CLI11 cannot check. Errors: invalid_argument.
  [[nodiscard]] static Result<void> check(const SkillOptions& options);

 private:
  void add_looking(CLI::App& group);
  void add_making(CLI::App& group);
  void add_checking(CLI::App& group);

  Select select_;
  SkillPrintOptions print_;
  SkillListOptions list_;
  SkillShowOptions show_;
  SkillNewOptions new_;
  SkillCheckOptions check_;
  SkillAddOptions add_;
  SkillExportOptions export_;
  SkillTrustOptions trust_;
  SkillRemoveOptions remove_;
};

}  // namespace warpmind::clients
