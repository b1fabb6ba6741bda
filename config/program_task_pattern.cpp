#include "config/program_task_pattern.h"

#include <algorithm>
#include <cstdint>
#include <re2/re2.h>

namespace warpmind::config {
namespace {

/// Of one expression, program and states. Those of 400 bytes with nested counts need more than this
/// and are refused when they are compiled.
constexpr std::int64_t kMostMemory = std::int64_t{8} << 20U;
constexpr std::size_t kShownBytes = 60;

re2::RE2::Options options_of_patterns() {
  re2::RE2::Options options(re2::RE2::Latin1);  // programs print bytes, not always UTF-8
  options.set_posix_syntax(true);
  options.set_perl_classes(true);
  options.set_word_boundary(true);
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  return options;
}

/// Of glibc's expressions: \1 and its like cannot be matched in bounded time, and \< would mean the
/// character. 0 = there is none.
char foreign_escape(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    const char letter = text[++i];
    if ((letter >= '1' && letter <= '9') || letter == '<' || letter == '>') return letter;
  }
  return '\0';
}

}  // namespace

struct ProgramPattern::Expression {
  explicit Expression(const std::string& text) : value(text, options_of_patterns()) {}
  re2::RE2 value;
};

Result<ProgramPattern> ProgramPattern::compile(const std::string& text) {
  if (text.empty()) {
    return fail(Errc::invalid_argument, "the pattern is empty; write one, as in .*");
  }
  const std::string shown = "the pattern '" + text.substr(0, kShownBytes) + "'";
  if (text.size() > kPatternBytes) {
    return fail(Errc::invalid_argument,
                shown + " is longer than " + std::to_string(kPatternBytes) + " bytes; shorten it");
  }
  if (const char letter = foreign_escape(text); letter != '\0') {
    return fail(
        Errc::invalid_argument,
        shown + " has \\" + letter +
            (letter == '<' || letter == '>'
                 ? ", which is none of POSIX; write \\b at the edge of a word"
                 : ", a reference to a group, which is not allowed; write what it must be"));
  }
  auto expression = std::make_shared<const Expression>(text);
  if (expression->value.ok()) return ProgramPattern(std::move(expression));
  return fail(Errc::invalid_argument,
              shown + " is no POSIX extended regular expression that can " +
                  "be matched in bounded time: " + expression->value.error());
}

Result<ProgramPattern> ProgramPattern::compile_whole(const std::string& text) {
  WARPMIND_TRY(const auto alone, compile(text));  // "a)(b" must not become right by the frame
  (void)alone;
  return compile("^(" + text + ")$");
}

bool ProgramPattern::matches(std::string_view line) const {
  return re2::RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), expression_->value);
}

bool ProgramPattern::matches_a_line(std::string_view text) const {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (matches(line)) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace warpmind::config
