#pragma once
/// \file
/// The methods of the knowledge base (`kb.*`) as values. Names on the wire are the field names.
/// What the base answers are values of base/model. Paths are absolute and the
/// daemon's. docs/protocol.md says more; a test holds it to daemon/protocol/method_table.

#include "base/model/knowledge.h"
#include "base/model/reasoning_graph.h"
#include "base/model/technique.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

// --- State ----------------------------------------------------------------------------------

struct KbStatsResult : StoreStatistics {
  std::map<std::string, std::int64_t> insights;
  IndexFigures index;

  static void describe(auto& self, auto& field) {
    StoreStatistics::describe(self, field);
    field.required("insights", self.insights, "insights by `state.`, `kind.` and `trust.`");
    field.required(
        "index", self.index,
        "of the search: `documents`, `dead`, `memory_bytes`, `from_snapshot`, `embedders`, "
        "`endpoint`");
  }
};

// --- Looking --------------------------------------------------------------------------------

struct KbSearchParams : SearchTerms {
  std::vector<std::string> bottlenecks;
  std::vector<std::string> dtypes;
  std::string kernel;
  std::optional<std::int64_t> limit;
  bool all = false;

  static void describe(auto& self, auto& field) {
    field.optional("text", self.text, "words, identifiers, names of techniques");
    field.optional("bottlenecks", self.bottlenecks, "bottleneck classes, the primary one first");
    field.optional("operator_family", self.operator_family, "as in task.toml: `softmax`");
    field.optional("dtypes", self.dtypes, "element types: `f16`");
    field.optional("device", self.device, "driver's name, or key of the device table: `h200`");
    field.optional("capability", self.capability, "90 = 9.0; default: that of `device`");
    field.optional("kernel", self.kernel, "CUDA source, at most 1 MiB: its structure is compared");
    field.optional("profile", self.profile, "features of the kernel's profile, by name");
    field.optional("techniques", self.techniques, "only insights about one of these");
    field.optional("spaces", self.spaces, "namespaces to read; default all");
    field.optional("contracts", self.contracts, "what the task allows; absent = not known");
    field.optional("limit", self.limit, "1 to 200, default 10");
    field.optional("all", self.all, "also quarantined, deprecated and retracted insights");
  }
};
struct KbInsightParams {
  std::string id;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "id of an insight, or its unambiguous beginning");
  }
};
struct KbShowParams {
  std::string id;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "id of an insight, its beginning, or a technique's name");
  }
};
struct KbShowResult {  ///< one of the two
  std::optional<Insight> insight;
  std::optional<Technique> technique;

  static void describe(auto& self, auto& field) {
    field.required("insight", self.insight, "the insight, or null");
    field.required("technique", self.technique, "the technique, or null");
  }
};

struct KbWhyResult {
  Insight insight;
  LiftEstimate lift;
  std::vector<HistoryEntry> decisions;

  static void describe(auto& self, auto& field) {
    field.required("insight", self.insight,
                   "with `evidence`, `attestations`, `utility`, `provenance`");
    field.required("lift", self.lift,
                   "what showing it is worth: `shown`, `withheld`, `lift`, `low`, `high`, `known`");
    field.required("decisions", self.decisions, "history without evidence and attestations");
  }
};

struct KbHistoryParams {
  std::string id;
  std::optional<std::int64_t> as_of;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "id of an insight, or its unambiguous beginning");
    field.optional("as_of", self.as_of, "also answer the insight as it stood after this change");
  }
};
struct KbHistoryResult {
  std::string id;
  std::vector<HistoryEntry> entries;
  std::vector<BlameLine> blame;
  std::optional<Insight> insight;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "the whole id");
    field.required(
        "entries", self.entries,
        "oldest first: `change`, `position`, `at`, `op`, `actor`, `reason`, `summary`, `undone`");
    field.required("blame", self.blame,
                   "which change gave a field its value: `field`, `value`, `change`, `actor`");
    field.required("insight", self.insight, "as it stood, or null");
  }
};

// --- Changing -------------------------------------------------------------------------------

/// What a claim may say besides its first sentence, as a person spells it.
struct KbClaimParams : InsightWords {
  std::optional<std::vector<std::string>> operator_families;
  std::optional<std::vector<std::string>> dtypes;
  std::optional<std::vector<std::string>> bottlenecks;
  std::optional<std::int64_t> capability_min;
  std::optional<std::int64_t> capability_max;
  std::optional<std::string> device;
  std::optional<std::vector<std::string>> contracts;

  static void describe(auto& self, auto& field) {
    field.optional("mechanism", self.mechanism, "why, at most 400 characters");
    field.optional("parameters", self.parameters, "`block=256x1x1`, as the proposer spells it");
    field.optional("operator_families", self.operator_families,
                   "scope; an empty array sets no limit");
    field.optional("dtypes", self.dtypes, "scope");
    field.optional("bottlenecks", self.bottlenecks, "scope");
    field.optional("capability_min", self.capability_min, "scope: 80 = 8.0; 0 sets no limit");
    field.optional("capability_max", self.capability_max, "scope, inclusive");
    field.optional("device", self.device,
                   "scope: one model, by name or key of the table; an empty text sets no limit");
    field.optional("contracts", self.contracts, "what a task must allow: `tf32`, `reassociation`");
    field.optional("space", self.space,
                   "`user` (default of a new claim), `project:<name>` or `team:<name>`");
  }
};
struct KbAddParams : KbClaimParams {
  std::string kind = "positive";
  std::vector<std::string> techniques;
  std::string licence;
  std::string model;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("claim", self.claim, "one or two sentences, at most 400 characters");
    field.optional("kind", self.kind,
                   "`positive` (default), `negative`, `precondition` or `composite`");
    field.optional("techniques", self.techniques, "what to do; several in order for a composite");
    KbClaimParams::describe(self, field);
    field.optional("licence", self.licence, "SPDX id of the text");
    field.optional("model", self.model, "language model that wrote it; default: a person did");
    field.optional("reason", self.reason, "one sentence, kept in the history");
  }
};
struct KbEditParams : KbClaimParams {  ///< what is absent stays
  std::string id;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "id of an insight, or its unambiguous beginning");
    field.optional("claim", self.claim, "new wording");
    KbClaimParams::describe(self, field);
    field.optional("reason", self.reason, "one sentence, kept in the history");
  }
};
struct KbChangeParams {
  std::string id;
  std::string command;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "id of an insight, or its unambiguous beginning");
    field.required("command", self.command,
                   "`retire`, `retract`, `pin`, `unpin`, `quarantine` or `reinstate`");
    field.optional("reason", self.reason, "one sentence, kept in the history");
  }
};
struct KbSupersedeParams {
  std::string id;
  std::string by;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "id of an insight, or its unambiguous beginning");
    field.required("by", self.by, "the insight that takes its place");
    field.optional("reason", self.reason, "one sentence, kept in the history");
  }
};
struct KbUndoParams {
  std::string id;
  std::optional<std::int64_t> change;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "id of an insight, or its unambiguous beginning");
    field.optional("change", self.change, "as the history names it; default the newest");
    field.optional("reason", self.reason, "one sentence, kept in the history");
  }
};
struct KbInsightResult {  ///< as it is now
  Insight insight;

  static void describe(auto& self, auto& field) {
    field.required("insight", self.insight, "as it is now");
  }
};

struct KbSourcesResult {
  std::vector<SourceReport> sources;

  static void describe(auto& self, auto& field) {
    field.required("sources", self.sources, "`source`, `quarantined`, `insights`");
  }
};
struct KbSourceParams {
  std::string source;
  bool quarantined = true;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("source", self.source, "as `kb.sources` names it");
    field.required("quarantined", self.quarantined,
                   "true: nothing of it counts; false: it counts again");
    field.optional("reason", self.reason, "one sentence, kept in the history");
  }
};

// --- Techniques and facts -------------------------------------------------------------------

struct KbTechniquesParams {
  std::string name;

  static void describe(auto& self, auto& field) {
    field.optional("name", self.name, "only this one; default all");
  }
};
struct KbTechniquesResult {
  std::vector<Technique> techniques;

  static void describe(auto& self, auto& field) {
    field.required("techniques", self.techniques,
                   "as `kb.put_technique` takes them, with their source");
  }
};
struct KbTechniqueParams : TechniqueCard {  ///< kb.put_technique
  std::vector<std::string> bottlenecks;
  std::int64_t capability_min = 0;
  std::int64_t capability_max = 0;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "its id: `vectorized_loads`");
    field.required("title", self.title, "for a person");
    field.required(
        "category", self.category,
        "`memory`, `parallelism`, `tensor`, `precision`, `fusion`, `control` or `build`");
    field.optional("bottlenecks", self.bottlenecks, "that it may cure, most typical first");
    field.optional("capability_min", self.capability_min, "80 = 8.0; default any");
    field.optional("capability_max", self.capability_max, "inclusive; default any");
    field.optional("when", self.when, "when it helps");
    field.optional("when_not", self.when_not, "when it does not");
    field.optional("how", self.how, "what to do");
    field.optional("parameters", self.parameters, "`block_x: 64, 128, 256`");
    field.optional("risks", self.risks, "what can go wrong");
    field.optional("generations", self.generations, "`sm_90` → note");
    field.optional("aliases", self.aliases, "names in other systems");
    field.optional("typical_low", self.typical_low,
                   "gain where it applies, as a factor; default 1");
    field.optional("typical_high", self.typical_high, "default 1");
    field.optional("reason", self.reason, "one sentence, kept in the history");
  }
};
struct KbFactsParams {
  std::string subject;

  static void describe(auto& self, auto& field) {
    field.optional("subject", self.subject, "`sm_90`; default all");
  }
};
struct KbFactsResult {
  std::vector<Fact> facts;

  static void describe(auto& self, auto& field) {
    field.required("facts", self.facts, "`subject`, `name`, `value`, `unit`, `source`, `note`");
  }
};

// --- Reasoning graph ------------------------------------------------------------------------

struct KbGraphParams {
  std::optional<std::string> from;
  std::string cluster;
  std::string device;
  std::string provider;
  std::optional<std::int64_t> limit;

  static void describe(auto& self, auto& field) {
    field.optional("from", self.from, "technique before; empty = first thing; default any");
    field.optional("cluster", self.cluster, "id of a cluster; default over all");
    field.optional("device", self.device, "driver's name; default over all");
    field.optional("provider", self.provider, "`gpu`, `sim` or `fixture`; default each by itself");
    field.optional("limit", self.limit, "1 to 10000, default 100");
  }
};
struct KbGraphResult {
  std::vector<EdgeStatistics> edges;

  static void describe(auto& self, auto& field) {
    field.required(
        "edges", self.edges,
        "`from`, `to`, `cluster`, `family`, `device`, `provider`, `measured`, `mean_log_gain`, "
        "`screened`, `feasible`, `infeasible`, `better`, `examples`");
  }
};
struct KbGraphExportParams {
  std::string file;

  static void describe(auto& self, auto& field) {
    field.required("file", self.file, "absolute path; must not exist");
  }
};
struct KbGraphExportResult {
  std::string file;
  std::int64_t bytes = 0;

  static void describe(auto& self, auto& field) {
    field.required("file", self.file, "that was written, in ReGraphT's form");
    field.required("bytes", self.bytes, "its size");
  }
};
struct KbGraphImportParams {
  std::string file;
  std::string source;

  static void describe(auto& self, auto& field) {
    field.required("file", self.file, "absolute path of a graph in ReGraphT's form");
    field.optional("source", self.source, "what its claims are filed under; default its name");
  }
};
struct KbGraphImportResult {
  std::int64_t added = 0;

  static void describe(auto& self, auto& field) {
    field.required("added", self.added, "claims that were new");
  }
};

struct KbClustersResult {
  std::vector<StateCluster> clusters;

  static void describe(auto& self, auto& field) {
    field.required("clusters", self.clusters,
                   "`id`, `name`, `bottleneck`, `centroid`, `members`, `merged_into`, `source`");
  }
};
struct KbCalibrationParams {
  std::string provider;

  static void describe(auto& self, auto& field) {
    field.optional("provider", self.provider, "`gpu`, `sim` or `fixture`; default all");
  }
};
// --- Methods

inline constexpr Method<Empty, KbStatsResult> kKbStats{"kb.stats",
                                                       "What the knowledge base contains."};
inline constexpr Method<KbSearchParams, RetrievalAnswer> kKbSearch{
    "kb.search", "Insights that apply to a situation. Omitted fields do not filter."};
inline constexpr Method<KbShowParams, KbShowResult> kKbShow{"kb.show",
                                                            "One insight or one technique."};
inline constexpr Method<KbInsightParams, KbWhyResult> kKbWhy{
    "kb.why", "What an insight rests on: evidence, worth, decisions and who took them."};
inline constexpr Method<KbHistoryParams, KbHistoryResult> kKbHistory{
    "kb.history", "Everything that happened to an insight."};
inline constexpr Method<KbAddParams, KbInsightResult> kKbAdd{
    "kb.add", "Adds a claim, as `proposed`. Error `conflict` when the same claim is there."};
inline constexpr Method<KbEditParams, KbInsightResult> kKbEdit{
    "kb.edit", "Changes wording or scope of an insight; what is left out stays."};
inline constexpr Method<KbChangeParams, KbInsightResult> kKbChange{
    "kb.change", "Retires, retracts, pins, unpins, quarantines or reinstates an insight."};
inline constexpr Method<KbSupersedeParams, KbInsightResult> kKbSupersede{
    "kb.supersede", "Lets an insight take the place of another."};
inline constexpr Method<KbUndoParams, KbInsightResult> kKbUndo{
    "kb.undo", "Takes back a change of an insight; that can be undone, too."};
inline constexpr Method<Empty, KbSourcesResult> kKbSources{"kb.sources",
                                                           "Sources of the base's contents."};
inline constexpr Method<KbSourceParams, KbSourcesResult> kKbSetSource{
    "kb.set_source", "Takes all influence from a source, or gives it back. May take long."};
inline constexpr Method<KbTechniquesParams, KbTechniquesResult> kKbTechniques{"kb.techniques",
                                                                              "Technique cards."};
inline constexpr Method<KbTechniqueParams, KbTechniquesResult> kKbPutTechnique{
    "kb.put_technique",
    "Adds or replaces a technique card; an upgrade of the seed leaves it alone."};
inline constexpr Method<KbFactsParams, KbFactsResult> kKbFacts{
    "kb.facts", "Numbers about hardware and toolchain, with sources."};
inline constexpr Method<KbGraphParams, KbGraphResult> kKbGraph{
    "kb.graph", "In which order techniques pay, at which bottleneck."};
inline constexpr Method<KbGraphExportParams, KbGraphExportResult> kKbExportGraph{
    "kb.export_graph", "Writes the reasoning graph to a file."};
inline constexpr Method<KbGraphImportParams, KbGraphImportResult> kKbImportGraph{
    "kb.import_graph", "Takes the examples of a graph in as claims."};
inline constexpr Method<Empty, KbClustersResult> kKbClusters{
    "kb.clusters", "Performance states that statistics are kept by."};
inline constexpr Method<KbCalibrationParams, Calibration> kKbCalibration{
    "kb.calibration", "How well predictions agree with measurements."};

[[nodiscard]] std::vector<MethodSpec> knowledge_methods();

}  // namespace warpmind::daemon::protocol
