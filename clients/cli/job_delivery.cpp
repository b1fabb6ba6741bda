#include "clients/cli/job_delivery.h"

#include "base/file.h"
#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/job_report.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>
#include <filesystem>

namespace warpmind::clients {
namespace {

/// Wider lines are hard to read, whatever the terminal can show.
constexpr std::size_t kMostColumns = 120;

}  // namespace

std::string near_path(const std::string& path) {
  std::error_code ec;
  const auto here = std::filesystem::current_path(ec);
  if (ec || path.empty()) return path;
  const auto near = std::filesystem::path(path).lexically_proximate(here);
  return near.native().starts_with("..") ? path : near.string();
}

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

SourceFile source_of(const std::string& folder, const std::string& shown, const Kernel& kernel) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  std::error_code ec;
  for (std::filesystem::directory_iterator at(folder, ec), end; !ec && at != end;
       at.increment(ec)) {
    const auto& path = at->path();
    if (path.extension() != ".cu") continue;
    const auto text = read_file(path, kMostBytes);
    if (text && *text == kernel.source) {
      return {(std::filesystem::path(shown) / path.filename()).string(), *text};
    }
  }
  return {};
}

ExitCode deliver_job(Session& session, const Job& job, const Delivery& delivery) {
  Console& console = session.console;
  const std::string& output_file = delivery.output_file;
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
    const ReportOptions options{
        .paint = console.paint,
        .columns = std::min(console.columns, kMostColumns),
        .output_file = written && better ? output_file : std::string(),
        .program = console.program,
        .path = delivery.path.empty() ? near_path(job.request.task.directory) : delivery.path,
        .source = source_of(job.request.task.directory, "", job.request.task.kernel)};
    console.out << (delivery.verbose ? render_job_in_full(job, options) : render_job(job, options))
                << std::flush;
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
