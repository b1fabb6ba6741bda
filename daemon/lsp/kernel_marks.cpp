#include "daemon/lsp/kernel_marks.h"

#include "agents/builtin/syntax/cuda_source.h"
#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace warpmind::daemon::lsp {
namespace {

using agents::builtin::CudaSource;
using agents::builtin::FunctionKind;
using agents::builtin::Range;

constexpr std::size_t kMostBytes = std::size_t{512} * 1024;
constexpr std::string_view kAttribute = "__global__";

/// Text with comments, strings and characters blanked, byte for byte.
std::string code_only(std::string_view text) {
  std::string code(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < std::min(to, code.size()); ++at) {
      if (code[at] != '\n') code[at] = ' ';
    }
  };
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at + 1;
    if (text.substr(at, 2) == "//") {
      end = std::min(text.find('\n', at), text.size());
      blank(at, end);
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t close = text.find("*/", at + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
      blank(at, end);
    } else if (text[at] == '"' ||
               (text[at] == '\'' && (at == 0 || !is_word_character(text[at - 1])))) {
      while (end < text.size() && text[end] != text[at] && text[end] != '\n') {
        end += text[end] == '\\' ? 2U : 1U;
      }
      end = std::min(end + 1, text.size());
      blank(at, end);
    }
    at = end;
  }
  return code;
}

/// Just after the bracket that closes the one at `open`; npos when nothing does.
std::size_t after_bracket(std::string_view code, std::size_t open, char opening, char closing) {
  std::size_t depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == opening) ++depth;
    if (code[at] == closing && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

std::size_t after_space(std::string_view code, std::size_t at) {
  return std::min(code.find_first_not_of(" \t\r\n", at), code.size());
}

Range word_before(std::string_view code, std::size_t at) {
  while (at > 0 && std::isspace(static_cast<unsigned char>(code[at - 1])) != 0) --at;
  Range word{at, at};
  while (word.begin > 0 && is_word_character(code[word.begin - 1])) --word.begin;
  return word;
}

/// The kernel whose attribute is at `attribute`, read word by word; no name when there is none.
KernelMark kernel_by_words(std::string_view code, std::size_t attribute) {
  KernelMark mark;
  std::size_t at = attribute + kAttribute.size();
  while (true) {
    at = code.find_first_of("(;{}", at);
    if (at == std::string_view::npos || code[at] != '(') return mark;
    const Range word = word_before(code, at);
    if (word.begin < attribute + kAttribute.size()) return mark;
    const auto name = code.substr(word.begin, word.end - word.begin);
    const std::size_t close = after_bracket(code, at, '(', ')');
    if (name != "__launch_bounds__") {
      if (name.empty()) return mark;
      mark.name_range = word;
      mark.name = name;
      mark.range = {attribute, std::min(code.find('\n', at), code.size())};
      if (close == std::string_view::npos || close > code.find('{', at)) return mark;
      mark.parameters_end = close;
      const std::size_t body = after_space(code, close);
      if (body < code.size() && code[body] == ';') return {};  // a declaration
      const std::size_t end =
          body < code.size() && code[body] == '{' ? after_bracket(code, body, '{', '}') : close;
      mark.range.end = end == std::string_view::npos ? mark.range.end : end;
      return mark;
    }
    if (close == std::string_view::npos) return mark;
    at = close;
  }
}

void add_by_grammar(const std::string& text, KernelMarks& marks) {
  const auto source = CudaSource::read(text);
  if (!source) return;
  for (const auto& function : source->functions) {
    if (function.kind != FunctionKind::kernel) continue;
    KernelMark mark;
    mark.name = function.name;
    mark.name_range = source->tree.node(function.name_node).range;
    mark.range = source->tree.node(function.node).range;
    mark.parameters_end = source->tree.node(function.parameter_list).range.end;
    marks.kernels.push_back(std::move(mark));
  }
  for (const auto& launch : source->launches) {
    const std::size_t begin = source->tree.node(launch.call).range.begin;
    marks.launches.push_back({launch.kernel, {begin, begin + launch.kernel.size()}});
  }
}

}  // namespace

KernelMarks find_kernels(const std::string& text) {
  KernelMarks marks;
  if (text.size() > kMostBytes) return marks;
  add_by_grammar(text, marks);
  const std::string code = code_only(text);
  for (std::size_t at = code.find(kAttribute); at != std::string::npos;
       at = code.find(kAttribute, at + kAttribute.size())) {
    KernelMark mark = kernel_by_words(code, at);
    const bool known =
        std::any_of(marks.kernels.begin(), marks.kernels.end(),
                    [&](const KernelMark& other) { return other.name_range == mark.name_range; });
    if (!mark.name.empty() && !known) marks.kernels.push_back(std::move(mark));
  }
  std::sort(marks.kernels.begin(), marks.kernels.end(),
            [](const auto& a, const auto& b) { return a.name_range.begin < b.name_range.begin; });
  return marks;
}

std::int64_t line_of_kernel(const std::string& text, std::string_view name) {
  const auto kernels = find_kernels(text).kernels;
  if (kernels.empty()) return 0;
  const auto named = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelMark& mark) { return mark.name == name; });
  const KernelMark& mark = named == kernels.end() ? kernels.front() : *named;
  const auto begin = text.begin();
  return std::count(begin, begin + static_cast<std::ptrdiff_t>(mark.range.begin), '\n');
}

bool defines_main(const std::string& text) {
  constexpr std::string_view kMain = "main";
  if (text.size() > kMostBytes) return false;
  const std::string code = code_only(text);
  for (std::size_t at = code.find(kMain); at != std::string::npos;
       at = code.find(kMain, at + kMain.size())) {
    const std::size_t open = after_space(code, at + kMain.size());
    if (open == code.size() || code[open] != '(') continue;
    const Range type = word_before(code, at);
    const auto word = std::string_view(code).substr(type.begin, type.end - type.begin);
    if (type.end < at && (word == "int" || word == "auto")) return true;
  }
  return false;
}

}  // namespace warpmind::daemon::lsp
