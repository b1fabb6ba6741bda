#pragma once
/// \file
/// Flags of a command from the description of its parameters (base/describe.h). Include from .cpp
/// files only (CLI11).

#include "base/describe.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include <CLI/CLI.hpp>

namespace warpmind::clients {

/// Changes what one command says of an option; false: it has no such flag.
using AdaptOption = std::function<bool(std::string_view member, Option& option)>;

/// Member -> flag, for the help: `replay_file` is --replay there.
struct FlagNames {
  std::map<std::string, std::string, std::less<>> flags;

  void required(const char*, const auto&, const char* = "") {}
  void optional(const char*, const auto&, const char* = "") {}
  void required(const char* name, const auto&, const Option& option) {
    flags.emplace(name, flag_name(name, option));
  }
  void optional(const char* name, const auto&, const Option& option) {
    flags.emplace(name, flag_name(name, option));
  }
};

/// "Candidates as JSON lines, with --proposer replay" of "candidates as JSON lines, with `proposer`
/// `replay`".
[[nodiscard]] std::string help_sentence(const Option& option, const FlagNames& names);

/// Value, heading, default, setting, choices.
void set_flag(CLI::Option& flag, const Option& option);

/// Visitor behind add_flags(). A member that has a sentence alone is no flag.
struct FlagMaker {
  CLI::App& app;
  const FlagNames& names;
  const AdaptOption& adapt;

  void required(const char*, const auto&, const char* = "") {}
  void optional(const char*, const auto&, const char* = "") {}
  void required(const char* name, auto& member, const Option& option) {
    if (CLI::Option* added = add(name, member, option)) added->required();
  }
  void optional(const char* name, auto& member, const Option& option) { add(name, member, option); }

 private:
  template <class T>
  CLI::Option* add(const char* name, T& member, Option option) {
    if (adapt && !adapt(name, option)) return nullptr;
    const std::string flag = flag_name(name, option);
    const std::string sentence = help_sentence(option, names);
    CLI::Option* added = nullptr;
    if constexpr (std::is_same_v<T, bool>) {
      added = app.add_flag(flag, member, sentence);
    } else {
      added = app.add_option(flag, member, sentence);
      if constexpr (requires { member.begin()->begin(); }) {
        added->delimiter(',')->allow_extra_args(false);
      }
    }
    set_flag(*added, option);
    return added;
  }
};

/// A flag for each option of `into`, which CLI11 writes into: must outlive the parse.
template <Described T>
void add_flags(CLI::App& app, T& into, const AdaptOption& adapt = {}) {
  FlagNames names;
  T::describe(into, names);
  FlagMaker maker{app, names, adapt};
  T::describe(into, maker);
}

}  // namespace warpmind::clients
