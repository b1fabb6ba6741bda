#include "agents/benchmark/table_file.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace warpmind::agents::benchmark {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kHead = "warpmind_evaluation_table";
constexpr int kVersion = 1;
constexpr std::size_t kFileLimit = std::size_t{512} * 1024 * 1024;
constexpr std::size_t kMostFindings = 5;
constexpr std::size_t kMostDiagnostics = 400;

/// Members that hold what a member that is absent means, at any depth: a third of the file.
void drop_empty(json& value) {
  if (value.is_array()) {
    for (auto& element : value) drop_empty(element);
  }
  if (!value.is_object()) return;
  for (auto member = value.begin(); member != value.end();) {
    drop_empty(*member);
    const auto* text = member->get_ptr<const std::string*>();
    const bool empty = text != nullptr ? text->empty() : member->is_structured() && member->empty();
    member = member->is_null() || empty ? value.erase(member) : std::next(member);
  }
}

Result<TableOrigin> read_head(std::string_view line, const fs::path& file) {
  const auto head = codec::parse_json(line);
  if (!head || !head->is_object() || !head->contains(kHead)) {
    return fail(Errc::corrupt_data, file.string() +
                                        " is no evaluation table: its first line has no '" + kHead +
                                        "'; record one with --record FILE");
  }
  const json& version = (*head)[kHead];
  if (!version.is_number_integer() || version != kVersion) {
    return fail(Errc::corrupt_data, file.string() + " has version " + version.dump() +
                                        ", this build reads " + std::to_string(kVersion));
  }
  TableOrigin origin;
  WARPMIND_TRY(origin.provider,
               codec::from_json<Provider>(head->value("provider", json()), "provider"));
  WARPMIND_TRY(origin.device,
               codec::from_json<DeviceIdentity>(head->value("device", json()), "device"));
  origin.proposer = head->value("proposer", origin.proposer);
  return origin;
}

/// The metrics that the lines so far have numbered.
using KnownMetrics = std::map<std::int64_t, Metric>;

Result<void> read_metric(const json& line, KnownMetrics& metrics) {
  Metric metric;
  WARPMIND_TRY(metric.name, codec::from_json<std::string>(line["metric"], "metric"));
  WARPMIND_TRY(metric.unit, codec::from_json<std::string>(line.value("unit", json("")), "unit"));
  WARPMIND_TRY(metric.origin,
               codec::from_json<MetricOrigin>(line.value("origin", json("measured")), "origin"));
  WARPMIND_TRY(const auto number,
               codec::from_json<std::int64_t>(line.value("number", json()), "number"));
  metrics[number] = std::move(metric);
  return {};
}

/// [[number, value], …] of each profiled kernel.
Result<void> read_profile(const json& verdict, const KnownMetrics& known, Profile& profile) {
  using Pairs = std::vector<std::pair<std::int64_t, double>>;
  WARPMIND_TRY(const auto lists, codec::from_json<std::vector<Pairs>>(
                                     verdict.value("metrics", json::array()), "metrics"));
  for (std::size_t i = 0; i < std::min(lists.size(), profile.kernels.size()); ++i) {
    for (const auto& [number, value] : lists[i]) {
      const auto metric = known.find(number);
      if (metric == known.end()) {
        return fail(Errc::corrupt_data, "metric " + std::to_string(number) + " is not declared");
      }
      profile.kernels[i].metrics.push_back(metric->second);
      profile.kernels[i].metrics.back().value = value;
    }
  }
  return {};
}

Result<void> read_kernel(const json& line, const KnownMetrics& metrics, EvaluationTable& table) {
  RecordedKernel kernel;
  WARPMIND_TRY(kernel.task, codec::from_json<TaskId>(line.value("task", json()), "task"));
  WARPMIND_TRY(kernel.kernel, codec::from_json<KernelId>(line.value("kernel", json()), "kernel"));
  WARPMIND_TRY(kernel.parent, codec::from_json<KernelId>(line.value("parent", json("")), "parent"));
  WARPMIND_TRY(kernel.technique,
               codec::from_json<std::string>(line.value("technique", json("")), "technique"));
  WARPMIND_TRY(kernel.parameters,
               codec::from_json<std::string>(line.value("parameters", json("")), "parameters"));
  WARPMIND_TRY(kernel.verdict, codec::from_json<Verdict>(line.value("verdict", json()), "verdict"));
  if (kernel.verdict.profile) {
    WARPMIND_CHECK(read_profile(line, metrics, *kernel.verdict.profile));
  }
  if (kernel.verdict.measurement) {
    kernel.verdict.measurement->device = table.origin().device;
    kernel.verdict.measurement->provider = table.origin().provider;
  }
  return table.add(std::move(kernel));
}

Result<void> read_line(std::string_view text, KnownMetrics& metrics, EvaluationTable& table) {
  WARPMIND_TRY(const json line, codec::parse_json(text));
  if (!line.is_object()) return fail(Errc::corrupt_data, "it is no object");
  if (line.contains("kernel")) return read_kernel(line, metrics, table);
  if (line.contains("metric")) return read_metric(line, metrics);
  if (!line.contains("task")) return fail(Errc::corrupt_data, "it is no task, metric or kernel");
  WARPMIND_TRY(Task task, codec::from_json<Task>(line["task"], "task"));
  return table.add_task(std::move(task));
}

std::string name_of_metric(const Metric& metric) {
  return metric.name + " " + metric.unit + " " + std::string(name_of(metric.origin));
}

/// To 7 digits: more is noise, and a third of the file.
double rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.7g", value);
  return std::strtod(text.data(), nullptr);
}

Error of_system(const fs::path& file) {
  const int code = errno;
  return {Errc::external_failure, "cannot write " + file.string() + ": " + std::strerror(code)};
}

}  // namespace

Result<TableReading> read_table(const fs::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kFileLimit));
  TableReading reading;
  KnownMetrics metrics;
  std::string_view rest = text;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (number == 1) {
      WARPMIND_TRY(auto origin, read_head(line, file));
      reading.table = EvaluationTable(std::move(origin));
      continue;
    }
    if (end == std::string_view::npos) {
      reading.cut_short = true;
      break;
    }
    if (line.empty()) continue;
    const auto read = read_line(line, metrics, reading.table);
    if (read) continue;
    reading.problems.push_back(file.string() + ":" + std::to_string(number) + ": " +
                               read.error().message + "; the line is left out");
  }
  if (text.empty()) return fail(Errc::corrupt_data, file.string() + " is empty");
  return reading;
}

Verdict trimmed(Verdict verdict) {
  std::erase_if(verdict.stages, [](const StageReport& stage) { return stage.passed; });
  if (verdict.build) {
    auto& text = verdict.build->diagnostics;
    if (verdict.build->succeeded) text.clear();
    text.resize(std::min(text.size(), kMostDiagnostics));
  }
  if (verdict.profile) {
    verdict.profile->lines.clear();
    for (auto& kernel : verdict.profile->kernels) {
      for (auto& metric : kernel.metrics) metric.value = rounded(metric.value);
    }
  }
  verdict.findings.resize(std::min(verdict.findings.size(), kMostFindings));
  return verdict;
}

Result<TableWriter> TableWriter::create(const fs::path& file, const TableOrigin& origin) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (!fd && errno == EEXIST) {
    return fail(Errc::conflict, file.string() + " is there already");
  }
  if (!fd) return fail(of_system(file));
  TableWriter writer(std::move(fd), file, {});
  json head = {{kHead, kVersion},
               {"provider", origin.provider},
               {"device", origin.device},
               {"proposer", origin.proposer}};
  WARPMIND_CHECK(writer.append(codec::dump_json(head)));
  return writer;
}

Result<TableWriter> TableWriter::resume(const fs::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kFileLimit));
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!fd) return fail(of_system(file));
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (whole < text.size() && ::ftruncate(fd.get(), static_cast<off_t>(whole)) != 0) {
    return fail(of_system(file));
  }
  Metrics metrics;
  std::string_view rest = std::string_view(text).substr(0, whole);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (!line.starts_with("{\"metric\"")) continue;
    KnownMetrics one;
    const auto parsed = codec::parse_json(line);
    if (!parsed || !read_metric(*parsed, one)) continue;
    metrics[name_of_metric(one.begin()->second)] = one.begin()->first;
  }
  return TableWriter(std::move(fd), file, std::move(metrics));
}

Result<std::int64_t> TableWriter::number_of(const Metric& metric) {
  const auto [entry, is_new] =
      metrics_.try_emplace(name_of_metric(metric), static_cast<std::int64_t>(metrics_.size()));
  if (!is_new) return entry->second;
  const json line = {{"metric", metric.name},
                     {"number", entry->second},
                     {"origin", metric.origin},
                     {"unit", metric.unit}};
  WARPMIND_CHECK(append(codec::dump_json(line)));
  return entry->second;
}

Result<void> TableWriter::write(const Task& task) {
  json line = {{"task", task}};
  line["task"]["directory"] = "";  // of the machine that recorded
  drop_empty(line);
  return append(codec::dump_json(line));
}

Result<void> TableWriter::write(const RecordedKernel& kernel) {
  RecordedKernel small = kernel;
  small.verdict = trimmed(std::move(small.verdict));
  json metrics = json::array();
  if (small.verdict.profile) {
    for (auto& profiled : small.verdict.profile->kernels) {
      json list = json::array();
      for (const auto& metric : profiled.metrics) {
        WARPMIND_TRY(const std::int64_t number, number_of(metric));
        list.push_back({number, metric.value});
      }
      profiled.metrics.clear();
      metrics.push_back(std::move(list));
    }
  }
  json line = {
      {"task", small.task},           {"kernel", small.kernel},         {"parent", small.parent},
      {"technique", small.technique}, {"parameters", small.parameters}, {"verdict", small.verdict}};
  // The head says it once.
  if (small.verdict.measurement) line["verdict"]["measurement"].erase("device");
  drop_empty(line);
  if (!metrics.empty()) line["metrics"] = std::move(metrics);
  return append(codec::dump_json(line));
}

Result<void> TableWriter::append(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(of_system(file_));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace warpmind::agents::benchmark
