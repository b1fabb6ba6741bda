#include "daemon/protocol/wire_types.h"

#include "base/text.h"
#include "daemon/protocol/method_table.h"

#include <algorithm>
#include <map>

namespace warpmind::daemon::protocol {
namespace {

using Kind = WireType::Kind;

/// Choices and objects by name: what has to be declared.
using NamedTypes = std::map<std::string_view, WireType>;

void collect(const WireType& type, NamedTypes& into) {
  for (const auto& element : type.element) collect(element, into);
  if (type.name.empty() || !into.emplace(type.name, type).second || type.kind != Kind::object) {
    return;
  }
  for (const auto& member : type.members()) collect(member.type, into);
}

/// How one language spells types.
struct Spelling {
  std::string_view comment;  ///< begins one
  std::string_view text;
  std::string_view integer;
  std::string_view number;
  std::string_view boolean;
  std::string (*list)(const std::string& element) = nullptr;
  std::string (*map)(const std::string& element) = nullptr;
  std::string (*nullable)(const std::string& type) = nullptr;
  std::string (*declare)(const WireType& type) = nullptr;
};

std::string spell(const WireType& type, const Spelling& language) {
  std::string text;
  switch (type.kind) {
    case Kind::text: text = language.text; break;
    case Kind::integer: text = language.integer; break;
    case Kind::number: text = language.number; break;
    case Kind::boolean: text = language.boolean; break;
    case Kind::list: text = language.list(spell(type.element.front(), language)); break;
    case Kind::map: text = language.map(spell(type.element.front(), language)); break;
    case Kind::choice:
    case Kind::object: text = type.name; break;
  }
  return type.may_be_null ? language.nullable(text) : text;
}

std::string quoted_choices(const WireType& type, std::string_view between) {
  std::string text;
  for (const auto& choice : type.choices) {
    if (!text.empty()) text += between;
    text += '"' + std::string(choice) + '"';
  }
  return text;
}

// --- TypeScript -----------------------------------------------------------------------------

std::string declare_in_typescript(const WireType& type);

std::string typescript_methods(const std::vector<const MethodSpec*>& methods) {
  std::string text = "\n/** What each method takes and answers. */\nexport interface Methods {\n";
  for (const auto* method : methods) {
    text += "  \"" + std::string(method->name) + "\": { params: ";
    text += std::string(method->params_type.name) +
            "; result: " + std::string(method->result_type.name) + " };\n";
  }
  return text + "}\n";
}

constexpr Spelling kTypescript{
    "//",
    "string",
    "number",
    "number",
    "boolean",
    [](const std::string& element) {
      return element.find(' ') == std::string::npos ? element + "[]" : "(" + element + ")[]";
    },
    [](const std::string& element) { return "Record<string, " + element + ">"; },
    [](const std::string& type) { return type + " | null"; },
    declare_in_typescript};

std::string declare_in_typescript(const WireType& type) {
  const std::string name(type.name);
  if (type.kind == Kind::choice) {
    return "export type " + name + " = " + quoted_choices(type, " | ") + ";\n";
  }
  const auto members = type.members();
  if (members.empty()) return "export type " + name + " = Record<string, never>;\n";
  std::string text = "export interface " + name + " {\n";
  for (const auto& member : members) {
    if (!member.doc.empty()) text += "  /** " + std::string(member.doc) + " */\n";
    text += "  " + std::string(member.name) + (member.required ? ": " : "?: ") +
            spell(member.type, kTypescript) + ";\n";
  }
  return text + "}\n";
}

// --- Python ---------------------------------------------------------------------------------

std::string declare_in_python(const WireType& type);

constexpr Spelling kPython{"#",
                           "str",
                           "int",
                           "float",
                           "bool",
                           [](const std::string& element) { return "List[" + element + "]"; },
                           [](const std::string& element) { return "Dict[str, " + element + "]"; },
                           [](const std::string& type) { return "Optional[" + type + "]"; },
                           declare_in_python};

constexpr std::string_view kPythonImports =
    "from __future__ import annotations\n\n"
    "from dataclasses import dataclass\n"
    "from typing import Dict, List, Literal, Optional\n";

/// Members that may be absent have a default, and come last: so dataclasses want it.
std::string declare_in_python(const WireType& type) {
  const std::string name(type.name);
  if (type.kind == Kind::choice) return name + " = Literal[" + quoted_choices(type, ", ") + "]\n";
  auto members = type.members();
  std::stable_partition(members.begin(), members.end(),
                        [](const WireMember& member) { return member.required; });
  std::string text = "\n@dataclass(frozen=True)\nclass " + name + ":\n";
  if (members.empty()) text += "    pass\n";
  for (const auto& member : members) {
    if (!member.doc.empty()) text += "    #: " + std::string(member.doc) + "\n";
    WireType shown = member.type;
    if (!member.required) shown.may_be_null = true;
    text += "    " + std::string(member.name) + ": " + spell(shown, kPython) +
            (member.required ? "\n" : " = None\n");
  }
  return text + "\n";
}

// --- Both -----------------------------------------------------------------------------------

/// What a person, a test and tests/tools/print_types.sh read: how the file is made.
std::string heading(std::string_view language, std::string_view comment,
                    const std::vector<const MethodSpec*>& methods) {
  constexpr std::size_t kWidth = 100;
  std::string text = std::string(comment) + " Printed by `warpmindd --print-types " +
                     std::string(language) + "` and these methods:";
  std::string line = "\n" + std::string(comment);
  for (const auto* method : methods) {
    if (line.size() + method->name.size() > kWidth) {
      text += line;
      line = "\n" + std::string(comment);
    }
    line += " " + std::string(method->name);
  }
  return text + line + "\n\n";
}

/// Those named; all that have messages when none is.
Result<std::vector<const MethodSpec*>> methods_named(const std::vector<std::string>& names) {
  std::vector<const MethodSpec*> found;
  for (const auto& name : names) {
    found.push_back(find_method(name));
    if (found.back() == nullptr) {
      return fail(Errc::invalid_argument, unknown_method_message(name));
    }
  }
  if (!names.empty()) return found;
  for (const auto& method : methods()) {
    if (method.params_type.members != nullptr) found.push_back(&method);
  }
  return found;
}

}  // namespace

Result<std::string> render_types(std::string_view language, const std::vector<std::string>& names) {
  const bool python = language == "python";
  if (!python && language != "typescript") {
    return fail(Errc::invalid_argument,
                "types are printed in 'typescript' or 'python', not in " + quoted_name(language));
  }
  const Spelling& spelling = python ? kPython : kTypescript;
  WARPMIND_TRY(const auto methods, methods_named(names));
  NamedTypes types;
  for (const auto* method : methods) {
    collect(method->params_type, types);
    collect(method->result_type, types);
  }
  std::string text = heading(language, spelling.comment, methods);
  if (python) text += std::string(kPythonImports) + "\n";
  for (const auto& [name, type] : types) {
    if (type.kind == Kind::choice) text += spelling.declare(type);
  }
  text += '\n';
  for (const auto& [name, type] : types) {
    if (type.kind == Kind::object) text += spelling.declare(type);
  }
  if (!python) text += typescript_methods(methods);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace warpmind::daemon::protocol
