#include "base/codec/model_json.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/message_codec_templates.h"

namespace warpmind::daemon::protocol {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbSearchParams, text, bottlenecks, operator_family,
                                                dtypes, device, capability, kernel, profile,
                                                techniques, spaces, contracts, limit, all)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbSearchResult, insights, note, documents,
                                                candidates)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbInsightParams, id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbShowResult, insight, technique)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbLift, shown, withheld, lift, low, high, known)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbHistoryEntry, change, position, at, op, actor,
                                                reason, summary, undone)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbWhyResult, insight, lift, decisions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbHistoryParams, id, as_of)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbBlameLine, field, value, change, actor)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbHistoryResult, id, entries, blame, insight)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbAddParams, claim, kind, techniques, mechanism,
                                                parameters, operator_families, dtypes, bottlenecks,
                                                capability_min, capability_max, device, contracts,
                                                space, licence, model, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbEditParams, id, claim, mechanism, parameters,
                                                operator_families, dtypes, bottlenecks,
                                                capability_min, capability_max, device, contracts,
                                                space, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbChangeParams, id, command, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbSupersedeParams, id, by, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbUndoParams, id, change, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbInsightResult, insight)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbSource, source, quarantined, insights)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbSourcesResult, sources)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbSourceParams, source, quarantined, reason)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbTechniquesParams, name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbTechniquesResult, techniques)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbTechniqueParams, name, title, category,
                                                bottlenecks, capability_min, capability_max, when,
                                                when_not, how, parameters, risks, generations,
                                                aliases, typical_low, typical_high, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbFactsParams, subject)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbFactsResult, facts)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbGraphParams, from, cluster, device, provider,
                                                limit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbEdgeExample, episode, step, task, operator_family,
                                                before, after, log_gain, parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbEdge, from, to, cluster, family, device, provider,
                                                measured, mean_log_gain, screened, feasible,
                                                infeasible, better, examples)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbGraphResult, edges)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbGraphExportParams, file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbGraphExportResult, file, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbGraphImportParams, file, source)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbGraphImportResult, added)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbCluster, id, name, bottleneck, centroid, members,
                                                merged_into, source)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbClustersResult, clusters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbCalibrationParams, provider)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbCalibrationResult, predictions, coverage,
                                                coverage_low, coverage_high, spearman, bias)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbVerifyParams, deep)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbVerifyResult, records, changes, problems, notes,
                                                seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbRebuildResult, changes, records, identical,
                                                differences, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbBackup, id, sequence, at, bytes, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbBackupParams, directory, keep)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbDirectoryParams, directory)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbBackupsResult, backups)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbRestoreParams, directory, id, target, replace)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbCompactResult, disk_bytes_before, disk_bytes)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbExportParams, file, format, spaces, licences, all,
                                                key)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbImportParams, file, format, space, trusted_keys,
                                                require_signature)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbMergeParams, path, space, trusted_keys,
                                                require_signature)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KbPackResult, pack, origin, insights, techniques,
                                                added, confirmed, unchanged, refused, is_signed,
                                                signer, notes)

WARPMIND_INSTANTIATE(KbSearchParams);
WARPMIND_INSTANTIATE(KbSearchResult);
WARPMIND_INSTANTIATE(KbInsightParams);
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
WARPMIND_INSTANTIATE(KbCalibrationResult);
WARPMIND_INSTANTIATE(KbVerifyParams);
WARPMIND_INSTANTIATE(KbVerifyResult);
WARPMIND_INSTANTIATE(KbRebuildResult);
WARPMIND_INSTANTIATE(KbBackup);
WARPMIND_INSTANTIATE(KbBackupParams);
WARPMIND_INSTANTIATE(KbDirectoryParams);
WARPMIND_INSTANTIATE(KbBackupsResult);
WARPMIND_INSTANTIATE(KbRestoreParams);
WARPMIND_INSTANTIATE(KbCompactResult);
WARPMIND_INSTANTIATE(KbExportParams);
WARPMIND_INSTANTIATE(KbImportParams);
WARPMIND_INSTANTIATE(KbMergeParams);
WARPMIND_INSTANTIATE(KbPackResult);

}  // namespace warpmind::daemon::protocol
