#include "tests/bench/retrieval_quality/golden_set.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"
#include "base/file.h"
#include "knowledge_base/retrieval/features.h"

#include <array>
#include <cstdio>
#include <functional>

namespace warpmind::bench {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

/// Calls `take` with each line as JSON; exceptions of the library end here.
Result<void> for_each_line(const std::filesystem::path& path,
                           const std::function<void(const json&)>& take) {
  WARPMIND_TRY(const auto text, read_file(path, kMostBytes));
  std::size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string where = path.string() + ":" + std::to_string(line);
    auto value = codec::parse_json(std::string_view(text).substr(begin, end - begin));
    if (!value) return fail(std::move(value).error().while_doing(where));
    try {
      take(*value);
    } catch (const std::exception& e) {
      return fail(Errc::corrupt_data, where + ": " + e.what());
    }
    begin = end + 1;
  }
  return {};
}

/// Throws where a name is none of the enum's.
template <class E>
std::vector<E> enums(const json& line, const char* member) {
  std::vector<E> values;
  for (const auto& name : line.value(member, std::vector<std::string>())) {
    values.push_back(json(name).get<E>());
  }
  return values;
}

std::map<std::string, double> code_signature(const std::string& source) {
  if (source.empty()) return {};
  Kernel kernel;
  kernel.source = source;
  return knowledge_base::code_features(kernel);
}

InsightId id_at(std::size_t place) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "i-%016zx", place + 1);
  return InsightId(text.data());
}

NamedInsight insight_from(const json& line, std::size_t place) {
  NamedInsight named;
  named.name = line.at("id");
  Insight& insight = named.insight;
  insight.id = id_at(place);
  insight.kind = line.at("kind").get<InsightKind>();
  insight.claim = line.at("claim");
  insight.mechanism = line.value("mechanism", "");
  insight.action.techniques = line.at("techniques").get<std::vector<std::string>>();
  insight.scope.operator_families = line.value("operator_families", std::vector<std::string>());
  insight.scope.bottlenecks = enums<BottleneckClass>(line, "bottlenecks");
  insight.scope.dtypes = enums<Dtype>(line, "dtypes");
  insight.scope.capability_min = line.value("capability_min", 0);
  insight.code_signature = code_signature(line.value("code", ""));
  insight.profile_signature = line.value("profile", std::map<std::string, double>());
  return named;
}

JudgedQuery query_from(const json& line) {
  JudgedQuery judged;
  judged.base = line.at("base");
  judged.variant = line.at("variant");
  judged.query.text = line.value("text", "");
  judged.query.code = code_signature(line.value("code", ""));
  judged.query.profile = line.value("profile", std::map<std::string, double>());
  judged.grades = line.at("grades").get<std::map<std::string, int>>();
  return judged;
}

/// What was tried on one task: a line of measured.jsonl.
struct MeasuredTask {
  std::string task;
  std::string family;
  std::string bottleneck;
  std::map<std::string, double> profile;
  std::map<std::string, double> code;
  std::map<std::string, double> gains;  ///< of the best parameters, by technique
};

int grade_of(double gain) { return gain >= 1.2 ? 3 : gain >= 1.05 ? 2 : gain >= 1.01 ? 1 : 0; }

NamedInsight lesson_of(const MeasuredTask& task, const std::string& technique, double gain) {
  NamedInsight lesson;
  lesson.name = task.task + "/" + technique;
  Insight& insight = lesson.insight;
  const bool helped = grade_of(gain) > 0;
  insight.kind = helped ? InsightKind::positive : InsightKind::negative;
  insight.claim = technique + (helped ? " is faster" : " is not faster") + " at " +
                  task.bottleneck + " in " + task.family + ".";
  insight.action.techniques = {technique};
  insight.profile_signature = task.profile;
  insight.code_signature = task.code;
  return lesson;
}

GoldenSet without_family(const std::vector<MeasuredTask>& tasks, const MeasuredTask& left_out) {
  GoldenSet set;
  JudgedQuery judged;
  judged.base = left_out.task;
  judged.variant = "family";
  judged.query.text = "faster at " + left_out.bottleneck + " in " + left_out.family;
  judged.query.code = left_out.code;
  judged.query.profile = left_out.profile;
  for (const auto& task : tasks) {
    if (task.family == left_out.family) continue;
    for (const auto& [technique, gain] : task.gains) {
      set.insights.push_back(lesson_of(task, technique, gain));
      set.insights.back().insight.id = id_at(set.insights.size());
      const auto here = left_out.gains.find(technique);
      const int grade = here == left_out.gains.end() ? 0 : grade_of(here->second);
      if (grade_of(gain) > 0 && grade > 0) judged.grades[set.insights.back().name] = grade;
    }
  }
  set.queries.push_back(std::move(judged));
  return set;
}

}  // namespace

Result<GoldenSet> read_golden_set(const std::filesystem::path& directory) {
  GoldenSet set;
  WARPMIND_CHECK(for_each_line(directory / "insights.jsonl", [&set](const json& line) {
    set.insights.push_back(insight_from(line, set.insights.size()));
  }));
  WARPMIND_CHECK(for_each_line(directory / "queries.jsonl", [&set](const json& line) {
    set.queries.push_back(query_from(line));
  }));
  return set;
}

Result<std::vector<GoldenSet>> read_leave_family_out(const std::filesystem::path& directory,
                                                     const std::filesystem::path& tasks) {
  std::vector<MeasuredTask> measured;
  WARPMIND_CHECK(for_each_line(directory / "measured.jsonl", [&measured](const json& line) {
    measured.push_back({line.at("task"),
                        line.at("operator_family"),
                        line.at("bottleneck"),
                        line.at("profile"),
                        {},
                        line.at("gains")});
  }));
  std::vector<GoldenSet> sets;
  for (auto& task : measured) {
    WARPMIND_TRY(const auto source, read_file(tasks / task.task / "kernel.cu", kMostBytes));
    task.code = code_signature(source);
  }
  for (const auto& task : measured) {
    auto set = without_family(measured, task);
    if (!set.queries.front().grades.empty()) sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace warpmind::bench
