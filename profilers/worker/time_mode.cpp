#include "profilers/worker/time_mode.h"

#include "base/sequence.h"
#include "profilers/worker/block_timer.h"
#include "profilers/worker/input_ring.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>
#include <set>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kLeastLaunches = 20;  ///< a block, unless one run takes a block
constexpr std::size_t kMostRounds = 4;      ///< a block: the ring is refreshed before each
constexpr std::size_t kMostHotLaunches = 20'000;
constexpr std::size_t kWarmUpRuns = 3;  ///< lazy loading
constexpr std::int64_t kLeastQuads = 3;
constexpr int kBlocksAlone = 4;  ///< of the incumbent, before the candidate is loaded
/// An idle GPU needs some tens of ms of work before its clock is up: the warm-up ends when the
/// clock has stood still for so long, and at the latest after kLongestWarmUp.
constexpr std::chrono::milliseconds kWarmUpTime{50};
constexpr std::chrono::milliseconds kLongestWarmUp{1000};
constexpr double kSteadyClockBand = 0.01;
/// Two clocks disagree when the events miss more than both of these.
constexpr double kWallShareMissing = 0.05;
constexpr double kWallNsMissing = 50e3;

/// A program in the ring with the length of its blocks.
struct Contender {
  RingProgram program;
  bool only_enqueues = false;             ///< after its first run
  std::size_t launches = kLeastLaunches;  ///< runs of the plan a block
  double block_ns = 0;                    ///< about what such a block takes
  std::vector<double> wall_ns;            ///< of a run, block by block
  std::vector<double> wall_missing_share;
  std::vector<double> wall_missing_ns;
};

class TimingSession {
 public:
  TimingSession(RunnerSession& session, const RunnerJob& job)
      : session_(session), job_(job), run_case_(job.cases.front()) {}

  /// Errors are failures to run.
  Result<void> measure(RunnerReport& report);

  /// A trespass found after the blocks, or status ok.
  [[nodiscard]] CaseStatus trespass() const { return trespass_; }
  [[nodiscard]] const std::string& trespass_message() const { return trespass_message_; }

 private:
  Result<void> prepare();
  Result<void> time_incumbent_alone(RunnerReport& report);
  Result<Contender> load(const Program& program, Side side);
  Result<void> warm_up(Contender& contender);
  Result<double> block(Contender& contender, std::optional<std::size_t> judged = std::nullopt);
  [[nodiscard]] std::int64_t quads() const;
  Result<void> run_quads(RunnerReport& report);
  Result<void> finish();
  void watch_clock();
  [[nodiscard]] double clock_mhz() const;  ///< 0 = unknown
  void report_sensors(RunnerReport& report) const;
  [[nodiscard]] static std::string clocks_disagree(const Contender& contender);

  RunnerSession& session_;
  const RunnerJob& job_;
  const RunCase& run_case_;
  CaseInputs inputs_;
  std::unique_ptr<InputRing> ring_;
  std::optional<BlockTimer> timer_;
  Contender candidate_;
  std::optional<Contender> incumbent_;
  std::vector<double> sm_clocks_mhz_;
  std::set<std::string> throttle_;
  bool power_capped_ = false;
  CaseStatus trespass_ = CaseStatus::ok;
  std::string trespass_message_;
};

Result<void> TimingSession::prepare() {
  WARPMIND_TRY(inputs_, CaseInputs::open(run_case_));
  WARPMIND_TRY(ring_, InputRing::create(session_, run_case_, inputs_, job_.hot));
  WARPMIND_TRY(BlockTimer timer, BlockTimer::create(session_.stream()));
  timer_.emplace(std::move(timer));
  return {};
}

Result<void> TimingSession::time_incumbent_alone(RunnerReport& report) {
  WARPMIND_TRY(incumbent_, load(run_case_.incumbent, Side::incumbent));
  WARPMIND_CHECK(warm_up(*incumbent_));
  std::vector<double> alone_ns;
  for (int i = 0; i < kBlocksAlone; ++i) {
    WARPMIND_TRY(const double run_ns, block(*incumbent_));
    alone_ns.push_back(run_ns);
  }
  report.incumbent_alone_ns = median_of(std::move(alone_ns));
  return {};
}

Result<Contender> TimingSession::load(const Program& program, Side side) {
  WARPMIND_TRY(LoadedBinary* const binary, session_.binary_of(program));
  Contender contender;
  contender.program.is_gated = program.tier == Tier::a;
  contender.only_enqueues = program.only_enqueues;
  for (std::size_t i = 0; i < ring_->size(); ++i) {
    WARPMIND_TRY(auto plan, BoundPlan::bind(*binary, program, ring_->slot(i).addresses(side)));
    contender.program.plans.push_back(std::move(plan));
  }
  return contender;
}

Result<void> TimingSession::warm_up(Contender& contender) {
  const std::size_t most = job_.hot ? kMostHotLaunches : kMostRounds * ring_->size();
  std::size_t runs = std::min(kWarmUpRuns, most);
  WARPMIND_TRY(BlockTime time, timer_->time_block(*ring_, contender.program, runs));
  contender.program.is_gated |= contender.only_enqueues;
  auto run_ns = [&] { return std::max(time.event_ns / static_cast<double>(runs), 100.0); };
  const auto started = std::chrono::steady_clock::now();
  const auto limit = session_.options().simulated ? std::chrono::milliseconds(0) : kWarmUpTime;
  auto now = started;
  auto steady_since = started;
  double steady_mhz = clock_mhz();
  do {
    runs = run_ns() > job_.block_ms * 1e6 ? 1 : std::min(kLeastLaunches, most);
    WARPMIND_TRY(time, timer_->time_block(*ring_, contender.program, runs));
    now = std::chrono::steady_clock::now();
    const double mhz = clock_mhz();
    if (std::abs(mhz - steady_mhz) > kSteadyClockBand * steady_mhz) {
      steady_mhz = mhz;
      steady_since = now;
    }
  } while (now - steady_since < limit && now - started < kLongestWarmUp);

  const auto wanted = static_cast<std::size_t>(std::ceil(job_.block_ms * 1e6 / run_ns()));
  contender.launches = std::clamp(wanted, runs, most);
  contender.block_ns = run_ns() * static_cast<double>(contender.launches);
  return {};
}

double TimingSession::clock_mhz() const {
  return session_.nvml() == nullptr ? 0 : session_.nvml()->sm_clock_mhz().value_or(0);
}

Result<double> TimingSession::block(Contender& contender, std::optional<std::size_t> judged) {
  WARPMIND_TRY(const BlockTime time,
               timer_->time_block(*ring_, contender.program, contender.launches, judged));
  const double missing_ns = time.wall_ns - time.event_ns;
  contender.wall_ns.push_back(time.wall_ns / static_cast<double>(contender.launches));
  contender.wall_missing_ns.push_back(missing_ns);
  contender.wall_missing_share.push_back(missing_ns / std::max(time.wall_ns, 1.0));
  watch_clock();
  return time.event_ns / static_cast<double>(contender.launches);
}

void TimingSession::watch_clock() {
  // Read just after the block, not inside: a slow NVML call must not lengthen its wall time.
  if (session_.nvml() == nullptr) return;
  if (const auto mhz = session_.nvml()->sm_clock_mhz()) sm_clocks_mhz_.push_back(*mhz);
  const Nvml::Throttle now = session_.nvml()->throttle();
  if (!now.voiding.empty()) throttle_.insert(now.voiding);
  power_capped_ = power_capped_ || now.power_capped;
}

/// A quad has four blocks of the candidate alone, or two of each.
std::int64_t TimingSession::quads() const {
  const double quad_ms =
      (incumbent_ ? 2 * (candidate_.block_ns + incumbent_->block_ns) : 4 * candidate_.block_ns) /
      1e6;
  const auto affordable = static_cast<std::int64_t>(job_.most_ms / std::max(quad_ms, 1e-3));
  return std::min(job_.quads, std::max(kLeastQuads, affordable));
}

Result<void> TimingSession::run_quads(RunnerReport& report) {
  std::mt19937_64 random(job_.order_seed);
  const std::int64_t count = quads();
  // The timed run whose outputs are judged is one that nobody can foresee.
  std::mt19937_64 secret(std::random_device{}());
  const auto judged_quad = static_cast<std::int64_t>(secret() % static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    QuadSample& quad = report.quads.emplace_back();
    const bool candidate_outside = (random() >> 63U) == 1;          // BAAB
    std::size_t judged_position = secret() % (incumbent_ ? 2 : 4);  // of the candidate's blocks
    for (int position = 0; position < 4; ++position) {
      const bool outside = position == 0 || position == 3;
      const bool is_candidate = !incumbent_ || outside == candidate_outside;
      std::optional<std::size_t> judged;
      if (is_candidate && i == judged_quad && judged_position-- == 0) judged = secret();
      WARPMIND_TRY(const double run_ns, block(is_candidate ? candidate_ : *incumbent_, judged));
      (is_candidate ? quad.candidate_ns : quad.incumbent_ns).push_back(run_ns);
    }
  }
  return {};
}

Result<void> TimingSession::finish() {
  const CaseMemory& memory = ring_->judged();
  for (std::size_t i = 0; i < memory.specs().size(); ++i) {
    if (memory.specs()[i].output_file.empty()) continue;
    WARPMIND_TRY(const auto content, memory.read(i));
    WARPMIND_CHECK(dump(memory.specs()[i].output_file, content));
  }
  WARPMIND_TRY(auto damage, ring_->find_damage());
  WARPMIND_TRY(auto modified, memory.find_modified_input(inputs_));
  if (damage) {
    trespass_ = CaseStatus::red_zone;
    trespass_message_ = *damage;
  } else if (modified) {
    trespass_ = CaseStatus::input_modified;
    trespass_message_ = *modified;
  }
  return {};
}

std::string TimingSession::clocks_disagree(const Contender& contender) {
  const double share = median_of(contender.wall_missing_share);
  const double ns = median_of(contender.wall_missing_ns);
  if (share <= kWallShareMissing || ns <= kWallNsMissing) return {};
  return "the events miss " + std::to_string(std::lround(share * 100)) + " % (" +
         std::to_string(std::lround(ns / 1000)) +
         " us) of a block; work outside the timed stream, or a machine too busy to time on";
}

void TimingSession::report_sensors(RunnerReport& report) const {
  report.sm_clock_mhz = median_of(sm_clocks_mhz_);
  report.block_clocks_mhz = sm_clocks_mhz_;
  report.power_capped = power_capped_;
  if (session_.nvml() != nullptr) {
    report.max_sm_clock_mhz = session_.nvml()->max_sm_clock_mhz().value_or(0);
  }
  for (const std::string& reasons : throttle_) {
    report.throttle += (report.throttle.empty() ? "" : "; ") + reasons;
  }
}

Result<void> TimingSession::measure(RunnerReport& report) {
  WARPMIND_CHECK(prepare());
  if (!run_case_.incumbent.binary.empty()) WARPMIND_CHECK(time_incumbent_alone(report));
  WARPMIND_TRY(candidate_, load(run_case_.candidate, Side::candidate));
  WARPMIND_CHECK(warm_up(candidate_));
  WARPMIND_CHECK(run_quads(report));
  WARPMIND_CHECK(finish());
  WARPMIND_TRY(const LoadedBinary* const binary, session_.binary_of(run_case_.candidate));
  report.choice = binary->choice();
  report.launches_per_block = static_cast<std::int64_t>(candidate_.launches);
  report.wall_ns = median_of(candidate_.wall_ns);
  report_sensors(report);
  // A simulator's event times are predictions: they agree with no clock.
  if (session_.options().simulated) return {};
  report.candidate_clocks_disagree = clocks_disagree(candidate_);
  if (incumbent_) report.incumbent_clocks_disagree = clocks_disagree(*incumbent_);
  return {};
}

}  // namespace

RunnerReport time(RunnerSession& session, const RunnerJob& job) {
  RunnerReport report;
  report.device = session.device();
  if (job.cases.empty()) {
    report.error = "mode time needs a case";
    return report;
  }
  CaseReport& one = report.cases.emplace_back();
  one.id = job.cases.front().id;
  TimingSession timing(session, job);
  const auto measured = timing.measure(report);
  if (!measured) {
    one.status = CaseStatus::launch_error;
    one.message = measured.error().message;
  } else {
    one.status = timing.trespass();
    one.message = timing.trespass_message();
  }
  report.ok = one.status == CaseStatus::ok;
  if (!report.ok) report.error = one.message;
  return report;
}

}  // namespace warpmind::profilers
