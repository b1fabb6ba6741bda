#pragma once
/// \file
/// PTX text to tokens, one at a time: a hostile text costs no more memory than it has bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmind::simulator::ptx {

enum class TokenKind : std::uint8_t {
  end,
  word,         ///< names, directives and opcodes with their modifiers: "ld.global.f32", "%tid.x"
  number,       ///< "12", "0x1f", "0f3F800000", "1.5e-3", without a sign
  quoted,       ///< without the quotes
  punctuation,  ///< one character
  broken,       ///< `text` says what is wrong
};

/// Points into the text, which must outlive it.
struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  int line = 1;  ///< from 1

  [[nodiscard]] bool is(std::string_view wanted) const {
    return (kind == TokenKind::word || kind == TokenKind::punctuation) && text == wanted;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// Tokens follow each other without end: after the last one comes TokenKind::end for ever.
  [[nodiscard]] Token next();

 private:
  [[nodiscard]] bool skip_blanks();
  [[nodiscard]] Token word();
  [[nodiscard]] Token number();
  [[nodiscard]] Token quoted();
  [[nodiscard]] char at(std::size_t position) const {
    return position < text_.size() ? text_[position] : '\0';
  }
  [[nodiscard]] Token token(TokenKind kind, std::size_t begin, std::size_t end) const {
    return {kind, text_.substr(begin, end - begin), line_};
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
};

}  // namespace warpmind::simulator::ptx
