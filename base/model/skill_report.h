#pragma once
/// \file
/// Skills of the built-in agent as people look at them.

#include <map>
#include <string>
#include <vector>

namespace warpmind {

struct SkillSummary {
  std::string name;
  std::string form;
  std::string summary;
  std::string parameters;
  std::string origin;
  std::string licence;
  std::string folder;
  std::string source;
  std::string trust;
  std::string signer;
  bool signer_known = false;
  std::string checked_on;
  std::string vouched_by;
  std::string withheld;
  bool operator==(const SkillSummary&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "that candidates name as their technique");
    field.required("form", self.form, "what a kernel must compute: reduction, scan, …");
    field.required("summary", self.summary, "why it can help");
    field.required("parameters", self.parameters, "and their values; empty when it has none");
    field.required("origin", self.origin, "who made it, and from what");
    field.required("licence", self.licence, "SPDX");
    field.required("folder", self.folder, "where it was read; empty for all but your own");
    field.required("source", self.source, "`shipped`, `folder` or `pack:<name>`");
    field.required("trust", self.trust,
                   "T0 as it came with a pack, T1 yours or checked here, T4 vouched for; empty for "
                   "one that is shipped");
    field.required("signer", self.signer, "fingerprint of the key that signed its pack");
    field.required("signer_known", self.signer_known, "that key was a trusted one at the import");
    field.required("checked_on", self.checked_on,
                   "device of the last check of a skill from a pack, where it passed");
    field.required("vouched_by", self.vouched_by, "who trusts a skill from a pack");
    field.required("withheld", self.withheld,
                   "why episodes do not use it, one sentence; empty when they do");
  }
};

struct RefusedSkillFolder {
  std::string folder;
  std::string reason;
  bool operator==(const RefusedSkillFolder&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("folder", self.folder,
                   "that holds a skill.toml, or `<name> of pack:<name>` for one of the base");
    field.required("reason", self.reason, "why it is not used, one sentence");
  }
};

/// What came of one test of a skill, or of the skill before its tests.
struct SkillTestReport {
  std::string test;
  bool passed = false;
  std::string detail;
  bool operator==(const SkillTestReport&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("test", self.test, "name of its file");
    field.required("passed", self.passed, "whether the skill did what the test says");
    field.required("detail", self.detail,
                   "what was tried, or what went wrong, for a person: one line");
  }
};

}  // namespace warpmind
