#include "knowledge_base/retrieval/source_tokens.h"

#include "syntax/lexer.h"

namespace warpmind::knowledge_base {
namespace {

using syntax::Lexeme;
using syntax::LexemeKind;

TokenKind kind_of(const Lexeme& lexeme) {
  if (lexeme.is_literal()) return TokenKind::text;
  if (lexeme.kind == LexemeKind::name) return TokenKind::name;
  return lexeme.kind == LexemeKind::number ? TokenKind::number : TokenKind::sign;
}

void add(const Lexeme& lexeme, std::vector<SourceToken>& tokens) {
  const TokenKind kind = kind_of(lexeme);
  if (kind == TokenKind::sign && lexeme.text == "::") {  // features have always counted it as two
    tokens.push_back({kind, lexeme.text.substr(0, 1)});
    tokens.push_back({kind, lexeme.text.substr(1)});
  } else if (kind == TokenKind::sign) {
    tokens.push_back({kind, syntax::without_digraph(lexeme.text)});
  } else {
    tokens.push_back({kind, kind == TokenKind::text ? content(lexeme) : lexeme.text});
  }
}

/// A preprocessor line that asks for loops to be unrolled, by its code lexemes.
bool is_unroll_pragma(const std::vector<Lexeme>& line) {
  if (line.size() < 3 || !line[1].is("pragma")) return false;
  for (std::size_t i = 2; i < line.size(); ++i) {
    if (line[i].is("unroll")) return i + 1 == line.size() || line[i + 1].text != "1";
  }
  return false;
}

}  // namespace

SourceTokens tokenise(std::string_view source) {
  SourceTokens found;
  std::vector<Lexeme> directive;
  syntax::Lexer lexer(source);
  while (found.tokens.size() < kMostSourceTokens) {
    const auto lexeme = lexer.next();
    if (lexeme && lexeme->in_directive) {
      if (lexeme->is_code()) directive.push_back(*lexeme);
      continue;
    }
    if (is_unroll_pragma(directive)) ++found.unroll_pragmas;
    directive.clear();
    if (!lexeme) break;
    if (lexeme->is_code()) add(*lexeme, found.tokens);
  }
  return found;
}

}  // namespace warpmind::knowledge_base
