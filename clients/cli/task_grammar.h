#pragma once
/// \file
/// The grammar of `warpmind task …`. For command_line.cpp.

#include "clients/cli/task_options.h"

#include <functional>

namespace CLI {
class App;
}

namespace warpmind::clients {

/// Holds the options that CLI11 writes into: must outlive the parse.
class TaskGrammar {
 public:
  /// Called, while parsing, with how to get the options of the command that was meant.
  using Select = std::function<void(std::function<TaskOptions()>)>;

  TaskGrammar(CLI::App& app, Select select);
  TaskGrammar(const TaskGrammar&) = delete;
  TaskGrammar& operator=(const TaskGrammar&) = delete;
  ~TaskGrammar() = default;

 private:
  void add_new(CLI::App& group);
  void add_check(CLI::App& group);
  void add_import(CLI::App& group);

  Select select_;
  TaskNewOptions new_;
  TaskCheckOptions check_;
  TaskImportOptions import_;
};

}  // namespace warpmind::clients
