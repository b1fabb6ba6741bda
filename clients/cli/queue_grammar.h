#pragma once
/// \file
/// The grammar of `warpmind queue …`. For command_line.cpp.

#include "clients/cli/queue_options.h"

#include <functional>
#include <initializer_list>
#include <string_view>

namespace CLI {
class App;
}

namespace warpmind::clients {

/// Holds the options that CLI11 writes into: must outlive the parse.
class QueueGrammar {
 public:
  /// Called, while parsing, with how to get the options of the command that was meant.
  using Select = std::function<void(std::function<QueueOptions()>)>;

  QueueGrammar(CLI::App& app, Select select);
  QueueGrammar(const QueueGrammar&) = delete;
  QueueGrammar& operator=(const QueueGrammar&) = delete;
  ~QueueGrammar() = default;

 private:
  void add_add(CLI::App& group);
  void add_jobs(CLI::App& group, const char* order, const char* what, QueueJobsOptions& into,
                std::initializer_list<std::string_view> lines);
  void add_look(CLI::App& group);
  void add_rules(CLI::App& group);
  void add_document(CLI::App& parent);

  Select select_;
  QueueAddOptions add_;
  QueueListOptions list_;
  QueueJobsOptions pause_;
  QueueJobsOptions resume_;
  QueueJobsOptions cancel_;
  QueueJobsOptions retry_;
  QueueMoveOptions move_;
  QueueWhyOptions why_;
  QueueRulesOptions rules_;
  QueueReportOptions report_;
  NightReportOptions document_;
};

}  // namespace warpmind::clients
