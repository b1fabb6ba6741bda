#include "base/compiler_complaint.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace warpmind {
namespace {

constexpr std::size_t kMostComplaintBytes = 300;

/// 0: says what is wrong; 1: says that something is; 2: says nothing of the kind.
int rank_of(std::string_view line) {
  static constexpr std::array kAround = {"collect2: error",
                                         "make: ***",
                                         "make[",
                                         "ninja: build stopped",
                                         "detected in the compilation",
                                         "gmake",
                                         "Error 1",
                                         "Error 2"};
  static constexpr std::array kFaults = {"error:",
                                         "error :",
                                         " error ",
                                         "fatal",
                                         "undefined reference",
                                         "undefined symbol",
                                         "multiple definition",
                                         "cannot find ",
                                         "No such file",
                                         "No rule to make",
                                         "not found",
                                         "Permission denied"};
  const bool around = contains_any_text(line, kAround);
  if (contains_any_text(line, kFaults)) return around && line.find("No rule") == line.npos ? 1 : 0;
  return around ? 1 : 2;
}

}  // namespace

std::string first_error_line(std::string_view diagnostics) {
  const auto at = diagnostics.find("error");
  const auto begin = at == std::string_view::npos ? 0 : diagnostics.rfind('\n', at) + 1;
  return first_line(diagnostics.substr(begin)).substr(0, kMostComplaintBytes);
}

std::string first_complaint(std::string_view text) {
  std::string best = "it says nothing";
  int best_rank = 3;
  while (!text.empty() && best_rank > 0) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const int rank = rank_of(line);
    if (rank >= best_rank) continue;
    best_rank = rank;
    best = std::string(line.substr(0, kMostComplaintBytes));
  }
  std::replace_if(
      best.begin(), best.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return best;
}

}  // namespace warpmind
