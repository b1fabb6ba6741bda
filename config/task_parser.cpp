#include "config/task_parser.h"

#include "config/nearest_name.h"
#include "config/toml_table_reader.h"

#include <vector>

namespace warpmind::config {
namespace {

using Places = std::map<std::string, TomlPlace, std::less<>>;

void collect_places(const TomlValue& value, const std::string& path, Places& places) {
  if (!path.empty()) places[path] = value.place;
  if (const auto* table = value.get<TomlValue::Table>()) {
    for (const auto& entry : *table) {
      collect_places(entry.value, path.empty() ? entry.key : path + "." + entry.key, places);
    }
  } else if (const auto* array = value.get<TomlValue::Array>()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      collect_places((*array)[i], path + "[" + std::to_string(i) + "]", places);
    }
  }
}

template <NamedEnum E>
std::vector<std::string_view> names_of_enum() {
  std::vector<std::string_view> names;
  names.reserve(EnumNames<E>::table.size());
  for (const auto& [value, name] : EnumNames<E>::table) names.push_back(name);
  return names;
}

template <NamedEnum E>
Result<E> named(const TableReader& table, TomlPlace place, std::string_view what,
                std::string_view text) {
  if (const auto value = parse_enum<E>(text)) return *value;
  return table.error_at(place, "unknown " + std::string(what) + " '" + std::string(text) + "'" +
                                   suggestion(text, names_of_enum<E>()));
}

template <NamedEnum E>
Result<E> named_text(const TableReader& table, std::string_view key, std::string_view example) {
  WARPMIND_TRY(const std::string text, table.text(key, example));
  return named<E>(table, table.find(key)->place, key, text);
}

template <NamedEnum E>
Result<E> named_or(const TableReader& table, std::string_view key, E fallback) {
  if (table.find(key) == nullptr) return fallback;
  return named_text<E>(table, key, "");
}

Result<RecordedInput> parse_recorded(const TableReader& table) {
  WARPMIND_CHECK(
      table.allow_only({"values", "offset", "reorder", "most", "low", "high", "mean", "deviation",
                        "zeros", "denormals", "not_finite", "sorted", "shares"}));
  RecordedInput out;
  WARPMIND_TRY(out.values, table.text_or("values", ""));
  if (table.find("offset") != nullptr) {
    WARPMIND_TRY(out.offset, table.integer("offset", "offset = 0"));
  }
  WARPMIND_TRY(out.reorder, table.boolean_or("reorder", true));
  if (table.find("most") != nullptr) {
    WARPMIND_TRY(out.most, table.expression("most", ""));
  }
  WARPMIND_TRY(out.low, table.number_or("low", 0));
  WARPMIND_TRY(out.high, table.number_or("high", 0));
  WARPMIND_TRY(out.mean, table.number_or("mean", 0));
  WARPMIND_TRY(out.deviation, table.number_or("deviation", 0));
  WARPMIND_TRY(out.zeros, table.number_or("zeros", 0));
  WARPMIND_TRY(out.denormals, table.number_or("denormals", 0));
  WARPMIND_TRY(out.not_finite, table.number_or("not_finite", 0));
  WARPMIND_TRY(out.sorted, table.boolean_or("sorted", false));
  WARPMIND_TRY(out.shares, table.numbers_or_empty("shares"));
  return out;
}

Result<Argument> parse_argument(const TableReader& table) {
  WARPMIND_CHECK(table.allow_only(
      {"name", "kind", "dtype", "shape", "value", "distributions", "low", "high", "recorded"}));
  Argument out;
  WARPMIND_TRY(out.name, table.text("name", "name = \"x\""));
  WARPMIND_TRY(out.kind, named_text<ArgumentKind>(table, "kind", "kind = \"in\""));
  WARPMIND_TRY(out.dtype, named_text<Dtype>(table, "dtype", "dtype = \"f32\""));
  WARPMIND_TRY(out.shape, table.expressions_or_empty("shape"));
  if (const auto* value = table.find("value")) {
    // 1e-5 may be written as a number; its text must survive as a decimal literal.
    if (value->get<double>() != nullptr) {
      return table.error_at(value->place, "write the decimal number in quotes: value = \"1e-5\"");
    }
    WARPMIND_TRY(out.value, table.expression("value", ""));
  }
  WARPMIND_TRY(const auto distributions, table.texts_or_empty("distributions"));
  for (std::size_t i = 0; i < distributions.size(); ++i) {
    const auto place = (*table.find("distributions")->get<TomlValue::Array>())[i].place;
    WARPMIND_TRY(const Distribution each,
                 named<Distribution>(table, place, "distribution", distributions[i]));
    out.distributions.push_back(each);
  }
  WARPMIND_TRY(out.low, table.number_or("low", 0));
  WARPMIND_TRY(out.high, table.number_or("high", 0));
  if (const auto* recorded = table.find("recorded")) {
    WARPMIND_TRY(const TableReader figures,
                 TableReader::open(table.file(), "[argument.recorded]", *recorded));
    WARPMIND_TRY(out.recorded, parse_recorded(figures));
  }
  return out;
}

Result<Workload> parse_workload(const TableReader& table) {
  WARPMIND_CHECK(table.allow_only({"name", "timed", "sizes"}));
  Workload out;
  WARPMIND_TRY(out.name, table.text("name", "name = \"tiny\""));
  WARPMIND_TRY(out.timed, table.boolean_or("timed", false));
  WARPMIND_TRY(const auto* sizes, table.need("sizes", "sizes = { rows = 4 }"));
  const auto* entries = sizes->get<TomlValue::Table>();
  if (entries == nullptr) {
    return table.error_at(sizes->place, "'sizes' must be a table such as { rows = 4 }, not " +
                                            std::string(sizes->kind()));
  }
  for (const auto& entry : *entries) {
    const auto* value = entry.value.get<std::int64_t>();
    if (value == nullptr) {
      return table.error_at(entry.value.place, "size '" + entry.key + "' must be an integer, not " +
                                                   std::string(entry.value.kind()));
    }
    out.sizes.emplace(entry.key, *value);
  }
  return out;
}

Result<HiddenRange> parse_hidden(const TableReader& table) {
  WARPMIND_CHECK(table.allow_only({"size", "low", "high", "multiple_of"}));
  HiddenRange out;
  WARPMIND_TRY(out.size, table.text("size", "size = \"rows\""));
  WARPMIND_TRY(out.low, table.integer("low", "low = 1"));
  WARPMIND_TRY(out.high, table.integer("high", "high = 97"));
  if (table.find("multiple_of") != nullptr) {
    WARPMIND_TRY(out.multiple_of, table.integer("multiple_of", ""));
  }
  return out;
}

Result<Relation> parse_relation(const TableReader& table) {
  WARPMIND_CHECK(table.allow_only({"kind", "arguments", "degree"}));
  Relation out;
  WARPMIND_TRY(out.kind, named_text<RelationKind>(table, "kind", "kind = \"scaling\""));
  WARPMIND_TRY(out.arguments, table.texts_or_empty("arguments"));
  if (table.find("degree") != nullptr) {
    if (out.kind != RelationKind::scaling) {
      return table.error_at_key("degree", "degree belongs to kind = \"scaling\"; remove it");
    }
    WARPMIND_TRY(out.degree, table.integer("degree", ""));
  }
  return out;
}

Result<Contract> parse_contract(const TableReader& root) {
  WARPMIND_TRY(const auto* value,
               root.need("contract", "[contract] with tolerance = \"elementwise\""));
  WARPMIND_TRY(const TableReader table, TableReader::open(root.file(), "[contract]", *value));
  WARPMIND_CHECK(table.allow_only(
      {"tolerance", "accumulate", "ulp", "reduction_length", "tf32_allowed", "deterministic"}));
  Contract out;
  WARPMIND_TRY(out.tolerance,
               named_text<ToleranceClass>(table, "tolerance", "tolerance = \"elementwise\""));
  WARPMIND_TRY(out.accumulate, named_or(table, "accumulate", out.accumulate));
  if (table.find("ulp") != nullptr && out.tolerance != ToleranceClass::elementwise) {
    return table.error_at_key("ulp", "ulp belongs to tolerance = \"elementwise\"; remove it");
  }
  WARPMIND_TRY(out.ulp, table.number_or("ulp", out.ulp));
  if (table.find("reduction_length") != nullptr) {
    WARPMIND_TRY(out.reduction_length, table.expression("reduction_length", ""));
  }
  WARPMIND_TRY(out.tf32_allowed, table.boolean_or("tf32_allowed", out.tf32_allowed));
  WARPMIND_TRY(out.deterministic, table.boolean_or("deterministic", out.deterministic));
  return out;
}

Result<CostModel> parse_cost(const TableReader& root) {
  WARPMIND_TRY(const auto* value, root.need("cost", "[cost] with bytes and flops"));
  WARPMIND_TRY(const TableReader table, TableReader::open(root.file(), "[cost]", *value));
  WARPMIND_CHECK(table.allow_only({"bytes", "flops"}));
  CostModel out;
  WARPMIND_TRY(out.bytes, table.expression("bytes", "bytes = \"rows * columns * 4\""));
  WARPMIND_TRY(out.flops, table.expression("flops", "flops = \"rows * columns\""));
  return out;
}

Result<void> parse_extents(const TableReader& table, std::string_view key,
                           std::array<std::string, 3>& out) {
  WARPMIND_TRY(const auto extents, table.expressions_or_empty(key));
  if (extents.empty() || extents.size() > 3) {
    return table.error_at_key(key, "'" + std::string(key) + "' needs one to three extents; write " +
                                       std::string(key) + " = [\"ceil_div(n, block_x)\"] or [256]");
  }
  std::copy(extents.begin(), extents.end(), out.begin());
  return {};
}

Result<Launch> parse_launch(const TableReader& table) {
  WARPMIND_CHECK(
      table.allow_only({"kernel", "grid", "block", "shared_bytes", "arguments", "cooperative"}));
  Launch out;
  WARPMIND_TRY(out.kernel, table.text("kernel", "kernel = \"scale\""));
  WARPMIND_CHECK(parse_extents(table, "grid", out.grid));
  WARPMIND_CHECK(parse_extents(table, "block", out.block));
  if (table.find("shared_bytes") != nullptr) {
    WARPMIND_TRY(out.shared_bytes, table.expression("shared_bytes", ""));
  }
  WARPMIND_TRY(out.arguments, table.texts_or_empty("arguments"));
  WARPMIND_TRY(out.cooperative, table.boolean_or("cooperative", false));
  return out;
}

Result<ScratchBuffer> parse_scratch(const TableReader& table) {
  WARPMIND_CHECK(table.allow_only({"name", "dtype", "elements", "zeroed"}));
  ScratchBuffer out;
  WARPMIND_TRY(out.name, table.text("name", "name = \"partial\""));
  WARPMIND_TRY(out.dtype, named_text<Dtype>(table, "dtype", "dtype = \"f32\""));
  WARPMIND_TRY(out.elements, table.expression("elements", "elements = \"rows\""));
  WARPMIND_TRY(out.zeroed, table.boolean_or("zeroed", false));
  return out;
}

Result<void> parse_constants(const TableReader& table, LaunchPlan& plan) {
  const auto* constants = table.find("constants");
  if (constants == nullptr) return {};
  const auto* entries = constants->get<TomlValue::Table>();
  if (entries == nullptr) {
    return table.error_at(constants->place,
                          "'constants' must be a table: write [kernel.constants]");
  }
  for (const auto& entry : *entries) {
    const auto* value = entry.value.get<std::int64_t>();
    if (value == nullptr) {
      return table.error_at(entry.value.place, "constant '" + entry.key +
                                                   "' must be an integer, not " +
                                                   std::string(entry.value.kind()));
    }
    plan.constants.emplace(entry.key, *value);
  }
  return {};
}

Result<void> parse_kernel(const TableReader& root, ParsedTask& out) {
  WARPMIND_TRY(const auto* value, root.need("kernel", "[kernel] with file = \"kernel.cu\""));
  WARPMIND_TRY(const TableReader table, TableReader::open(root.file(), "[kernel]", *value));
  WARPMIND_CHECK(
      table.allow_only({"file", "tier", "entry", "flags", "constants", "scratch", "launch"}));
  Kernel& kernel = out.task.kernel;
  WARPMIND_TRY(out.kernel_file, table.text("file", "file = \"kernel.cu\""));
  WARPMIND_TRY(kernel.tier, named_or(table, "tier", Tier::a));
  WARPMIND_TRY(kernel.entry, table.text_or("entry", ""));
  WARPMIND_TRY(kernel.build_flags, table.texts_or_empty("flags"));
  WARPMIND_CHECK(parse_constants(table, kernel.plan));
  WARPMIND_TRY(const auto buffers, table.tables("scratch", "[[kernel.scratch]]"));
  for (const auto& buffer : buffers) {
    WARPMIND_TRY(auto parsed, parse_scratch(buffer));
    kernel.plan.scratch.push_back(std::move(parsed));
  }
  WARPMIND_TRY(const auto launches, table.tables("launch", "[[kernel.launch]]"));
  for (const auto& launch : launches) {
    WARPMIND_TRY(auto parsed, parse_launch(launch));
    kernel.plan.launches.push_back(std::move(parsed));
  }
  return {};
}

Result<void> parse_lists(const TableReader& root, Task& task) {
  WARPMIND_TRY(const auto arguments, root.tables("argument", "[[argument]]"));
  for (const auto& argument : arguments) {
    WARPMIND_TRY(auto parsed, parse_argument(argument));
    task.arguments.push_back(std::move(parsed));
  }
  WARPMIND_TRY(const auto workloads, root.tables("workload", "[[workload]]"));
  for (const auto& workload : workloads) {
    WARPMIND_TRY(auto parsed, parse_workload(workload));
    task.workloads.push_back(std::move(parsed));
  }
  WARPMIND_TRY(const auto ranges, root.tables("hidden", "[[hidden]]"));
  for (const auto& range : ranges) {
    WARPMIND_TRY(auto parsed, parse_hidden(range));
    task.hidden.push_back(std::move(parsed));
  }
  WARPMIND_TRY(const auto relations, root.tables("relation", "[[relation]]"));
  for (const auto& relation : relations) {
    WARPMIND_TRY(auto parsed, parse_relation(relation));
    task.relations.push_back(std::move(parsed));
  }
  return {};
}

}  // namespace

TomlPlace ParsedTask::place_of(std::string_view where) const {
  while (!where.empty()) {
    const auto found = places.find(where);
    if (found != places.end()) return found->second;
    const auto cut = where.find_last_of(".[");
    where = cut == std::string_view::npos ? "" : where.substr(0, cut);
  }
  return {1, 1};
}

Result<ParsedTask> parse_task(std::string_view text, std::string_view file) {
  WARPMIND_TRY(const TomlValue document, parse_toml(text, file));
  WARPMIND_TRY(const TableReader root, TableReader::open(file, "the task", document));
  WARPMIND_CHECK(
      root.allow_only({"name", "description", "operator_family", "split", "argument", "workload",
                       "hidden", "relation", "contract", "cost", "reference", "kernel"}));
  ParsedTask out;
  Task& task = out.task;
  WARPMIND_TRY(task.name, root.text("name", "name = \"vector_add\""));
  WARPMIND_TRY(task.description, root.text_or("description", ""));
  WARPMIND_TRY(task.operator_family,
               root.text("operator_family", "operator_family = \"elementwise\""));
  WARPMIND_TRY(task.split, named_or(root, "split", Split::train));
  WARPMIND_CHECK(parse_lists(root, task));
  WARPMIND_TRY(task.contract, parse_contract(root));
  WARPMIND_TRY(task.cost, parse_cost(root));
  if (const auto* reference = root.find("reference")) {
    WARPMIND_TRY(const TableReader table, TableReader::open(file, "[reference]", *reference));
    WARPMIND_CHECK(table.allow_only({"file"}));
    WARPMIND_TRY(out.reference_file, table.text("file", "file = \"reference.cpp\""));
  }
  WARPMIND_CHECK(parse_kernel(root, out));
  collect_places(document, "", out.places);
  return out;
}

}  // namespace warpmind::config
