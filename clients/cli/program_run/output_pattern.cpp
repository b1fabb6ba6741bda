#include "clients/cli/program_run/output_pattern.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace warpmind::clients {
namespace {

using Fields = std::vector<std::string_view>;

Fields fields_of(std::string_view line) {
  static constexpr std::string_view kBetween = " \t\r,;:=()[]";
  Fields fields;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(kBetween, at)) != std::string_view::npos) {
    const auto end = std::min(line.find_first_of(kBetween, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  return fields;
}

/// Lines that hold something.
std::vector<Fields> lines_of(std::string_view text) {
  std::vector<Fields> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (auto fields = fields_of(text.substr(0, end)); !fields.empty()) {
      lines.push_back(std::move(fields));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// "12.5" of "12.5ms", which is a field as well: the number, and where its unit begins.
std::optional<std::pair<double, std::string_view>> number_of(std::string_view field) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc()) return std::nullopt;
  return std::pair(value, field.substr(static_cast<std::size_t>(end - field.data())));
}

OutputMatch compare_fields(std::string_view given, std::string_view other) {
  if (given == other) return OutputMatch::same;
  const auto a = number_of(given);
  const auto b = number_of(other);
  if (!a || !b || a->second != b->second) return OutputMatch::differs;
  const double most = 1e-3 * std::max(std::abs(a->first), std::abs(b->first));
  return std::abs(a->first - b->first) <= most ? OutputMatch::last_digits : OutputMatch::differs;
}

}  // namespace

OutputPattern::OutputPattern(std::string_view output) : output_(output) {
  for (const auto& fields : lines_of(output)) {
    Line line;
    for (const auto field : fields) line.fields.push_back({std::string(field)});
    lines_.push_back(std::move(line));
  }
}

bool OutputPattern::leave_out_changes(std::string_view output) {
  const auto lines = lines_of(output);
  if (lines.size() != lines_.size()) return false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& fields = lines_[i].fields;
    if (lines[i].size() != fields.size()) {
      lines_[i].is_compared = false;
      continue;
    }
    for (std::size_t j = 0; j < fields.size(); ++j) {
      if (fields[j].text != lines[i][j]) fields[j].is_compared = false;
    }
  }
  return true;
}

OutputMatch OutputPattern::compare(std::string_view output) const {
  if (output == output_) return OutputMatch::same;
  const auto lines = lines_of(output);
  if (lines.size() != lines_.size()) return OutputMatch::differs;
  auto worst = OutputMatch::same;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines_[i].is_compared) continue;
    const auto& fields = lines_[i].fields;
    if (lines[i].size() != fields.size()) return OutputMatch::differs;
    for (std::size_t j = 0; j < fields.size(); ++j) {
      if (fields[j].is_compared) {
        worst = std::max(worst, compare_fields(fields[j].text, lines[i][j]));
      }
    }
  }
  return worst;
}

std::size_t OutputPattern::left_out() const {
  std::size_t count = 0;
  for (const auto& line : lines_) {
    for (const auto& field : line.fields) {
      if (!line.is_compared || !field.is_compared) ++count;
    }
  }
  return count;
}

}  // namespace warpmind::clients
