#pragma once
/// \file
/// One token of foresight over the lexer, and the first error.

#include "profilers/simulator/ptx/lexer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::simulator::ptx {

/// After the first failure only TokenKind::end is seen, so that loops come to their end by
/// themselves and callers check once.
class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : lexer_(text) { advance(); }

  [[nodiscard]] const Token& peek() const { return current_; }
  [[nodiscard]] int line() const { return current_.line; }
  [[nodiscard]] bool at_end() const { return current_.kind == TokenKind::end; }
  Token take();

  /// Takes the token when it is the word or punctuation mark `wanted`.
  bool accept(std::string_view wanted);
  /// As accept(), but a failure otherwise.
  bool expect(std::string_view wanted);
  /// A word, or a failure that says `what` was expected.
  std::string_view expect_word(std::string_view what);
  /// A number below 2^63 without sign.
  std::uint64_t expect_count(std::string_view what);
  /// Takes tokens up to and with the brace that closes the one just taken.
  void skip_braces();

  /// "PTX line 12: " is put in front of `message`.
  void fail(std::string_view message) { fail_at(current_.line, message); }
  void fail_at(int line, std::string_view message);
  void fail_unexpected(std::string_view wanted);
  [[nodiscard]] bool failed() const { return !error_.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  void advance();

  Lexer lexer_;
  Token current_;
  std::string error_;
};

}  // namespace warpmind::simulator::ptx
