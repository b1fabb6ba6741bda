#pragma once
/// \file
/// The programs of a suite, one by one or several at a time, with what became of each.

#include "base/result.h"
#include "clients/cli/session.h"
#include "clients/cli/task_options.h"
#include "config/program_task_import.h"
#include "daemon/protocol/program_task_messages.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace warpmind::clients {

/// Does:      imports, has each checked, keeps the report's file up to date.
/// Does not:  print anything but a line a program to the console's errors.
/// Threads:   run() works in its own and starts one for each further job, with a connection each.
class SuiteImport {
 public:
  /// The references must outlive it.
  SuiteImport(Session& session, const TaskImportOptions& options, ProgramSuite suite,
              config::ImportOptions import);

  /// Takes over what the report's file says of programs that were admitted or refused. Errors:
  /// corrupt_data, or invalid_argument when it is about another suite.
  Result<void> take_up_report();

  /// `client` may be null: nothing is checked then. Errors: cancelled, unavailable, and the
  /// connection's; what was done until then is kept.
  Result<void> run(const std::vector<std::filesystem::path>& folders, DaemonClient* client);

  /// In the order of `folders`.
  [[nodiscard]] const daemon::protocol::ProgramImportReport& report() const { return report_; }

 private:
  struct Share;  ///< what the threads of one run() have in common
  using Line = daemon::protocol::ProgramImportLine;

  void work(Share& share, DaemonClient* client);
  /// As work(), with a connection of its own.
  void work_beside(Share& share);
  Result<Line> take(const std::filesystem::path& folder, DaemonClient* client);
  [[nodiscard]] Result<ProgramTask> import_one(const std::filesystem::path& folder,
                                               const std::filesystem::path& into) const;
  [[nodiscard]] std::string readable_folders() const;
  Result<void> check_one(DaemonClient& client, Line& line);
  Result<void> keep(Line line);
  [[nodiscard]] Result<void> write_report() const;

  Session& session_;
  const TaskImportOptions& options_;
  ProgramSuite suite_;
  config::ImportOptions import_;
  std::mutex mutex_;  // of what follows
  std::map<std::string, Line> earlier_;
  daemon::protocol::ProgramImportReport report_;
};

}  // namespace warpmind::clients
