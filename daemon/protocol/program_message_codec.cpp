#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"
#include "daemon/protocol/program_messages.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramLiftParams, source, record, name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramPartMessage, name, kernels, times, task,
                                                refusal, notes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LeftOut, name, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramLiftResult, parts, skipped, notes, launches,
                                                faults, findings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PartKernelMessage, part, kernel)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramRewriteParams, source, record, kernels,
                                                assume_shapes, host_edits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramRewriteResult, text, written, refused,
                                                edited, unedited)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramPartReport, name, kernels, times, job,
                                                outcome, given_ns, best_ns, gain, predicted,
                                                techniques, written, reason, inputs, notes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramReport, source, output, folder, verified,
                                                parts, findings, skipped, host_edits, unedited,
                                                notes, rejected, was_stopped)

WARPMIND_INSTANTIATE(ProgramReport);
WARPMIND_INSTANTIATE(ProgramLiftParams);
WARPMIND_INSTANTIATE(ProgramLiftResult);
WARPMIND_INSTANTIATE(ProgramRewriteParams);
WARPMIND_INSTANTIATE(ProgramRewriteResult);

}  // namespace warpmind::daemon::protocol
