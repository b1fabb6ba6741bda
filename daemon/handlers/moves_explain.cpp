#include "agents/builtin/explain_moves.h"
#include "agents/builtin/hosting/host_edits.h"
#include "agents/builtin/lifting/text_task.h"
#include "config/device_table.h"
#include "daemon/handlers/handlers.h"
#include "daemon/handlers/job_request.h"

namespace warpmind::daemon {
namespace {

/// The task of a folder, or what the text of a program says.
Result<agents::builtin::TextTask> task_of(const protocol::MovesExplainParams& params) {
  if (params.directory.empty() == params.source.empty()) {
    return fail(Errc::invalid_argument,
                "one of 'directory' and 'source' must be given, and not both");
  }
  if (params.directory.empty()) {
    WARPMIND_TRY(const auto program, syntax::CudaSource::read(params.source));
    return agents::builtin::task_of_text(program);
  }
  WARPMIND_TRY(auto loaded, load_named_task(params.directory));
  return agents::builtin::TextTask{std::move(loaded.task), {}};
}

protocol::ExplainedTechnique wire_of(agents::builtin::TechniqueExplanation known) {
  protocol::ExplainedTechnique wire;
  wire.technique = std::move(known.technique);
  wire.rationale = std::move(known.rationale);
  wire.parameters = std::move(known.parameters);
  wire.refusal = std::move(known.refusal);
  wire.kernels = std::move(known.kernels);
  wire.rewritten = std::move(known.rewritten);
  for (auto& move : known.moves) {
    wire.moves.push_back({std::move(move.parameters), move.prior_gain});
  }
  return wire;
}

Result<std::vector<protocol::ExplainedHostEdit>> host_edits_of(const std::string& source) {
  WARPMIND_TRY(const auto program, syntax::CudaSource::read(source));
  std::vector<protocol::ExplainedHostEdit> wire;
  for (auto& edit : agents::builtin::host_edits(program)) {
    wire.push_back({std::move(edit.name), std::move(edit.rationale), std::move(edit.refusal),
                    std::move(edit.places), std::move(edit.text)});
  }
  return wire;
}

std::string note_of(const agents::builtin::TextTask& text) {
  const bool has_launches = !text.task.kernel.plan.launches.empty();
  std::string note =
      has_launches
          ? "launches are read from the file, not recorded; `optimize FILE.cu --run` records them"
          : "no launch of these kernels can be read from the file: techniques that need grids and "
            "sizes say so; `optimize FILE.cu --run` records a run, and a task folder "
            "(docs/tasks.md) states them";
  for (const auto& one : text.notes) note += "; " + one;
  return note;
}

}  // namespace

Handler<protocol::MovesExplainParams, protocol::MovesExplainResult> moves_explain(
    const config::Settings& settings) {
  return [&](const protocol::MovesExplainParams& params,
             RequestContext& /*context*/) -> Result<protocol::MovesExplainResult> {
    if (params.technique.empty() && !params.parameters.empty()) {
      return fail(Errc::invalid_argument, "'parameters' needs 'technique'");
    }
    WARPMIND_TRY(const auto text, task_of(params));
    const Task& task = text.task;
    const std::string& key = params.device.empty() ? settings.lab.target : params.device;
    WARPMIND_TRY(const DeviceSpec device, config::device_table().need(key));
    const Bottleneck bottleneck;
    const Advice advice;
    const agents::ProposalContext context{task, task.kernel, bottleneck, advice, device};
    WARPMIND_TRY(auto known,
                 agents::builtin::explain_moves(context, {params.technique, params.parameters}));
    protocol::MovesExplainResult result;
    result.name = task.name;
    result.device = device.name;
    result.kernel = task.kernel;
    if (params.directory.empty()) result.note = note_of(text);
    if (params.directory.empty() && params.technique.empty()) {
      WARPMIND_TRY(result.host, host_edits_of(params.source));
    }
    for (auto& technique : known) result.techniques.push_back(wire_of(std::move(technique)));
    return result;
  };
}

}  // namespace warpmind::daemon
