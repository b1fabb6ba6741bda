#include "tests/bench/validation/comparison_report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::validation {
namespace {

constexpr double kMargin = 0.1;
constexpr double kSectorBytes = 32;
/// Traffic is compared where the buffers are this much larger than the L2 cache of 60 MiB: CUPTI
/// replays a kernel without a flush between.
constexpr std::int64_t kLargeBytes = std::int64_t{128} << 20U;

using Groups = std::map<std::string, std::vector<ComparedPoint>>;
using NameOf = std::function<std::string(const ComparedPoint&)>;

Groups groups_of(const std::vector<ComparedPoint>& points, const NameOf& name) {
  Groups groups;
  for (const ComparedPoint& one : points) groups[name(one)].push_back(one);
  return groups;
}

Ordering ordering_within(const Tasks& tasks, double margin) {
  Ordering sum;
  for (const auto& [name, times] : tasks) sum += ordering_of(times, margin);
  return sum;
}

double mean_regret(const Tasks& tasks) {
  double sum = 0;
  for (const auto& [name, times] : tasks) sum += top_regret(times);
  return sum / static_cast<double>(tasks.size());
}

std::vector<TimePair> times_of(const std::vector<ComparedPoint>& points) {
  std::vector<TimePair> out;
  out.reserve(points.size());
  for (const ComparedPoint& one : points) out.push_back(one.times());
  return out;
}

void print_group(const char* title, const Groups& groups) {
  std::printf("\n%-16s points   tau  pairs>10%%  right  regret  median p/m   p10   p90\n", title);
  for (const auto& [name, points] : groups) {
    const Tasks tasks = tasks_of(points);
    const Ordering wide = ordering_within(tasks, kMargin);
    const auto factors = factors_of(times_of(points));
    std::printf("%-16s %6zu %5.2f %10.0f %5.1f%% %7.2f %11.2f %5.2f %5.2f\n", name.c_str(),
                points.size(), ordering_within(tasks, 0).tau(), wide.pairs, 100 * wide.share(),
                mean_regret(tasks), quantile(factors, 0.5), quantile(factors, 0.1),
                quantile(factors, 0.9));
  }
}

/// 90 % of the predicted ratios of two points of a task and confidence miss by less.
double pair_uncertainty(const std::vector<ComparedPoint>& points) {
  std::vector<double> misses;
  for (const auto& [name, times] : tasks_of(points)) {
    const auto some = ratio_misses(times);
    misses.insert(misses.end(), some.begin(), some.end());
  }
  return quantile(misses, 0.9);
}

}  // namespace

Summary summarise(const std::vector<ComparedPoint>& points,
                  const std::vector<CounterCheck>& counters) {
  Summary out;
  const Tasks tasks = tasks_of(points);
  out.points = points.size();
  out.tau = ordering_within(tasks, 0).tau();
  out.pairs10 = ordering_within(tasks, kMargin).share();
  out.regret = mean_regret(tasks);
  std::vector<TimePair> dram;
  for (const ComparedPoint& one : points) {
    if (one.prediction.bound == simulator::Resource::dram) dram.push_back(one.times());
    if (!one.simulated.sum) continue;
    ++out.checksums;
    if (sums_agree(*one.simulated.sum, one.measured.sum)) ++out.checksums_right;
  }
  out.factor_dram = quantile(factors_of(dram), 0.5);
  out.factor_all = mean_factor(times_of(points));
  double whole = 0;
  double equal = 0;
  for (const CounterCheck& check : counters) {
    if (!check.whole || check.is_banks) continue;
    whole += 1;
    if (check.agrees()) equal += 1;
  }
  out.sectors_exact = whole > 0 ? equal / whole : 0;
  return out;
}

void print_times(const std::vector<ComparedPoint>& points) {
  print_group("family", groups_of(points, [](const auto& one) { return one.point.family; }));
  print_group("bound", groups_of(points, [](const auto& one) {
                return std::string(name_of(one.prediction.bound));
              }));
  const auto by_confidence = groups_of(
      points, [](const auto& one) { return std::string(name_of(one.prediction.confidence)); });
  print_group("confidence", by_confidence);
  for (const auto& [name, some] : by_confidence) {
    std::printf("confidence %s: 90 %% of the ratios within a task miss by less than %.2fx\n",
                name.c_str(), pair_uncertainty(some));
  }
}

void print_counters(const std::vector<CounterCheck>& counters) {
  std::map<std::string, std::array<int, 4>> sums;
  for (const CounterCheck& check : counters) {
    auto& sum = sums[check.counter];
    const std::size_t first = check.whole ? 0 : 2;
    ++sum.at(first);
    if (check.agrees()) ++sum.at(first + 1);
  }
  std::printf("\ncounter: whole runs that are equal; samples, scaled up, within 1 %%\n");
  for (const auto& [name, sum] : sums) {
    std::printf("%-56s %3d of %3d  %3d of %3d\n", name.c_str(), sum[1], sum[0], sum[3], sum[2]);
  }
  for (const CounterCheck& check : counters) {
    if (check.agrees()) continue;
    std::printf("  %-46s %-52s %12.0f, measured %12.0f%s\n", check.id.c_str(),
                check.counter.c_str(), check.simulated, check.measured,
                check.whole ? "" : " (sample)");
  }
}

void print_sums(const std::vector<ComparedPoint>& points) {
  for (const ComparedPoint& one : points) {
    if (!one.simulated.sum || sums_agree(*one.simulated.sum, one.measured.sum)) continue;
    std::printf("output of %s differs: sum %.9g, measured %.9g; weighted %.9g, measured %.9g\n",
                one.point.id.c_str(), one.simulated.sum->sum, one.measured.sum.sum,
                one.simulated.sum->weighted, one.measured.sum.weighted);
  }
}

void print_dram(const std::vector<ComparedPoint>& points, const MeasuredTable& measured) {
  std::vector<double> ratios;
  for (const ComparedPoint& one : points) {
    if (bytes_of_buffers(one.point) < kLargeBytes) continue;
    const auto read = measured.counter(one.point.id, "dram__bytes_read.sum");
    const auto written = measured.counter(one.point.id, "dram__bytes_write.sum");
    if (!read || !written) continue;
    const double bytes = one.prediction.memory.dram_sectors() * kSectorBytes * one.prediction.scale;
    ratios.push_back(bytes / (*read + *written));
    std::printf("  %-46s %8.1f MB of DRAM traffic, measured %8.1f: %.2f\n", one.point.id.c_str(),
                bytes / 1e6, (*read + *written) / 1e6, ratios.back());
  }
  std::printf(
      "DRAM bytes of %zu points with buffers of 128 MiB and more: median %.2f of what was "
      "measured (p10 %.2f, p90 %.2f)\n",
      ratios.size(), quantile(ratios, 0.5), quantile(ratios, 0.1), quantile(ratios, 0.9));
}

void print_result(const Summary& summary) {
  std::printf(
      "RESULT points=%zu tau=%.3f pairs10=%.3f regret=%.3f factor_dram=%.3f "
      "factor_all=%.3f sectors_exact=%.3f checksum_ok=%.3f\n",
      summary.points, summary.tau, summary.pairs10, summary.regret, summary.factor_dram,
      summary.factor_all, summary.sectors_exact,
      summary.checksums > 0
          ? static_cast<double>(summary.checksums_right) / static_cast<double>(summary.checksums)
          : 1);
}

Result<void> write_json(const std::vector<ComparedPoint>& points,
                        const std::filesystem::path& file) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ComparedPoint& one : points) {
    const simulator::Prediction& prediction = one.prediction;
    nlohmann::ordered_json entry = {
        {"id", one.point.id},
        {"predicted_us", prediction.time_us},
        {"measured_us", one.measured.us},
        {"bound", name_of(prediction.bound)},
        {"confidence", name_of(prediction.confidence)},
        {"mix", name_of(prediction.mix.origin)},
        {"blocks_per_sm", {prediction.occupancy.blocks_per_sm, one.measured.blocks_per_sm}},
        {"waves", prediction.waves},
        {"warp_cycles", prediction.warp_cycles},
        {"l1_hit", prediction.memory.l1_hit_rate()},
        {"l2_hit", prediction.memory.l2_hit_rate()},
        {"dram_read", prediction.memory.dram_read_sectors * kSectorBytes * prediction.scale},
        {"dram_write", prediction.memory.dram_write_sectors * kSectorBytes * prediction.scale},
        {"instructions", prediction.mix.instructions * prediction.scale},
        {"notes", prediction.notes}};
    for (std::size_t i = 0; i < simulator::kResources; ++i) {
      const auto resource = static_cast<simulator::Resource>(i);
      entry["cycles"][std::string(name_of(resource))] = prediction.cycles[resource];
    }
    all.push_back(std::move(entry));
  }
  std::ofstream out(file);
  out << all.dump(1) << '\n';
  if (!out) return fail(Errc::external_failure, "cannot write " + file.string());
  return {};
}

}  // namespace warpmind::validation
