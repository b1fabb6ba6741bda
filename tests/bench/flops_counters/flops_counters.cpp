/// \file
/// Launches to be held against the counters of a GPU: kernels, inputs of the judge and what is
/// counted for them, in a folder that flops_counters.py takes to the GPU.
///   flops_counters FOLDER [--timed] [--most-bytes N] [TASK …]
/// Without names: every task that is shipped, on its smallest workload. --timed: also on the first
/// timed one or, if its buffers have more than N bytes (default 16 MiB), the largest with fewer.
/// Needs nvcc and the simulator; no GPU is used.

#include "base/file.h"
#include "config/device_table.h"
#include "config/task_file.h"
#include "profilers/lab/run_case.h"
#include "tests/bench/flops_counters/counted_case.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path folder;
  bool timed = false;
  std::int64_t most_bytes = std::int64_t{16} << 20U;
  std::vector<std::string> tasks;
};

struct Tally {
  int cases = 0;
  int launches = 0;
  int undecided = 0;
  int failed = 0;
};

bool read_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--timed") {
      options.timed = true;
    } else if (word == "--most-bytes" && i + 1 < argc) {
      const std::string_view number = argv[++i];
      const auto end = number.data() + number.size();
      const auto parsed = std::from_chars(number.data(), end, options.most_bytes);
      if (parsed.ec != std::errc{} || parsed.ptr != end) return false;
    } else if (word.starts_with("--")) {
      return false;
    } else if (options.folder.empty()) {
      options.folder = word;
    } else {
      options.tasks.emplace_back(word);
    }
  }
  return !options.folder.empty();
}

std::vector<fs::path> folders_of(const Options& options) {
  const fs::path root = WARPMIND_TASKS;
  std::vector<fs::path> folders;
  for (const auto& name : options.tasks) folders.push_back(root / name);
  if (!folders.empty()) return folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::is_regular_file(entry.path() / "task.toml")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// A size that overflows is too large for anything.
std::int64_t bytes_of(const Task& task, const Workload& workload) {
  return profilers::case_bytes(task, workload).value_or(std::numeric_limits<std::int64_t>::max());
}

std::vector<const Workload*> workloads_of(const Task& task, const Options& options) {
  const Workload& smallest = profilers::smallest_workload(task);
  std::vector<const Workload*> chosen{&smallest};
  if (!options.timed) return chosen;
  const Workload* second = profilers::timed_workloads(task).front();
  if (bytes_of(task, *second) > options.most_bytes) {
    second = &smallest;
    for (const Workload& one : task.workloads) {
      const std::int64_t bytes = bytes_of(task, one);
      if (bytes <= options.most_bytes && bytes > bytes_of(task, *second)) second = &one;
    }
  }
  if (second->name != smallest.name) chosen.push_back(second);
  return chosen;
}

Result<void> prepare_task(const fs::path& folder, const Options& options,
                          const config::Settings& settings, const DeviceSpec& device,
                          Tally& tally) {
  WARPMIND_TRY(const auto loaded, config::load_task(folder));
  if (loaded.task.kernel.tier != Tier::a) return {};
  for (const Workload* workload : workloads_of(loaded.task, options)) {
    const std::string name = loaded.task.name + "-" + workload->name;
    WARPMIND_TRY(const auto counts, write_counted_case(options.folder / name, loaded.task,
                                                       *workload, device, settings));
    ++tally.cases;
    for (const auto& one : counts) {
      ++tally.launches;
      tally.undecided += one.undecided.empty() ? 0 : 1;
      std::printf("%-36s %-24s %s\n", name.c_str(), one.kernel.c_str(), describe(one).c_str());
    }
  }
  return {};
}

int run(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) {
    std::fputs("usage: flops_counters FOLDER [--timed] [--most-bytes N] [TASK …]\n", stderr);
    return 2;
  }
  auto scratch = ScratchDirectory::create(fs::temp_directory_path(), "flops");
  const auto devices = config::DeviceTable::load();
  if (!scratch || !devices) return 2;
  config::Settings settings;
  settings.toolchain.cache_directory = scratch->path() / "cache";
  const auto device = devices->find("h200");
  if (!device) return 2;
  Tally tally;
  for (const auto& folder : folders_of(options)) {
    const auto done = prepare_task(folder, options, settings, *device, tally);
    if (done) continue;
    if (done.error().code == Errc::unavailable) {
      std::printf("skipped: %s\n", done.error().message.c_str());
      return 77;
    }
    ++tally.failed;
    std::printf("%s: %s\n", folder.filename().c_str(), done.error().message.c_str());
  }
  std::printf("RESULT cases=%d launches=%d undecided=%d failed_tasks=%d\n", tally.cases,
              tally.launches, tally.undecided, tally.failed);
  return tally.failed == 0 && tally.launches > 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpmind::bench

int main(int argc, char** argv) { return warpmind::bench::run(argc, argv); }
