#include "profilers/sanitizer/sanitizer_report.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace warpmind::profilers {
namespace {

constexpr std::string_view kMark = "=========";
constexpr std::size_t kMostFindings = 1000;
constexpr std::size_t kLongestText = 300;

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r.";
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The number before " hazards]" in "[32 hazards]"; 0 without one.
std::int64_t hazards_in(std::string_view text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos || !has(text.substr(open), "hazard")) return 0;
  std::int64_t count = 0;
  const auto digits = text.substr(open + 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return parsed.ec == std::errc{} && count > 0 ? count : 0;
}

std::string_view without_hazards(std::string_view text) {
  return hazards_in(text) > 0 ? without_space(text.substr(0, text.rfind('['))) : text;
}

/// "Error: ", "Warning: ", "WARN: " before a headline. Returns whether it is a warning.
bool strip_severity(std::string_view& text) {
  for (const std::string_view word : {"Warning: ", "WARNING: ", "WARN: ", "Warn: "}) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    return true;
  }
  for (const std::string_view word : {"Error: ", "ERROR: ", "Info: ", "INFO: "}) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    return word.starts_with("I");
  }
  return false;
}

std::string where_text(const SanitizerPlace& place) {
  if (place.line == 0) return place.function;
  return place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line);
}

/// Reads line after line; a finding is complete when the next headline comes.
class LogReader {
 public:
  void read(std::string_view line) {
    if (!line.starts_with(kMark)) return;
    line.remove_prefix(kMark.size());
    const std::string_view text = without_space(line);
    if (text.empty() || text.starts_with("COMPUTE-SANITIZER") ||
        text.starts_with("CUDA-MEMCHECK")) {
      return finish_finding();
    }
    if (current_ && read_detail(text)) return;
    finish_finding();
    read_headline(text);
  }

  SanitizerReport take() {
    finish_finding();
    return std::move(report_);
  }

 private:
  void read_headline(std::string_view text);
  bool read_detail(std::string_view text);
  void begin_race(std::string_view text);
  void read_race_partner(std::string_view text);
  void finish_finding();
  void add_hazards(std::int64_t count) {
    if (__builtin_add_overflow(hazards_, count, &hazards_)) hazards_ = INT64_MAX;
  }

  SanitizerReport report_;
  std::optional<SanitizerFinding> current_;
  std::string frame_;             ///< function of the last device frame
  bool place_is_next_ = false;    ///< the line ended with "access at"
  bool partner_is_next_ = false;  ///< so did the other access's
  std::int64_t hazards_ = 0;
};

void LogReader::begin_race(std::string_view text) {
  constexpr std::string_view kAt = " access at";
  current_->kind = "race on shared memory";
  const std::size_t between = text.find("between ");
  const std::size_t at = text.find(kAt);
  if (between == std::string_view::npos || at == std::string_view::npos || at < between + 8) return;
  current_->where = std::string(text.substr(between + 8, at - between - 8));
  std::string_view rest = text.substr(at + kAt.size());
  const std::size_t partner = rest.find(" and ");  // some print both on one line
  if (partner != std::string_view::npos && has(rest.substr(partner), kAt)) {
    const std::string_view other = without_space(rest.substr(partner));
    rest = rest.substr(0, partner);
    current_->place = parse_sanitizer_place(rest);
    read_race_partner(other);
    return;
  }
  current_->place = parse_sanitizer_place(rest);
  place_is_next_ = without_space(rest).empty();
}

void LogReader::read_race_partner(std::string_view text) {
  constexpr std::string_view kAt = " access at";
  add_hazards(hazards_in(text));
  const std::size_t at = text.find(kAt);
  if (at == std::string_view::npos || !text.starts_with("and ") || at < 4) return;
  if (has(current_->where, " against ")) return;  // the first partner says enough
  const std::string_view rest = without_hazards(text.substr(at + kAt.size()));
  partner_is_next_ = without_space(rest).empty();
  const auto place = parse_sanitizer_place(rest);
  current_->where += " against " + std::string(text.substr(4, at - 4));
  const std::string where = where_text(place);
  if (!where.empty()) current_->where += " at " + where;
}

void LogReader::read_headline(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kSummaries = {
      "ERROR SUMMARY", "RACECHECK SUMMARY", "LEAK SUMMARY"};
  if (starts_with_any(text, kSummaries)) {
    report_.finished = report_.finished || !text.starts_with("LEAK");
    return;
  }
  const std::string_view whole = text;
  SanitizerFinding finding;
  finding.defect = !strip_severity(text);
  finding.kind = std::string(text.substr(0, kLongestText));
  const bool race = text.starts_with("Race reported");
  const bool hazard = has(text, "hazard detected");
  static constexpr std::array<std::string_view, 11> kDefects = {
      "Invalid __",           "Invalid read",  "Invalid write",    "Uninitialized __",
      "Uninitialized shared", "Barrier error", "Stack overflow",   "Invalid PC",
      "Illegal instruction",  "Out-of-range",  "Malloc/Free error"};
  if (race || hazard || starts_with_any(text, kDefects) || text.starts_with("Misaligned")) {
    current_ = std::move(finding);
    if (race) begin_race(text);
    return;
  }
  static constexpr std::array<std::string_view, 7> kTroubles = {
      "Error:",
      "Internal Sanitizer Error",
      "Target application terminated before",
      "Unable to",
      "Sanitizer is not supported",
      "Failed to",
      "Device not supported"};
  if (report_.trouble.empty() && starts_with_any(whole, kTroubles)) {
    report_.trouble = std::string(whole.substr(0, kLongestText));
  }
}

bool LogReader::read_detail(std::string_view text) {
  if (place_is_next_ && !text.starts_with("and ")) {
    place_is_next_ = false;
    current_->place = parse_sanitizer_place(without_hazards(text));
    return true;
  }
  if (partner_is_next_ && !text.starts_with("and ") && !text.starts_with("[")) {
    partner_is_next_ = false;
    add_hazards(hazards_in(text));
    const std::string where = where_text(parse_sanitizer_place(without_hazards(text)));
    if (!where.empty()) current_->where += " at " + where;
    return true;
  }
  if (text.starts_with("at ") && current_->place.function.empty()) {
    current_->place = parse_sanitizer_place(text.substr(3));
    return true;
  }
  if (text.starts_with("and ") && has(text, " access at")) {
    read_race_partner(text);
    return true;
  }
  if (text.starts_with("[") && hazards_in(text) > 0) {
    add_hazards(hazards_in(text));
    return true;
  }
  constexpr std::string_view kFrame = "Device Frame:";
  if (text.starts_with(kFrame)) {
    auto frame = parse_sanitizer_place(text.substr(kFrame.size())).function;
    if (!frame.empty()) frame_ = std::move(frame);
    return true;
  }
  static constexpr std::array<std::string_view, 8> kWords = {
      "by thread",   "Address ", "Access ",      "and is ",
      "Barrier is ", "in block", "Write Thread", "Read Thread"};
  if (starts_with_any(text, kWords)) {
    if (current_->where.size() < kLongestText) {
      if (!current_->where.empty()) current_->where += ", ";
      current_->where += text.substr(0, kLongestText);
    }
    return true;
  }
  static constexpr std::array<std::string_view, 6> kIgnored = {
      "Saved host backtrace", "Host Frame:", "in /", "at ", "Current Value", "and Incoming"};
  return starts_with_any(text, kIgnored);
}

void LogReader::finish_finding() {
  if (!current_) return;
  SanitizerFinding finding = std::move(*current_);
  current_.reset();
  finding.kernel = frame_.empty() ? finding.place.function : std::exchange(frame_, {});
  finding.count = std::max<std::int64_t>(1, std::exchange(hazards_, 0));
  finding.line = finding.place.line;
  place_is_next_ = false;
  partner_is_next_ = false;
  for (SanitizerFinding& known : report_.findings) {
    if (known.kind != finding.kind || known.kernel != finding.kernel ||
        known.line != finding.line || known.defect != finding.defect) {
      continue;
    }
    if (__builtin_add_overflow(known.count, finding.count, &known.count)) {
      known.count = INT64_MAX;
    }
    return;
  }
  if (report_.findings.size() < kMostFindings) report_.findings.push_back(std::move(finding));
}

}  // namespace

SanitizerReport parse_sanitizer_log(std::string_view text) {
  LogReader reader;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.read(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  SanitizerReport report = reader.take();
  std::stable_partition(report.findings.begin(), report.findings.end(),
                        [](const SanitizerFinding& finding) { return finding.defect; });
  return report;
}

namespace {

constexpr std::string_view kOffsetMark = "+0x";
constexpr std::string_view kIn = " in ";
constexpr std::size_t kLongestName = 200;

int number_in(std::string_view digits) {
  return std::max(parse_number<int>(digits).value_or(0), 0);
}

/// "void a::f<(int)2>(float *)" -> "a::f".
std::string name_of_function(std::string_view declaration) {
  declaration = trim_text(declaration, " \t\r");
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::size_t from = 0;
  const std::size_t anonymous = declaration.find(kAnonymous);
  if (anonymous != std::string_view::npos) from = anonymous + kAnonymous.size();
  const std::size_t end = declaration.find_first_of("(<", from);
  std::string_view name = trim_text(declaration.substr(0, end), " \t\r");
  const std::size_t space = name.rfind(' ');
  if (space != std::string_view::npos && anonymous == std::string_view::npos) {
    name.remove_prefix(space + 1);
  }
  return std::string(name.substr(0, kLongestName));
}

/// "dir/k.cu:6".
void read_file_and_line(std::string_view text, SanitizerPlace& place) {
  text = trim_text(text, " \t\r");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return;
  place.line = number_in(text.substr(colon + 1));
  if (place.line > 0) place.file = std::string(text.substr(0, colon));
}

/// "k.cu:6:f(int *)", or "f(int *)" where there is no line information.
SanitizerPlace read_old_form(std::string_view text) {
  SanitizerPlace place;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const std::size_t next = text.find(':', colon + 1);
    if (next == std::string_view::npos) break;
    place.line = number_in(text.substr(colon + 1, next - colon - 1));
    if (place.line == 0) continue;
    place.file = std::string(text.substr(0, colon));
    place.function = name_of_function(text.substr(next + 1));
    return place;
  }
  place.function = name_of_function(text);
  return place;
}

}  // namespace

SanitizerPlace parse_sanitizer_place(std::string_view text) {
  text = trim_text(text, " \t\r");
  if (text.starts_with("0x")) {
    const std::size_t in = text.find(kIn);
    return in == std::string_view::npos
               ? SanitizerPlace{}
               : read_old_form(trim_text(text.substr(in + kIn.size()), " \t\r"));
  }
  SanitizerPlace place;
  const std::size_t offset = text.rfind(kOffsetMark);
  if (offset == std::string_view::npos) {
    if (text.find('(') != std::string_view::npos) return read_old_form(text);
    return place;
  }
  place.function = name_of_function(text.substr(0, offset));
  const std::size_t in = text.find(kIn, offset);
  if (in != std::string_view::npos) read_file_and_line(text.substr(in + kIn.size()), place);
  return place;
}

}  // namespace warpmind::profilers
