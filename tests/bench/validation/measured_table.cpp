#include "tests/bench/validation/measured_table.h"

#include "base/file.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace warpmind::validation {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

MeasuredPoint point_of(const Json& entry, double empty_us) {
  MeasuredPoint point;
  point.us = entry.at("us").at(0).get<double>() - empty_us;
  point.registers = entry.at("registers").get<int>();
  point.blocks_per_sm = entry.at("blocks_per_sm").get<int>();
  const Json& sums = entry.at("sum");
  point.sum = {sums.at(0).get<double>(), sums.at(1).get<double>(), sums.at(2).get<double>()};
  if (!entry.contains("counters")) return point;
  for (const Json& value : entry.at("counters")) {
    point.counters.push_back(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
  }
  return point;
}

}  // namespace

std::optional<double> MeasuredTable::counter(const std::string& id, const std::string& name) const {
  const auto point = points.find(id);
  const auto place = std::find(counter_names.begin(), counter_names.end(), name);
  const auto index = static_cast<std::size_t>(place - counter_names.begin());
  if (point == points.end() || index >= point->second.counters.size()) return std::nullopt;
  return point->second.counters[index];
}

Result<MeasuredTable> read_measured(const std::filesystem::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kMostBytes));
  try {
    const Json document = Json::parse(text);
    MeasuredTable table;
    table.device = document.at("device").get<std::string>();
    table.date = document.at("date").get<std::string>();
    table.counter_names = document.at("counter_names").get<std::vector<std::string>>();
    const auto empty_us = document.at("empty_events_us").get<double>();
    for (const Json& entry : document.at("points")) {
      table.points[entry.at("id").get<std::string>()] = point_of(entry, empty_us);
    }
    return table;
  } catch (const Json::exception& e) {
    return fail(Errc::corrupt_data, file.string() + ": " + e.what());
  }
}

}  // namespace warpmind::validation
