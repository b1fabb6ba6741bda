#include "knowledge_base/retrieval/source_tokens.h"

#include <algorithm>
#include <array>

namespace warpmind::knowledge_base {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return is_name_start(c) || is_digit(c); }

/// Signs of several characters, longest first.
constexpr std::array<std::string_view, 24> kSigns{
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "++", "--"};

/// Reads one text from front to back.
class Tokeniser {
 public:
  explicit Tokeniser(std::string_view source) : rest_(source) {}

  SourceTokens read() {
    while (!rest_.empty() && found_.tokens.size() < kMostSourceTokens) step();
    return std::move(found_);
  }

 private:
  void step() {
    const char c = rest_.front();
    if (c == '\n') {
      line_start_ = true;
      rest_.remove_prefix(1);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      rest_.remove_prefix(1);
    } else if (rest_.starts_with("//")) {
      drop(std::min(rest_.find('\n'), rest_.size()));
    } else if (rest_.starts_with("/*")) {
      const auto end = rest_.find("*/", 2);
      drop(end == std::string_view::npos ? rest_.size() : end + 2);
    } else if (c == '#' && line_start_) {
      preprocessor_line();
    } else {
      line_start_ = false;
      token(c);
    }
  }

  void token(char c) {
    if (c == '"' || c == '\'') {
      quoted(c);
    } else if (is_name_start(c)) {
      emit(TokenKind::name, length_while(is_name));
    } else if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) {
      emit(TokenKind::number, number_length());
    } else {
      emit(TokenKind::sign, sign_length());
    }
  }

  void drop(std::size_t bytes) { rest_.remove_prefix(bytes); }

  void emit(TokenKind kind, std::size_t bytes) {
    found_.tokens.push_back({kind, rest_.substr(0, bytes)});
    drop(bytes);
  }

  template <class Predicate>
  [[nodiscard]] std::size_t length_while(const Predicate& holds) const {
    return static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), holds) -
                                    rest_.begin());
  }

  [[nodiscard]] std::size_t number_length() const {
    std::size_t length = 1;
    while (length < rest_.size()) {
      const char before = rest_[length - 1];
      const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      const char c = rest_[length];
      if (!is_name(c) && c != '.' && c != '\'' && !(exponent && (c == '+' || c == '-'))) break;
      ++length;
    }
    return length;
  }

  [[nodiscard]] std::size_t sign_length() const {
    for (const auto sign : kSigns) {
      if (rest_.starts_with(sign)) return sign.size();
    }
    return 1;
  }

  /// A string or character literal; one that is not closed ends with its line.
  void quoted(char quote) {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != quote && rest_[end] != '\n') {
      end += rest_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, rest_.size());
    found_.tokens.push_back({TokenKind::text, rest_.substr(1, end - 1)});
    drop(std::min(end + 1, rest_.size()));
  }

  void preprocessor_line() {
    std::size_t end = 0;
    do {
      end = rest_.find('\n', end == 0 ? 0 : end + 1);
    } while (end != std::string_view::npos && end > 0 && rest_[end - 1] == '\\');
    const auto line = rest_.substr(0, end);
    const bool pragma = line.find("pragma") != std::string_view::npos;
    const bool unrolls = line.find("unroll") != std::string_view::npos;
    const bool nothing =
        line.find("nounroll") != std::string_view::npos || line.ends_with("unroll 1");
    if (pragma && unrolls && !nothing) ++found_.unroll_pragmas;
    drop(line.size());
  }

  std::string_view rest_;
  SourceTokens found_;
  bool line_start_ = true;
};

}  // namespace

SourceTokens tokenise(std::string_view source) { return Tokeniser(source).read(); }

}  // namespace warpmind::knowledge_base
