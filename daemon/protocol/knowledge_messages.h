#pragma once
/// \file
/// The methods of the knowledge base (`kb.*`) as values. Names on the wire are the field names.
/// Insights, techniques and facts travel as the values of base/model. Paths are absolute and the
/// daemon's. docs/protocol.md says more; a test holds it to daemon/protocol/method_table.

#include "base/model/advice.h"
#include "base/model/bottleneck.h"
#include "base/model/insight.h"
#include "base/model/measurement.h"
#include "base/model/technique.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

// --- State ----------------------------------------------------------------------------------

/// Of the search index that is held in memory.
struct IndexFigures {
  std::int64_t documents = 0;
  std::int64_t dead = 0;
  std::int64_t memory_bytes = 0;
  bool from_snapshot = false;
  std::string embedders;
  std::string endpoint;

  static void describe(auto& self, auto& field) {
    field.required("documents", self.documents, "that may be offered");
    field.required("dead", self.dead, "superseded entries, until the next rebuild");
    field.required("memory_bytes", self.memory_bytes);
    field.required("from_snapshot", self.from_snapshot, "the daemon's start read it from files");
    field.required("embedders", self.embedders, "ids");
    field.required("endpoint", self.endpoint,
                   "what the embeddings endpoint does; empty = none is set");
  }
};
struct KbStatsResult {
  std::int64_t schema_version = 0;
  std::int64_t last_sequence = 0;
  std::map<std::string, std::int64_t> records;
  std::map<std::string, std::int64_t> episodes_by_outcome;
  std::int64_t disk_bytes = 0;
  bool degraded = false;
  std::string note;
  std::map<std::string, std::int64_t> insights;
  IndexFigures index;

  static void describe(auto& self, auto& field) {
    field.required("schema_version", self.schema_version, "layout of the base");
    field.required("last_sequence", self.last_sequence, "newest acknowledged change");
    field.required("records", self.records, "records by column family");
    field.required("episodes_by_outcome", self.episodes_by_outcome, "episodes by outcome");
    field.required("disk_bytes", self.disk_bytes, "bytes on disk");
    field.required("degraded", self.degraded, "read-only; `note` says why");
    field.required("note", self.note, "why, and what to do");
    field.required("insights", self.insights, "insights by `state.`, `kind.` and `trust.`");
    field.required(
        "index", self.index,
        "of the search: `documents`, `dead`, `memory_bytes`, `from_snapshot`, `embedders`, "
        "`endpoint`");
  }
};

// --- Looking --------------------------------------------------------------------------------

struct KbSearchParams {
  std::string text;
  std::vector<std::string> bottlenecks;
  std::string operator_family;
  std::vector<std::string> dtypes;
  std::string device;
  std::int64_t capability = 0;
  std::string kernel;
  std::map<std::string, double> profile;
  std::vector<std::string> techniques;
  std::vector<std::string> spaces;
  std::optional<std::vector<std::string>> contracts;
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
struct KbSearchResult {
  std::vector<RetrievedInsight> insights;
  std::string note;
  std::int64_t documents = 0;
  std::int64_t candidates = 0;

  static void describe(auto& self, auto& field) {
    field.required(
        "insights", self.insights,
        "best first: `id`, `kind`, `state`, `trust`, `claim`, `action`, `utility`, `score`, "
        "`propensity`, `shown`, `why`");
    field.required("note", self.note, "why there is none");
    field.required("documents", self.documents, "insights in the index");
    field.required("candidates", self.candidates, "that passed the hard filters");
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

/// Outcome of steps that saw an insight against steps from which it was withheld at random.
struct KbLift {
  std::int64_t shown = 0;
  std::int64_t withheld = 0;
  double lift = 0;
  double low = 0;
  double high = 0;
  bool known = false;
  bool operator==(const KbLift&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("shown", self.shown);
    field.required("withheld", self.withheld);
    field.required("lift", self.lift, "difference of mean ln(gain)");
    field.required("low", self.low, "95 % interval");
    field.required("high", self.high);
    field.required("known", self.known, "both arms have enough steps");
  }
};
struct KbHistoryEntry {
  std::int64_t change = 0;
  std::int64_t position = 0;
  UnixMillis at;
  std::string op;
  std::string actor;
  std::string reason;
  std::string summary;
  bool undone = false;
  bool operator==(const KbHistoryEntry&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("change", self.change, "position in the log");
    field.required("position", self.position);
    field.required("at", self.at);
    field.required("op", self.op, "\"add\", \"evidence\", \"transition\", …");
    field.required("actor", self.actor, "\"user:alice\", \"gate\", \"episode e-0000000007\"");
    field.required("reason", self.reason);
    field.required("summary", self.summary, "one line");
    field.required("undone", self.undone);
  }
};
struct KbWhyResult {
  Insight insight;
  KbLift lift;
  std::vector<KbHistoryEntry> decisions;

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
/// Which change gave a field its present value.
struct KbBlameLine {
  std::string field;
  std::string value;
  std::int64_t change = 0;
  std::string actor;
  bool operator==(const KbBlameLine&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("field", self.field);
    field.required("value", self.value);
    field.required("change", self.change);
    field.required("actor", self.actor);
  }
};
struct KbHistoryResult {
  std::string id;
  std::vector<KbHistoryEntry> entries;
  std::vector<KbBlameLine> blame;
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

struct KbAddParams {
  std::string claim;
  std::string kind = "positive";
  std::vector<std::string> techniques;
  std::string mechanism;
  std::string parameters;
  std::vector<std::string> operator_families;
  std::vector<std::string> dtypes;
  std::vector<std::string> bottlenecks;
  std::int64_t capability_min = 0;
  std::int64_t capability_max = 0;
  std::string device;
  std::vector<std::string> contracts;
  std::string space = "user";
  std::string licence;
  std::string model;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("claim", self.claim, "one or two sentences, at most 400 characters");
    field.optional("kind", self.kind,
                   "`positive` (default), `negative`, `precondition` or `composite`");
    field.optional("techniques", self.techniques, "what to do; several in order for a composite");
    field.optional("mechanism", self.mechanism, "why, at most 400 characters");
    field.optional("parameters", self.parameters, "`block=256x1x1`, as the proposer spells it");
    field.optional("operator_families", self.operator_families, "scope; default everywhere");
    field.optional("dtypes", self.dtypes, "scope");
    field.optional("bottlenecks", self.bottlenecks, "scope");
    field.optional("capability_min", self.capability_min, "scope: 80 = 8.0");
    field.optional("capability_max", self.capability_max, "scope, inclusive");
    field.optional("device", self.device, "scope: one model, by name or key of the table");
    field.optional("contracts", self.contracts, "what a task must allow: `tf32`, `reassociation`");
    field.optional("space", self.space, "`user` (default), `project:<name>` or `team:<name>`");
    field.optional("licence", self.licence, "SPDX id of the text");
    field.optional("model", self.model, "language model that wrote it; default: a person did");
    field.optional("reason", self.reason, "one sentence, kept in the history");
  }
};
struct KbEditParams {  ///< what is absent stays
  std::string id;
  std::optional<std::string> claim;
  std::optional<std::string> mechanism;
  std::optional<std::string> parameters;
  std::optional<std::vector<std::string>> operator_families;
  std::optional<std::vector<std::string>> dtypes;
  std::optional<std::vector<std::string>> bottlenecks;
  std::optional<std::int64_t> capability_min;
  std::optional<std::int64_t> capability_max;
  std::optional<std::string> device;
  std::optional<std::vector<std::string>> contracts;
  std::optional<std::string> space;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "id of an insight, or its unambiguous beginning");
    field.optional("claim", self.claim, "new wording");
    field.optional("mechanism", self.mechanism, "why");
    field.optional("parameters", self.parameters, "of its techniques");
    field.optional("operator_families", self.operator_families,
                   "scope; an empty array sets no limit");
    field.optional("dtypes", self.dtypes, "scope");
    field.optional("bottlenecks", self.bottlenecks, "scope");
    field.optional("capability_min", self.capability_min, "scope; 0 sets no limit");
    field.optional("capability_max", self.capability_max, "scope");
    field.optional("device", self.device, "scope; an empty text sets no limit");
    field.optional("contracts", self.contracts, "scope");
    field.optional("space", self.space, "namespace");
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

struct KbSource {
  std::string source;
  bool quarantined = false;
  std::int64_t insights = 0;
  bool operator==(const KbSource&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("source", self.source);
    field.required("quarantined", self.quarantined);
    field.required("insights", self.insights);
  }
};
struct KbSourcesResult {
  std::vector<KbSource> sources;

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
struct KbTechniqueParams {  ///< kb.put_technique
  std::string name;
  std::string title;
  std::string category;
  std::vector<std::string> bottlenecks;
  std::int64_t capability_min = 0;
  std::int64_t capability_max = 0;
  std::string when;
  std::string when_not;
  std::string how;
  std::vector<std::string> parameters;
  std::string risks;
  std::map<std::string, std::string> generations;
  std::vector<std::string> aliases;
  double typical_low = 1;
  double typical_high = 1;
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
/// A step that was verified and measured.
struct KbEdgeExample {
  std::string episode;
  std::int64_t step = 0;
  std::string task;
  std::string operator_family;
  std::string before;
  std::string after;
  double log_gain = 0;
  std::string parameters;
  bool operator==(const KbEdgeExample&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("episode", self.episode);
    field.required("step", self.step);
    field.required("task", self.task);
    field.required("operator_family", self.operator_family);
    field.required("before", self.before, "kernel ids");
    field.required("after", self.after);
    field.required("log_gain", self.log_gain);
    field.required("parameters", self.parameters);
  }
};
struct KbEdge {
  std::string from;
  std::string to;
  std::string cluster;
  std::string family;
  std::string device;
  Provider provider = Provider::gpu;
  double measured = 0;
  double mean_log_gain = 0;
  double screened = 0;
  std::int64_t feasible = 0;
  std::int64_t infeasible = 0;
  std::int64_t better = 0;
  std::vector<KbEdgeExample> examples;
  bool operator==(const KbEdge&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("from", self.from);
    field.required("to", self.to);
    field.required("cluster", self.cluster);
    field.required("family", self.family);
    field.required("device", self.device);
    field.required("provider", self.provider);
    field.required("measured", self.measured, "confirmed comparisons");
    field.required("mean_log_gain", self.mean_log_gain, "of them");
    field.required("screened", self.screened, "seen not to gain, weight 1/2 each");
    field.required("feasible", self.feasible);
    field.required("infeasible", self.infeasible);
    field.required("better", self.better, "became the incumbent");
    field.required("examples", self.examples);
  }
};
struct KbGraphResult {
  std::vector<KbEdge> edges;

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

struct KbCluster {
  std::string id;
  std::string name;
  BottleneckClass bottleneck = BottleneckClass::unknown;
  std::map<std::string, double> centroid;
  std::int64_t members = 0;
  std::string merged_into;
  std::string source;
  bool operator==(const KbCluster&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id);
    field.required("name", self.name);
    field.required("bottleneck", self.bottleneck);
    field.required("centroid", self.centroid);
    field.required("members", self.members);
    field.required("merged_into", self.merged_into, "empty = alive");
    field.required("source", self.source);
  }
};
struct KbClustersResult {
  std::vector<KbCluster> clusters;

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
struct KbCalibrationResult {
  std::int64_t predictions = 0;
  double coverage = 0;
  double coverage_low = 0;
  double coverage_high = 0;
  double spearman = 0;
  double bias = 0;

  static void describe(auto& self, auto& field) {
    field.required("predictions", self.predictions, "steps that were predicted and measured");
    field.required("coverage", self.coverage, "share inside the predicted 80 % interval");
    field.required("coverage_low", self.coverage_low, "95 % interval of it");
    field.required("coverage_high", self.coverage_high, "95 % interval of it");
    field.required("spearman", self.spearman,
                   "rank correlation of predicted and measured ln(gain)");
    field.required("bias", self.bias, "mean of measured - predicted ln(gain)");
  }
};

// --- Methods

inline constexpr Method<Empty, KbStatsResult> kKbStats{"kb.stats",
                                                       "What the knowledge base contains."};
inline constexpr Method<KbSearchParams, KbSearchResult> kKbSearch{
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
inline constexpr Method<KbCalibrationParams, KbCalibrationResult> kKbCalibration{
    "kb.calibration", "How well predictions agree with measurements."};

[[nodiscard]] std::vector<MethodSpec> knowledge_methods();

}  // namespace warpmind::daemon::protocol
