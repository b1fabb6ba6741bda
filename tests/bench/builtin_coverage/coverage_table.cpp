#include "tests/bench/builtin_coverage/coverage_table.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

namespace warpmind::coverage {
namespace {

/// Sums over the trials of one technique, or of all.
struct Counts {
  std::set<std::string> programs;
  int tried = 0;
  int built = 0;
  int new_spills = 0;
  int simulated = 0;
  int close = 0;
  int different = 0;
  int registers_before = 0;  ///< summed over what was built
  int registers_after = 0;

  void add(const std::string& program, const Trial& trial) {
    programs.insert(program);
    ++tried;
    built += trial.built ? 1 : 0;
    new_spills += trial.has_new_spills ? 1 : 0;
    const bool ran = trial.simulated != Simulated::no && trial.simulated != Simulated::unfinished;
    simulated += ran ? 1 : 0;
    close += trial.simulated == Simulated::close ? 1 : 0;
    different += trial.simulated == Simulated::different ? 1 : 0;
    registers_before += trial.built ? trial.registers_before : 0;
    registers_after += trial.built ? trial.registers_after : 0;
  }
};

double mean(int sum, int count) { return count == 0 ? 0 : static_cast<double>(sum) / count; }

void print_techniques(const std::map<std::string, Counts>& techniques) {
  std::printf("\n%-26s %8s %6s %6s %7s %9s %6s %10s %8s %8s\n", "technique", "programs", "tried",
              "built", "spills", "simulated", "close", "different", "regs", "regs new");
  for (const auto& [name, counts] : techniques) {
    std::printf("%-26s %8zu %6d %6d %7d %9d %6d %10d %8.1f %8.1f\n", name.c_str(),
                counts.programs.size(), counts.tried, counts.built, counts.new_spills,
                counts.simulated, counts.close, counts.different,
                mean(counts.registers_before, counts.built),
                mean(counts.registers_after, counts.built));
  }
}

/// What is quoted is this program's: "'k' holds a loop" counts as "'…' holds a loop".
std::string without_names(const std::string& reason) {
  std::string text;
  bool is_quoted = false;
  for (const char letter : reason) {
    if (letter == '\'') {
      is_quoted = !is_quoted;
      text += is_quoted ? "'…" : "'";
    } else if (!is_quoted) {
      text += letter;
    }
  }
  return text;
}

/// The most frequent reasons of each technique.
void print_refusals(const std::vector<ProgramTrial>& programs) {
  std::map<std::string, std::map<std::string, int>> reasons;
  for (const auto& program : programs) {
    for (const auto& refusal : program.refusals) {
      ++reasons[refusal.technique][without_names(refusal.reason)];
    }
  }
  std::printf("\nrefusals\n");
  constexpr std::size_t kShown = 3;
  for (const auto& [technique, counts] : reasons) {
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [reason, count] : counts) order.emplace_back(count, reason);
    std::sort(order.rbegin(), order.rend());
    for (std::size_t i = 0; i < std::min(order.size(), kShown); ++i) {
      std::printf("  %-26s %4d  %s\n", technique.c_str(), order[i].first, order[i].second.c_str());
    }
  }
}

}  // namespace

void print_program(const ProgramTrial& program) {
  const auto good =
      std::count_if(program.trials.begin(), program.trials.end(),
                    [](const Trial& trial) { return trial.built && trial.fault.empty(); });
  std::printf("%-48s launches=%zu lifted=%zu offered=%zu tried=%zu good=%td", program.name.c_str(),
              program.launches, program.lifted, program.offered, program.trials.size(), good);
  if (!program.parse_fault.empty()) std::printf("; not parsed: %s", program.parse_fault.c_str());
  if (!program.lift_fault.empty()) std::printf("; not lifted: %s", program.lift_fault.c_str());
  if (!program.given_fault.empty()) std::printf("; given: %s", program.given_fault.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

int print_summary(const std::vector<ProgramTrial>& programs) {
  std::map<std::string, Counts> techniques;
  Counts all;
  int parsed = 0;
  int lifted = 0;
  for (const auto& program : programs) {
    parsed += program.parse_fault.empty() ? 1 : 0;
    lifted += program.lifted > 0 ? 1 : 0;
    for (const auto& trial : program.trials) {
      techniques[trial.technique].add(program.name, trial);
      all.add(program.name, trial);
    }
  }
  print_techniques(techniques);
  print_refusals(programs);
  std::printf("\n");
  for (const auto& program : programs) {
    for (const auto& trial : program.trials) {
      if (trial.fault.empty()) continue;
      std::printf("FAULT %s: %s %s: %s\n", program.name.c_str(), trial.technique.c_str(),
                  trial.parameters.c_str(), trial.fault.c_str());
    }
  }
  std::printf(
      "RESULT files=%zu parsed=%d lifted=%d moves=%d built=%d spilled_new=%d simulated=%d "
      "mismatches=%d\n",
      programs.size(), parsed, lifted, all.tried, all.built, all.new_spills, all.simulated,
      all.different);
  return all.tried - all.built + all.different;
}

}  // namespace warpmind::coverage
