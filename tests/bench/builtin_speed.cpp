/// \file
/// What the built-in agent makes of task folders and of recorded programs: one episode each, on a
/// base of its own that starts empty, on the GPU or in the simulator. Prints a line a task, then
/// `RESULT tasks= improved= geomean= slower= wrong= evaluations= seconds= unjudged= share_ge_5=`.

#include "agents/episode_service.h"
#include "base/clock.h"
#include "base/file.h"
#include "config/device_table.h"
#include "config/task_writer.h"
#include "knowledge_base/knowledge_base.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/bench/builtin_speed/speed_options.h"
#include "tests/bench/builtin_speed/speed_report.h"
#include "tests/bench/builtin_speed/speed_tasks.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace warpmind::speed {
namespace {

/// A task that is still busy so long after its time is stopped in the middle of a candidate.
constexpr double kGraceSeconds = 60;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Asks for a stop when its time is over, unless it goes before.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : watcher_([this, seconds](const std::stop_token& gone) {
          std::unique_lock lock(mutex_);
          const auto time = std::chrono::duration<double>(seconds);
          changed_.wait_for(lock, gone, time, [] { return false; });
          if (!gone.stop_requested()) stop_.request_stop();
        }) {}

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread watcher_;  // last: it uses what is above
};

Result<std::shared_ptr<profilers::KernelLab>> make_lab(const Options& options,
                                                       const config::DeviceTable& devices) {
  WARPMIND_TRY(const auto settings, read_settings(options));
  using Lab = std::shared_ptr<profilers::KernelLab>;
  if (options.provider == "gpu") {
    WARPMIND_TRY(auto lab, profilers::WorkerKernelLab::create(settings, devices));
    return Lab(std::move(lab));
  }
  WARPMIND_TRY(auto lab, profilers::SimulatedKernelLab::create(settings, devices, options.device));
  return Lab(std::move(lab));
}

class SpeedBench {
 public:
  SpeedBench(Options options, config::DeviceTable devices,
             std::shared_ptr<profilers::KernelLab> lab)
      : options_(std::move(options)), devices_(std::move(devices)), lab_(std::move(lab)) {}

  Result<void> run(const std::vector<TaskSource>& sources) {
    std::printf("provider %s, policy %s, %lld evaluations a task; times in us, median\n",
                options_.provider.c_str(), options_.policy.c_str(),
                static_cast<long long>(options_.evaluations));
    const auto start = std::chrono::steady_clock::now();
    for (const auto& source : sources) {
      const auto began = std::chrono::steady_clock::now();
      TaskResult result = judge(source);
      result.seconds = seconds_since(began);
      print(result);
      results_.push_back(std::move(result));
      // After every task: a run that is cut off has its results all the same.
      if (!options_.json.empty()) WARPMIND_CHECK(write_json(options_.json, results_));
    }
    print_totals(results_, seconds_since(start));
    return {};
  }

 private:
  TaskResult judge(const TaskSource& source) {
    const auto task = read_task(source);
    if (!task) return unjudged(source.name, task.error().message);
    const auto job = run_episode(*task);
    if (!job) return unjudged(source.name, job.error().message);
    if (!job->episode) {
      return unjudged(source.name, job->error.empty() ? "the episode ended early" : job->error);
    }
    return result_of(source.name, *job->episode);
  }

  Result<Job> run_episode(const Task& task) {
    WARPMIND_TRY(const auto scratch,
                 ScratchDirectory::create(std::filesystem::temp_directory_path(), "speed"));
    WARPMIND_TRY(const auto base, knowledge_base::KnowledgeBase::open(
                                      {.directory = scratch.path() / "base", .clock = clock_}));
    JobRequest request;
    request.task = task;
    request.budget = {options_.evaluations, options_.seconds};
    request.provider = options_.provider == "gpu" ? Provider::gpu : Provider::sim;
    request.policy = options_.policy;
    request.seed = 1;
    WARPMIND_TRY(auto job, base->store().add_job(request, clock_.wall()));
    job.state = JobState::running;
    agents::EpisodeService service(
        base->store(), devices_, [this](const JobRequest&) { return lab_; }, clock_);
    const Deadline deadline(options_.seconds + kGraceSeconds);
    agents::RunControl control;
    control.stop = deadline.token();
    control.progress = [](const JobProgress& news) {
      std::fprintf(stderr, "%s\n", news.line.c_str());
    };
    WARPMIND_CHECK(service.run_job(job, control));
    WARPMIND_TRY(auto ended, base->store().find_job(job.id));
    if (!ended) return fail(Errc::corrupt_data, "the job is gone");
    if (ended->episode == std::nullopt && deadline.token().stop_requested()) {
      ended->error = "not judged within " + std::to_string(static_cast<int>(options_.seconds)) +
                     " s and a minute";
    }
    return std::move(*ended);
  }

  Options options_;
  config::DeviceTable devices_;
  std::shared_ptr<profilers::KernelLab> lab_;
  SystemClock clock_;
  std::vector<TaskResult> results_;
};

/// Every task that can be read, as a folder. Says which cannot.
Result<void> write_all(const std::vector<TaskSource>& sources, const std::filesystem::path& to) {
  int failed = 0;
  for (const auto& source : sources) {
    auto task = read_task(source);
    const auto written =
        task ? config::write_task(to / source.name, *task) : Result<void>(fail(task.error()));
    if (written) continue;
    ++failed;
    std::printf("%-40s %s\n", source.name.c_str(), written.error().message.c_str());
  }
  std::printf("RESULT tasks=%zu failed=%d\n", sources.size(), failed);
  return {};
}

Result<void> run(int count, char** words) {
  WARPMIND_TRY(auto options, read_options(count, words));
  WARPMIND_TRY(const auto sources, find_tasks(options));
  if (!options.write.empty()) return write_all(sources, options.write);
  WARPMIND_TRY(auto devices, config::DeviceTable::load());
  WARPMIND_TRY(auto lab, make_lab(options, devices));
  return SpeedBench(std::move(options), std::move(devices), std::move(lab)).run(sources);
}

}  // namespace
}  // namespace warpmind::speed

int main(int count, char** words) {
  const auto ran = warpmind::speed::run(count, words);
  if (ran) return 0;
  std::fprintf(stderr, "builtin_speed: %s\n", ran.error().message.c_str());
  return 4;
}
