#include "daemon/protocol/method_table.h"

#include "base/text.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/dashboard_messages.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/flops_messages.h"
#include "daemon/protocol/guest_messages.h"
#include "daemon/protocol/kernel_messages.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/log_messages.h"
#include "daemon/protocol/messages.h"
#include "daemon/protocol/program_messages.h"
#include "daemon/protocol/program_task_messages.h"
#include "daemon/protocol/queue_messages.h"
#include "daemon/protocol/record_messages.h"
#include "daemon/protocol/skill_messages.h"
#include "daemon/protocol/upkeep_messages.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

std::vector<MethodSpec> all_methods() {
  std::vector<MethodSpec> all = core_methods();
  for (auto& group : {kernel_methods(), skill_methods(), program_methods(), flops_methods(),
                      program_task_methods(), analysis_methods(), guest_methods(), record_methods(),
                      queue_methods(), editor_methods(), dashboard_methods(), knowledge_methods(),
                      upkeep_methods(), log_methods(), last_methods()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

std::string_view type_name(FieldType type) {
  switch (type) {
    case string: return "string";
    case integer: return "integer";
    case number: return "number";
    case boolean: return "boolean";
    case strings: return "array of strings";
    case counts: return "object of integers";
    case numbers: return "object of numbers";
    case texts: return "object of strings";
    case object: return "object";
    case objects: return "array of objects";
    case job: return "object (job)";
    case id: return "integer or string";
  }
  return "?";
}

bool fits(FieldType type, const nlohmann::json& value) {
  switch (type) {
    case string: return value.is_string();
    case integer:
      // Larger unsigned values would turn negative in int64.
      return value.is_number_integer() &&
             (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
    case number: return value.is_number();
    case boolean: return value.is_boolean();
    case strings:
    case objects: return value.is_array();
    case counts:
    case numbers:
    case texts:
    case object:
    case job: return value.is_object();
    case id: return value.is_number_integer() || value.is_string();
  }
  return false;
}

/// Levenshtein distance: how many edits a typing mistake is away.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

template <class Specs>
std::string_view nearest(const Specs& specs, std::string_view name) {
  std::string_view best;
  std::size_t best_distance = SIZE_MAX;
  for (const auto& spec : specs) {
    const std::size_t d = distance(spec.name, name);
    if (d < best_distance) {
      best_distance = d;
      best = spec.name;
    }
  }
  return best;
}

void render_fields(std::string& text, std::string_view title, std::span<const FieldSpec> fields,
                   bool requirement) {
  if (fields.empty()) {
    text += std::string(title) + ": none.\n\n";
    return;
  }
  text += requirement ? "| " + std::string(title) + " | type | | meaning |\n|---|---|---|---|\n"
                      : "| " + std::string(title) + " | type | meaning |\n|---|---|---|\n";
  for (const auto& field : fields) {
    text += "| `" + std::string(field.name) + "` | " + std::string(type_name(field.type)) + " | ";
    if (requirement) text += field.required ? "required | " : "optional | ";
    text += field.doc + " |\n";
  }
  text += '\n';
}

}  // namespace

std::span<const MethodSpec> methods() {
  static const std::vector<MethodSpec> all = all_methods();
  return all;
}

const MethodSpec* find_method(std::string_view name) {
  const auto all = methods();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](const MethodSpec& spec) { return spec.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string unknown_method_message(std::string_view name) {
  std::vector<MethodSpec> callable;
  for (const auto& spec : methods()) {
    if (spec.kind != MethodKind::server_notification) callable.push_back(spec);
  }
  return "unknown method " + quoted_name(name) + "; did you mean '" +
         std::string(nearest(callable, name.substr(0, 64))) + "'?";
}

Result<void> check_params(const MethodSpec& method, const Document& params) {
  const auto& object = params.json();
  if (object.is_object()) {
    for (const auto& [name, value] : object.items()) {
      const auto* field =
          std::find_if(method.params.data(), method.params.data() + method.params.size(),
                       [&name = name](const FieldSpec& spec) { return spec.name == name; });
      if (field == method.params.data() + method.params.size()) {
        return fail(
            Errc::invalid_argument,
            method.params.empty()
                ? std::string(method.name) + " takes no parameters, but got " + quoted_name(name)
                : std::string(method.name) + " has no parameter " + quoted_name(name) +
                      "; did you mean '" + std::string(nearest(method.params, name.substr(0, 64))) +
                      "'?");
      }
      if (value.is_null() && !field->required) continue;
      if (!fits(field->type, value)) {
        return fail(Errc::invalid_argument, "parameter '" + name + "' of " +
                                                std::string(method.name) + " must be of type " +
                                                std::string(type_name(field->type)) + ", not " +
                                                value.type_name());
      }
    }
  }
  for (const auto& field : method.params) {
    if (!field.required || (object.is_object() && object.contains(field.name))) continue;
    return fail(Errc::invalid_argument, std::string(method.name) + " needs the parameter '" +
                                            std::string(field.name) + "': " + field.doc);
  }
  return {};
}

std::string render_methods() {
  std::string text;
  for (const auto& spec : methods()) {
    text += "### `" + std::string(spec.name) + "`";
    if (spec.kind == MethodKind::server_notification) text += " (notification from the daemon)";
    if (spec.kind == MethodKind::client_notification) text += " (notification from the client)";
    text += "\n" + std::string(spec.doc) + "\n\n";
    render_fields(text, "params", spec.params, spec.kind != MethodKind::server_notification);
    if (spec.kind == MethodKind::request) render_fields(text, "result", spec.result, false);
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace warpmind::daemon::protocol
