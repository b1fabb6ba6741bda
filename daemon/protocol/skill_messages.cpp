#include "daemon/protocol/skill_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(SkillListResult);
WARPMIND_INSTANTIATE(SkillShowParams);
WARPMIND_INSTANTIATE(SkillShowResult);
WARPMIND_INSTANTIATE(SkillDraftParams);
WARPMIND_INSTANTIATE(SkillFolderParams);
WARPMIND_INSTANTIATE(SkillCheckParams);
WARPMIND_INSTANTIATE(SkillCheckResult);
WARPMIND_INSTANTIATE(SkillAddResult);
WARPMIND_INSTANTIATE(SkillTrustParams);
WARPMIND_INSTANTIATE(SkillTrustResult);

std::vector<MethodSpec> skill_methods() {
  return {method_spec(kSkillList),  method_spec(kSkillShow), method_spec(kSkillDraft),
          method_spec(kSkillCheck), method_spec(kSkillAdd),  method_spec(kSkillTrust)};
}

}  // namespace warpmind::daemon::protocol
