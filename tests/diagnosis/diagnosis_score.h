#pragma once
/// \file
/// How often the diagnosis of a recorded kernel names what the expert named.

#include "base/model/bottleneck.h"
#include "base/result.h"
#include "config/device_table.h"
#include "tests/diagnosis/labelled_cases.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warpmind::diagnosis {

struct DiagnosedCase {
  const LabelledCase* label = nullptr;
  Bottleneck bottleneck;
  DeviceSpec device;
  std::string advice;  ///< first line; empty before add_advice()
  double time_ns = 0;
  bool held_out = false;  ///< at an odd position: the estimates were not tuned on it

  [[nodiscard]] bool first_is_right() const;
  [[nodiscard]] bool first_two_are_right() const;  ///< one of them
};

struct DiagnosisScore {
  int cases = 0;
  int first = 0;
  int first_two = 0;
};

/// A line of advice and whether a person found that it fits the kernel.
struct JudgedAdvice {
  std::string text;
  bool fits = false;
};

/// Rows of `file`: name of the case, "fits" or "off", the line. Errors: as read_file;
/// invalid_argument for a row of another form.
[[nodiscard]] Result<std::map<std::string, JudgedAdvice>> read_judged_advice(
    const std::filesystem::path& file);

/// From the recordings of diagnosis_record in `recordings`; cases without are left out. Errors:
/// not_found for a kernel that is not the one recorded.
[[nodiscard]] Result<std::vector<DiagnosedCase>> diagnose_recorded(
    const std::vector<LabelledCase>& cases, const std::filesystem::path& recordings,
    const config::DeviceTable& devices);

/// Some tenths of a second a case: what applies to each kernel is tried.
void add_advice(std::vector<DiagnosedCase>& cases);

enum class CasePart { all, tuned_on, held_out };
[[nodiscard]] DiagnosisScore score_of(const std::vector<DiagnosedCase>& cases, CasePart part);

}  // namespace warpmind::diagnosis
