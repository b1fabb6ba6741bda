#include "agents/builtin/source_view.h"

#include <algorithm>
#include <cctype>

namespace warpmind::agents::builtin {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// End (one past) of the comment or literal that starts at `at`, or `at` if none starts there.
std::size_t end_of_opaque(std::string_view text, std::size_t at) {
  const auto rest = text.substr(at);
  if (rest.starts_with("//")) {
    const auto end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end;
  }
  if (rest.starts_with("/*")) {
    const auto end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  // 1'000 is a digit separator, not a character literal.
  const bool separator = rest.starts_with('\'') && at > 0 && is_word(text[at - 1]);
  if (rest.starts_with('"') || (rest.starts_with('\'') && !separator)) {
    const char quote = rest.front();
    for (std::size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == quote || text[i] == '\n') {
        return i + 1;
      }
    }
    return text.size();
  }
  return at;
}

std::string mask(std::string_view source) {
  std::string masked(source);
  std::size_t at = 0;
  while (at < masked.size()) {
    const std::size_t end = end_of_opaque(source, at);
    if (end == at) {
      ++at;
      continue;
    }
    for (; at < end; ++at) {
      if (masked[at] != '\n') masked[at] = ' ';
    }
  }
  return masked;
}

}  // namespace

SourceView::SourceView(std::string_view source) : masked_(mask(source)) { find_functions(); }

std::vector<std::size_t> SourceView::identifiers(std::string_view word, Range range) const {
  std::vector<std::size_t> found;
  for (std::size_t at = masked_.find(word, range.begin); at < range.end;
       at = masked_.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word(masked_[at - 1]);
    const std::size_t after = at + word.size();
    const bool ends = after >= masked_.size() || !is_word(masked_[after]);
    if (starts && ends && after <= range.end) found.push_back(at);
  }
  return found;
}

std::size_t SourceView::matching(std::size_t open) const {
  const char opener = masked_[open];
  const char closer = opener == '(' ? ')' : '}';
  int depth = 0;
  for (std::size_t i = open; i < masked_.size(); ++i) {
    if (masked_[i] == opener) ++depth;
    if (masked_[i] == closer && --depth == 0) return i;
  }
  return std::string::npos;
}

void SourceView::find_functions() {
  for (const std::size_t at : identifiers("__global__", {0, masked_.size()})) {
    GlobalFunction function;
    function.attribute_end = at + std::string_view("__global__").size();
    std::size_t open = masked_.find('(', at);
    if (open == std::string::npos) return;
    // __launch_bounds__(…) stands before the name: its parentheses are not the parameters.
    const auto bounds = identifiers("__launch_bounds__", {at, open});
    if (!bounds.empty()) {
      const std::size_t close = matching(open);
      if (close == std::string::npos) return;
      open = masked_.find('(', close);
      if (open == std::string::npos) return;
    }
    const std::size_t close = matching(open);
    if (close == std::string::npos) return;
    const std::size_t brace = masked_.find_first_not_of(" \t\r\n", close + 1);
    if (brace == std::string::npos || masked_[brace] != '{') continue;
    const std::size_t end = matching(brace);
    if (end == std::string::npos) return;
    std::size_t name_end = open;
    while (name_end > at && std::isspace(static_cast<unsigned char>(masked_[name_end - 1])) != 0) {
      --name_end;
    }
    std::size_t name_begin = name_end;
    while (name_begin > at && is_word(masked_[name_begin - 1])) --name_begin;
    function.name = masked_.substr(name_begin, name_end - name_begin);
    function.header = {at, open};
    function.parameters = {open + 1, close};
    function.body = {brace + 1, end};
    functions_.push_back(std::move(function));
  }
}

std::vector<std::size_t> SourceView::innermost_loops(Range body) const {
  std::vector<std::size_t> innermost;
  for (const std::size_t at : identifiers("for", body)) {
    const std::size_t open = masked_.find_first_not_of(" \t\r\n", at + 3);
    if (open == std::string::npos || masked_[open] != '(') continue;
    const std::size_t close = matching(open);
    if (close == std::string::npos) continue;
    std::size_t end = masked_.find_first_not_of(" \t\r\n", close + 1);
    if (end == std::string::npos) continue;
    end = masked_[end] == '{' ? matching(end) : masked_.find(';', end);
    if (end == std::string::npos) continue;
    if (identifiers("for", {close, end}).empty() && identifiers("while", {close, end}).empty()) {
      innermost.push_back(at);
    }
  }
  return innermost;
}

}  // namespace warpmind::agents::builtin
