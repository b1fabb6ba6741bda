#include "profilers/toolchain/ptx_statement.h"

namespace warpmind::profilers {

PtxStatement read_statement(std::string_view line) {
  PtxStatement none;
  PtxStatement read;
  const auto begin = line.find_first_not_of(" \t{");
  const auto end = line.find(';');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return none;
  read.before = line.substr(0, begin);
  read.after = line.substr(end + 1);
  std::string_view text = line.substr(begin, end - begin);
  if (text.starts_with('@')) {
    const auto space = text.find_first_of(" \t");
    if (space == std::string_view::npos) return none;
    const auto next = text.find_first_not_of(" \t", space);
    if (next == std::string_view::npos) return none;
    read.guard = text.substr(0, next);
    text.remove_prefix(next);
  }
  const auto space = text.find_first_of(" \t");
  const auto comma = text.find(',');
  if (space == std::string_view::npos || comma == std::string_view::npos || comma < space) {
    return none;
  }
  read.opcode = text.substr(0, space);
  const auto result = text.find_first_not_of(" \t", space);
  read.result = text.substr(result, comma - result);
  read.operands = text.substr(comma + 1);
  return read;
}

std::vector<std::string_view> parts_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto dot = opcode.find('.');
    parts.push_back(opcode.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    opcode.remove_prefix(dot + 1);
  }
}

std::vector<std::string_view> operands_of(const PtxStatement& statement) {
  constexpr std::string_view kSpaces = " \t";
  std::vector<std::string_view> all;
  std::string_view rest = statement.operands;
  while (true) {
    const auto comma = rest.find(',');
    std::string_view one = rest.substr(0, comma);
    const auto begin = one.find_first_not_of(kSpaces);
    const auto end = one.find_last_not_of(kSpaces);
    all.push_back(begin == std::string_view::npos ? "" : one.substr(begin, end - begin + 1));
    if (comma == std::string_view::npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace warpmind::profilers
