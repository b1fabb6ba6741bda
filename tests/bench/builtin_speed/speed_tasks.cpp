#include "tests/bench/builtin_speed/speed_tasks.h"

#include "agents/builtin/lifting/recorded_task.h"
#include "base/file.h"
#include "config/task_file.h"

#include <algorithm>
#include <cctype>

namespace warpmind::speed {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kProgramLimit = std::size_t{4} << 20U;

/// Task names are C identifiers: "001_relu" becomes "p001_relu".
std::string identifier_of(const std::string& name) {
  std::string identifier = name;
  for (char& c : identifier) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  const bool digit = std::isdigit(static_cast<unsigned char>(identifier.front())) != 0;
  return digit ? "p" + identifier : identifier;
}

Result<Task> lift(const TaskSource& source) {
  WARPMIND_TRY(const std::string text, read_file(source.program, kProgramLimit));
  WARPMIND_TRY(const auto program, syntax::CudaSource::read(text));
  fs::path record = source.program;
  record.replace_extension(".record");
  WARPMIND_TRY(const auto calls, profilers::read_program_record(record));
  WARPMIND_TRY(auto lifted,
               agents::builtin::recorded_task(identifier_of(source.name), program, calls));
  return std::move(lifted.task);
}

bool is_wanted(const Options& options, const std::string& name) {
  return !options.only || std::regex_search(name, *options.only);
}

}  // namespace

Result<std::vector<TaskSource>> find_tasks(const Options& options) {
  std::vector<TaskSource> all;
  for (const auto& folder : options.tasks) {
    const std::string name = fs::absolute(folder).lexically_normal().filename().string();
    if (is_wanted(options, name)) all.push_back({name, folder, {}});
  }
  const auto first_program = static_cast<std::ptrdiff_t>(all.size());
  if (!options.records.empty()) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(options.records, ec)) {
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() != ".cu" || !is_wanted(options, name)) continue;
      all.push_back({name, {}, entry.path()});
    }
    if (ec) return fail(Errc::not_found, options.records.string() + ": " + ec.message());
  }
  std::sort(all.begin() + first_program, all.end(),
            [](const TaskSource& a, const TaskSource& b) { return a.name < b.name; });
  std::vector<TaskSource> mine;
  for (std::size_t i = options.shard - 1; i < all.size(); i += options.shards) {
    mine.push_back(all[i]);
  }
  return mine;
}

Result<Task> read_task(const TaskSource& source) {
  if (!source.program.empty()) return lift(source);
  WARPMIND_TRY(auto loaded, config::load_task(source.folder));
  return std::move(loaded.task);
}

}  // namespace warpmind::speed
