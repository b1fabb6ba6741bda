#include "daemon/protocol/knowledge_messages.h"

#include "base/codec/model_json.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

WARPMIND_INSTANTIATE(KbSearchParams);
WARPMIND_INSTANTIATE(RetrievalAnswer);
WARPMIND_INSTANTIATE(KbInsightParams);
WARPMIND_INSTANTIATE(KbShowParams);
WARPMIND_INSTANTIATE(KbStatsResult);
WARPMIND_INSTANTIATE(KbShowResult);
WARPMIND_INSTANTIATE(KbWhyResult);
WARPMIND_INSTANTIATE(KbHistoryParams);
WARPMIND_INSTANTIATE(KbHistoryResult);
WARPMIND_INSTANTIATE(KbAddParams);
WARPMIND_INSTANTIATE(KbEditParams);
WARPMIND_INSTANTIATE(KbChangeParams);
WARPMIND_INSTANTIATE(KbSupersedeParams);
WARPMIND_INSTANTIATE(KbUndoParams);
WARPMIND_INSTANTIATE(KbInsightResult);
WARPMIND_INSTANTIATE(KbSourcesResult);
WARPMIND_INSTANTIATE(KbSourceParams);
WARPMIND_INSTANTIATE(KbTechniquesParams);
WARPMIND_INSTANTIATE(KbTechniquesResult);
WARPMIND_INSTANTIATE(KbTechniqueParams);
WARPMIND_INSTANTIATE(KbFactsParams);
WARPMIND_INSTANTIATE(KbFactsResult);
WARPMIND_INSTANTIATE(KbGraphParams);
WARPMIND_INSTANTIATE(KbGraphResult);
WARPMIND_INSTANTIATE(KbGraphExportParams);
WARPMIND_INSTANTIATE(KbGraphExportResult);
WARPMIND_INSTANTIATE(KbGraphImportParams);
WARPMIND_INSTANTIATE(KbGraphImportResult);
WARPMIND_INSTANTIATE(KbClustersResult);
WARPMIND_INSTANTIATE(KbCalibrationParams);
WARPMIND_INSTANTIATE(Calibration);

std::vector<MethodSpec> knowledge_methods() {
  return {method_spec(kKbStats),      method_spec(kKbSearch),       method_spec(kKbShow),
          method_spec(kKbWhy),        method_spec(kKbHistory),      method_spec(kKbAdd),
          method_spec(kKbEdit),       method_spec(kKbChange),       method_spec(kKbSupersede),
          method_spec(kKbUndo),       method_spec(kKbSources),      method_spec(kKbSetSource),
          method_spec(kKbTechniques), method_spec(kKbPutTechnique), method_spec(kKbFacts),
          method_spec(kKbGraph),      method_spec(kKbExportGraph),  method_spec(kKbImportGraph),
          method_spec(kKbClusters),   method_spec(kKbCalibration)};
}

}  // namespace warpmind::daemon::protocol
