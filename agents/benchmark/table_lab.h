#pragma once
/// \file
/// The lab that answers from an evaluation table.

#include "agents/benchmark/evaluation_table.h"
#include "profilers/kernel_lab.h"

#include <cstdint>

namespace warpmind::agents::benchmark {

/// Does:      give the recorded verdict of a kernel, with the comparison made anew against the
///            incumbent at hand: ratio of the recorded times, as noisy as it was recorded, by the
///            rules of the lab that recorded it.
/// Does not:  build, run or time anything.
/// Threads:   any. The table must outlive it.
class TableLab final : public profilers::KernelLab {
 public:
  /// The noise of a comparison is a function of `seed` and the two kernels: two searches with one
  /// seed see the same.
  TableLab(const EvaluationTable& table, std::uint64_t seed) : table_(table), seed_(seed) {}

  [[nodiscard]] Provider provider() const override { return table_.origin().provider; }
  [[nodiscard]] Result<DeviceIdentity> device() override { return table_.origin().device; }
  /// Errors: also not_found for a task or kernel that the table lacks.
  [[nodiscard]] Result<Verdict> judge(const profilers::JudgeOrder& order,
                                      std::stop_token stop) override;
  /// Errors: also not_found, as judge(), and for kernels that are not right.
  [[nodiscard]] Result<Comparison> compare(const profilers::JudgeOrder& order,
                                           std::stop_token stop) override;

 private:
  struct Answer {
    Comparison comparison;
    Outcome outcome = Outcome::inconclusive;
  };
  /// `confirmed`: as many process pairs as were recorded, however the screening would look.
  [[nodiscard]] Result<Answer> answer(const TaskRecording& recording, const KernelId& kernel,
                                      const KernelId& incumbent, bool confirmed) const;
  [[nodiscard]] double noise(const KernelId& kernel, const KernelId& incumbent) const;

  const EvaluationTable& table_;
  std::uint64_t seed_;
};

}  // namespace warpmind::agents::benchmark
