#include "agents/builtin/skills/skill.h"

#include "agents/builtin/skills/skill_names.h"
#include "agents/builtin/skills/skill_numbers.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/toml_table_reader.h"
#include "syntax/cuda_source.h"

#include <algorithm>
#include <filesystem>

namespace warpmind::agents::builtin {
namespace {

using config::TableReader;
using config::TomlValue;

constexpr std::size_t kMostNoteLines = 20;

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

Result<std::optional<std::int64_t>> integer_if_any(const TableReader& table, std::string_view key,
                                                   std::string_view example) {
  const TomlValue* const value = table.find(key);
  if (value == nullptr) return std::optional<std::int64_t>{};
  if (const auto* number = value->get<std::int64_t>()) return std::optional(*number);
  return table.error_at(value->place,
                        std::string(key) + " must be an integer, such as " + std::string(example));
}

/// What names an expression may use at a place of skill.toml.
using Known = std::vector<std::string>;

/// What is there before any [let].
Known first_names(const Skill& skill) {
  Known known = device_number_names();
  for (const std::string_view fact : facts_of(skill.form)) known.emplace_back(fact);
  for (const std::string_view type : types_of(skill.form)) {
    known.push_back("bytes_" + std::string(type));
  }
  for (const SkillParameter& parameter : skill.parameters) known.push_back(parameter.name);
  return known;
}

Result<void> check_expression(const TableReader& table, std::string_view key,
                              const std::string& text, const Known& known) {
  const auto mistake = mistake_in(text, known);
  if (mistake.empty()) return {};
  return table.error_at_key(key, std::string(key) + ": " + mistake);
}

Result<void> read_types(const TableReader& file, Skill& skill) {
  const TomlValue* const types = file.find("types");
  if (types == nullptr) return {};
  WARPMIND_TRY(const auto table, TableReader::open(file.file(), "[types]", *types));
  const auto* entries = types->get<TomlValue::Table>();
  for (const auto& entry : *entries) {
    WARPMIND_TRY(auto allowed, table.texts_or_empty(entry.key));
    if (allowed.empty()) {
      return table.error_at(entry.place, "'" + entry.key + "' allows no type; name at least one");
    }
    skill.types.emplace(entry.key, std::move(allowed));
  }
  return {};
}

/// Each name may be used by what stands below it.
Result<void> read_let(const TableReader& file, Skill& skill, Known& known) {
  const TomlValue* const let = file.find("let");
  if (let == nullptr) return {};
  WARPMIND_TRY(const auto table, TableReader::open(file.file(), "[let]", *let));
  Known all = known;
  for (const auto& entry : *let->get<TomlValue::Table>()) all.push_back(entry.key);
  for (const auto& entry : *let->get<TomlValue::Table>()) {
    WARPMIND_TRY(auto expression, table.expression(entry.key, entry.key + " = \"rows * 2\""));
    if (!mistake_in(expression, known).empty() && mistake_in(expression, all).empty()) {
      return table.error_at(
          entry.place, entry.key + " uses a name of [let] that stands below it" + "; move that up");
    }
    WARPMIND_CHECK(check_expression(table, entry.key, expression, known));
    known.push_back(entry.key);
    skill.let.emplace_back(entry.key, std::move(expression));
  }
  return {};
}

Result<void> read_parameters(const TableReader& file, Skill& skill) {
  WARPMIND_TRY(const auto tables, file.tables("parameter", "[[parameter]]"));
  for (const auto& table : tables) {
    WARPMIND_CHECK(table.allow_only({"name", "values"}));
    SkillParameter parameter;
    WARPMIND_TRY(parameter.name, table.text("name", "name = \"threads\""));
    const TomlValue* const values = table.find("values");
    const auto* list = values == nullptr ? nullptr : values->get<TomlValue::Array>();
    if (list == nullptr || list->empty()) {
      return table.error_at_key("values", "[[parameter]] '" + parameter.name +
                                              "' lacks values; write values = [128, 256]");
    }
    for (const auto& value : *list) {
      const auto* number = value.get<std::int64_t>();
      if (number == nullptr) return table.error_at(value.place, "a value must be an integer");
      parameter.values.push_back(*number);
    }
    skill.parameters.push_back(std::move(parameter));
  }
  return {};
}

Result<void> read_requirements(const TableReader& file, const Known& known, Skill& skill) {
  WARPMIND_TRY(const auto tables, file.tables("require", "[[require]]"));
  for (const auto& table : tables) {
    WARPMIND_CHECK(table.allow_only({"that", "at_least", "at_most", "equals", "otherwise"}));
    SkillRequirement one;
    WARPMIND_TRY(one.that, table.expression("that", "that = \"length\""));
    WARPMIND_CHECK(check_expression(table, "that", one.that, known));
    WARPMIND_TRY(one.at_least, integer_if_any(table, "at_least", "128"));
    WARPMIND_TRY(one.at_most, integer_if_any(table, "at_most", "128"));
    WARPMIND_TRY(one.equals, integer_if_any(table, "equals", "0"));
    if (!one.at_least && !one.at_most && !one.equals) {
      return table.error_at(table.place(), "[[require]] needs at_least, at_most or equals");
    }
    WARPMIND_TRY(one.otherwise, table.text("otherwise", "otherwise = \"rows are short\""));
    skill.requirements.push_back(std::move(one));
  }
  return {};
}

Result<void> read_scratch(const TableReader& file, const Known& known, Skill& skill) {
  WARPMIND_TRY(const auto tables, file.tables("scratch", "[[scratch]]"));
  for (const auto& table : tables) {
    WARPMIND_CHECK(table.allow_only({"name", "dtype", "elements", "zeroed"}));
    SkillScratch one;
    WARPMIND_TRY(one.name, table.text("name", "name = \"parts\""));
    WARPMIND_TRY(one.dtype, table.text("dtype", "dtype = \"f32\""));
    if (one.dtype != "u64" && !parse_enum<Dtype>(one.dtype) && !one.dtype.starts_with("type:")) {
      return table.error_at_key("dtype", "dtype must be one of " + all_names_of<Dtype>() +
                                             ", u64, or \"type:NAME\" for a type of the form");
    }
    WARPMIND_TRY(one.elements, table.expression("elements", "elements = \"rows * 4\""));
    WARPMIND_CHECK(check_expression(table, "elements", one.elements, known));
    WARPMIND_TRY(one.zeroed, table.boolean_or("zeroed", false));
    skill.scratch.push_back(std::move(one));
  }
  return {};
}

Result<void> check_launch(const TableReader& table, const SkillLaunch& launch, const Known& known,
                          FormKind form) {
  for (const auto& text : launch.grid) {
    WARPMIND_CHECK(check_expression(table, "grid", text, known));
  }
  WARPMIND_CHECK(check_expression(table, "threads", launch.threads, known));
  WARPMIND_CHECK(check_expression(table, "shared_bytes", launch.shared_bytes, known));
  if (!launch.blocks_per_multiprocessor.empty()) {
    WARPMIND_CHECK(check_expression(table, "blocks_per_multiprocessor",
                                    launch.blocks_per_multiprocessor, known));
  }
  for (const auto& text : launch.sizes) {
    WARPMIND_CHECK(check_expression(table, "sizes", text, known));
  }
  for (const auto& text : launch.template_arguments) {
    if (!text.starts_with("type:")) {
      WARPMIND_CHECK(check_expression(table, "template_arguments", text, known));
      continue;
    }
    if (contains(types_of(form), std::string_view(text).substr(5))) continue;
    const std::string has = join_text(types_of(form), ", ");
    return table.error_at_key("template_arguments",
                              "the form " + std::string(name_of(form)) + " has no " + text +
                                  (has.empty() ? "; it has no types" : "; it has " + has));
  }
  return {};
}

Result<void> read_launch(const TableReader& table, const Known& known, Skill& skill) {
  WARPMIND_CHECK(
      table.allow_only({"entry", "grid", "threads", "blocks_per_multiprocessor", "shared_bytes",
                        "template_arguments", "scratch", "sizes", "cooperative"}));
  SkillLaunch one;
  WARPMIND_TRY(one.entry, table.text("entry", "entry = \"wm_sum_rows\""));
  WARPMIND_TRY(const auto grid, table.expressions_or_empty("grid"));
  if (grid.empty() || grid.size() > one.grid.size()) {
    return table.error_at_key("grid",
                              "grid must be one to three expressions, such as grid = [\"rows\"]");
  }
  std::copy(grid.begin(), grid.end(), one.grid.begin());
  WARPMIND_TRY(one.threads, table.expression("threads", "threads = \"256\""));
  WARPMIND_TRY(one.blocks_per_multiprocessor, table.text_or("blocks_per_multiprocessor", ""));
  WARPMIND_TRY(one.shared_bytes, table.text_or("shared_bytes", "0"));
  WARPMIND_TRY(one.template_arguments, table.expressions_or_empty("template_arguments"));
  WARPMIND_TRY(one.scratch, table.texts_or_empty("scratch"));
  WARPMIND_TRY(one.sizes, table.expressions_or_empty("sizes"));
  WARPMIND_TRY(one.cooperative, table.boolean_or("cooperative", false));
  WARPMIND_CHECK(check_launch(table, one, known, skill.form));
  for (const auto& name : one.scratch) {
    const bool is_there = std::any_of(skill.scratch.begin(), skill.scratch.end(),
                                      [&](const SkillScratch& s) { return s.name == name; });
    if (!is_there) return table.error_at_key("scratch", "there is no [[scratch]] '" + name + "'");
  }
  skill.launches.push_back(std::move(one));
  return {};
}

Result<void> read_head(const TableReader& file, Skill& skill) {
  WARPMIND_TRY(skill.name, file.text("name", "name = \"row_sums\""));
  if (!is_plain_name(skill.name)) {
    return file.error_at_key("name", "name must be lower-case letters, digits and '_'");
  }
  WARPMIND_TRY(const auto form, file.text("form", "form = \"reduction\""));
  const auto kind = parse_enum<FormKind>(form);
  if (!kind) {
    return file.error_at_key(
        "form", "form must be one of " + all_names_of<FormKind>() + ", not '" + form + "'");
  }
  skill.form = *kind;
  WARPMIND_TRY(skill.summary, file.text("summary", "summary = \"why it can help\""));
  if (skill.summary.ends_with('.')) {
    return file.error_at_key("summary", "summary is one clause without a full stop");
  }
  WARPMIND_TRY(skill.origin, file.text("origin", "origin = \"who made it, from what\""));
  WARPMIND_TRY(skill.licence, file.text("licence", "licence = \"Apache-2.0\""));
  WARPMIND_TRY(const auto least, integer_if_any(file, "least_capability", "70 for 7.0"));
  WARPMIND_TRY(const auto most, integer_if_any(file, "most_capability", "90 for 9.0"));
  skill.least_capability = least.value_or(skill.least_capability);
  skill.most_capability = most.value_or(skill.most_capability);
  WARPMIND_TRY(skill.build_flags, file.texts_or_empty("build_flags"));
  return {};
}

/// A part of device code that must not stand there, and why.
struct ForeignPart {
  NodeId node = kNoNode;
  std::string what;
};

using Part = std::optional<ForeignPart>;

/// Includes and macros, wherever they stand.
Part foreign_directive(const SyntaxTree& tree) {
  for (const NodeId item : tree.descendants(tree.root())) {
    const auto& kind = tree.node(item).kind;
    if (kind == "preproc_include") return ForeignPart{item, "includes a file; it must stand alone"};
    if (kind == "preproc_def" || kind == "preproc_function_def") {
      return ForeignPart{item, "defines a macro; use constants and functions"};
    }
    if (kind == "preproc_call" && !tree.text(item).starts_with("#pragma unroll")) {
      return ForeignPart{item, "holds '" + first_line(tree.text(item)) +
                                   "'; of directives only #pragma unroll may stand there"};
    }
  }
  return {};
}

Part foreign_function(const SyntaxTree& tree, const Function& function) {
  if (function.kind == FunctionKind::kernel) {
    return ForeignPart{function.node, "defines the kernel '" + function.name +
                                          "'; kernels are written around its entries"};
  }
  if (function.kind == FunctionKind::host) {
    return ForeignPart{function.node,
                       "defines '" + function.name + "', which is no device function"};
  }
  if (function.name.starts_with("wm_") || function.name.starts_with("operator")) return {};
  for (const char* const owner : {"struct_specifier", "class_specifier"}) {
    if (tree.ancestor(function.node, owner) != kNoNode) return {};
  }
  return ForeignPart{function.node, "defines '" + function.name + "'; its names begin with wm_"};
}

/// What an item at file level, that is no function, calls what it defines; nullopt for an item that
/// has no place there.
std::optional<std::string> name_defined(const SyntaxTree& tree, NodeId item) {
  const auto& kind = tree.node(item).kind;
  if (kind == "struct_specifier" || kind == "union_specifier" || kind == "class_specifier" ||
      kind == "enum_specifier" || kind == "alias_declaration") {
    return std::string(tree.text(tree.field(item, "name")));
  }
  if (kind != "declaration") return std::nullopt;
  const NodeId type = tree.field(item, "type");
  if (tree.field(type, "body") != kNoNode) return std::string(tree.text(tree.field(type, "name")));
  std::string name;
  for (const NodeId part : tree.children(item)) {
    if (tree.node(part).field != "declarator") continue;
    name = tree.text(tree.declared(part));
    if (!name.starts_with("wm_")) break;
  }
  return name;
}

Part foreign_item(const SyntaxTree& tree, NodeId item) {
  NodeId inner = item;
  while (tree.is(inner, "template_declaration")) inner = tree.children(inner).back();
  if (tree.is(inner, "function_definition") || tree.is(inner, "static_assert_declaration") ||
      tree.is(inner, "preproc_call") || tree.text(inner) == ";") {
    return {};
  }
  const auto name = name_defined(tree, inner);
  if (name && name->starts_with("wm_")) return {};
  return ForeignPart{item, "has '" + first_line(tree.text(inner)) +
                               "'; at file level there are functions, types and constants whose "
                               "names begin with wm_"};
}

/// What the device code must not hold.
Part foreign_part(const CudaSource& code) {
  const SyntaxTree& tree = code.tree;
  if (auto part = foreign_directive(tree)) return part;
  for (const NodeId item : tree.children(tree.root())) {
    if (!tree.node(item).has_error) continue;
    return ForeignPart{item, "has a syntax error at '" + first_line(tree.text(item)) + "'"};
  }
  for (const Function& function : code.functions) {
    if (auto part = foreign_function(tree, function)) return part;
  }
  for (const NodeId item : tree.children(tree.root())) {
    if (auto part = foreign_item(tree, item)) return part;
  }
  return {};
}

/// Of skill.toml.
std::string sibling(std::string_view file, const char* name) {
  return (std::filesystem::path(file).parent_path() / name).string();
}

/// Least and most template parameters of a function; a pack counts as any number.
std::pair<std::size_t, std::size_t> template_parameters(const SyntaxTree& tree, NodeId function) {
  const NodeId declaration = tree.ancestor(function, "template_declaration");
  std::size_t least = 0;
  std::size_t most = 0;
  if (declaration == kNoNode) return {0, 0};
  for (const NodeId one : tree.children(tree.field(declaration, "parameters"))) {
    const auto& kind = tree.node(one).kind;
    if (kind.find("variadic") != std::string::npos) return {least, 1000};
    if (kind.find("parameter") == std::string::npos) continue;
    ++most;
    if (!kind.starts_with("optional")) ++least;
  }
  return {least, most};
}

/// What a launch gives that its entry does not take, or the other way round; empty: nothing.
std::string mismatch_of(const CudaSource& code, const SkillLaunch& launch) {
  std::string why;
  for (const Function& function : code.functions) {
    if (function.name != launch.entry) continue;
    const auto [least, most] = template_parameters(code.tree, function.node);
    const std::size_t named = 1 + launch.template_arguments.size();
    const std::size_t passed = 1 + launch.scratch.size() + launch.sizes.size();
    if (named >= least && named <= most && passed == function.parameters.size()) return {};
    why = launch.entry + " takes " + std::to_string(most) + " template arguments and " +
          std::to_string(function.parameters.size()) + " arguments; given are " +
          std::to_string(named) + " (the problem's type, template_arguments) and " +
          std::to_string(passed) + " (the problem, scratch, sizes)";
  }
  return why;
}

Result<void> check_device_code(const Skill& skill, std::string_view file) {
  const std::string place = sibling(file, "template.cuh") + ":";
  WARPMIND_TRY(const auto code, CudaSource::read(skill.device_code));
  if (const auto part = foreign_part(code)) {
    const auto before =
        std::string_view(skill.device_code).substr(0, code.tree.node(part->node).range.begin);
    return fail(Errc::invalid_argument,
                place + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ": " +
                    part->what);
  }
  for (const SkillLaunch& launch : skill.launches) {
    const bool known = std::any_of(code.functions.begin(), code.functions.end(),
                                   [&](const Function& f) { return f.name == launch.entry; });
    if (!known) {
      return fail(Errc::invalid_argument,
                  place + " has no function '" + launch.entry + "', which a [[launch]] calls");
    }
    if (auto why = mismatch_of(code, launch); !why.empty()) {
      return fail(Errc::invalid_argument, std::string(file) + ": [[launch]] " + why);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> own_names(const Skill& skill) {
  WARPMIND_TRY(const auto code, CudaSource::read(skill.device_code));
  std::vector<std::string> names;
  for (const Function& function : code.functions) {
    if (function.name.starts_with("wm_")) append_unique(names, function.name);
  }
  for (const NodeId type : code.tree.descendants(code.tree.root(), "struct_specifier")) {
    const auto name = code.tree.text(code.tree.field(type, "name"));
    if (name.starts_with("wm_")) append_unique(names, std::string(name));
  }
  return names;
}

Result<Skill> parse_skill(std::string_view toml, std::string_view device_code,
                          std::string_view notes, std::string_view file) {
  WARPMIND_TRY(const auto document, config::parse_toml(toml, file));
  WARPMIND_TRY(const auto table, TableReader::open(file, "skill.toml", document));
  WARPMIND_CHECK(table.allow_only({"name", "form", "summary", "origin", "licence",
                                   "least_capability", "most_capability", "build_flags", "types",
                                   "parameter", "let", "require", "scratch", "launch", "cost"}));
  Skill skill;
  WARPMIND_CHECK(read_head(table, skill));
  WARPMIND_CHECK(read_types(table, skill));
  WARPMIND_CHECK(read_parameters(table, skill));
  Known known = first_names(skill);
  WARPMIND_CHECK(read_let(table, skill, known));
  WARPMIND_CHECK(read_requirements(table, known, skill));
  WARPMIND_CHECK(read_scratch(table, known, skill));
  WARPMIND_TRY(const auto launches, table.tables("launch", "[[launch]]"));
  if (launches.empty()) {
    return table.error_at(table.place(), "needs a [[launch]] with an entry of template.cuh");
  }
  for (const auto& launch : launches) WARPMIND_CHECK(read_launch(launch, known, skill));
  WARPMIND_TRY(const auto* cost,
               table.need("cost", "[cost] with nanoseconds = \"2500 + …\", an expression"));
  WARPMIND_TRY(const auto cost_table, TableReader::open(file, "[cost]", *cost));
  WARPMIND_CHECK(cost_table.allow_only({"nanoseconds"}));
  WARPMIND_TRY(skill.nanoseconds,
               cost_table.expression("nanoseconds", "nanoseconds = \"2500 + …\", an expression"));
  WARPMIND_CHECK(check_expression(cost_table, "nanoseconds", skill.nanoseconds, known));
  skill.toml = toml;
  skill.device_code = device_code;
  skill.notes = notes;
  if (std::count(notes.begin(), notes.end(), '\n') > static_cast<std::ptrdiff_t>(kMostNoteLines)) {
    return fail(Errc::invalid_argument, sibling(file, "notes.md") + ": has more than " +
                                            std::to_string(kMostNoteLines) +
                                            " lines; keep mechanism, when, when not and sources");
  }
  WARPMIND_CHECK(check_device_code(skill, file));
  return skill;
}

}  // namespace warpmind::agents::builtin
