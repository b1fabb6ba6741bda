#pragma once
/// \file
/// A shipped task as the subject of an experiment: inputs, its real reference, CPU kernels.

#include "base/model/task.h"
#include "base/model/verdict.h"
#include "profilers/judge/reference_values.h"
#include "profilers/judge/tolerance.h"
#include "tests/numerics/kernels.h"
#include "tests/unit/judge/reference_build.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::numerics {

/// Raw outputs by argument.
using Outputs = std::map<std::string, std::string>;

struct FamilyCase {
  Workload workload;
  std::string inputs_are;  ///< as the judge names them: "normal", "normal, uneven rows"
  profilers::Values inputs;
  profilers::ReferenceValues reference;
};

/// Largest error / tolerance of the outputs of one or more cases, and the other figures.
struct Judged {
  double ratio = 0;
  double baseline_error = 0;
  double relative_l2 = 0;
  double ulp = 0;
  std::string worst;
};

class Family {
 public:
  /// A task in tasks/ that cpu_kernel() knows. `deep`: a workload with long sums as well. Throws
  /// where the task cannot be read or its reference not be built.
  explicit Family(const std::string& name, bool deep = false);

  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] const std::string& name() const { return task_.name; }
  /// Dtype of the first output.
  [[nodiscard]] Dtype dtype() const;

  /// One case for each small workload and kind of finite inputs of the task, as the judge draws.
  [[nodiscard]] std::vector<FamilyCase> draw(std::uint64_t seed) const;

  [[nodiscard]] profilers::Values run(const FamilyCase& one, Order order, Flaw flaw) const;
  /// Rounded to the dtypes of the outputs.
  [[nodiscard]] Outputs encode(const profilers::Values& values) const;
  /// As the lab would, `baseline_error` 0 for a baseline.
  [[nodiscard]] Judged judge(const FamilyCase& one, const Outputs& outputs,
                             double baseline_error) const;
  /// Largest (|d| - half a unit) / (tolerance - half a unit): without what it costs any kernel to
  /// round its output.
  [[nodiscard]] double excess(const FamilyCase& one, const Outputs& outputs,
                              double baseline_error) const;
  /// The largest of the given cases, with sums in sequence; 0 for other classes than reduction.
  [[nodiscard]] double baseline_error(const std::vector<FamilyCase>& cases) const;

  [[nodiscard]] std::vector<std::int64_t> extents(const Argument& output,
                                                  const FamilyCase& one) const;
  [[nodiscard]] profilers::ToleranceRule rule(const FamilyCase& one, double baseline_error) const;

 private:
  Task task_;
  CpuKernel kernel_;
  std::vector<Workload> workloads_;
  profilers::testing::TemporaryDirectory directory_;
  std::shared_ptr<const profilers::ReferenceLibrary> library_;
};

/// The task as shipped; throws where it cannot be read.
[[nodiscard]] Task shipped_task(const std::string& name);

/// Families of the experiments: at least one a dtype, tolerance class and way to sum.
[[nodiscard]] const std::vector<std::string>& family_names();

void raise(Judged& all, const Judged& one);

}  // namespace warpmind::numerics
