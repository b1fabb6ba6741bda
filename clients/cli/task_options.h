#pragma once
/// \file
/// Options of `warpmind task …`.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpmind::clients {

struct TaskNewOptions {
  std::string folder;
  std::string name;  ///< each left out = what is proposed
  std::optional<std::string> build;
  std::string run;
  std::optional<std::string> pass;
  std::optional<std::string> never;
  std::optional<std::int64_t> exit_code;
  std::vector<std::string> kernels;
  std::vector<std::string> editable;
  std::vector<std::string> needs;
  std::optional<double> run_seconds;
  std::string provider;
  std::string device;
  bool yes = false;    ///< ask nothing
  bool force = false;  ///< write over a program.toml that is there
};

struct TaskCheckOptions {
  std::string folder;
  std::string provider;
  std::string device;
  std::int64_t runs = 0;
};

struct TaskImportOptions {
  std::string suite;
  std::string path;
  std::string into;
  std::vector<std::string> only;  ///< names; empty = all
  std::string arguments;          ///< file: a name and the program's arguments a line
  std::string libtorch;
  std::string precompiled;  ///< folder with precompiled_torch.h.gch
  std::string report;       ///< JSON file that is kept up to date, and taken up; empty = none
  std::int64_t jobs = 1;    ///< programs at a time
  std::optional<double> build_seconds;
  std::string provider;
  std::string device;
  std::optional<double> run_seconds;
  bool no_check = false;
};

using TaskOptions = std::variant<TaskNewOptions, TaskCheckOptions, TaskImportOptions>;

}  // namespace warpmind::clients
