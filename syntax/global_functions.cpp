#include "syntax/global_functions.h"

#include "syntax/lexer.h"

#include <algorithm>
#include <array>
#include <optional>

namespace warpmind::syntax {
namespace {

using Lexemes = std::vector<Lexeme>;

bool is_any(const Lexeme& lexeme, std::initializer_list<std::string_view> spellings) {
  return std::any_of(spellings.begin(), spellings.end(),
                     [&](std::string_view each) { return lexeme.is(each); });
}

/// By how much brackets are deeper after it. `<` counts as one: it opens template arguments.
int depth_change(const Lexeme& lexeme) {
  if (is_any(lexeme, {"(", "[", "{", "<"})) return 1;
  if (is_any(lexeme, {")", "]", "}", ">"})) return -1;
  if (lexeme.is(">>")) return -2;
  return lexeme.is(">>>") ? -3 : 0;
}

/// Position after the parenthesis that closes the one at `open`; the end when none does.
std::size_t after_parentheses(const Lexemes& lexemes, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < lexemes.size(); ++at) {
    if (lexemes[at].is("(")) ++depth;
    if (lexemes[at].is(")") && --depth == 0) return at + 1;
  }
  return lexemes.size();
}

/// Position after the template arguments that begin at `open`; `open + 1` when they do not end.
std::size_t after_template_arguments(const Lexemes& lexemes, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < lexemes.size() && !is_any(lexemes[at], {";", "{"}); ++at) {
    depth += depth_change(lexemes[at]);
    if (depth <= 0) return at + 1;
  }
  return open + 1;
}

std::size_t count_parameters(const Lexemes& lexemes, std::size_t begin, std::size_t end) {
  if (begin == end || (begin + 1 == end && lexemes[begin].is("void"))) return 0;
  int depth = 0;
  std::size_t commas = 0;
  for (std::size_t at = begin; at < end; ++at) {
    depth += depth_change(lexemes[at]);
    if (depth == 0 && lexemes[at].is(",")) ++commas;
  }
  return commas + 1;
}

/// The declarator after `__global__`: the first name before a parenthesis that is no attribute.
std::optional<GlobalFunction> read_declarator(const Lexemes& lexemes, std::size_t at) {
  constexpr std::array<std::string_view, 7> kAttributes{
      "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__",
      "__attribute__",     "__declspec",       "alignas"};
  std::string word;
  while (at < lexemes.size() && !is_any(lexemes[at], {";", "{"})) {
    if (lexemes[at].is("<")) {
      at = after_template_arguments(lexemes, at);
    } else if (lexemes[at].is("(")) {
      const std::size_t end = after_parentheses(lexemes, at);
      const bool is_attribute =
          std::find(kAttributes.begin(), kAttributes.end(), word) != kAttributes.end();
      if (!is_attribute && !word.empty()) {
        const bool is_closed = end > at + 1 && lexemes[end - 1].is(")");
        return GlobalFunction{word, count_parameters(lexemes, at + 1, is_closed ? end - 1 : end)};
      }
      at = end;
    } else {
      if (lexemes[at].kind == LexemeKind::name) word = spelling(lexemes[at]);
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<GlobalFunction> find_global_functions(std::string_view source) {
  const Lexemes lexemes = code_lexemes(source);
  std::vector<GlobalFunction> found;
  for (std::size_t at = 0; at < lexemes.size(); ++at) {
    if (!lexemes[at].is("__global__")) continue;
    if (auto function = read_declarator(lexemes, at + 1)) found.push_back(std::move(*function));
  }
  return found;
}

}  // namespace warpmind::syntax
