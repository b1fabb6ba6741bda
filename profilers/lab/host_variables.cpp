#include "profilers/lab/host_variables.h"

#include "base/text.h"
#include "profilers/lab/static_checks.h"

#include <cctype>
#include <string_view>
#include <vector>

namespace warpmind::profilers {
namespace {

/// Each costs a pass over the source.
constexpr std::size_t kMostVariables = 256;

using Tokens = std::vector<std::string_view>;

/// Words, and everything else character by character. A source of any size costs one pass.
Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (is_word_character(text[i]) && end < text.size() && is_word_character(text[end])) ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

/// One past the bracket that closes the one at `at`, or the end.
std::size_t past_group(const Tokens& tokens, std::size_t at) {
  const std::string_view open = tokens[at];
  const std::string_view close = open == "(" ? ")" : "]";
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at] == open) ++depth;
    if (tokens[at] == close && --depth == 0) return at + 1;
  }
  return at;
}

struct Variable {
  std::string_view name;
  bool is_array = false;
};

/// What is declared from `at`, after the qualifier, up to its `;`, which `at` then is at. Empty for
/// a function, and for what has an initial value.
std::vector<Variable> declared(const Tokens& tokens, std::size_t& at) {
  std::vector<Variable> variables(1);
  while (at < tokens.size() && tokens[at] != ";") {
    const std::string_view token = tokens[at];
    const bool aligns = token == "__align__" || token == "alignas";
    if (aligns && at + 1 < tokens.size() && tokens[at + 1] == "(") {
      at = past_group(tokens, at + 1);
      continue;
    }
    if (token == "(" || token == ")" || token == "{" || token == "}" || token == "=") return {};
    if (token == "[") {
      variables.back().is_array = true;
      at = past_group(tokens, at);
      continue;
    }
    if (token == ",") variables.emplace_back();
    if (is_word_character(token.front())) variables.back().name = token;
    ++at;
  }
  return at < tokens.size() ? variables : std::vector<Variable>();
}

/// Whether the variable at `at` is assigned or counted there, or its address is taken, as atomics
/// do. An array that is handed on by its name may be written, too.
bool is_written_at(const Tokens& tokens, std::size_t at, bool is_array) {
  const auto token = [&](std::size_t i) { return i < tokens.size() ? tokens[i] : ""; };
  const std::string_view before = at > 0 ? tokens[at - 1] : "";
  const std::string_view further = at > 1 ? tokens[at - 2] : "";
  if (before == "&" && further != "&") return true;
  if ((before == "+" || before == "-") && further == before) return true;
  std::size_t next = at + 1;
  if (is_array && (token(next) == "," || token(next) == ")")) return true;
  while (token(next) == "[" || token(next) == ".") {
    next = token(next) == "[" ? past_group(tokens, next) : next + 2;
  }
  const std::string_view first = token(next);
  if (first == "=") return token(next + 1) != "=";
  if ((first == "+" || first == "-") && token(next + 1) == first) return true;
  if ((first == "<" || first == ">") && token(next + 1) == first) return token(next + 2) == "=";
  constexpr std::string_view kOperators = "+-*/%&|^";
  return first.size() == 1 && kOperators.find(first.front()) != std::string_view::npos &&
         token(next + 1) == "=";
}

/// Whether device code after `from` reads the variable; and whether none of it writes it.
bool is_left_to_the_host(const Tokens& tokens, std::size_t from, const Variable& variable,
                         bool is_constant) {
  bool is_used = false;
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (tokens[i] != variable.name) continue;
    if (!is_constant && is_written_at(tokens, i, variable.is_array)) return false;
    is_used = true;
  }
  return is_used;
}

}  // namespace

std::optional<std::string> find_host_variable(const std::string& source) {
  const std::string text = without_comments(source);
  const Tokens tokens = tokens_of(text);
  std::size_t looked_at = 0;
  for (std::size_t at = 0; at < tokens.size() && looked_at < kMostVariables; ++at) {
    const bool is_constant = tokens[at] == "__constant__";
    if (!is_constant && tokens[at] != "__device__") continue;
    for (const Variable& variable : declared(tokens, ++at)) {
      if (++looked_at > kMostVariables) break;
      if (is_left_to_the_host(tokens, at, variable, is_constant)) return std::string(variable.name);
    }
  }
  return std::nullopt;
}

}  // namespace warpmind::profilers
