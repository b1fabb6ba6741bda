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
  bool operator==(const SkillSummary&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "that candidates name as their technique");
    field.required("form", self.form, "what a kernel must compute: reduction, scan, …");
    field.required("summary", self.summary, "why it can help");
    field.required("parameters", self.parameters, "and their values; empty when it has none");
    field.required("origin", self.origin, "who made it, and from what");
    field.required("licence", self.licence, "SPDX");
    field.required("folder", self.folder, "where it was read; empty for one that is shipped");
  }
};

struct RefusedSkillFolder {
  std::string folder;
  std::string reason;
  bool operator==(const RefusedSkillFolder&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("folder", self.folder, "that holds a skill.toml");
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
