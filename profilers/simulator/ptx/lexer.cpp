#include "profilers/simulator/ptx/lexer.h"

#include <algorithm>

namespace warpmind::simulator::ptx {
namespace {

// <cctype> asks the locale; PTX is ASCII.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool starts_word(char c) {
  return is_letter(c) || c == '_' || c == '$' || c == '%' || c == '.';
}
constexpr bool continues_word(char c) { return starts_word(c) || is_digit(c); }
constexpr std::string_view kPunctuation = "{}[]()<>,;:|@!+-*/=~&?^";

}  // namespace

bool Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && at(position_ + 1) == '*') {
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) return false;
      line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(position_),
                                           text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      position_ = end + 2;
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!skip_blanks()) {
    position_ = text_.size();
    return {TokenKind::broken, "a comment does not end", line_};
  }
  if (position_ == text_.size()) return {TokenKind::end, "the end of the text", line_};
  const char c = text_[position_];
  if (starts_word(c)) return word();
  if (is_digit(c)) return number();
  if (c == '"') return quoted();
  if (kPunctuation.find(c) != std::string_view::npos) {
    ++position_;
    return token(TokenKind::punctuation, position_ - 1, position_);
  }
  position_ = text_.size();
  return {TokenKind::broken, "a character that is no part of PTX", line_};
}

Token Lexer::word() {
  const std::size_t begin = position_;
  if (at(begin) == '.') {  // a directive ends at the next dot: ".reg.b32" is two words
    ++position_;
    while (at(position_) != '.' && continues_word(at(position_))) ++position_;
    return token(TokenKind::word, begin, position_);
  }
  while (true) {
    while (continues_word(at(position_))) ++position_;
    // "ld.global.L2::128B": two colons belong to the word, one ends a label.
    if (at(position_) != ':' || at(position_ + 1) != ':' || !continues_word(at(position_ + 2))) {
      break;
    }
    position_ += 2;
  }
  return token(TokenKind::word, begin, position_);
}

Token Lexer::number() {
  const std::size_t begin = position_;
  const char kind = at(begin) == '0' ? at(begin + 1) : '\0';
  const bool is_hexadecimal =
      kind == 'x' || kind == 'X' || kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D';
  while (true) {
    const char c = at(position_);
    const bool is_exponent_sign = (c == '+' || c == '-') && !is_hexadecimal &&
                                  (at(position_ - 1) == 'e' || at(position_ - 1) == 'E');
    if (!is_digit(c) && !is_letter(c) && c != '.' && !(is_exponent_sign && position_ > begin)) {
      break;
    }
    ++position_;
  }
  return token(TokenKind::number, begin, position_);
}

Token Lexer::quoted() {
  const std::size_t begin = ++position_;
  while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\n') {
    position_ += text_[position_] == '\\' ? 2U : 1U;
  }
  if (at(position_) != '"') {
    position_ = text_.size();
    return {TokenKind::broken, "a quoted text does not end", line_};
  }
  ++position_;
  return token(TokenKind::quoted, begin, position_ - 1);
}

}  // namespace warpmind::simulator::ptx
