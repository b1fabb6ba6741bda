#include "tests/bench/validation/record_file.h"

#include "base/file.h"

#include <sstream>

namespace warpmind::validation {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
constexpr int kExact = 17;  // digits of a double

Result<SimulatedPoint> read_point(std::istringstream& line, const std::string& where) {
  SimulatedPoint point;
  bool has_sum = false;
  Checksum sum;
  line >> has_sum >> sum.sum >> sum.weighted >> sum.magnitude;
  std::string report;
  if (!line || !std::getline(line >> std::ws, report)) {
    return fail(Errc::corrupt_data, where + ": no id, sums and report");
  }
  if (has_sum) point.sum = sum;
  auto decoded = simulator::decode_launch_report(report);
  if (!decoded) return fail(std::move(decoded).error().while_doing(where));
  point.report = std::move(*decoded);
  return point;
}

}  // namespace

Result<RecordFile> RecordFile::open(const std::filesystem::path& file) {
  RecordFile records;
  if (file.empty()) return records;
  if (std::filesystem::exists(file)) {
    WARPMIND_TRY(const std::string text, read_file(file, kMostBytes));
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string id;
      words >> id;
      WARPMIND_TRY(records.points_[id],
                   read_point(words, file.string() + ":" + std::to_string(++number)));
    }
  }
  records.out_.open(file, std::ios::app);
  if (!records.out_) return fail(Errc::external_failure, "cannot write " + file.string());
  records.out_.precision(kExact);
  return records;
}

const SimulatedPoint* RecordFile::find(const std::string& id) const {
  const auto found = points_.find(id);
  return found == points_.end() ? nullptr : &found->second;
}

void RecordFile::add(const std::string& id, const SimulatedPoint& point) {
  if (!out_.is_open()) return;
  const Checksum sum = point.sum.value_or(Checksum{});
  out_ << id << ' ' << point.sum.has_value() << ' ' << sum.sum << ' ' << sum.weighted << ' '
       << sum.magnitude << ' ' << simulator::encode(point.report) << '\n'
       << std::flush;
}

}  // namespace warpmind::validation
