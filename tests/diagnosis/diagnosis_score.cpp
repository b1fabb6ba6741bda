#include "tests/diagnosis/diagnosis_score.h"

#include "agents/diagnosis.h"
#include "agents/first_advice.h"
#include "base/file.h"
#include "profilers/fixture_kernel_lab.h"

#include <algorithm>
#include <sstream>

namespace warpmind::diagnosis {
namespace {

bool is_named(const LabelledCase& label, BottleneckClass which) {
  return std::find(label.causes.begin(), label.causes.end(), which) != label.causes.end();
}

}  // namespace

bool DiagnosedCase::first_is_right() const { return is_named(*label, bottleneck.primary); }

bool DiagnosedCase::first_two_are_right() const {
  const auto& causes = bottleneck.causes;
  return first_is_right() || (causes.size() > 1 && is_named(*label, causes[1].which));
}

Result<std::vector<DiagnosedCase>> diagnose_recorded(const std::vector<LabelledCase>& cases,
                                                     const std::filesystem::path& recordings,
                                                     const config::DeviceTable& devices) {
  WARPMIND_TRY(const auto lab, profilers::FixtureKernelLab::create(recordings));
  WARPMIND_TRY(const auto identity, lab->device());
  const auto device = devices.match(identity);
  if (!device) return fail(Errc::not_found, "the device table has no row for " + identity.name);
  std::vector<DiagnosedCase> diagnosed;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Task& task = cases[i].task;
    if (!std::filesystem::exists(recordings / cases[i].name)) continue;
    WARPMIND_TRY(const auto own, profilers::FixtureKernelLab::create(recordings / cases[i].name));
    WARPMIND_TRY(const auto verdict, own->judge({task, task.kernel}, {}));
    if (!verdict.profile) {
      return fail(Errc::not_found, cases[i].name + ": " + verdict.reason);
    }
    DiagnosedCase one;
    one.label = &cases[i];
    one.bottleneck = agents::diagnose({task, task.kernel, verdict, *device});
    one.device = *device;
    if (verdict.measurement) one.time_ns = verdict.measurement->median_ns;
    one.held_out = i % 2 == 1;
    diagnosed.push_back(std::move(one));
  }
  return diagnosed;
}

void add_advice(std::vector<DiagnosedCase>& cases) {
  const Advice none;
  for (auto& one : cases) {
    const Task& task = one.label->task;
    one.advice = agents::advise_first({task, task.kernel, one.bottleneck, none, one.device}).text;
  }
}

Result<std::map<std::string, JudgedAdvice>> read_judged_advice(const std::filesystem::path& file) {
  constexpr std::size_t kLongestFile = 1U << 20U;
  WARPMIND_TRY(const auto text, read_file(file, kLongestFile));
  std::map<std::string, JudgedAdvice> judged;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find('\t');
    const auto second = line.find('\t', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) {
      return fail(Errc::invalid_argument, file.string() + ": not three columns: " + line);
    }
    const bool fits = line.substr(first + 1, second - first - 1) == "fits";
    judged[line.substr(0, first)] = {line.substr(second + 1), fits};
  }
  return judged;
}

DiagnosisScore score_of(const std::vector<DiagnosedCase>& cases, CasePart part) {
  DiagnosisScore score;
  for (const auto& one : cases) {
    if (part != CasePart::all && one.held_out != (part == CasePart::held_out)) continue;
    ++score.cases;
    if (one.first_is_right()) ++score.first;
    if (one.first_two_are_right()) ++score.first_two;
  }
  return score;
}

}  // namespace warpmind::diagnosis
