#include "syntax/code_text.h"

#include "syntax/lexer.h"

#include <algorithm>
#include <utility>

namespace warpmind::syntax {
namespace {

constexpr auto kNone = std::string_view::npos;

/// A text of which parts are replaced, from front to back.
class Copy {
 public:
  explicit Copy(std::string_view source) : source_(source) { out_.reserve(source.size()); }
  /// `part` is of the source and behind those of before.
  void replace(std::string_view part, std::string_view by) {
    const auto begin = static_cast<std::size_t>(part.data() - source_.data());
    out_.append(source_.substr(copied_, begin - copied_)).append(by);
    copied_ = begin + part.size();
  }
  [[nodiscard]] std::string take() {
    out_ += source_.substr(copied_);
    return std::move(out_);
  }

 private:
  std::string_view source_;
  std::string out_;
  std::size_t copied_ = 0;
};

/// Where `word` next stands, not as the end of a longer name.
std::size_t find_beginning(std::string_view code, std::string_view word, std::size_t from) {
  const bool is_name = !word.empty() && is_name_character(word.front());
  for (auto at = code.find(word, from); at != kNone; at = code.find(word, at + 1)) {
    if (at == 0 || !is_name || !is_name_character(code[at - 1])) return at;
  }
  return kNone;
}

}  // namespace

std::string without_comments(std::string_view source) {
  Copy copy(source);
  Lexer lexer(source);
  while (const auto lexeme = lexer.next()) {
    if (!lexeme->is_comment()) continue;
    const auto lines = std::count(lexeme->text.begin(), lexeme->text.end(), '\n');
    copy.replace(lexeme->text, " " + std::string(static_cast<std::size_t>(lines), '\n'));
  }
  return copy.take();
}

std::string joined_lines(std::string_view source) {
  Copy copy(source);
  Lexer lexer(source);
  while (const auto lexeme = lexer.next()) {
    const std::string_view text = lexeme->text;
    if (lexeme->kind == LexemeKind::comment) {
      const bool ends_text = text.data() + text.size() == source.data() + source.size();
      copy.replace(text, ends_text ? "" : " ");
    } else if (lexeme->kind == LexemeKind::line_comment || lexeme->kind == LexemeKind::splice) {
      copy.replace(text, "");
    } else if (lexeme->is_code() && text.find('\n') != kNone) {
      copy.replace(text, spelling(*lexeme));
    }
  }
  return copy.take();
}

std::string code_only(std::string_view source) {
  std::string out(source);
  Lexer lexer(source);
  while (const auto lexeme = lexer.next()) {
    if (!lexeme->is_comment() && !lexeme->is_literal()) continue;
    const auto begin = out.begin() + (lexeme->text.data() - source.data());
    std::replace_if(
        begin, begin + static_cast<std::ptrdiff_t>(lexeme->text.size()),
        [](char c) { return c != '\n'; }, ' ');
  }
  return out;
}

bool contains_word(std::string_view code, std::string_view word) {
  for (auto at = find_beginning(code, word, 0); at != kNone;
       at = find_beginning(code, word, at + 1)) {
    const auto end = at + word.size();
    if (end == code.size() || !is_name_character(code[end])) return true;
  }
  return false;
}

bool contains_name_from(std::string_view code, std::string_view beginning) {
  return find_beginning(code, beginning, 0) != kNone;
}

}  // namespace warpmind::syntax
