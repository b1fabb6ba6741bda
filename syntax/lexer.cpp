#include "syntax/lexer.h"

#include <algorithm>
#include <array>

namespace warpmind::syntax {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::size_t kMostDelimiter = 16;  // characters of a raw string's, as the standard has it
constexpr std::size_t kMostSign = 4;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

using CharacterSet = std::array<bool, 256>;

constexpr CharacterSet kNameCharacters = [] {
  CharacterSet set{};
  for (std::size_t c = 0; c < set.size(); ++c) {
    set[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '$' || c >= 0x80U;
  }
  return set;
}();

/// What a longer sign may go on with.
constexpr CharacterSet kSignCharacters = [] {
  CharacterSet set{};
  for (const char c : std::string_view("<>=&|+-:%.*#")) set[static_cast<unsigned char>(c)] = true;
  return set;
}();

/// Signs of several characters, longest first.
constexpr auto kSigns =
    std::to_array<std::string_view>({"%:%:", "<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "<<",
                                     ">>",   "<=",  ">=",  "==",  "!=",  "&&",  "||",  "+=",  "-=",
                                     "*=",   "/=",  "%=",  "&=",  "|=",  "^=",  "++",  "--",  "->",
                                     "::",   ".*",  "##",  "<%",  "%>",  "<:",  ":>",  "%:"});

struct Digraph {
  std::string_view written;
  std::string_view meant;
};
constexpr auto kDigraphs = std::to_array<Digraph>(
    {{"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}, {"%:", "#"}, {"%:%:", "##"}});

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Position after the backslash and the line end of the splice at `position`, else `position`.
std::size_t splice_end(std::string_view text, std::size_t position) {
  if (position >= text.size() || text[position] != '\\') return position;
  std::size_t end = position + 1;
  while (end < text.size() && is_blank(text[end])) ++end;  // the compiler forgives blanks there
  return end < text.size() && text[end] == '\n' ? end + 1 : position;
}

std::string without_splices(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = splice_end(text, at);
    if (end == at) out += text[at++];
    at = std::max(at, end);
  }
  return out;
}

}  // namespace

std::string_view without_digraph(std::string_view sign) {
  for (const auto& [written, meant] : kDigraphs) {
    if (sign == written) return meant;
  }
  return sign;
}

bool is_name_character(char c) { return kNameCharacters[static_cast<unsigned char>(c)]; }

bool Lexeme::is(std::string_view expected) const {
  if (kind != LexemeKind::name && kind != LexemeKind::sign) return false;
  // Splices and digraphs make a text longer than what it spells.
  if (text.size() <= expected.size()) return text == expected;
  if (kind == LexemeKind::name && (expected.empty() || text.front() != expected.front()))
    return false;
  if (text.find('\n') != kNone) return spelling(*this) == expected;
  return kind == LexemeKind::sign && without_digraph(text) == expected;
}

std::string spelling(const Lexeme& lexeme) {
  if (!lexeme.is_code() || lexeme.kind == LexemeKind::raw_string) return std::string(lexeme.text);
  const bool is_spliced = lexeme.text.find('\n') != kNone;
  std::string text = is_spliced ? without_splices(lexeme.text) : std::string(lexeme.text);
  if (lexeme.kind == LexemeKind::sign) text = without_digraph(text);
  return text;
}

std::string_view content(const Lexeme& lexeme) {
  std::string_view text = lexeme.text;
  if (lexeme.kind == LexemeKind::header) {
    return text.substr(1, text.size() - 2);
  }
  if (!lexeme.is_literal()) return {};
  text.remove_prefix(text.find(lexeme.kind == LexemeKind::character ? '\'' : '"'));
  const char quote = text.front();
  text.remove_prefix(1);
  if (lexeme.kind != LexemeKind::raw_string) {
    // A backslash may have taken what looks like the closing quote; then the literal is not closed.
    std::size_t end = 0;
    while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
    return text.substr(0, end);
  }
  const std::size_t delimiter = text.find('(');
  const std::string_view inside = text.substr(delimiter + 1);
  const std::size_t tail = delimiter + 2;
  const bool is_closed =
      inside.size() >= tail && inside[inside.size() - tail] == ')' &&
      inside.substr(inside.size() - tail + 1, delimiter) == text.substr(0, delimiter) &&
      inside.back() == '"';
  return is_closed ? inside.substr(0, inside.size() - tail) : inside;
}

std::size_t Lexer::past_backslashes(std::size_t position) const {
  for (std::size_t end = splice_end(source_, position); end != position;
       end = splice_end(source_, position)) {
    position = end;
  }
  return position;
}

std::optional<Lexeme> Lexer::next() {
  if (position_ >= source_.size()) return std::nullopt;
  const Cut found = cut();
  Lexeme lexeme{found.kind, source_.substr(position_, found.end - position_), false};
  position_ = found.end;
  follow_directive(lexeme);
  lexeme.in_directive = directive_ != Directive::none;
  return lexeme;
}

/// The kind of what begins here, and where it ends.
Lexer::Cut Lexer::cut() const {
  const char c = source_[position_];
  if (c == '\n') return {LexemeKind::line_end, position_ + 1};
  if (is_blank(c)) {
    std::size_t end = position_ + 1;
    while (is_blank(at(end))) ++end;
    return {LexemeKind::blank, end};
  }
  if (c == '\\') {
    const std::size_t end = splice_end(source_, position_);
    if (end != position_) return {LexemeKind::splice, end};
    return {LexemeKind::sign, position_ + 1};
  }
  if (c == '/') {
    if (const auto found = comment()) return *found;
  }
  if (directive_ == Directive::header && (c == '<' || c == '"')) {
    const std::size_t end = header_end();
    if (end != position_) return {LexemeKind::header, end};
  }
  if (c == '"') return {LexemeKind::string, literal_end(position_)};
  if (c == '\'') return {LexemeKind::character, literal_end(position_)};
  if (is_digit(c) || (c == '.' && is_digit(at(past_splices(position_ + 1))))) {
    return {LexemeKind::number, number_end()};
  }
  if (is_name_character(c)) return name_or_literal();
  return {LexemeKind::sign, sign_end()};
}

Lexer::Cut Lexer::name_or_literal() const {
  const std::size_t end = name_end();
  const std::size_t quote = past_splices(end);
  if (at(quote) != '"' && at(quote) != '\'') return {LexemeKind::name, end};
  constexpr std::array<std::string_view, 4> kPlain{"u8", "u", "U", "L"};
  constexpr std::array<std::string_view, 5> kRaw{"R", "u8R", "uR", "UR", "LR"};
  const std::string prefix = without_splices(source_.substr(position_, end - position_));
  const bool is_string = source_[quote] == '"';
  if (is_string && holds(kRaw, prefix)) {
    const std::size_t raw = raw_string_end(quote);
    if (raw != quote) return {LexemeKind::raw_string, raw};
    return {LexemeKind::string, literal_end(quote)};  // a delimiter that cannot be one
  }
  if (!holds(kPlain, prefix)) return {LexemeKind::name, end};
  return {is_string ? LexemeKind::string : LexemeKind::character, literal_end(quote)};
}

/// The comment that begins here, if one does.
std::optional<Lexer::Cut> Lexer::comment() const {
  const std::size_t second = past_splices(position_ + 1);
  if (at(second) == '*') {
    for (std::size_t star = source_.find('*', second + 1); star != kNone;
         star = source_.find('*', star + 1)) {
      const std::size_t slash = past_splices(star + 1);
      if (at(slash) == '/') return Cut{LexemeKind::comment, slash + 1};
    }
    return Cut{LexemeKind::comment, source_.size()};
  }
  if (at(second) != '/') return std::nullopt;
  for (std::size_t end = source_.find('\n', second); end != kNone;
       end = source_.find('\n', end + 1)) {
    std::size_t last = end - 1;
    while (last > second && is_blank(source_[last])) --last;
    // Behind a backslash the next line belongs to it.
    if (source_[last] != '\\') return Cut{LexemeKind::line_comment, end};
  }
  return Cut{LexemeKind::line_comment, source_.size()};
}

std::size_t Lexer::name_end() const {
  std::size_t end = position_;
  std::size_t next = position_;
  while (is_name_character(at(next))) {
    end = next + 1;
    next = past_splices(end);
  }
  return end;
}

std::size_t Lexer::number_end() const {
  std::size_t end = position_ + 1;
  for (std::size_t next = past_splices(end);; next = past_splices(end)) {
    const char before = source_[end - 1];
    const char c = at(next);
    const bool is_exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
    const bool is_separator = c == '\'' && is_name_character(at(past_splices(next + 1)));
    const bool goes_on =
        is_name_character(c) || c == '.' || is_separator || (is_exponent && (c == '+' || c == '-'));
    if (!goes_on) return end;
    end = next + 1;
  }
}

/// Of a string or character with its opening quote at `quote`: past the closing one, or the end of
/// the line when there is none.
std::size_t Lexer::literal_end(std::size_t quote) const {
  const char close = source_[quote];
  std::size_t end = quote + 1;
  while (end < source_.size() && source_[end] != '\n') {
    if (source_[end] == close) return end + 1;
    const std::size_t past = past_splices(end);
    if (past != end) {
      end = past;
    } else if (source_[end] == '\\') {
      end = past_splices(end + 1);
      if (end < source_.size() && source_[end] != '\n') ++end;
    } else {
      ++end;
    }
  }
  return std::min(end, source_.size());
}

/// Past `)delimiter"`; `quote` itself when what follows it is no delimiter.
std::size_t Lexer::raw_string_end(std::size_t quote) const {
  std::string_view delimiter = source_.substr(quote + 1, kMostDelimiter + 1);
  const std::size_t open = delimiter.find('(');
  if (open == kNone) return quote;
  delimiter = delimiter.substr(0, open);
  if (delimiter.find_first_of(" \t\v\f\r\n\\)\"") != kNone) return quote;
  const std::string close = ")" + std::string(delimiter) + "\"";
  const std::size_t end = source_.find(close, quote + open + 2);
  return end == kNone ? source_.size() : end + close.size();
}

/// Past the name of an #include; the position itself when its line does not close it.
std::size_t Lexer::header_end() const {
  const char close = source_[position_] == '<' ? '>' : '"';
  for (std::size_t end = past_splices(position_ + 1); end < source_.size() && source_[end] != '\n';
       end = past_splices(end + 1)) {
    if (source_[end] == close) return end + 1;
  }
  return position_;
}

std::size_t Lexer::sign_end() const {
  const char second = at(position_ + 1);
  if (second != '\\' && !kSignCharacters[static_cast<unsigned char>(second)]) return position_ + 1;
  std::array<char, kMostSign> buffer{source_[position_]};
  std::array<std::size_t, kMostSign> ends{position_ + 1};
  std::size_t count = 1;
  while (count < kMostSign) {
    const std::size_t next = past_splices(ends[count - 1]);
    const char c = at(next);
    if (!kSignCharacters[static_cast<unsigned char>(c)]) break;
    buffer[count] = c;
    ends[count++] = next + 1;
  }
  const std::string_view seen(buffer.data(), count);
  if (count == 1) return ends[0];
  // "<::" is "<" before "::", unless "<:::" or "<::>" follows.
  if (seen.starts_with("<::") && (count == 3 || (seen[3] != ':' && seen[3] != '>'))) return ends[0];
  for (const auto sign : kSigns) {
    if (seen.starts_with(sign)) return ends[sign.size() - 1];
  }
  return ends[0];
}

void Lexer::follow_directive(const Lexeme& lexeme) {
  if (lexeme.kind == LexemeKind::line_end) {
    starts_line_ = true;
    directive_ = Directive::none;
    return;
  }
  if (!lexeme.is_code()) return;
  if (starts_line_ && lexeme.is("#")) {
    directive_ = Directive::name;
  } else if (directive_ == Directive::name) {
    constexpr std::array<std::string_view, 4> kWithHeader{"include", "include_next", "import",
                                                          "embed"};
    directive_ = holds(kWithHeader, spelling(lexeme)) ? Directive::header : Directive::rest;
  } else if (directive_ == Directive::header) {
    directive_ = Directive::rest;
  }
  starts_line_ = false;
}

std::vector<Lexeme> code_lexemes(std::string_view source) {
  std::vector<Lexeme> found;
  Lexer lexer(source);
  while (const auto lexeme = lexer.next()) {
    if (lexeme->is_code()) found.push_back(*lexeme);
  }
  return found;
}

}  // namespace warpmind::syntax
