#include "daemon/protocol/program_task_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(ProgramTaskCheckParams);
WARPMIND_INSTANTIATE(ProgramCheck);
WARPMIND_INSTANTIATE(ProgramImportReport);
WARPMIND_INSTANTIATE(ProgramTaskNewReport);

std::vector<MethodSpec> program_task_methods() { return {method_spec(kProgramTaskCheck)}; }

}  // namespace warpmind::daemon::protocol
