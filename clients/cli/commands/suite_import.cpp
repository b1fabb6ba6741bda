#include "clients/cli/commands/suite_import.h"

#include "base/file.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/commands/task_commands.h"
#include "clients/cli/report/program_task_report.h"
#include "config/program_task_file.h"
#include "config/torch_layout.h"
#include "daemon/protocol/document.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace warpmind::clients {

namespace protocol = daemon::protocol;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostReportBytes = std::size_t{64} << 20U;

/// What the check said, on the line of its program.
void take_check(const ProgramCheck& check, protocol::ProgramImportLine& line) {
  line.state = check.admitted ? "admitted" : "refused";
  line.refused_by = name_of(check.refused_by);
  line.reason = check.reason;
  line.build_s = check.build_s;
  if (check.runs.empty()) return;
  line.launches = check.runs.front().launches;
  for (const auto& kernel : check.runs.front().kernels) {
    if (kernel.timed) line.kernels_ns += kernel.total_ns;
  }
}

/// Whether another check would say the same.
bool is_settled(const protocol::ProgramImportLine& line) {
  return line.state == "admitted" || (line.state == "refused" && line.refused_by != "check");
}

}  // namespace

struct SuiteImport::Share {
  const std::vector<fs::path>& folders;
  std::size_t next = 0;
  std::optional<Error> error;  ///< the first that ends everything
};

SuiteImport::SuiteImport(Session& session, const TaskImportOptions& options, ProgramSuite suite,
                         config::ImportOptions import)
    : session_(session), options_(options), suite_(suite), import_(std::move(import)) {
  report_.suite = options.suite;
}

Result<void> SuiteImport::take_up_report() {
  std::error_code ec;
  if (options_.report.empty() || !fs::exists(options_.report, ec)) return {};
  WARPMIND_TRY(const auto text, read_file(options_.report, kMostReportBytes));
  const auto bad = [this](const std::string& why) {
    return fail(Errc::corrupt_data, options_.report + " is no report of an import: " + why +
                                        "; remove it to begin anew");
  };
  const auto document = protocol::Document::parse(text);
  if (!document) return bad(document.error().message);
  const auto earlier = protocol::decode<protocol::ProgramImportReport>(*document);
  if (!earlier) return bad(earlier.error().message);
  if (earlier->suite != options_.suite) {
    return fail(Errc::invalid_argument, options_.report + " is the report of the suite '" +
                                            earlier->suite + "'; name another file");
  }
  report_.provider = earlier->provider;
  report_.device = earlier->device;
  for (const auto& line : earlier->programs) {
    if (is_settled(line)) earlier_[line.name] = line;
  }
  return {};
}

Result<void> SuiteImport::run(const std::vector<fs::path>& folders, DaemonClient* client) {
  Share share{folders, 0, std::nullopt};
  const auto jobs = static_cast<std::size_t>(std::max<std::int64_t>(options_.jobs, 1));
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(jobs, folders.size()); ++i) {
    threads.emplace_back([this, &share] { work_beside(share); });
  }
  work(share, client);
  threads.clear();
  const auto order = [&](const Line& line) {
    return std::find_if(folders.begin(), folders.end(), [&](const fs::path& folder) {
      return config::suite_task_name(suite_, folder) == line.name;
    });
  };
  std::sort(report_.programs.begin(), report_.programs.end(),
            [&](const Line& a, const Line& b) { return order(a) < order(b); });
  if (const auto written = write_report(); !written && !share.error) return fail(written.error());
  return share.error ? Result<void>(fail(*share.error)) : Result<void>();
}

void SuiteImport::work_beside(Share& share) {
  if (options_.no_check) return work(share, nullptr);
  auto client = connect_daemon(session_, WhenAbsent::refuse);
  if (!client) {
    const std::scoped_lock lock(mutex_);
    if (!share.error) share.error = client.error();
    return;
  }
  client->set_interrupt(session_.interrupt);
  work(share, &*client);
}

void SuiteImport::work(Share& share, DaemonClient* client) {
  const auto end = [&](const Error& error) {
    const std::scoped_lock lock(mutex_);
    if (!share.error) share.error = error;
  };
  while (true) {
    fs::path folder;
    {
      const std::scoped_lock lock(mutex_);
      if (share.error || share.next == share.folders.size()) return;
      folder = share.folders[share.next++];
      if (!session_.console.json) {
        session_.console.err << "warpmind: " << config::suite_task_name(suite_, folder) << " ("
                             << share.next << " of " << share.folders.size() << ")" << std::endl;
      }
    }
    auto line = take(folder, client);
    if (!line) return end(line.error());
    if (const auto kept = keep(std::move(*line)); !kept) return end(kept.error());
  }
}

Result<SuiteImport::Line> SuiteImport::take(const fs::path& folder, DaemonClient* client) {
  Line line;
  line.name = config::suite_task_name(suite_, folder);
  if (const auto at = earlier_.find(line.name); at != earlier_.end()) return at->second;
  const fs::path into = fs::path(options_.into.empty() ? "." : options_.into) / line.name;
  const auto task = import_one(folder, into);
  if (!task) {
    line.state = "not imported";
    line.refused_by = "import";
    line.reason = task.error().message;
    return line;
  }
  line.folder = absolute_path(into.string());
  line.restricted = task->restricted;
  line.state = "imported";
  if (client != nullptr) WARPMIND_CHECK(check_one(*client, line));
  return line;
}

Result<ProgramTask> SuiteImport::import_one(const fs::path& folder, const fs::path& into) const {
  std::error_code ec;
  if (!options_.report.empty() && fs::exists(into / config::kProgramTaskFile, ec)) {
    WARPMIND_TRY(auto there, config::load_program_task(into));  // of the run that was ended
    if (there.origin == options_.suite) return there;
  }
  WARPMIND_TRY(auto task, config::import_program(suite_, folder, into, import_));
  if (!options_.run_seconds) return task;
  task.run_seconds = *options_.run_seconds;
  fs::remove(into / config::kProgramTaskFile, ec);
  WARPMIND_CHECK(config::write_program_task(into, task));
  return task;
}

/// What the user's flags name, and the libtorch of the Python on PATH, may be read, wherever it
/// lies.
std::string SuiteImport::readable_folders() const {
  std::string folders = session_.loaded.settings.lab.program_folders;
  if (suite_ != ProgramSuite::kernelblaster) return folders;
  if (!import_.precompiled.empty()) folders += ":" + absolute_path(import_.precompiled);
  if (const auto torch = config::find_torch(import_.libtorch, import_.search_path)) {
    for (const auto& folder : torch->needs) folders += ":" + folder;
  }
  return folders;
}

Result<void> SuiteImport::check_one(DaemonClient& client, Line& line) {
  const auto start = std::chrono::steady_clock::now();
  const auto check = check_program_task(
      client, {line.folder, options_.provider, options_.device, 0, readable_folders()});
  line.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!check) {
    const bool lasting = check.error().code == Errc::cancelled ||
                         check.error().code == Errc::unavailable || !client.connected();
    if (lasting) return fail(check.error());
    line.state = "refused";
    line.refused_by = "check";
    line.reason = check.error().message;
    return {};
  }
  take_check(*check, line);
  const std::scoped_lock lock(mutex_);
  report_.provider = name_of(check->provider);
  report_.device = check->device;
  return {};
}

Result<void> SuiteImport::keep(Line line) {
  const std::scoped_lock lock(mutex_);
  report_.admitted += line.state == "admitted" ? 1 : 0;
  report_.programs.push_back(std::move(line));
  return write_report();
}

Result<void> SuiteImport::write_report() const {
  if (options_.report.empty()) return {};
  // Programs of an earlier run that this one has not come to must not get lost.
  protocol::ProgramImportReport whole = report_;
  for (const auto& entry : earlier_) {
    const Line& line = entry.second;
    const bool is_there = std::any_of(whole.programs.begin(), whole.programs.end(),
                                      [&](const Line& other) { return other.name == line.name; });
    if (is_there) continue;
    whole.admitted += line.state == "admitted" ? 1 : 0;
    whole.programs.push_back(line);
  }
  WARPMIND_CHECK(write_output_file(options_.report, protocol::encode(whole) + "\n"));
  return write_output_file(fs::path(options_.report).replace_extension(".md"),
                           program_import_markdown(whole));
}

}  // namespace warpmind::clients
