#include "daemon/protocol/program_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(ProgramReport);
WARPMIND_INSTANTIATE(ProgramLiftParams);
WARPMIND_INSTANTIATE(LiftedProgram);
WARPMIND_INSTANTIATE(ProgramRewriteParams);
WARPMIND_INSTANTIATE(ProgramRewriteResult);

std::vector<MethodSpec> program_methods() {
  return {method_spec(kProgramLift), method_spec(kProgramRewrite)};
}

}  // namespace warpmind::daemon::protocol
