#include "profilers/simulator/ptx/token_reader.h"

#include "profilers/simulator/ptx/literal.h"

#include <limits>

namespace warpmind::simulator::ptx {
namespace {

/// Hostile text must not make messages long.
constexpr std::size_t kMostQuoted = 60;

}  // namespace

void TokenReader::advance() {
  current_ = lexer_.next();
  if (current_.kind == TokenKind::broken) fail(current_.text);
}

Token TokenReader::take() {
  const Token taken = current_;
  if (!at_end()) advance();
  return taken;
}

bool TokenReader::accept(std::string_view wanted) {
  if (!current_.is(wanted)) return false;
  advance();
  return true;
}

bool TokenReader::expect(std::string_view wanted) {
  if (accept(wanted)) return true;
  fail_unexpected("\"" + std::string(wanted) + "\"");
  return false;
}

std::string_view TokenReader::expect_word(std::string_view what) {
  if (current_.kind == TokenKind::word) return take().text;
  fail_unexpected(what);
  return {};
}

std::uint64_t TokenReader::expect_count(std::string_view what) {
  if (current_.kind == TokenKind::number) {
    const auto literal = parse_literal(current_.text);
    if (literal && literal->kind == LiteralKind::integer &&
        literal->bits <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
      advance();
      return literal->bits;
    }
  }
  fail_unexpected(what);
  return 0;
}

void TokenReader::skip_braces() {
  const int begin = line();
  for (std::uint64_t depth = 1; depth > 0;) {
    if (at_end()) {
      fail_at(begin, "a section does not end");
      return;
    }
    const Token token = take();
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
  }
}

void TokenReader::fail_at(int line, std::string_view message) {
  if (failed()) return;
  error_ = "PTX line " + std::to_string(line) + ": " + std::string(message);
  current_ = {TokenKind::end, "the end of the text", line};
  lexer_ = Lexer({});
}

void TokenReader::fail_unexpected(std::string_view wanted) {
  std::string found(current_.text.substr(0, kMostQuoted));
  if (!at_end()) found = '"' + found + '"';
  fail("expected " + std::string(wanted) + ", found " + found);
}

}  // namespace warpmind::simulator::ptx
