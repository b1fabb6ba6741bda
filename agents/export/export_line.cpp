#include "agents/export/export_line.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/hash.h"

#include <utility>

namespace warpmind::agents {

nlohmann::json known(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

nlohmann::json provenance_of(const Attempt& attempt, const std::string& base_id) {
  const Episode& episode = attempt.episode();
  const auto& own = attempt.step().verdict.measurement;
  // A candidate that was not timed ran where the given kernel did.
  const auto& measured = own ? own : episode.steps.front().verdict.measurement;
  const Measurement m = measured.value_or(Measurement{});
  return {{"base", base_id},
          {"episode", episode.id.str()},
          {"step", attempt.step().index},
          {"task_id", episode.task.str()},
          {"task", episode.task_name},
          {"operator_family", episode.operator_family},
          {"split", name_of(episode.split)},
          {"provider", name_of(episode.provider)},
          {"device", known(m.device.name)},
          {"driver", known(m.device.driver)},
          {"toolkit", known(m.toolkit)},
          {"harness", known(m.harness)},
          {"licence", known(attempt.source->licence)},
          {"proposer", attempt.step().candidate.proposer},
          {"model", known(attempt.step().candidate.model)}};
}

void add_kernel(nlohmann::json& line, const Kernel& kernel) {
  nlohmann::json launch(kernel);
  launch.erase("source");
  line["code"] = kernel.source;
  line["launch"] = std::move(launch);
  line["kernel_id"] = id_of(kernel).str();
}

std::string hash_of_line(nlohmann::json line) {
  line.erase("hash");
  return short_hash(codec::dump_json(line));
}

std::string sealed(nlohmann::json line) {
  line["hash"] = hash_of_line(line);
  return codec::dump_json(line) + "\n";
}

}  // namespace warpmind::agents
