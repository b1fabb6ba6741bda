#include "daemon/protocol/knowledge_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr FieldSpec kId{"id", string, true, "id of an insight, or its unambiguous beginning"};
constexpr FieldSpec kReason{"reason", string, false, "one sentence, kept in the history"};
constexpr FieldSpec kSpaceOfClaims{"space", string, false,
                                   "namespace it goes into; default `user`"};
constexpr FieldSpec kTrustedKeys{"trusted_keys", strings, false,
                                 "absolute paths of Ed25519 public keys, PEM"};
constexpr FieldSpec kRequireSignature{"require_signature", boolean, false,
                                      "refuse what no trusted key has signed"};
constexpr FieldSpec kSeconds{"seconds", number, true, "how long it took"};

constexpr std::span<const FieldSpec> kNone;

constexpr std::array kKbStatsResult{
    FieldSpec{"schema_version", integer, true, "layout of the base"},
    FieldSpec{"last_sequence", integer, true, "newest acknowledged change"},
    FieldSpec{"records", counts, true, "records by column family"},
    FieldSpec{"episodes_by_outcome", counts, true, "episodes by outcome"},
    FieldSpec{"disk_bytes", integer, true, "bytes on disk"},
    FieldSpec{"degraded", boolean, true, "read-only; `note` says why"},
    FieldSpec{"note", string, true, "why, and what to do"},
    FieldSpec{"insights", counts, true, "insights by `state.`, `kind.` and `trust.`"},
    FieldSpec{"index", object, true,
              "of the search: `documents`, `dead`, `memory_bytes`, `from_snapshot`, `embedders`, "
              "`endpoint`"},
};

constexpr std::array kSearchParams{
    FieldSpec{"text", string, false, "words, identifiers, names of techniques"},
    FieldSpec{"bottlenecks", strings, false, "bottleneck classes, the primary one first"},
    FieldSpec{"operator_family", string, false, "as in task.toml: `softmax`"},
    FieldSpec{"dtypes", strings, false, "element types: `f16`"},
    FieldSpec{"device", string, false, "driver's name, or key of the device table: `h200`"},
    FieldSpec{"capability", integer, false, "90 = 9.0; default: that of `device`"},
    FieldSpec{"kernel", string, false, "CUDA source, at most 1 MiB: its structure is compared"},
    FieldSpec{"profile", numbers, false, "features of the kernel's profile, by name"},
    FieldSpec{"techniques", strings, false, "only insights about one of these"},
    FieldSpec{"spaces", strings, false, "namespaces to read; default all"},
    FieldSpec{"contracts", strings, false, "what the task allows; absent = not known"},
    FieldSpec{"limit", integer, false, "1 to 200, default 10"},
    FieldSpec{"all", boolean, false, "also quarantined, deprecated and retracted insights"},
};
constexpr std::array kSearchResult{
    FieldSpec{"insights", objects, true,
              "best first: `id`, `kind`, `state`, `trust`, `claim`, `action`, `utility`, `score`, "
              "`propensity`, `shown`, `why`"},
    FieldSpec{"note", string, true, "why there is none"},
    FieldSpec{"documents", integer, true, "insights in the index"},
    FieldSpec{"candidates", integer, true, "that passed the hard filters"},
};
constexpr std::array kShowParams{
    FieldSpec{"id", string, true, "id of an insight, its beginning, or a technique's name"},
};
constexpr std::array kShowResult{
    FieldSpec{"insight", object, true, "the insight, or null"},
    FieldSpec{"technique", object, true, "the technique, or null"},
};
constexpr std::array kIdParams{kId};
constexpr std::array kWhyResult{
    FieldSpec{"insight", object, true, "with `evidence`, `attestations`, `utility`, `provenance`"},
    FieldSpec{"lift", object, true,
              "what showing it is worth: `shown`, `withheld`, `lift`, `low`, `high`, `known`"},
    FieldSpec{"decisions", objects, true, "history without evidence and attestations"},
};
constexpr std::array kHistoryParams{
    kId,
    FieldSpec{"as_of", integer, false, "also answer the insight as it stood after this change"},
};
constexpr std::array kHistoryResult{
    FieldSpec{"id", string, true, "the whole id"},
    FieldSpec{"entries", objects, true,
              "oldest first: `change`, `position`, `at`, `op`, `actor`, `reason`, `summary`, "
              "`undone`"},
    FieldSpec{"blame", objects, true,
              "which change gave a field its value: `field`, `value`, `change`, `actor`"},
    FieldSpec{"insight", object, true, "as it stood, or null"},
};
constexpr std::array kInsightResult{
    FieldSpec{"insight", object, true, "as it is now"},
};
constexpr std::array kAddParams{
    FieldSpec{"claim", string, true, "one or two sentences, at most 400 characters"},
    FieldSpec{"kind", string, false,
              "`positive` (default), `negative`, `precondition` or `composite`"},
    FieldSpec{"techniques", strings, false, "what to do; several in order for a composite"},
    FieldSpec{"mechanism", string, false, "why, at most 400 characters"},
    FieldSpec{"parameters", string, false, "`block=256x1x1`, as the proposer spells it"},
    FieldSpec{"operator_families", strings, false, "where it holds; default everywhere"},
    FieldSpec{"dtypes", strings, false, "where it holds"},
    FieldSpec{"bottlenecks", strings, false, "where it holds"},
    FieldSpec{"capability_min", integer, false, "where it holds: 80 = 8.0"},
    FieldSpec{"capability_max", integer, false, "where it holds, inclusive"},
    FieldSpec{"device", string, false, "where it holds: one model, by name or key of the table"},
    FieldSpec{"contracts", strings, false, "what a task must allow: `tf32`, `reassociation`"},
    FieldSpec{"space", string, false, "`user` (default), `project:<name>` or `team:<name>`"},
    FieldSpec{"licence", string, false, "SPDX id of the text"},
    FieldSpec{"model", string, false, "language model that wrote it; default: a person did"},
    kReason,
};
constexpr std::array kEditParams{
    kId,
    FieldSpec{"claim", string, false, "new wording"},
    FieldSpec{"mechanism", string, false, "why"},
    FieldSpec{"parameters", string, false, "of its techniques"},
    FieldSpec{"operator_families", strings, false, "scope; an empty array sets no limit"},
    FieldSpec{"dtypes", strings, false, "scope"},
    FieldSpec{"bottlenecks", strings, false, "scope"},
    FieldSpec{"capability_min", integer, false, "scope; 0 sets no limit"},
    FieldSpec{"capability_max", integer, false, "scope"},
    FieldSpec{"device", string, false, "scope; an empty text sets no limit"},
    FieldSpec{"contracts", strings, false, "scope"},
    FieldSpec{"space", string, false, "namespace"},
    kReason,
};
constexpr std::array kChangeParams{
    kId,
    FieldSpec{"command", string, true,
              "`retire`, `retract`, `pin`, `unpin`, `quarantine` or `reinstate`"},
    kReason,
};
constexpr std::array kSupersedeParams{
    kId,
    FieldSpec{"by", string, true, "the insight that takes its place"},
    kReason,
};
constexpr std::array kUndoParams{
    kId,
    FieldSpec{"change", integer, false, "as the history names it; default the newest"},
    kReason,
};
constexpr std::array kSourcesResult{
    FieldSpec{"sources", objects, true, "`source`, `quarantined`, `insights`"},
};
constexpr std::array kSourceParams{
    FieldSpec{"source", string, true, "as `kb.sources` names it"},
    FieldSpec{"quarantined", boolean, true, "true: nothing of it counts; false: it counts again"},
    kReason,
};

constexpr std::array kTechniquesParams{
    FieldSpec{"name", string, false, "only this one; default all"},
};
constexpr std::array kTechniquesResult{
    FieldSpec{"techniques", objects, true, "as `kb.put_technique` takes them, with their source"},
};
constexpr std::array kTechniqueParams{
    FieldSpec{"name", string, true, "its id: `vectorized_loads`"},
    FieldSpec{"title", string, true, "for a person"},
    FieldSpec{"category", string, true,
              "`memory`, `parallelism`, `tensor`, `precision`, `fusion`, `control` or `build`"},
    FieldSpec{"bottlenecks", strings, false, "that it may cure, most typical first"},
    FieldSpec{"capability_min", integer, false, "80 = 8.0; default any"},
    FieldSpec{"capability_max", integer, false, "inclusive; default any"},
    FieldSpec{"when", string, false, "when it pays"},
    FieldSpec{"when_not", string, false, "when it does not"},
    FieldSpec{"how", string, false, "what to do"},
    FieldSpec{"parameters", strings, false, "`block_x: 64, 128, 256`"},
    FieldSpec{"risks", string, false, "what can go wrong"},
    FieldSpec{"generations", texts, false, "`sm_90` → note"},
    FieldSpec{"aliases", strings, false, "names in other systems"},
    FieldSpec{"typical_low", number, false, "gain where it applies, as a factor; default 1"},
    FieldSpec{"typical_high", number, false, "default 1"},
    kReason,
};
constexpr std::array kFactsParams{
    FieldSpec{"subject", string, false, "`sm_90`; default all"},
};
constexpr std::array kFactsResult{
    FieldSpec{"facts", objects, true, "`subject`, `name`, `value`, `unit`, `source`, `note`"},
};

constexpr std::array kGraphParams{
    FieldSpec{"from", string, false, "technique before; empty = first thing; default any"},
    FieldSpec{"cluster", string, false, "id of a cluster; default over all"},
    FieldSpec{"device", string, false, "driver's name; default over all"},
    FieldSpec{"provider", string, false, "`gpu`, `sim` or `fixture`; default each by itself"},
    FieldSpec{"limit", integer, false, "1 to 10000, default 100"},
};
constexpr std::array kGraphResult{
    FieldSpec{"edges", objects, true,
              "`from`, `to`, `cluster`, `family`, `device`, `provider`, `measured`, "
              "`mean_log_gain`, `screened`, `feasible`, `infeasible`, `better`, `examples`"},
};
constexpr std::array kGraphExportParams{
    FieldSpec{"file", string, true, "absolute path; must not exist"},
};
constexpr std::array kGraphExportResult{
    FieldSpec{"file", string, true, "that was written, in ReGraphT's form"},
    FieldSpec{"bytes", integer, true, "its size"},
};
constexpr std::array kGraphImportParams{
    FieldSpec{"file", string, true, "absolute path of a graph in ReGraphT's form"},
    FieldSpec{"source", string, false, "what its claims are filed under; default its name"},
};
constexpr std::array kGraphImportResult{
    FieldSpec{"added", integer, true, "claims that were new"},
};
constexpr std::array kClustersResult{
    FieldSpec{"clusters", objects, true,
              "`id`, `name`, `bottleneck`, `centroid`, `members`, `merged_into`, `source`"},
};
constexpr std::array kCalibrationParams{
    FieldSpec{"provider", string, false, "`gpu`, `sim` or `fixture`; default all"},
};
constexpr std::array kCalibrationResult{
    FieldSpec{"predictions", integer, true, "steps that were predicted and measured"},
    FieldSpec{"coverage", number, true, "share inside the predicted 80 % interval"},
    FieldSpec{"coverage_low", number, true, "95 % interval of it"},
    FieldSpec{"coverage_high", number, true, "95 % interval of it"},
    FieldSpec{"spearman", number, true, "rank correlation of predicted and measured ln(gain)"},
    FieldSpec{"bias", number, true, "mean of measured - predicted ln(gain)"},
};

constexpr std::array kVerifyParams{
    FieldSpec{"deep", boolean, false, "also the whole chain of changes and every file"},
};
constexpr std::array kVerifyResult{
    FieldSpec{"records", integer, true, "decoded"},
    FieldSpec{"changes", integer, true, "of the log that were recomputed"},
    FieldSpec{"problems", integer, true, "what does not fit"},
    FieldSpec{"notes", strings, true, "the first 20 of them"},
    kSeconds,
};
constexpr std::array kRebuildResult{
    FieldSpec{"changes", integer, true, "replayed"},
    FieldSpec{"records", integer, true, "written"},
    FieldSpec{"identical", boolean, true, "the same bytes as before"},
    FieldSpec{"differences", strings, true, "families that differ, with counts"},
    kSeconds,
};
constexpr std::array kBackupParams{
    FieldSpec{"directory", string, true, "absolute path of the backup folder"},
    FieldSpec{"keep", integer, false, "newest backups that stay, 1 to 1000, default 7"},
};
constexpr std::array kBackupResult{
    FieldSpec{"id", integer, true, "number of the backup"},
    FieldSpec{"sequence", integer, true, "newest change in it"},
    FieldSpec{"at", string, true, "`2026-11-21T20:15:00Z`"},
    FieldSpec{"bytes", integer, true, "its size"},
    kSeconds,
};
constexpr std::array kDirectoryParams{
    FieldSpec{"directory", string, true, "absolute path"},
};
constexpr std::array kBackupsResult{
    FieldSpec{"backups", objects, true, "oldest first: `id`, `sequence`, `at`, `bytes`"},
};
constexpr std::array kRestoreParams{
    FieldSpec{"directory", string, true, "absolute path of the backup folder"},
    FieldSpec{"id", integer, false, "number of the backup; default the newest"},
    FieldSpec{"target", string, false, "absolute path of a new folder for the base"},
    FieldSpec{"replace", boolean, false, "instead: in place of the open base, which is kept aside"},
};
constexpr std::array kCompactResult{
    FieldSpec{"disk_bytes_before", integer, true, "bytes on disk before"},
    FieldSpec{"disk_bytes", integer, true, "bytes on disk now"},
};

constexpr std::array kExportParams{
    FieldSpec{"file", string, true, "absolute path; a folder for `markdown`"},
    FieldSpec{"format", string, false, "`pack` (default) or `markdown`"},
    FieldSpec{"spaces", strings, false, "namespaces; default all"},
    FieldSpec{"licences", strings, false, "SPDX ids that may leave; default all"},
    FieldSpec{"all", boolean, false, "also quarantined, deprecated and retracted insights"},
    FieldSpec{"key", string, false, "absolute path of an Ed25519 private key, PEM: sign with it"},
};
constexpr std::array kImportParams{
    FieldSpec{"file", string, true, "absolute path"},
    FieldSpec{"format", string, false, "`pack` (default), `kernelblaster` or `kernel-tuner`"},
    kSpaceOfClaims,
    kTrustedKeys,
    kRequireSignature,
};
constexpr std::array kMergeParams{
    FieldSpec{"path", string, true, "absolute path of a pack, or of a copy of a base's folder"},
    kSpaceOfClaims,
    kTrustedKeys,
    kRequireSignature,
};
constexpr std::array kPackResult{
    FieldSpec{"pack", string, true, "hash of the content"},
    FieldSpec{"origin", string, true, "id of the base it came from"},
    FieldSpec{"insights", integer, true, "read or written"},
    FieldSpec{"techniques", integer, true, "read or written"},
    FieldSpec{"added", integer, true, "new here"},
    FieldSpec{"confirmed", integer, true, "known here, attested once more"},
    FieldSpec{"unchanged", integer, true, "known here in every respect"},
    FieldSpec{"refused", integer, true, "by the rules for claims"},
    FieldSpec{"is_signed", boolean, true, "by a valid signature"},
    FieldSpec{"signer", string, true, "fingerprint of the key"},
    FieldSpec{"notes", strings, true, "why something was refused: the first ten"},
};

constexpr auto kRequest = MethodKind::request;
constexpr std::array kMethods{
    MethodSpec{"kb.stats", kRequest, "What the knowledge base holds.", kNone, kKbStatsResult},
    MethodSpec{"kb.search", kRequest,
               "Insights that apply to a situation. What is left out does not filter.",
               kSearchParams, kSearchResult},
    MethodSpec{"kb.show", kRequest, "One insight or one technique.", kShowParams, kShowResult},
    MethodSpec{"kb.why", kRequest,
               "What an insight rests on: evidence, worth, decisions and who took them.", kIdParams,
               kWhyResult},
    MethodSpec{"kb.history", kRequest, "Everything that happened to an insight.", kHistoryParams,
               kHistoryResult},
    MethodSpec{"kb.add", kRequest,
               "Adds a claim, as `proposed`. Error `conflict` when the same claim is there.",
               kAddParams, kInsightResult},
    MethodSpec{"kb.edit", kRequest,
               "Changes wording or scope of an insight; what is left out stays.", kEditParams,
               kInsightResult},
    MethodSpec{"kb.change", kRequest,
               "Retires, retracts, pins, unpins, quarantines or reinstates an insight.",
               kChangeParams, kInsightResult},
    MethodSpec{"kb.supersede", kRequest, "Lets an insight take the place of another.",
               kSupersedeParams, kInsightResult},
    MethodSpec{"kb.undo", kRequest, "Takes back a change of an insight; that can be undone, too.",
               kUndoParams, kInsightResult},
    MethodSpec{"kb.sources", kRequest, "Who said what is in the base.", kNone, kSourcesResult},
    MethodSpec{"kb.set_source", kRequest,
               "Takes all influence from a source, or gives it back. May take long.", kSourceParams,
               kSourcesResult},
    MethodSpec{"kb.techniques", kRequest, "Technique cards.", kTechniquesParams, kTechniquesResult},
    MethodSpec{"kb.put_technique", kRequest,
               "Adds or replaces a technique card; an upgrade of the seed leaves it alone.",
               kTechniqueParams, kTechniquesResult},
    MethodSpec{"kb.facts", kRequest, "Numbers about hardware and toolchain, with sources.",
               kFactsParams, kFactsResult},
    MethodSpec{"kb.graph", kRequest, "In which order techniques pay, at which bottleneck.",
               kGraphParams, kGraphResult},
    MethodSpec{"kb.export_graph", kRequest, "Writes the reasoning graph to a file.",
               kGraphExportParams, kGraphExportResult},
    MethodSpec{"kb.import_graph", kRequest, "Takes the examples of a graph in as claims.",
               kGraphImportParams, kGraphImportResult},
    MethodSpec{"kb.clusters", kRequest, "Performance states that statistics are kept by.", kNone,
               kClustersResult},
    MethodSpec{"kb.calibration", kRequest, "How well predictions agree with measurements.",
               kCalibrationParams, kCalibrationResult},
    MethodSpec{"kb.verify", kRequest, "Reads every record and checks it. May take long.",
               kVerifyParams, kVerifyResult},
    MethodSpec{"kb.rebuild", kRequest,
               "Makes everything that is derived again from the truth. May take long.", kNone,
               kRebuildResult},
    MethodSpec{"kb.backup", kRequest, "Backs the base up, incrementally. May take long.",
               kBackupParams, kBackupResult},
    MethodSpec{"kb.backups", kRequest, "The backups of a folder.", kDirectoryParams,
               kBackupsResult},
    MethodSpec{"kb.restore", kRequest,
               "Makes a base of a backup, in a new folder or in place of the open one. Error "
               "`conflict` when the folder exists, or when jobs wait or run. May take long.",
               kRestoreParams, kBackupResult},
    MethodSpec{"kb.checkpoint", kRequest, "A second base of the same content, in a new folder.",
               kDirectoryParams, kBackupResult},
    MethodSpec{"kb.compact", kRequest, "Gives disk space back. May take long.", kNone,
               kCompactResult},
    MethodSpec{"kb.export", kRequest,
               "Writes knowledge to a pack or to Markdown. Error `conflict` when the file exists. "
               "May take long.",
               kExportParams, kPackResult},
    MethodSpec{"kb.import", kRequest,
               "Takes a pack, or the memory of another program, in as claims. May take long.",
               kImportParams, kPackResult},
    MethodSpec{"kb.merge", kRequest, "Takes in what another base holds. May take long.",
               kMergeParams, kPackResult},
};

}  // namespace

std::span<const MethodSpec> knowledge_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
