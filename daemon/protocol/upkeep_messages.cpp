#include "daemon/protocol/upkeep_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(KbVerifyParams);
WARPMIND_INSTANTIATE(VerifyReport);
WARPMIND_INSTANTIATE(RebuildReport);
WARPMIND_INSTANTIATE(BackupInfo);
WARPMIND_INSTANTIATE(KbBackupParams);
WARPMIND_INSTANTIATE(KbDirectoryParams);
WARPMIND_INSTANTIATE(KbBackupsResult);
WARPMIND_INSTANTIATE(KbRestoreParams);
WARPMIND_INSTANTIATE(KbCompactResult);
WARPMIND_INSTANTIATE(KbExportParams);
WARPMIND_INSTANTIATE(KbImportParams);
WARPMIND_INSTANTIATE(KbMergeParams);
WARPMIND_INSTANTIATE(PackReport);

std::vector<MethodSpec> upkeep_methods() {
  return {method_spec(kKbVerify),  method_spec(kKbRebuild), method_spec(kKbBackup),
          method_spec(kKbBackups), method_spec(kKbRestore), method_spec(kKbCheckpoint),
          method_spec(kKbCompact), method_spec(kKbExport),  method_spec(kKbImport),
          method_spec(kKbMerge)};
}

}  // namespace warpmind::daemon::protocol
