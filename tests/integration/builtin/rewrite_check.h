#pragma once
/// \file
/// What tests of techniques say: a task from a few lines, a rewrite by a technique, and that it
/// computes the same. Use the fixture RewriteTest, which skips without nvcc.

#include "agents/builtin/technique.h"
#include "tests/integration/builtin/rewrite_comparison.h"

#include <initializer_list>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::rewrites {

// Building a task: add to `task.arguments`, `task.workloads`, `task.kernel.plan.launches`.
[[nodiscard]] Argument input(std::string name, Dtype dtype, std::vector<std::string> shape);
[[nodiscard]] Argument output(std::string name, Dtype dtype, std::vector<std::string> shape);
[[nodiscard]] Argument inout(std::string name, Dtype dtype, std::vector<std::string> shape);
/// Integers in [low, high], also for floating dtypes.
[[nodiscard]] Argument ranged(std::string name, Dtype dtype, std::vector<std::string> shape,
                              double low, double high);
/// Tolerance class `reduction`, so that techniques may reorder sums; first workload timed, so that
/// techniques see a shape to specialise for (it runs, too, if it is small).
[[nodiscard]] Task task_of(std::string source, std::vector<Argument> arguments,
                           std::vector<Launch> launches, std::vector<Sizes> sizes);
/// Of tasks/<name>. Its timed workloads are too large to run here: give some that fit.
[[nodiscard]] Result<Task> shipped_task(const std::string& name);

/// What a technique may look at besides the task. By default an H200 without a known bottleneck.
struct Situation {
  Bottleneck bottleneck = {};
  Advice advice = {};
  std::string device = "h200";
};

/// What the technique offers on the task's kernel, as the proposer passes it on: without moves that
/// change nothing. Errors: not_found for an unknown technique;
/// invalid_argument when the source cannot be looked at.
[[nodiscard]] Result<agents::builtin::Offer> offer_of(const Task& task,
                                                      const std::string& technique,
                                                      const Situation& situation = {});
/// The rewritten kernel. Errors: also invalid_argument, when the technique refuses those
/// parameters.
[[nodiscard]] Result<Kernel> rewritten(const Task& task, const std::string& technique,
                                       const std::string& parameters,
                                       const Situation& situation = {});

class RewriteTest : public testing::Test {
 protected:
  using Where = std::source_location;

  void SetUp() override;

  /// The technique offers `parameters`, and the rewrite computes the same.
  void expect_same(const Task& task, const std::string& technique, const std::string& parameters,
                   const Closeness& closeness = {}, Where where = Where::current());
  /// At least one move is offered, and all of them compute the same.
  void expect_all_same(const Task& task, const std::string& technique,
                       const Closeness& closeness = {}, Where where = Where::current());
  /// The kernel computes the same.
  void expect_same(const Task& task, const Kernel& kernel, const Closeness& closeness = {},
                   Where where = Where::current());
  /// The kernel builds, but computes something else or does what must not be done: a seeded fault.
  void expect_noticed(const Task& task, const Kernel& broken, const Closeness& closeness = {},
                      Where where = Where::current());
  /// Nothing is offered, for a reason that holds `part`.
  void expect_refused(const Task& task, const std::string& technique, const std::string& part,
                      Where where = Where::current());

  /// `kernel` with the first `from` of its source replaced; the test fails if there is none.
  static Kernel broken(Kernel kernel, const std::string& from, const std::string& to,
                       Where where = Where::current());
  /// As the test set it: what techniques know.
  Situation situation;
  /// For wgmma and other instructions of one architecture: before the first check.
  void build_for(const std::string& architecture);
  [[nodiscard]] const KernelBuilder& builder() const { return *builder_; }

 private:
  /// nullptr after a failure was added. One comparison is kept: tests check many moves of one task.
  const RewriteComparison* comparison_with(const Task& task, Where where);

  std::optional<KernelBuilder> builder_;
  std::optional<RewriteComparison> comparison_;
};

}  // namespace warpmind::rewrites
