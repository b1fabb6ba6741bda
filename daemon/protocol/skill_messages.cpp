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
WARPMIND_INSTANTIATE(SkillRemoveParams);
WARPMIND_INSTANTIATE(SkillRemoveResult);

std::vector<MethodSpec> skill_methods() {
  return {method_spec(kSkillList),  method_spec(kSkillShow), method_spec(kSkillDraft),
          method_spec(kSkillCheck), method_spec(kSkillAdd),  method_spec(kSkillTrust),
          method_spec(kSkillRemove)};
}

}  // namespace warpmind::daemon::protocol
