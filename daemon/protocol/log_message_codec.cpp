#include "daemon/protocol/log_messages.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LogLevelParams, level, component)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LogLevelResult, level, components)

WARPMIND_INSTANTIATE(LogLevelParams);
WARPMIND_INSTANTIATE(LogLevelResult);

}  // namespace warpmind::daemon::protocol
