#include "agents/builtin/forms/window_form.h"

#include "agents/builtin/forms/pointwise_form.h"

namespace warpmind::agents::builtin {

Result<std::vector<NormalForm>> find_window_forms(const Scene& scene) {
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
      continue;
    }
    if (reads->taps < 2) {
      refusal = "no output reads more than one element of a buffer";
      continue;
    }
    NormalForm form = described_outputs(scene, *outputs, *reads, FormKind::window);
    const auto add = [&](const std::string& name, std::int64_t value) {
      form.facts.push_back({name, "", std::vector<std::int64_t>(outputs->launches->size(), value)});
    };
    add("taps", reads->taps);
    add("loads", reads->loads);
    for (std::size_t c = 0; c < kNamedAxes; ++c) {
      add("walked" + std::to_string(c), reads->walked.at(c));
      add("reach" + std::to_string(c), reads->reach.at(c));
    }
    form.summary += "; taps=" + std::to_string(reads->taps);
    forms.push_back(std::move(form));
  }
  if (forms.empty()) return fail(Errc::not_found, refusal);
  return forms;
}

}  // namespace warpmind::agents::builtin
