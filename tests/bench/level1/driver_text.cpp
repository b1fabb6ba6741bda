#include "tests/bench/level1/driver_text.h"

#include <cctype>
#include <regex>

namespace warpmind::level1 {

std::string without_comments(std::string_view source) {
  std::string out;
  for (std::size_t i = 0; i < source.size();) {
    const std::string_view rest = source.substr(i);
    if (rest.starts_with("//")) {
      i += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/");
      i += end == std::string_view::npos ? rest.size() : end + 2;
      out += ' ';
    } else {
      out += source[i++];
    }
  }
  return out;
}

std::string trimmed(std::string_view text) {
  auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '}' || text[i] == ']') --depth;
    if (text[i] != ',' || depth != 0) continue;
    out.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  const std::string last = trimmed(text.substr(begin));
  if (!last.empty() || !out.empty()) out.push_back(last);
  return out;
}

Result<std::string> last_brackets_after(const std::string& source, std::string_view name,
                                        char after) {
  for (std::size_t at = source.rfind(name); at != std::string::npos && at != 0;
       at = source.rfind(name, at - 1)) {
    const std::size_t open = source.find('(', at);
    if (open == std::string::npos) continue;
    int depth = 1;
    std::size_t i = open + 1;
    for (; i < source.size() && depth > 0; ++i) {
      depth += source[i] == '(' ? 1 : 0;
      depth -= source[i] == ')' ? 1 : 0;
    }
    const std::size_t next = source.find_first_not_of(" \t\r\n", i);
    if (next != std::string::npos && source[next] == after) {
      return source.substr(open + 1, i - open - 2);
    }
  }
  return fail(Errc::invalid_argument,
              "no " + std::string(name) + "(…) followed by '" + after + "' was found");
}

std::vector<Declaration> declarations_of(const std::string& source) {
  static const std::regex pattern(
      R"((bool|int|long|int64_t|uint64_t|size_t|float|double|auto|void\s*\*|torch::Tensor|at::Tensor)\s+(\w+\s*=[^;]*);)");
  std::vector<Declaration> out;
  for (auto at = std::sregex_iterator(source.begin(), source.end(), pattern);
       at != std::sregex_iterator(); ++at) {
    for (const std::string& each : split_at_commas((*at)[2].str())) {
      const std::size_t equals = each.find('=');
      if (equals == std::string::npos) continue;
      out.push_back({trimmed((*at)[1].str()), trimmed(each.substr(0, equals)),
                     trimmed(each.substr(equals + 1))});
    }
  }
  return out;
}

}  // namespace warpmind::level1
