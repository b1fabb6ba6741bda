#pragma once
/// \file
/// The one lexer of CUDA C++ text: comments, literals, lines of the preprocessor, names, numbers
/// and signs, cut as the compiler's preprocessor cuts them. Never fails, whatever the text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::syntax {

enum class LexemeKind : std::uint8_t {
  blank,         ///< a run of white space without line ends
  line_end,      ///< one '\n'
  splice,        ///< a backslash that continues the line, up to and with the line's end
  comment,       ///< from `/*` to `*/`
  line_comment,  ///< from `//` to the end of its line, which is not in it
  name,          ///< identifiers and keywords
  number,        ///< as the preprocessor has them: 0x1p-3f, 1'000
  string,        ///< with prefix and quotes; one that is not closed ends with its line
  raw_string,
  character,
  header,  ///< of an #include: <cuda_fp16.h>, "mine.h"
  sign     ///< the longest operator, bracket or digraph that fits; any other byte
};

struct Lexeme {
  LexemeKind kind = LexemeKind::sign;
  std::string_view text;      ///< as it stands in the source, splices inside of it included
  bool in_directive = false;  ///< from the `#` of a preprocessor line to its end

  [[nodiscard]] bool is_comment() const {
    return kind == LexemeKind::comment || kind == LexemeKind::line_comment;
  }
  /// Neither white space nor comment.
  [[nodiscard]] bool is_code() const {
    return kind != LexemeKind::blank && kind != LexemeKind::line_end &&
           kind != LexemeKind::splice && !is_comment();
  }
  /// string, raw_string or character
  [[nodiscard]] bool is_literal() const {
    return kind == LexemeKind::string || kind == LexemeKind::raw_string ||
           kind == LexemeKind::character;
  }
  /// A name or a sign that is spelled so; the digraph `<:` is a `[`.
  [[nodiscard]] bool is(std::string_view expected) const;
};

/// What the compiler sees of it: without splices (raw strings keep theirs), digraphs as the signs
/// that they stand for.
[[nodiscard]] std::string spelling(const Lexeme& lexeme);

/// The sign that a digraph stands for; any other sign as it is.
[[nodiscard]] std::string_view without_digraph(std::string_view sign);

/// What stands between the quotes or angle brackets of a literal or header, as written.
[[nodiscard]] std::string_view content(const Lexeme& lexeme);

/// A letter, a digit, `_`, `$` or a byte of a character beyond ASCII.
[[nodiscard]] bool is_name_character(char c);

/// Cuts a source from front to back. The texts of all lexemes, in order, are the source.
class Lexer {
 public:
  /// `source` must outlive the lexer and what it returns.
  explicit Lexer(std::string_view source) : source_(source) {}

  /// The next one; nullopt at the end.
  [[nodiscard]] std::optional<Lexeme> next();

 private:
  /// What a preprocessor line may still hold.
  enum class Directive : std::uint8_t { none, name, header, rest };
  struct Cut {
    LexemeKind kind;
    std::size_t end;
  };

  [[nodiscard]] char at(std::size_t position) const {
    return position < source_.size() ? source_[position] : '\0';
  }
  [[nodiscard]] std::size_t past_splices(std::size_t position) const {
    return at(position) == '\\' ? past_backslashes(position) : position;
  }
  [[nodiscard]] std::size_t past_backslashes(std::size_t position) const;
  [[nodiscard]] Cut cut() const;
  [[nodiscard]] Cut name_or_literal() const;
  [[nodiscard]] std::optional<Cut> comment() const;
  [[nodiscard]] std::size_t name_end() const;
  [[nodiscard]] std::size_t number_end() const;
  [[nodiscard]] std::size_t literal_end(std::size_t quote) const;
  [[nodiscard]] std::size_t raw_string_end(std::size_t quote) const;
  [[nodiscard]] std::size_t header_end() const;
  [[nodiscard]] std::size_t sign_end() const;
  void follow_directive(const Lexeme& lexeme);

  std::string_view source_;
  std::size_t position_ = 0;
  bool starts_line_ = true;
  Directive directive_ = Directive::none;
};

/// The lexemes of `source` that are code, those of preprocessor lines included.
[[nodiscard]] std::vector<Lexeme> code_lexemes(std::string_view source);

}  // namespace warpmind::syntax
