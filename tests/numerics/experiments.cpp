#include "tests/numerics/experiments.h"

#include "profilers/judge/elements.h"
#include "tests/numerics/mutants.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <string_view>

namespace warpmind::numerics {
namespace {

constexpr std::uint64_t kBaselineSeed = 990'001;
constexpr double kWithoutError = 1e6;

const Argument& first_output(const Family& family) {
  return *std::find_if(family.task().arguments.begin(), family.task().arguments.end(),
                       [](const Argument& a) {
                         return a.kind == ArgumentKind::out || a.kind == ArgumentKind::inout;
                       });
}

bool is_beyond(double got, double reference, double tolerance, Dtype dtype) {
  const double want = profilers::round_to(reference, dtype);
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) != std::isnan(want);
  if (std::isinf(got) || std::isinf(want)) return false;  // next to overflow either is right
  return std::fabs(got - (tolerance > 0 ? reference : want)) > 4 * tolerance;
}

/// Of each element of each output.
using Tolerances = std::map<std::string, std::vector<double>>;

Tolerances tolerances_of(const Family& family, const FamilyCase& one, double baseline_error) {
  Tolerances all;
  for (const Argument& argument : family.task().arguments) {
    if (argument.kind != ArgumentKind::out && argument.kind != ArgumentKind::inout) continue;
    all[argument.name] = profilers::element_tolerances(
        one.reference.expected(argument, family.extents(argument, one)),
        family.rule(one, baseline_error));
  }
  return all;
}

/// Whether any element of any output is off by more than four tolerances.
bool is_beyond_4x(const Family& family, const FamilyCase& one, const Outputs& outputs,
                  const Tolerances& allowed) {
  for (const Argument& argument : family.task().arguments) {
    const auto bytes = outputs.find(argument.name);
    if (bytes == outputs.end()) continue;
    const auto expected = one.reference.expected(argument, family.extents(argument, one));
    const std::vector<double>& tolerances = allowed.at(argument.name);
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
      const double got = profilers::decode_element(bytes->second, argument.dtype, i);
      if (is_beyond(got, expected.reference[i], tolerances[i], argument.dtype)) return true;
    }
  }
  return false;
}

/// The cases of one judging with their honest outputs.
struct Subject {
  const Family& family;
  std::vector<FamilyCase> cases;
  std::vector<Outputs> honest;
  std::vector<Outputs> stale;
  std::vector<Tolerances> tolerances;
  double baseline_error = 0;
};

Subject make_subject(const Family& family, std::uint64_t seed) {
  Subject subject{family, family.draw(seed), {}, {}, {}, 0};
  subject.baseline_error = family.baseline_error(family.draw(kBaselineSeed));
  const auto before = family.draw(seed + 1);
  for (std::size_t i = 0; i < subject.cases.size(); ++i) {
    subject.honest.push_back(
        family.encode(family.run(subject.cases[i], Order::lanes32, Flaw::none)));
    subject.stale.push_back(family.encode(family.run(before[i], Order::lanes32, Flaw::none)));
    subject.tolerances.push_back(tolerances_of(family, subject.cases[i], subject.baseline_error));
  }
  return subject;
}

void count(const Subject& subject, const std::string& name, const std::vector<Outputs>& spoiled,
           MutationRow& row) {
  bool changed = false;
  bool beyond = false;
  Judged judged;
  for (std::size_t i = 0; i < subject.cases.size(); ++i) {
    if (spoiled[i] == subject.honest[i]) continue;
    changed = true;
    raise(judged, subject.family.judge(subject.cases[i], spoiled[i], subject.baseline_error));
    beyond =
        beyond || is_beyond_4x(subject.family, subject.cases[i], spoiled[i], subject.tolerances[i]);
  }
  if (!changed) return;
  const bool killed = judged.ratio > 1;
  ++row.mutants;
  row.killed += killed ? 1 : 0;
  row.beyond4x += beyond ? 1 : 0;
  row.beyond4x_killed += beyond && killed ? 1 : 0;
  if (killed) return;
  row.survivors.push_back(name + ": error " + std::to_string(judged.ratio) + " of the tolerance");
}

/// Whether `flaw` breaks the contract at all: operands of 16 bits are no flaw where they are stored
/// in 16 bits.
bool is_flaw(const Family& family, Flaw flaw) {
  const bool operands = flaw == Flaw::operands_tf32 || flaw == Flaw::operands_f16;
  return flaw != Flaw::none && !(operands && size_in_bytes(family.dtype()) == 2);
}

/// Sums may lose what lies below the smallest normal number: the rule says so (tolerance.h).
bool is_mutant(const Family& family, const Mutant& mutant) {
  const ToleranceClass kind = family.task().contract.tolerance;
  const bool sums = kind == ToleranceClass::contraction || kind == ToleranceClass::reduction;
  return !(sums && std::string_view(mutant.name) == "denormals flushed");
}

/// Flaws that take the precision or a part of the sum below what the contract asks.
std::vector<Flaw> cheats_of(const Family& family) {
  std::vector<Flaw> cheats{Flaw::drop_last};
  const bool half = size_in_bytes(family.dtype()) == 2;
  if (family.dtype() == Dtype::f64) {
    cheats.insert(cheats.end(), {Flaw::operands_f32, Flaw::sums_f32});
  } else if (half) {
    cheats.push_back(Flaw::sums_bf16);
    if (family.dtype() == Dtype::f16) cheats.push_back(Flaw::sums_f16);
  } else {
    cheats.insert(cheats.end(), {Flaw::operands_tf32, Flaw::operands_f16, Flaw::operands_bf16,
                                 Flaw::sums_f16, Flaw::sums_bf16});
  }
  return cheats;
}

struct CheatCases {
  std::vector<FamilyCase> cases;
  std::vector<Outputs> honest;
};

CheatCases draw_cheat_cases(const Family& family, std::uint64_t seed) {
  CheatCases drawn{family.draw(seed), {}};
  for (const FamilyCase& one : drawn.cases) {
    drawn.honest.push_back(family.encode(family.run(one, Order::sequential, Flaw::none)));
  }
  return drawn;
}

double cheat_ratio(const Family& family, Flaw flaw, const CheatCases& drawn,
                   double baseline_error) {
  Judged judged;
  bool changed = false;
  for (std::size_t i = 0; i < drawn.cases.size(); ++i) {
    const auto outputs = family.encode(family.run(drawn.cases[i], Order::sequential, flaw));
    changed = changed || outputs != drawn.honest[i];
    raise(judged, family.judge(drawn.cases[i], outputs, baseline_error));
  }
  return changed ? judged.ratio : profilers::kHopelessRatio;  // no cheat in this family
}

/// How far the honest orders go in one draw; `row` keeps the farthest.
void calibrate_honest(const Family& family, std::uint64_t seed, double baseline_error,
                      CalibrationRow& row, double& largest) {
  const auto cases = family.draw(seed);
  for (const auto& [order, name] : EnumNames<Order>::table) {
    for (const FamilyCase& one : cases) {
      const double excess =
          family.excess(one, family.encode(family.run(one, order, Flaw::none)), baseline_error);
      if (excess <= largest) continue;
      largest = excess;
      row.order = std::string(name) + ", " + one.workload.name + "/" + one.inputs_are;
    }
  }
}

}  // namespace

MutationRow run_mutants(const Family& family, std::uint64_t seed) {
  const Subject subject = make_subject(family, seed);
  MutationRow row;
  row.family = family.name();
  const Argument& output = first_output(family);
  for (const Mutant& mutant : mutants()) {
    if (!is_mutant(family, mutant)) continue;
    std::vector<Outputs> spoiled = subject.honest;
    for (std::size_t i = 0; i < spoiled.size(); ++i) {
      std::string& bytes = spoiled[i].at(output.name);
      if (bytes.empty()) continue;
      Spoiled spoil(bytes, subject.stale[i].at(output.name), output.dtype,
                    family.extents(output, subject.cases[i]));
      mutant.spoil(spoil);
      bytes = spoil.bytes();
    }
    count(subject, mutant.name, spoiled, row);
  }
  for (const auto& [flaw, name] : EnumNames<Flaw>::table) {
    if (!is_flaw(family, flaw)) continue;
    std::vector<Outputs> spoiled;
    for (const FamilyCase& one : subject.cases) {
      spoiled.push_back(family.encode(family.run(one, Order::lanes32, flaw)));
    }
    count(subject, std::string(name), spoiled, row);
  }
  return row;
}

HonestRow run_honest(const Family& family, std::int64_t seeds) {
  HonestRow row;
  row.family = family.name();
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const double baseline_error = family.baseline_error(family.draw(kBaselineSeed + number));
    const auto cases = family.draw(1000 + number);
    for (const auto& [order, name] : EnumNames<Order>::table) {
      Judged judged;
      for (const FamilyCase& one : cases) {
        raise(judged,
              family.judge(one, family.encode(family.run(one, order, Flaw::none)), baseline_error));
      }
      ++row.kernels;
      row.worst_ratio = std::max(row.worst_ratio, judged.ratio);
      row.worst_relative_l2 = std::max(row.worst_relative_l2, judged.relative_l2);
      row.worst_ulp = std::max(row.worst_ulp, judged.ulp);
      if (judged.ratio <= 1) continue;
      ++row.rejected;
      row.complaints.push_back(std::string(name) + ": " + judged.worst);
    }
  }
  return row;
}

CalibrationRow calibrate(const Family& family, std::int64_t seeds) {
  CalibrationRow row;
  row.family = family.name();
  row.dtype = name_of(family.dtype());
  row.tolerance = name_of(family.task().contract.tolerance);
  row.cheat_ratio = profilers::kHopelessRatio;
  double largest = 0;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const double baseline_error = family.baseline_error(family.draw(kBaselineSeed + number));
    const CheatCases drawn = draw_cheat_cases(family, 2000 + number);
    for (const Flaw flaw : cheats_of(family)) {
      const double ratio = cheat_ratio(family, flaw, drawn, baseline_error);
      if (ratio >= row.cheat_ratio) continue;
      row.cheat_ratio = ratio;
      row.cheat = name_of(flaw);
    }
    calibrate_honest(family, 3000 + number, baseline_error, row, largest);
  }
  row.honest_ratio = largest > 1 / kWithoutError ? 1 / largest : kWithoutError;
  return row;
}

void print(std::ostream& out, const std::vector<MutationRow>& rows) {
  out << "family            mutants  killed  beyond 4x  of them killed\n";
  for (const MutationRow& row : rows) {
    out << std::left << std::setw(17) << row.family << std::right << std::setw(8) << row.mutants
        << std::setw(8) << row.killed << std::setw(11) << row.beyond4x << std::setw(16)
        << row.beyond4x_killed << "\n";
  }
  for (const MutationRow& row : rows) {
    for (const auto& survivor : row.survivors) {
      out << "  survivor: " << row.family << ", " << survivor << "\n";
    }
  }
}

void print(std::ostream& out, const std::vector<HonestRow>& rows) {
  out << "family            kernels  rejected  worst error/tolerance  worst rel. L2   worst ulp\n";
  for (const HonestRow& row : rows) {
    out << std::left << std::setw(17) << row.family << std::right << std::setw(8) << row.kernels
        << std::setw(10) << row.rejected << std::setw(23) << std::setprecision(3) << row.worst_ratio
        << std::setw(15) << row.worst_relative_l2 << std::setw(12) << row.worst_ulp << "\n";
  }
  for (const HonestRow& row : rows) {
    for (const auto& complaint : row.complaints) {
      out << "  rejected: " << row.family << ", " << complaint << "\n";
    }
  }
}

void print(std::ostream& out, const std::vector<CalibrationRow>& rows) {
  out << "| task | dtype | class | least cheat / tolerance | cheat | tolerance / worst honest "
         "| order |\n|---|---|---|---|---|---|---|\n";
  for (const CalibrationRow& row : rows) {
    out << "| " << row.family << " | " << row.dtype << " | " << row.tolerance << " | "
        << std::setprecision(3) << row.cheat_ratio << " | " << row.cheat << " | ";
    if (row.honest_ratio >= kWithoutError) {
      out << "no error | |\n";
    } else {
      out << row.honest_ratio << " | " << row.order << " |\n";
    }
  }
}

}  // namespace warpmind::numerics
