/// \file
/// Records the labelled kernels, so that the diagnosis can be tried on them anywhere.
///   diagnosis_record DIR [--provider gpu|simulated] [--cases DIR] [NAME…]
/// Without NAME all cases. Ends with 4 where there is no GPU.

#include "base/file.h"
#include "config/device_table.h"
#include "config/settings_loader.h"
#include "config/task_file.h"
#include "profilers/lab_recording.h"
#include "profilers/simulated_kernel_lab.h"
#include "tests/diagnosis/profiling_lab.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::diagnosis {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path cases = WARPMIND_SOURCE_DIR "/tests/diagnosis/cases";
  fs::path record;
  bool simulated = false;
  std::vector<std::string> names;
};

Result<Options> read_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      if (options.record.empty()) {
        options.record = word;
      } else {
        options.names.push_back(word);
      }
      continue;
    }
    if (i + 1 == words.size()) return fail(Errc::invalid_argument, word + " needs a value");
    const std::string& value = words[++i];
    if (word == "--cases") {
      options.cases = value;
    } else if (word == "--provider" && (value == "gpu" || value == "simulated")) {
      options.simulated = value == "simulated";
    } else {
      return fail(Errc::invalid_argument,
                  word + " " + value + ": give --cases DIR or --provider gpu|simulated");
    }
  }
  if (options.record.empty()) {
    return fail(
        Errc::invalid_argument,
        "where to? diagnosis_record DIR [--provider gpu|simulated] [--cases DIR] [NAME...]");
  }
  return options;
}

Result<std::vector<Task>> load_tasks(const Options& options) {
  std::vector<std::string> names = options.names;
  if (names.empty()) {
    for (const auto& entry : fs::directory_iterator(options.cases)) {
      if (fs::is_regular_file(entry.path() / "task.toml")) {
        names.push_back(entry.path().filename());
      }
    }
    std::sort(names.begin(), names.end());
  }
  std::vector<Task> tasks;
  for (const auto& name : names) {
    const auto loaded = config::load_task(options.cases / name);
    if (loaded) {
      tasks.push_back(loaded->task);
    } else {
      std::printf("%s is left out: %s\n", name.c_str(), loaded.error().message.c_str());
    }
  }
  return tasks;
}

Result<std::unique_ptr<profilers::KernelLab>> make_lab(const Options& options,
                                                       const config::Settings& settings,
                                                       const config::DeviceTable& devices,
                                                       const std::vector<Task>& tasks) {
  if (options.simulated) return profilers::SimulatedKernelLab::create(settings, devices, "");
  WARPMIND_TRY(auto lab, ProfilingLab::create(settings, devices));
  std::vector<const Task*> all;
  for (const auto& task : tasks) all.push_back(&task);
  lab->build_ahead(all);
  return std::unique_ptr<profilers::KernelLab>(std::move(lab));
}

void print_row(const Task& task, const Verdict& verdict, double seconds) {
  const std::string tier(verdict.profile ? name_of(verdict.profile->tier) : "none");
  std::printf("%-32s %12.2f us %5.1f s  %s %s\n", task.name.c_str(),
              verdict.measurement ? verdict.measurement->median_ns / 1e3 : 0, seconds, tier.c_str(),
              verdict.profile ? verdict.profile->note.c_str() : verdict.reason.c_str());
  std::fflush(stdout);
}

/// Without what nobody reads and what names the machine.
Verdict slimmed(Verdict verdict) {
  if (verdict.build) verdict.build->diagnostics.clear();
  if (verdict.measurement) verdict.measurement->device.uuid.clear();
  if (!verdict.profile) return verdict;
  for (auto& launch : verdict.profile->kernels) {
    for (auto& metric : launch.metrics) metric.unit.clear();
  }
  return verdict;
}

/// In a folder of its own: kernels of two cases may be the same, on other sizes.
Result<void> record_case(profilers::KernelLab& lab, const Task& task, const fs::path& folder) {
  const auto start = std::chrono::steady_clock::now();
  profilers::JudgeOrder order{task, task.kernel};
  order.effort = Effort::quick;
  WARPMIND_TRY(const auto verdict, lab.judge(order, {}));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print_row(task, verdict, took.count());
  WARPMIND_CHECK(make_private_directory(folder));
  return profilers::write_recording(profilers::verdict_file(folder, task.kernel), slimmed(verdict));
}

Result<int> record(const Options& options) {
  WARPMIND_TRY(const auto loaded,
               config::load_settings({std::nullopt, config::capture_environment(), {}, {}}));
  WARPMIND_TRY(const auto devices, config::DeviceTable::load());
  WARPMIND_TRY(const auto tasks, load_tasks(options));
  WARPMIND_TRY(const auto lab, make_lab(options, loaded.settings, devices, tasks));
  WARPMIND_TRY(auto device, lab->device());
  std::printf("%s, driver %s\n", device.name.c_str(), device.driver.c_str());
  device.uuid.clear();
  WARPMIND_CHECK(make_private_directory(options.record));
  WARPMIND_CHECK(profilers::write_recording(profilers::device_file(options.record), device));
  std::size_t recorded = 0;
  for (const auto& task : tasks) {
    const auto done = record_case(*lab, task, options.record / task.name);
    if (done) {
      ++recorded;
    } else {
      std::printf("%-32s failed: %s\n", task.name.c_str(), done.error().message.c_str());
    }
  }
  std::printf("RESULT diagnosis_recorded n=%zu of=%zu device=\"%s\"\n", recorded, tasks.size(),
              device.name.c_str());
  return recorded == tasks.size() ? 0 : 1;
}

Result<int> run(const std::vector<std::string>& words) {
  WARPMIND_TRY(const auto options, read_options(words));
  return record(options);
}

}  // namespace
}  // namespace warpmind::diagnosis

int main(int count, char** words) {
  const auto ran = warpmind::diagnosis::run({words + 1, words + count});
  if (ran) return *ran;
  std::fprintf(stderr, "diagnosis_record: %s\n", ran.error().message.c_str());
  switch (ran.error().code) {
    case warpmind::Errc::invalid_argument: return 2;
    case warpmind::Errc::unavailable: return 4;
    default: return 1;
  }
}
