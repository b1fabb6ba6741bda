#include "tests/numerics/family.h"

#include "config/task_file.h"
#include "profilers/judge/case_comparison.h"
#include "profilers/judge/case_inputs.h"
#include "profilers/judge/elements.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace warpmind::numerics {
namespace {

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

/// Sums as long as in the timed workloads, at a price that a test can pay.
std::optional<Workload> deep_workload(const std::string& name) {
  if (name == "gemm_f32" || name == "gemm_f16") {
    return Workload{"deep", {{"m", 12}, {"n", 20}, {"k", 4096}}, false};
  }
  if (name == "row_sum") return Workload{"deep", {{"rows", 24}, {"columns", 8192}}, false};
  if (name == "row_softmax_f16" || name == "layernorm_f16" || name == "rmsnorm_bf16") {
    return Workload{"deep", {{"rows", 8}, {"columns", 4096}}, false};
  }
  return std::nullopt;
}

}  // namespace

Task shipped_task(const std::string& name) {
  return value_or_throw(
             config::load_task(std::filesystem::path(WARPMIND_SOURCE_DIR "/tasks") / name))
      .task;
}

Family::Family(const std::string& name, bool deep)
    : task_(shipped_task(name)), kernel_(cpu_kernel(name)) {
  for (const Workload& workload : task_.workloads) {
    if (!workload.timed) workloads_.push_back(workload);
  }
  if (const auto more = deep_workload(name); deep && more) workloads_.push_back(*more);
  library_ = value_or_throw(profilers::ReferenceLibrary::load(
      profilers::testing::build_reference(task_.reference, directory_.path()).string()));
}

Dtype Family::dtype() const {
  return std::find_if(task_.arguments.begin(), task_.arguments.end(), is_output)->dtype;
}

std::vector<FamilyCase> Family::draw(std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  std::vector<FamilyCase> cases;
  for (const Workload& workload : workloads_) {
    for (const profilers::InputDraw& draw : profilers::draws_of(task_)) {
      if (draw.trait == profilers::InputTrait::special) continue;
      const profilers::CaseInputs inputs(task_, workload.sizes, random());
      const auto fitting = value_or_throw(inputs.fit(*library_, draw));
      FamilyCase one{workload, profilers::describe(fitting.draw), {}, fitting.reference};
      for (const auto& [name, raw] : fitting.raw) {
        const auto argument = std::find_if(task_.arguments.begin(), task_.arguments.end(),
                                           [&](const Argument& a) { return a.name == name; });
        one.inputs[name] = profilers::decode_elements(raw, argument->dtype);
      }
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

profilers::Values Family::run(const FamilyCase& one, Order order, Flaw flaw) const {
  return kernel_({one.workload.sizes, one.inputs, order, flaw});
}

Outputs Family::encode(const profilers::Values& values) const {
  Outputs outputs;
  for (const Argument& argument : task_.arguments) {
    if (!is_output(argument)) continue;
    outputs[argument.name] =
        profilers::encode_elements(values.find(argument.name)->second, argument.dtype);
  }
  return outputs;
}

std::vector<std::int64_t> Family::extents(const Argument& output, const FamilyCase& one) const {
  return value_or_throw(profilers::extents_of(output, one.workload.sizes));
}

profilers::ToleranceRule Family::rule(const FamilyCase& one, double baseline_error) const {
  return value_or_throw(profilers::tolerance_rule(task_.contract, one.workload.sizes,
                                                  baseline_error, one.inputs_are));
}

Judged Family::judge(const FamilyCase& one, const Outputs& outputs, double baseline_error) const {
  Judged judged;
  for (const Argument& argument : task_.arguments) {
    if (!is_output(argument)) continue;
    const auto compared =
        profilers::compare_output(one.reference.expected(argument, extents(argument, one)),
                                  rule(one, baseline_error), outputs.at(argument.name));
    raise(judged,
          {compared.worst_ratio, compared.baseline_error, compared.relative_l2, compared.worst_ulp,
           one.workload.name + "/" + one.inputs_are + " " + argument.name + compared.worst});
  }
  return judged;
}

double Family::excess(const FamilyCase& one, const Outputs& outputs, double baseline_error) const {
  double worst = 0;
  for (const Argument& argument : task_.arguments) {
    if (!is_output(argument)) continue;
    const auto expected = one.reference.expected(argument, extents(argument, one));
    const auto tolerances = profilers::element_tolerances(expected, rule(one, baseline_error));
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
      const double reference = expected.reference[i];
      const double got = profilers::decode_element(outputs.at(argument.name), argument.dtype, i);
      if (!std::isfinite(got) || !std::isfinite(reference)) continue;
      const double rounding = 0.5 * profilers::last_place(reference, argument.dtype);
      const double error = std::fabs(got - reference) - rounding;
      if (error > 0) worst = std::max(worst, error / std::max(tolerances[i] - rounding, rounding));
    }
  }
  return worst;
}

double Family::baseline_error(const std::vector<FamilyCase>& cases) const {
  double worst = 0;
  if (task_.contract.tolerance != ToleranceClass::reduction) return 0;
  for (const FamilyCase& one : cases) {
    const auto outputs = encode(run(one, Order::sequential, Flaw::none));
    worst = std::max(worst, judge(one, outputs, 0).baseline_error);
  }
  return worst;
}

const std::vector<std::string>& family_names() {
  static const std::vector<std::string> names{
      "gemm_f32",     "gemm_f16",       "conv2d_3x3_f16",  "dot",
      "dot_f64",      "row_sum",        "row_softmax_f16", "layernorm_f16",
      "rmsnorm_bf16", "gelu_bias_f16",  "stencil_5point",  "spmv_ell",
      "vector_add",   "exclusive_scan", "top8_rows",       "transpose"};
  return names;
}

void raise(Judged& all, const Judged& one) {
  if (one.ratio >= all.ratio) {
    all.ratio = one.ratio;
    all.worst = one.worst;
  }
  all.baseline_error = std::max(all.baseline_error, one.baseline_error);
  all.relative_l2 = std::max(all.relative_l2, one.relative_l2);
  all.ulp = std::max(all.ulp, one.ulp);
}

}  // namespace warpmind::numerics
