#include "clients/cli/job_delivery.h"

#include "base/file.h"
#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/job_report.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>
#include <filesystem>

namespace warpmind::clients {

Result<void> check_output_file(const std::string& output_file) {
  if (output_file.empty()) return {};
  std::error_code ec;
  const std::filesystem::path path(output_file);
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, ec)) {
    return fail(Errc::not_found, "--output " + output_file + ": there is no folder " +
                                     folder.string() + "; create it first");
  }
  if (std::filesystem::is_directory(path, ec)) {
    return fail(Errc::invalid_argument,
                "--output " + output_file + " is a folder; name a file in it");
  }
  return {};
}

ExitCode deliver_job(Session& session, const Job& job, const std::string& output_file) {
  Console& console = session.console;
  Result<void> written;
  const bool better = job.episode && best_of(*job.episode) != nullptr;
  if (!output_file.empty() && better) {
    written = write_output_file(output_file, kernel_file_text(job, *job.episode));
  }
  if (console.json && written) {
    daemon::protocol::TaskResultResult document;
    document.job = job;
    write_document(console, daemon::protocol::encode(document));
  }
  if (!console.json) {
    ReportOptions options{.paint = console.paint,
                          .columns = std::min<std::size_t>(console.columns, 100),
                          .output_file = written ? output_file : std::string()};
    console.out << render_job(job, options) << std::flush;
    if (!output_file.empty() && !better) {
      console.err << "warpmind: " << output_file
                  << " was not written: no better kernel was found\n";
    }
  }
  if (!written) {
    return report_error(console, written.error(),
                        exit_code_for(Origin::input, written.error().code));
  }
  return exit_code_for(job);
}

}  // namespace warpmind::clients
