#pragma once
/// \file
/// What the knowledge base says of itself and of its insights.

#include "base/model/advice.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

/// Of the search index that is held in memory.
struct IndexFigures {
  std::int64_t documents = 0;
  std::int64_t dead = 0;
  std::int64_t memory_bytes = 0;
  bool from_snapshot = false;  ///< every large space came from its file
  std::string embedders;       ///< "text-1 code-1 profile-1"
  std::string endpoint;        ///< a sentence

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

/// What a store holds.
struct StoreStatistics {
  std::int64_t schema_version = 0;
  std::int64_t last_sequence = 0;
  std::map<std::string, std::int64_t> records;
  std::map<std::string, std::int64_t> episodes_by_outcome;
  std::int64_t disk_bytes = 0;
  bool degraded = false;
  std::string note;
  bool operator==(const StoreStatistics&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("schema_version", self.schema_version, "layout of the base");
    field.required("last_sequence", self.last_sequence, "newest acknowledged change");
    field.required("records", self.records, "records by column family");
    field.required("episodes_by_outcome", self.episodes_by_outcome, "episodes by outcome");
    field.required("disk_bytes", self.disk_bytes, "bytes on disk");
    field.required("degraded", self.degraded, "read-only; `note` says why");
    field.required("note", self.note, "why, and what to do");
  }
};

/// What a search names, by whoever asks. What is empty or zero does not filter.
struct SearchTerms {
  std::string text;                       ///< words, identifiers, names of techniques
  std::map<std::string, double> profile;  ///< features of the kernel at hand
  std::string operator_family;
  std::int64_t capability = 0;                        ///< 90 = compute capability 9.0
  std::string device;                                 ///< "NVIDIA H200"
  std::optional<std::vector<std::string>> contracts;  ///< what the task allows: "tf32",
                                                      ///< "reassociation"; absent = not known,
                                                      ///< claims that need a contract stay
  std::vector<std::string> spaces;                    ///< namespaces to read; empty = all
  std::vector<std::string> techniques;  ///< only insights about one of these; empty = all
};

struct RetrievalAnswer {
  std::vector<RetrievedInsight> insights;  ///< withheld ones are marked
  std::string note;                        ///< "nothing applies: …"
  std::int64_t documents = 0;
  std::int64_t candidates = 0;
  bool operator==(const RetrievalAnswer&) const = default;

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

/// What an insight was worth: outcome of steps that saw it against steps from which it was withheld
/// at random, weighted by inverse propensity.
struct LiftEstimate {
  std::int64_t shown = 0;
  std::int64_t withheld = 0;
  double lift = 0;
  double low = 0;
  double high = 0;
  bool known = false;
  bool operator==(const LiftEstimate&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("shown", self.shown);
    field.required("withheld", self.withheld);
    field.required("lift", self.lift, "difference of mean ln(gain)");
    field.required("low", self.low, "95 % interval");
    field.required("high", self.high);
    field.required("known", self.known, "both arms have enough steps");
  }
};

/// One event of an insight.
struct HistoryEntry {
  std::int64_t change = 0;
  std::int64_t position = 0;
  UnixMillis at;
  InsightOp op = InsightOp::add;
  std::string actor;
  std::string reason;
  std::string summary;  ///< "claim amended", "evidence for: 1.31x in e-0000000007 step 3"
  bool undone = false;
  bool operator==(const HistoryEntry&) const = default;

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

/// Which change gave a field its present value.
struct BlameLine {
  std::string field;  ///< "claim", "state", …
  std::string value;
  std::int64_t change = 0;
  std::string actor;
  bool operator==(const BlameLine&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("field", self.field);
    field.required("value", self.value);
    field.required("change", self.change);
    field.required("actor", self.actor);
  }
};

struct SourceReport {
  std::string source;
  bool quarantined = false;
  std::int64_t insights = 0;  ///< that have it as provenance
  std::int64_t skills = 0;    ///< that came with it
  bool operator==(const SourceReport&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("source", self.source);
    field.required("quarantined", self.quarantined);
    field.required("insights", self.insights);
    field.required("skills", self.skills);
  }
};

}  // namespace warpmind
