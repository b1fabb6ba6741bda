#include "agents/builtin/forms/pointwise_form.h"

#include "agents/builtin/forms/output_problem.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// What a warp moves for nothing when its threads do not lie side by side in memory.
constexpr double kScattered = 4;
/// Instructions of a plain kernel for each element that an output reads: index, tests, load.
constexpr double kInstructionsATap = 12;

/// Whether neighbouring threads of the given kernel have neighbouring outputs.
bool is_side_by_side(const IndependentOutputs& outputs) {
  const auto& axes = outputs.outputs.axes;
  const std::size_t first = outputs.order.front();
  if (axes[first].dimension != 0) return false;
  for (std::size_t axis = 0; axis < first; ++axis) {
    if (axes[axis].dimension == 0 && axes[axis].extents.front() > 1) return false;
  }
  return true;
}

double given_nanoseconds(const Scene& scene, const IndependentOutputs& outputs,
                         const OutputReads& reads) {
  const auto& device = scene.context().device;
  const double bandwidth = device.memory_bandwidth_gb_s > 1 ? device.memory_bandwidth_gb_s : 500;
  const double lanes = 128.0 * std::max(device.sm_count, 16);
  double sum = 0;
  for (std::size_t at = 0; at < std::max<std::size_t>(outputs.timed, 1); ++at) {
    double count = 1;
    for (std::size_t c = 0; c <= kNamedAxes; ++c) {
      count *= static_cast<double>(outputs.extent(c, at));
    }
    const double bytes = static_cast<double>(reads.bytes_read[at] + reads.bytes_written[at]);
    const double memory = bytes / bandwidth * (is_side_by_side(outputs) ? 1.1 : kScattered);
    const double work = count * static_cast<double>(reads.loads) * kInstructionsATap / lanes / 1.5;
    sum += std::max(memory, work) + 2500;
  }
  return sum;
}

}  // namespace

NormalForm described_outputs(const Scene& scene, const IndependentOutputs& outputs,
                             const OutputReads& reads, FormKind kind) {
  NormalForm form = output_form(scene, outputs, kind);
  const auto same = [&](std::string name, std::int64_t value) {
    form.facts.push_back(
        {std::move(name), "", std::vector<std::int64_t>(outputs.launches->size(), value)});
  };
  form.facts.push_back({"bytes_read", "", reads.bytes_read});
  form.facts.push_back({"bytes_written", "", reads.bytes_written});
  same("side_by_side", is_side_by_side(outputs) ? 1 : 0);
  same("step", std::max<std::int64_t>(outputs.steps.front(), 0));
  form.given_ns = given_nanoseconds(scene, outputs, reads);
  std::vector<std::string> extents;
  for (std::size_t i = outputs.order.size(); i-- > 0;) {
    const auto& axis = outputs.outputs.axes[outputs.order[i]];
    extents.push_back((axis.variable.empty() ? axis.extent : axis.variable) + "=" +
                      std::to_string(axis.extents.front()));
  }
  form.summary = std::string(name_of(kind)) + " over " + join_text(extents, ", ");
  return form;
}

Result<std::vector<NormalForm>> find_pointwise_forms(const Scene& scene) {
  std::vector<NormalForm> forms;
  std::string refusal = "there is no launch";
  for (std::size_t launch = 0; launch < scene.plan().launches.size(); ++launch) {
    const auto outputs = find_independent_outputs(scene, launch);
    if (!outputs) {
      refusal = outputs.error().message;
      continue;
    }
    const auto reads = find_output_reads(scene, *outputs);
    if (!reads) {
      refusal = reads.error().message;
    } else if (reads->taps > 1) {
      refusal = "its outputs read several elements of one buffer";
    } else {
      forms.push_back(described_outputs(scene, *outputs, *reads, FormKind::pointwise));
    }
  }
  if (forms.empty()) return fail(Errc::not_found, refusal);
  return forms;
}

}  // namespace warpmind::agents::builtin
