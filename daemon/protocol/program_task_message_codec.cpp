#include "daemon/protocol/message_codec_templates.h"
#include "daemon/protocol/program_task_messages.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramTaskCheckParams, directory, provider, device,
                                                runs, folders)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramKernelMessage, kernel, timed, launches,
                                                total_ns, median_ns, least_ns, registers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramRunMessage, passed, reason, wall_s, launches,
                                                kernels, note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramTaskCheckResult, name, admitted, refused_by,
                                                reason, provider, device, build_s, runs, null_run,
                                                diagnostics, restricted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramImportLine, name, state, refused_by, reason,
                                                folder, launches, kernels_ns, build_s, seconds,
                                                restricted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramImportReport, suite, provider, device,
                                                programs, admitted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramTaskNewReport, file, notes, check)

WARPMIND_INSTANTIATE(ProgramTaskCheckParams);
WARPMIND_INSTANTIATE(ProgramTaskCheckResult);
WARPMIND_INSTANTIATE(ProgramImportReport);
WARPMIND_INSTANTIATE(ProgramTaskNewReport);

}  // namespace warpmind::daemon::protocol
