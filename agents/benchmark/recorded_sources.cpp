#include "agents/benchmark/recorded_sources.h"

#include "agents/diagnosis.h"

#include <utility>

namespace warpmind::agents::benchmark {

std::map<KernelId, Kernel> recorded_sources(const TaskRecording& recording, Proposer& proposer,
                                            const DeviceSpec& device) {
  std::map<KernelId, Kernel> sources;
  const Task& task = recording.task();
  const Advice advice;
  for (const auto& recorded : recording.kernels()) {
    if (recorded.parent.empty()) {
      if (id_of(task.kernel) == recorded.kernel) sources.emplace(recorded.kernel, task.kernel);
      continue;
    }
    const auto parent = sources.find(recorded.parent);
    if (parent == sources.end()) continue;
    const Verdict& verdict = recording.find(recorded.parent)->verdict;
    const Bottleneck bottleneck = diagnose({task, parent->second, verdict, device});
    const ProposalContext context{task, parent->second, bottleneck, advice, device};
    auto writing = proposer.write({recorded.technique, recorded.parameters, 1}, context, {});
    if (!writing || !writing->candidate) continue;
    if (id_of(writing->candidate->kernel) != recorded.kernel) continue;
    sources.emplace(recorded.kernel, std::move(writing->candidate->kernel));
  }
  return sources;
}

}  // namespace warpmind::agents::benchmark
