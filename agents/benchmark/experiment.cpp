#include "agents/benchmark/experiment.h"

#include "agents/benchmark/move_forecasts.h"
#include "agents/benchmark/recorded_sources.h"
#include "agents/benchmark/scratch_base.h"
#include "agents/benchmark/table_lab.h"
#include "agents/benchmark/table_proposer.h"
#include "agents/diagnosis.h"
#include "agents/episode_loop.h"
#include "base/file.h"
#include "base/hash.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

namespace warpmind::agents::benchmark {
namespace {

using TaskOrder = std::vector<std::size_t>;

/// Never the end of an episode here: the number of evaluations is.
constexpr double kNoSeconds = 1e6;

std::uint64_t seed_from(std::initializer_list<std::uint64_t> parts) {
  std::string text;
  for (const auto part : parts) text += std::to_string(part) + ",";
  return std::max<std::uint64_t>(warpmind::seed_of(sha256(text)), 1);
}

/// Where in the experiment a stream stands.
struct Place {
  std::int64_t order = 0;
  std::int64_t seed = 0;
};
constexpr std::int64_t kTraining = -1;  ///< as seed of the place

class Experiment {
 public:
  Experiment(const ExperimentParts& parts, const ExperimentPlan& plan, const std::stop_token& stop)
      : parts_(parts), plan_(plan), stop_(stop), table_(parts.table) {}

  Result<ExperimentResult> run_arms();

 private:
  using Runs = std::vector<Run>;
  using Unit = std::function<Result<Runs>()>;

  [[nodiscard]] std::vector<Unit> units();
  [[nodiscard]] Result<void> run_units(const std::vector<Unit>& units, Runs& runs);
  [[nodiscard]] Result<Runs> leave_out(const std::string& family, std::int64_t order);
  [[nodiscard]] Result<Runs> mixed(Place place);
  [[nodiscard]] Result<std::set<Failure>> train(knowledge_base::KnowledgeStore& base,
                                                const TaskOrder& tasks, std::int64_t order);
  /// One arm over the tasks of a stream.
  struct Stream {
    std::size_t arm = 0;
    Place place;
    const TaskOrder& tasks;
    ScratchBase* base = nullptr;  ///< null: the arm has none
    const std::set<Failure>& failures;
    const std::vector<Situation>& elsewhere;
  };
  [[nodiscard]] Result<void> run_stream(const Stream& stream, Runs& runs);
  [[nodiscard]] Result<void> run_passes(const Stream& stream, FilteredStore& store, Runs& runs);
  [[nodiscard]] Result<Episode> episode_on(std::size_t task, Place place, FilteredStore& store);

  [[nodiscard]] TaskOrder order_of(std::int64_t order) const;
  [[nodiscard]] const TaskRecording& recording(std::size_t task) const {
    return table_.tasks()[task];
  }
  [[nodiscard]] bool wants(StreamScope scope) const;
  [[nodiscard]] bool wants(StartingBase base) const;
  [[nodiscard]] std::string fresh_name() { return "base-" + std::to_string(++bases_); }
  [[nodiscard]] Result<void> forecast(const knowledge_base::KnowledgeStore& base,
                                      const TaskOrder& tasks);
  void count();

  const ExperimentParts& parts_;
  const ExperimentPlan& plan_;
  const std::stop_token& stop_;
  const EvaluationTable& table_;
  MoveResults results_;
  std::vector<std::string> families_;
  std::map<std::string, std::vector<Situation>> elsewhere_;  ///< by the family left out; read only
  std::filesystem::path scratch_;
  std::unique_ptr<ScratchBase> fresh_;  ///< nobody writes to it
  std::atomic<std::int64_t> bases_ = 0;
  std::atomic<std::int64_t> done_ = 0;
  std::mutex forecasting_;
  std::vector<MoveForecast> forecasts_;
};

Result<ExperimentResult> Experiment::run_arms() {
  std::set<std::string> known;
  for (const auto& recording : table_.tasks()) {
    if (known.insert(recording.task().operator_family).second) {
      families_.push_back(recording.task().operator_family);
    }
  }
  if (families_.size() < 2) {
    return fail(Errc::invalid_argument, "the table has tasks of " +
                                            std::to_string(families_.size()) +
                                            " operator family; leaving one out needs two or more");
  }
  if (plan_.arms.empty()) return fail(Errc::invalid_argument, "there is no arm to run");
  const auto root = parts_.scratch.empty() ? scratch_root() : parts_.scratch;
  WARPMIND_TRY(const auto folder, ScratchDirectory::create(root, "warpmind-bench"));
  scratch_ = folder.path();
  if (wants(StartingBase::fresh)) {
    WARPMIND_TRY(fresh_, ScratchBase::create(scratch_, fresh_name(), parts_.clock));
  }
  const bool shuffles = std::any_of(plan_.arms.begin(), plan_.arms.end(),
                                    [](const Arm& arm) { return arm.rules.shuffled; });
  for (const auto& family : families_) {
    elsewhere_[family] = shuffles ? situations_elsewhere(parts_, family) : std::vector<Situation>();
  }
  Runs runs;
  const auto ran = run_units(units(), runs);
  fresh_.reset();
  if (!ran) return fail(ran.error());
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.arm, a.task, a.order, a.seed) < std::tie(b.arm, b.task, b.order, b.seed);
  });
  std::stable_sort(forecasts_.begin(), forecasts_.end(),
                   [](const auto& a, const auto& b) { return a.task < b.task; });
  return ExperimentResult{std::move(runs), std::move(forecasts_)};
}

bool Experiment::wants(StreamScope scope) const {
  return std::any_of(plan_.arms.begin(), plan_.arms.end(),
                     [&](const Arm& arm) { return arm.scope == scope; });
}

bool Experiment::wants(StartingBase base) const {
  return std::any_of(plan_.arms.begin(), plan_.arms.end(),
                     [&](const Arm& arm) { return arm.base == base; });
}

std::vector<Experiment::Unit> Experiment::units() {
  std::vector<Unit> all;
  for (std::int64_t order = 0; order < plan_.orders; ++order) {
    if (wants(StreamScope::family)) {
      for (const auto& family : families_) {
        all.emplace_back([this, family, order] { return leave_out(family, order); });
      }
    }
    if (!wants(StreamScope::all_tasks)) continue;
    for (std::int64_t seed = 0; seed < plan_.seeds; ++seed) {
      all.emplace_back([this, order, seed] { return mixed({order, seed}); });
    }
  }
  return all;
}

/// Each thread takes the next unit; the first error ends all.
Result<void> Experiment::run_units(const std::vector<Unit>& units, Runs& runs) {
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  std::optional<Error> error;
  const auto work = [&] {
    for (std::size_t i = next++; i < units.size(); i = next++) {
      auto found = stop_.stop_requested()
                       ? Result<Runs>(fail(Errc::cancelled, "the experiment was cancelled"))
                       : units[i]();
      const std::lock_guard lock(mutex);
      if (found) {
        std::move(found->begin(), found->end(), std::back_inserter(runs));
      } else {
        if (!error) error = std::move(found).error();
        next = units.size();
      }
    }
  };
  const auto machine = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  const std::int64_t threads =
      std::max<std::int64_t>(plan_.threads > 0 ? plan_.threads : machine, 1);
  {
    std::vector<std::jthread> workers;
    for (std::int64_t i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
  }
  if (error) return fail(std::move(*error));
  return {};
}

TaskOrder Experiment::order_of(std::int64_t order) const {
  TaskOrder tasks(table_.tasks().size());
  std::iota(tasks.begin(), tasks.end(), std::size_t{0});
  std::mt19937_64 dice(seed_from({plan_.seed, 1, static_cast<std::uint64_t>(order)}));
  // std::shuffle draws differently in every library; results must not.
  for (std::size_t i = tasks.size(); i > 1; --i) std::swap(tasks[i - 1], tasks[dice() % i]);
  return tasks;
}

Result<Experiment::Runs> Experiment::leave_out(const std::string& family, std::int64_t order) {
  TaskOrder training;
  TaskOrder left_out;
  for (const auto task : order_of(order)) {
    const bool is_left_out = recording(task).task().operator_family == family;
    (is_left_out ? left_out : training).push_back(task);
  }
  std::unique_ptr<ScratchBase> pretrained;
  std::set<Failure> failures;
  if (wants(StartingBase::pretrained)) {
    WARPMIND_TRY(pretrained, ScratchBase::create(scratch_, fresh_name(), parts_.clock));
    WARPMIND_TRY(failures, train(pretrained->store(), training, order));
    if (order == 0) WARPMIND_CHECK(forecast(pretrained->store(), left_out));
  }
  const std::vector<Situation>& elsewhere = elsewhere_.at(family);
  Runs runs;
  for (std::int64_t seed = 0; seed < plan_.seeds; ++seed) {
    for (std::size_t arm = 0; arm < plan_.arms.size(); ++arm) {
      if (plan_.arms[arm].scope != StreamScope::family) continue;
      const StartingBase base = plan_.arms[arm].base;
      WARPMIND_CHECK(run_stream({arm,
                                 {order, seed},
                                 left_out,
                                 base == StartingBase::pretrained ? pretrained.get()
                                 : base == StartingBase::fresh    ? fresh_.get()
                                                                  : nullptr,
                                 failures,
                                 elsewhere},
                                runs));
    }
  }
  return runs;
}

Result<Experiment::Runs> Experiment::mixed(Place place) {
  const TaskOrder tasks = order_of(place.order);
  const std::set<Failure> none;
  const std::vector<Situation> nowhere;
  Runs runs;
  for (std::size_t arm = 0; arm < plan_.arms.size(); ++arm) {
    if (plan_.arms[arm].scope != StreamScope::all_tasks) continue;
    WARPMIND_CHECK(run_stream({arm, place, tasks, fresh_.get(), none, nowhere}, runs));
  }
  return runs;
}

Result<std::set<Failure>> Experiment::train(knowledge_base::KnowledgeStore& base,
                                            const TaskOrder& tasks, std::int64_t order) {
  MemoryRules rules;
  rules.writes = true;
  FilteredStore store(&base, rules, seed_from({plan_.seed, 2, static_cast<std::uint64_t>(order)}));
  std::set<Failure> failures;
  for (const auto task : tasks) {
    WARPMIND_TRY(const Episode episode, episode_on(task, {order, kTraining}, store));
    failures.merge(failures_of(episode));
  }
  return failures;
}

Result<void> Experiment::run_stream(const Stream& stream, Runs& runs) {
  const Arm& arm = plan_.arms[stream.arm];
  // What is written to a base that nothing reads afterwards needs no copy of it.
  const bool writes = arm.rules.writes && (stream.tasks.size() > 1 || arm.again);
  std::unique_ptr<ScratchBase> own;
  if (writes && stream.base != nullptr) {
    WARPMIND_TRY(own, stream.base->copy(fresh_name()));
  }
  ScratchBase* const base = own ? own.get() : stream.base;
  MemoryRules rules = arm.rules;
  rules.writes = writes;
  FilteredStore store(base == nullptr ? nullptr : &base->store(), rules,
                      seed_from({plan_.seed, 3, static_cast<std::uint64_t>(stream.place.order),
                                 static_cast<std::uint64_t>(stream.place.seed)}),
                      stream.elsewhere);
  return run_passes(stream, store, runs);
}

Result<void> Experiment::run_passes(const Stream& stream, FilteredStore& store, Runs& runs) {
  const int passes = plan_.arms[stream.arm].again ? 2 : 1;
  std::set<Failure> failures = stream.failures;
  for (int pass = 1; pass <= passes; ++pass) {
    for (const auto task : stream.tasks) {
      const auto start = parts_.clock.monotonic();
      WARPMIND_TRY(const Episode episode, episode_on(task, stream.place, store));
      if (pass == passes) {
        Run run{stream.arm, task, stream.place.order, stream.place.seed, {}};
        run.score = score_of(episode, recording(task), plan_.evaluations, failures);
        run.score.seconds = std::chrono::duration<double>(parts_.clock.monotonic() - start).count();
        runs.push_back(std::move(run));
        count();
      }
      failures.merge(failures_of(episode));
    }
  }
  return {};
}

Result<Episode> Experiment::episode_on(std::size_t task, Place place, FilteredStore& store) {
  const std::uint64_t seed =
      seed_from({plan_.seed, 4, task, static_cast<std::uint64_t>(place.order),
                 static_cast<std::uint64_t>(place.seed)});
  JobRequest request;
  request.task = recording(task).task();
  request.budget = {plan_.evaluations, kNoSeconds};
  request.provider = table_.origin().provider;
  request.policy = plan_.policy;
  request.seed = seed;
  WARPMIND_TRY(Job job, store.add_job(request, parts_.clock.wall()));
  job.state = JobState::running;
  TableLab lab(table_, seed);
  TableProposer proposer(parts_.proposer, table_, results_);
  EpisodeLoop loop({lab, store, proposer, parts_.devices, parts_.clock});
  RunControl control;
  control.stop = stop_;
  WARPMIND_TRY(Episode episode, loop.run_episode(job, control));
  if (stop_.stop_requested()) return fail(Errc::cancelled, "the experiment was cancelled");
  job.state = JobState::done;
  WARPMIND_CHECK(store.commit(episode, job).transform([](const auto&) {}));
  return episode;
}

Result<void> Experiment::forecast(const knowledge_base::KnowledgeStore& base,
                                  const TaskOrder& tasks) {
  for (const auto task : tasks) {
    WARPMIND_TRY(const auto forecasts, forecasts_of(task, parts_, results_, base));
    const std::lock_guard lock(forecasting_);
    forecasts_.insert(forecasts_.end(), forecasts.begin(), forecasts.end());
  }
  return {};
}

void Experiment::count() {
  const std::int64_t done = ++done_;
  if (parts_.progress) {
    const auto all = static_cast<std::int64_t>(plan_.arms.size() * table_.tasks().size()) *
                     plan_.orders * plan_.seeds;
    parts_.progress(done, all);
  }
}

DeviceSpec device_of(const ExperimentParts& parts) {
  return parts.devices.match(parts.table.origin().device).value_or(DeviceSpec{});
}

}  // namespace

Result<ExperimentResult> run_experiment(const ExperimentParts& parts, const ExperimentPlan& plan,
                                        const std::stop_token& stop) {
  return Experiment(parts, plan, stop).run_arms();
}

double reachable_share(const ExperimentParts& parts) {
  const DeviceSpec device = device_of(parts);
  std::size_t reached = 0;
  for (const auto& recording : parts.table.tasks()) {
    reached += recorded_sources(recording, parts.proposer, device).size();
  }
  const std::size_t all = parts.table.kernels();
  return all == 0 ? 0 : static_cast<double>(reached) / static_cast<double>(all);
}

std::vector<Situation> situations_elsewhere(const ExperimentParts& parts,
                                            const std::string& family) {
  const DeviceSpec device = device_of(parts);
  std::vector<Situation> all;
  for (const auto& recording : parts.table.tasks()) {
    const Task& task = recording.task();
    if (task.operator_family == family) continue;
    for (const auto& [id, kernel] : recorded_sources(recording, parts.proposer, device)) {
      const Verdict& verdict = recording.find(id)->verdict;
      if (!recording.time_of(id)) continue;
      const Bottleneck bottleneck = diagnose({task, kernel, verdict, device});
      const Advice advice;
      const ProposalContext context{task, kernel, bottleneck, advice, device};
      all.push_back({bottleneck.primary,
                     situation_of(context, verdict, parts.table.origin().device),
                     task.operator_family});
    }
  }
  return all;
}

}  // namespace warpmind::agents::benchmark
