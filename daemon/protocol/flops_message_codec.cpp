#include "daemon/protocol/flops_messages.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FlopsCountParams, file, directory, workload, device,
                                                record)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CountedRegion, parent, first_line, last_line,
                                                operations, flops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CountedKernel, kernel, source, regions, notes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CountedLaunch, workload, kernel, operations, flops,
                                                total_flops, sampled, simulated, undecided, grid,
                                                block, times)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CountedWorkload, workload, total_flops, complete,
                                                model_flops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FlopsCountResult, name, architecture, kernels,
                                                launches, workloads, note)

WARPMIND_INSTANTIATE(FlopsCountParams);
WARPMIND_INSTANTIATE(FlopsCountResult);

}  // namespace warpmind::daemon::protocol
