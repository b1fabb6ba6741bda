/// \file
/// The labelled kernels, what the expert says and what the diagnosis says.
///   diagnosis_bench [RECORDINGS [CASES]]

#include "base/text.h"
#include "tests/diagnosis/diagnosis_score.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace warpmind::diagnosis {
namespace {

std::string names_of(const std::vector<BottleneckClass>& causes) {
  std::string text;
  for (const auto which : causes) {
    text += (text.empty() ? "" : "|") + std::string(name_of(which));
  }
  return text;
}

std::string cause_text(const DiagnosedCase& one, std::size_t index) {
  const auto& causes = one.bottleneck.causes;
  if (index >= causes.size()) return "-";
  return std::string(name_of(causes[index].which)) + " " + fixed(100 * causes[index].share, 0);
}

void print_case(const DiagnosedCase& one) {
  const char* mark = one.first_is_right() ? " " : one.first_two_are_right() ? "2" : "X";
  std::printf("%s %s %-28s %10.1f us  %-40s | %-28s %-28s %-24s\n", one.held_out ? "h" : "t", mark,
              one.label->name.c_str(), one.time_ns / 1e3, names_of(one.label->causes).c_str(),
              cause_text(one, 0).c_str(), cause_text(one, 1).c_str(), cause_text(one, 2).c_str());
}

void print_score(const char* name, const DiagnosisScore& score) {
  const double all = std::max(score.cases, 1);
  std::printf("%s: n=%d top1=%.3f top2=%.3f\n", name, score.cases, score.first / all,
              score.first_two / all);
}

Result<int> run(const std::string& recordings, const std::string& directory) {
  WARPMIND_TRY(const auto cases, load_labelled_cases(directory));
  WARPMIND_TRY(const auto devices, config::DeviceTable::load());
  WARPMIND_TRY(auto diagnosed, diagnose_recorded(cases, recordings, devices));
  add_advice(diagnosed);
  for (const auto& one : diagnosed) print_case(one);
  std::printf("\n");
  for (const auto& one : diagnosed) {
    std::printf("%s\n  %s\n  advice: %s\n", one.label->name.c_str(),
                one.bottleneck.explanation.c_str(), one.advice.c_str());
  }
  print_score("tuned on", score_of(diagnosed, CasePart::tuned_on));
  print_score("held out", score_of(diagnosed, CasePart::held_out));
  const auto all = score_of(diagnosed, CasePart::all);
  const double count = std::max(all.cases, 1);
  WARPMIND_TRY(const auto judged, read_judged_advice(directory + "/advice_judged.tsv"));
  const auto fits = std::count_if(diagnosed.begin(), diagnosed.end(), [&](const auto& one) {
    const auto found = judged.find(one.label->name);
    return found != judged.end() && found->second.fits && found->second.text == one.advice;
  });
  std::printf("RESULT top1=%.3f top2=%.3f advice=%.3f n=%d\n", all.first / count,
              all.first_two / count, static_cast<double>(fits) / count, all.cases);
  return 0;
}

}  // namespace
}  // namespace warpmind::diagnosis

int main(int count, char** words) {
  const std::string directory = WARPMIND_SOURCE_DIR "/tests/diagnosis";
  const auto ran = warpmind::diagnosis::run(count > 1 ? words[1] : directory + "/recordings/h200",
                                            count > 2 ? words[2] : directory);
  if (ran) return *ran;
  std::fprintf(stderr, "diagnosis_bench: %s\n", ran.error().message.c_str());
  return 1;
}
