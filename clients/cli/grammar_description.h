#pragma once
/// \file
/// The command line as data: what `--help`, the completion scripts and the manual page are made of.

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

/// What a shell can complete in a value's place.
enum class ValueKind {
  none,  ///< a flag that takes no value
  text,
  file,
  folder,
  task,  ///< a task folder or a CUDA file
  path,
  job,
  episode,
  technique,
  device,
};

/// A flag, or an argument.
struct OptionDescription {
  std::vector<std::string> names;  ///< "--libtorch", "--torch"; of an argument "DIR"
  std::string value;               ///< "N"; empty for arguments and for flags that take none
  ValueKind kind = ValueKind::none;
  std::string text;                  ///< one sentence
  std::string default_text;          ///< empty = none, or it depends
  std::vector<std::string> choices;  ///< of the value, for completion
  bool only_choices = false;         ///< nothing else is taken
  bool required = false;
  bool repeatable = false;
  std::string heading;  ///< under which help lists it
};

struct CommandDescription {
  std::string name;                   ///< "add"
  std::string path;                   ///< "queue add"; empty for the program itself
  std::string text;                   ///< one sentence
  std::string heading;                ///< under which help lists it
  std::vector<std::string> examples;  ///< without "warpmind "
  std::vector<OptionDescription> arguments;
  std::vector<OptionDescription> options;  ///< without --help
  std::vector<CommandDescription> commands;
  bool needs_command = false;
  bool gives_words_away = false;  ///< to another program, `--help` included
};

}  // namespace warpmind::clients
