/// \file
/// What a time on this GPU is worth: how often equal kernels are called different and from which
/// gain on one is seen, whether planted losses are found, whether three clocks agree, what the
/// flush does. Settings come from the environment (WARPMIND_*), as for the daemon.
///   gpu_timing_bench [--which aa|known|clocks|flush|all] [--pairs N] [--simulated DEVICE]
/// Exit 4 where there is no GPU. RESULT provider= aa_pairs= aa_false= aa_noise_percent=
/// mde_percent= known_1= known_2= known_5= known_10= known_error_points= clocks_agree=
/// clocks_kernels= clocks_without_profiler= cold_hot_ratio= persisting_change_percent=; what was
/// left out is -.

#include "config/settings_loader.h"
#include "tests/bench/gpu_timing/timing_checks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::bench {
namespace {

constexpr const char* kUsage =
    "usage: gpu_timing_bench [--which aa|known|clocks|flush|all] [--pairs N] [--simulated DEVICE]\n"
    "  --which      the check to run (default all)\n"
    "  --pairs      confirmations of each pair of kernels, 1 to 1000 (default 3; 50 take an hour)\n"
    "  --simulated  a tiny form on the simulator: shows that the program works, nothing else\n";

std::optional<BenchOptions> parse(int count, char** words) {
  BenchOptions options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const std::string_view value = words[i + 1];
    if (name == "--which") {
      options.which = value;
    } else if (name == "--simulated") {
      options.simulated = value;
    } else if (name == "--pairs") {
      const auto [stopped, error] =
          std::from_chars(value.data(), value.data() + value.size(), options.pairs);
      if (error != std::errc() || stopped != value.data() + value.size()) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  constexpr std::array<std::string_view, 5> kChecks{"aa", "known", "clocks", "flush", "all"};
  const bool known = std::find(kChecks.begin(), kChecks.end(), options.which) != kChecks.end();
  if (count % 2 == 0 || !known || options.pairs < 1 || options.pairs > 1000) return std::nullopt;
  if (options.is_simulated()) {
    options.processes = 3;
    options.quads = 1;
    options.block_ms = 0.0001;  // one run a block
  }
  return options;
}

struct Figures {
  std::optional<FalseGains> gains;
  std::optional<PlantedLosses> losses;
  std::optional<ClockAgreement> clocks;
  std::optional<CacheEffect> caches;
};

Result<Figures> measure(BenchLab& lab, const BenchOptions& options) {
  const auto wants = [&](std::string_view name) {
    return options.which == "all" || options.which == name;
  };
  Figures figures;
  if (wants("aa")) {
    WARPMIND_TRY(figures.gains, check_false_gains(lab, options));
  }
  if (wants("known")) {
    WARPMIND_TRY(figures.losses, check_planted_losses(lab, options));
  }
  if (wants("clocks")) {
    WARPMIND_TRY(figures.clocks, check_clocks(lab, options));
  }
  if (wants("flush")) {
    WARPMIND_TRY(figures.caches, check_flush(lab, options));
  }
  return figures;
}

void print(const char* name, std::optional<double> value, int digits) {
  if (value) {
    std::printf(" %s=%.*f", name, digits, *value);
  } else {
    std::printf(" %s=-", name);
  }
}

template <class T, class Member>
std::optional<double> of(const std::optional<T>& figures, Member member) {
  if (!figures) return std::nullopt;
  return static_cast<double>((*figures).*member);
}

void print_result(const Figures& figures, const BenchOptions& options) {
  std::printf("RESULT provider=%s", options.is_simulated() ? "sim" : "gpu");
  print("aa_pairs", of(figures.gains, &FalseGains::pairs), 0);
  print("aa_false", of(figures.gains, &FalseGains::false_improved), 0);
  print("aa_noise_percent", of(figures.gains, &FalseGains::noise_percent), 3);
  print("mde_percent", of(figures.gains, &FalseGains::detectable_percent), 2);
  for (const std::int64_t percent : {1, 2, 5, 10}) {
    std::optional<double> share;
    if (figures.losses) {
      const auto seen = figures.losses->seen_share.find(percent);
      if (seen != figures.losses->seen_share.end()) share = seen->second;
    }
    print(("known_" + std::to_string(percent)).c_str(), share, 2);
  }
  print("known_error_points", of(figures.losses, &PlantedLosses::largest_error_points), 2);
  print("clocks_agree", of(figures.clocks, &ClockAgreement::agree), 0);
  print("clocks_kernels", of(figures.clocks, &ClockAgreement::kernels), 0);
  print("clocks_without_profiler", of(figures.clocks, &ClockAgreement::without), 0);
  print("cold_hot_ratio", of(figures.caches, &CacheEffect::cold_hot_ratio), 2);
  print("persisting_change_percent",
        figures.caches ? figures.caches->persisting_change_percent : std::nullopt, 2);
  std::printf("\n");
}

Result<void> run(const BenchOptions& options) {
  WARPMIND_TRY(const auto loaded,
               config::load_settings({std::nullopt, config::capture_environment(), {}, {}}));
  WARPMIND_TRY(const auto lab, BenchLab::open(loaded.settings, options));
  if (options.is_simulated()) {
    std::printf(
        "Simulated, in a tiny form: this shows that the program works. No figure below says "
        "anything about a GPU.\n");
  }
  std::printf("%s, driver %s\n", lab->device().name.c_str(), lab->device().driver.c_str());
  WARPMIND_TRY(const Figures figures, measure(*lab, options));
  print_result(figures, options);
  return {};
}

}  // namespace
}  // namespace warpmind::bench

int main(int count, char** words) {
  const auto options = warpmind::bench::parse(count, words);
  if (!options) {
    std::fputs(warpmind::bench::kUsage, stderr);
    return 2;
  }
  const auto ran = warpmind::bench::run(*options);
  if (ran) return 0;
  std::fprintf(stderr, "gpu_timing_bench: %s\n", ran.error().message.c_str());
  return ran.error().code == warpmind::Errc::unavailable ? 4 : 1;
}
