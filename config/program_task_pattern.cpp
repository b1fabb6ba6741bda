#include "config/program_task_pattern.h"

#include <algorithm>
#include <array>
#include <regex.h>

namespace warpmind::config {

struct ProgramPattern::Expression {
  Expression() = default;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression() {
    if (compiled) regfree(&value);
  }
  regex_t value{};
  bool compiled = false;
};

namespace {

Result<void> check_pattern_text(const std::string& text) {
  const auto refuse = [&text](const std::string& why) {
    return fail(Errc::invalid_argument,
                "the pattern '" + text.substr(0, 60) + "' is not taken: " + why);
  };
  if (text.empty())
    return fail(Errc::invalid_argument, "the pattern is empty; write one, as in .*");
  if (text.size() > kPatternBytes) {
    return refuse("it is longer than " + std::to_string(kPatternBytes) + " bytes; shorten it");
  }
  if (text.find('\0') != std::string::npos) return refuse("it has a byte 0");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '}') {
      return refuse("counts in braces are not allowed; write the repetition out, or use + or *");
    }
    if (text[i] != '\\' || i + 1 == text.size()) continue;
    ++i;
    if (text[i] >= '1' && text[i] <= '9') {
      return refuse("references to a group (\\1) are not allowed; write what it must be");
    }
    if (text[i] == 'n' || text[i] == 't' || text[i] == 'd') {
      return refuse(std::string("\\") + text[i] +
                    " is none of POSIX; write [[:digit:]], [[:space:]] or the character");
    }
  }
  return {};
}

}  // namespace

Result<ProgramPattern> ProgramPattern::compile(const std::string& text) {
  WARPMIND_CHECK(check_pattern_text(text));
  const auto expression = std::make_shared<Expression>();
  const int code = regcomp(&expression->value, text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (code != 0) {
    std::array<char, 120> reason{};
    regerror(code, &expression->value, reason.data(), reason.size());
    return fail(Errc::invalid_argument,
                "the pattern '" + text.substr(0, 60) +
                    "' is no POSIX extended regular expression: " + std::string(reason.data()));
  }
  expression->compiled = true;
  return ProgramPattern(expression);
}

Result<ProgramPattern> ProgramPattern::compile_whole(const std::string& text) {
  WARPMIND_TRY(const auto alone, compile(text));  // "a)(b" must not become right by the frame
  (void)alone;
  return compile("^(" + text + ")$");
}

bool ProgramPattern::matches(const std::string& line) const {
  return regexec(&expression_->value, line.c_str(), 0, nullptr, 0) == 0;
}

bool ProgramPattern::matches_a_line(std::string_view text) const {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (matches(line)) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace warpmind::config
