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

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

// --- Looking --------------------------------------------------------------------------------

struct KbSearchParams {
  std::string text;  ///< words, identifiers, names of techniques
  std::vector<std::string> bottlenecks;
  std::string operator_family;
  std::vector<std::string> dtypes;
  std::string device;                     ///< "NVIDIA H200", or key of the device table: "h200"
  std::int64_t capability = 0;            ///< 90 = 9.0; 0 = that of `device`, or any
  std::string kernel;                     ///< CUDA source: its structure is compared
  std::map<std::string, double> profile;  ///< features of the kernel's profile
  std::vector<std::string> techniques;    ///< only insights about one of these
  std::vector<std::string> spaces;        ///< namespaces to read; empty = all
  std::optional<std::vector<std::string>> contracts;  ///< what the task allows; absent = unknown
  std::optional<std::int64_t> limit;
  bool all = false;  ///< also quarantined, deprecated and retracted ones
};
struct KbSearchResult {
  std::vector<RetrievedInsight> insights;  ///< best first
  std::string note;                        ///< why there is none
  std::int64_t documents = 0;              ///< in the index
  std::int64_t candidates = 0;             ///< that passed the hard filters
};

struct KbInsightParams {  ///< kb.show, kb.why
  std::string id;         ///< an id or its unambiguous beginning; kb.show: or a technique's name
};
struct KbShowResult {  ///< one of the two
  std::optional<Insight> insight;
  std::optional<Technique> technique;
};

/// Outcome of steps that saw an insight against steps from which it was withheld at random.
struct KbLift {
  std::int64_t shown = 0;
  std::int64_t withheld = 0;
  double lift = 0;  ///< difference of mean ln(gain)
  double low = 0;   ///< 95 % interval
  double high = 0;
  bool known = false;  ///< both arms have enough steps
  bool operator==(const KbLift&) const = default;
};
struct KbHistoryEntry {
  std::int64_t change = 0;  ///< position in the log
  std::int64_t position = 0;
  UnixMillis at;
  std::string op;     ///< "add", "evidence", "transition", …
  std::string actor;  ///< "user:alice", "gate", "episode e-0000000007"
  std::string reason;
  std::string summary;  ///< one line
  bool undone = false;
  bool operator==(const KbHistoryEntry&) const = default;
};
struct KbWhyResult {
  Insight insight;
  KbLift lift;
  std::vector<KbHistoryEntry> decisions;  ///< history without evidence and attestations
};

struct KbHistoryParams {
  std::string id;
  std::optional<std::int64_t> as_of;  ///< also the insight as it stood after this change
};
/// Which change gave a field its present value.
struct KbBlameLine {
  std::string field;
  std::string value;
  std::int64_t change = 0;
  std::string actor;
  bool operator==(const KbBlameLine&) const = default;
};
struct KbHistoryResult {
  std::string id;
  std::vector<KbHistoryEntry> entries;  ///< oldest first
  std::vector<KbBlameLine> blame;
  std::optional<Insight> insight;  ///< when `as_of` was given
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
  std::string model;  ///< language model that wrote it; empty = a person
  std::string reason;
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
};
struct KbChangeParams {
  std::string id;
  std::string command;  ///< retire, retract, pin, unpin, quarantine, reinstate
  std::string reason;
};
struct KbSupersedeParams {
  std::string id;
  std::string by;
  std::string reason;
};
struct KbUndoParams {
  std::string id;
  std::optional<std::int64_t> change;  ///< absent = the newest
  std::string reason;
};
struct KbInsightResult {  ///< as it is now
  Insight insight;
};

struct KbSource {
  std::string source;
  bool quarantined = false;
  std::int64_t insights = 0;
  bool operator==(const KbSource&) const = default;
};
struct KbSourcesResult {
  std::vector<KbSource> sources;
};
struct KbSourceParams {
  std::string source;
  bool quarantined = true;  ///< false = let it count again
  std::string reason;
};

// --- Techniques and facts -------------------------------------------------------------------

struct KbTechniquesParams {
  std::string name;  ///< empty = all
};
struct KbTechniquesResult {
  std::vector<Technique> techniques;
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
};
struct KbFactsParams {
  std::string subject;  ///< "sm_90"; empty = all
};
struct KbFactsResult {
  std::vector<Fact> facts;
};

// --- Reasoning graph ------------------------------------------------------------------------

struct KbGraphParams {
  std::optional<std::string> from;  ///< "" = first in an episode; absent = any
  std::string cluster;
  std::string device;
  std::string provider;
  std::optional<std::int64_t> limit;
};
/// A step that was verified and measured.
struct KbEdgeExample {
  std::string episode;
  std::int64_t step = 0;
  std::string task;
  std::string operator_family;
  std::string before;  ///< kernel ids
  std::string after;
  double log_gain = 0;
  std::string parameters;
  bool operator==(const KbEdgeExample&) const = default;
};
struct KbEdge {
  std::string from;
  std::string to;
  std::string cluster;
  std::string family;
  std::string device;
  Provider provider = Provider::gpu;
  double measured = 0;       ///< confirmed comparisons
  double mean_log_gain = 0;  ///< of them
  double screened = 0;       ///< seen not to gain, weight 1/2 each
  std::int64_t feasible = 0;
  std::int64_t infeasible = 0;
  std::int64_t better = 0;  ///< became the incumbent
  std::vector<KbEdgeExample> examples;
  bool operator==(const KbEdge&) const = default;
};
struct KbGraphResult {
  std::vector<KbEdge> edges;
};
struct KbGraphExportParams {
  std::string file;
};
struct KbGraphExportResult {
  std::string file;
  std::int64_t bytes = 0;
};
struct KbGraphImportParams {
  std::string file;
  std::string source;  ///< empty = made of the file's name
};
struct KbGraphImportResult {
  std::int64_t added = 0;  ///< claims that were new
};

struct KbCluster {
  std::string id;
  std::string name;
  BottleneckClass bottleneck = BottleneckClass::unknown;
  std::map<std::string, double> centroid;
  std::int64_t members = 0;
  std::string merged_into;  ///< empty = alive
  std::string source;
  bool operator==(const KbCluster&) const = default;
};
struct KbClustersResult {
  std::vector<KbCluster> clusters;
};
struct KbCalibrationParams {
  std::string provider;  ///< empty = all
};
struct KbCalibrationResult {
  std::int64_t predictions = 0;
  double coverage = 0;  ///< of the predicted 80 % intervals
  double coverage_low = 0;
  double coverage_high = 0;
  double spearman = 0;
  double bias = 0;
};

// --- Upkeep ---------------------------------------------------------------------------------

struct KbVerifyParams {
  bool deep = false;
};
struct KbVerifyResult {
  std::int64_t records = 0;
  std::int64_t changes = 0;
  std::int64_t problems = 0;
  std::vector<std::string> notes;
  double seconds = 0;
};
struct KbRebuildResult {
  std::int64_t changes = 0;
  std::int64_t records = 0;
  bool identical = false;
  std::vector<std::string> differences;
  double seconds = 0;
};
struct KbBackup {
  std::int64_t id = 0;
  std::int64_t sequence = 0;
  std::string at;
  std::int64_t bytes = 0;
  double seconds = 0;
  bool operator==(const KbBackup&) const = default;
};
struct KbBackupParams {
  std::string directory;
  std::optional<std::int64_t> keep;
};
struct KbDirectoryParams {  ///< kb.backups, kb.checkpoint
  std::string directory;
};
struct KbBackupsResult {
  std::vector<KbBackup> backups;
};
struct KbRestoreParams {
  std::string directory;
  std::int64_t id = 0;   ///< 0 = the newest
  std::string target;    ///< a new folder
  bool replace = false;  ///< in place of the open base; instead of `target`
};
struct KbCompactResult {
  std::int64_t disk_bytes_before = 0;
  std::int64_t disk_bytes = 0;
};

// --- Exchange -------------------------------------------------------------------------------

struct KbExportParams {
  std::string file;  ///< or a folder, for Markdown
  std::string format = "pack";
  std::vector<std::string> spaces;
  std::vector<std::string> licences;
  bool all = false;
  std::string key;
};
struct KbImportParams {
  std::string file;
  std::string format = "pack";
  std::string space = "user";
  std::vector<std::string> trusted_keys;
  bool require_signature = false;
};
struct KbMergeParams {
  std::string path;  ///< a pack or the folder of a base
  std::string space = "user";
  std::vector<std::string> trusted_keys;
  bool require_signature = false;
};
struct KbPackResult {
  std::string pack;
  std::string origin;
  std::int64_t insights = 0;
  std::int64_t techniques = 0;
  std::int64_t added = 0;
  std::int64_t confirmed = 0;
  std::int64_t unchanged = 0;
  std::int64_t refused = 0;
  bool is_signed = false;
  std::string signer;
  std::vector<std::string> notes;
};

}  // namespace warpmind::daemon::protocol
