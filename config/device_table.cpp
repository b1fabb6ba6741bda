#include "config/device_table.h"

#include "base/model/device_fields.h"
#include "config/nearest_name.h"
#include "config/toml_table_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace warpmind::config {
namespace {

/// Reads one entry into what `member` points at.
template <class Struct>
class FieldReader {
 public:
  FieldReader(const TableReader& table, const DeviceField<Struct>& field, Struct& out)
      : table_(table), field_(field), name_(field.name), out_(out) {}

  Result<void> operator()(std::string Struct::*member) {
    WARPMIND_TRY(out_.*member, table_.text(name_, name_ + " = \"" + field_.example + "\""));
    return {};
  }
  Result<void> operator()(int Struct::*member) {
    WARPMIND_TRY(const std::int64_t value, table_.integer(name_, name_ + " = <integer>"));
    const std::int64_t least = field_.may_be_zero ? 0 : 1;
    if (value < least || value > std::numeric_limits<int>::max()) {
      return table_.error_at_key(name_, "'" + name_ + "' is out of range");
    }
    out_.*member = static_cast<int>(value);
    return {};
  }
  Result<void> operator()(double Struct::*member) {
    WARPMIND_TRY(const double value, table_.number(name_, name_ + " = <number>"));
    if (field_.may_be_zero && !(value >= 0)) {
      return table_.error_at_key(name_, name_ + " is below zero");
    }
    if (!field_.may_be_zero && !(value > 0)) {
      return table_.error_at_key(name_, "'" + name_ + "' must be above zero");
    }
    out_.*member = value;
    return {};
  }

 private:
  const TableReader& table_;
  const DeviceField<Struct>& field_;
  std::string name_;
  Struct& out_;
};

template <class Struct, std::size_t N>
Result<Struct> read_fields(const TableReader& table,
                           const std::array<DeviceField<Struct>, N>& fields) {
  Struct out;
  for (const auto& field : fields) {
    WARPMIND_CHECK(std::visit(FieldReader<Struct>(table, field, out), field.member));
  }
  return out;
}

/// All of its entries, or none: a model with a hole would predict nonsense.
Result<TimingModel> parse_timing(const EmbeddedFile& file, const TomlValue& value,
                                 const DeviceSpec& device) {
  WARPMIND_TRY(const TableReader table, TableReader::open(file.name, "[timing]", value));
  WARPMIND_TRY(TimingModel out, read_fields(table, kTimingFields));
  for (const auto& entry : *value.get<TomlValue::Table>()) {
    const bool known = std::any_of(kTimingFields.begin(), kTimingFields.end(),
                                   [&](const auto& field) { return field.name == entry.key; });
    if (!known) return table.error_at(entry.place, "unknown key '" + entry.key + "' in [timing]");
  }
  if (out.sustained_clock_mhz > device.sm_clock_mhz) {
    return table.error_at_key("sustained_clock_mhz",
                              "the sustained clock is above the boost clock");
  }
  if (out.dram_efficiency > 1) {
    return table.error_at_key("dram_efficiency", "'dram_efficiency' is a share, at most 1");
  }
  return out;
}

Result<DeviceSpec> parse_device(const EmbeddedFile& file) {
  WARPMIND_TRY(const TomlValue document, parse_toml(file.content, file.name));
  WARPMIND_TRY(const TableReader table, TableReader::open(file.name, "the device", document));
  std::vector<std::string_view> keys;
  keys.reserve(kDeviceFields.size() + 1);
  for (const auto& field : kDeviceFields) keys.emplace_back(field.name);
  keys.emplace_back("timing");
  WARPMIND_CHECK(table.allow_only(keys));
  WARPMIND_TRY(DeviceSpec out, read_fields(table, kDeviceFields));
  if (const TomlValue* timing = table.find("timing")) {
    WARPMIND_TRY(out.timing, parse_timing(file, *timing, out));
  }
  return out;
}

}  // namespace

Result<DeviceTable> DeviceTable::load() { return parse(embedded_files()); }

Result<DeviceTable> DeviceTable::parse(std::span<const EmbeddedFile> files) {
  DeviceTable table;
  for (const auto& file : files) {
    if (!file.name.starts_with("devices/")) continue;
    auto spec = parse_device(file);
    // A built-in file is our data, not the user's input.
    if (!spec) return fail(Errc::corrupt_data, spec.error().message);
    if (table.find(spec->key)) {
      return fail(Errc::corrupt_data,
                  std::string(file.name) + ": a second device has key '" + spec->key + "'");
    }
    table.specs_.push_back(*std::move(spec));
  }
  return table;
}

const DeviceTable& device_table() {
  static const DeviceTable table = [] {
    auto loaded = DeviceTable::load();
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return *std::move(loaded);
  }();
  return table;
}

std::optional<DeviceSpec> DeviceTable::find(std::string_view key) const {
  const auto found = std::find_if(specs_.begin(), specs_.end(),
                                  [&](const DeviceSpec& spec) { return spec.key == key; });
  if (found == specs_.end()) return std::nullopt;
  return *found;
}

Result<DeviceSpec> DeviceTable::need(std::string_view key) const {
  if (auto row = find(key)) return *std::move(row);
  constexpr std::size_t kLongestName = 64;
  const std::string name(key.substr(0, kLongestName));
  std::vector<std::string_view> keys;
  for (const auto& row : specs_) keys.push_back(row.key);
  return fail(Errc::not_found, "there is no device '" + name + "'" + suggestion(name, keys));
}

bool DeviceTable::means(std::string_view name, const DeviceIdentity& identity) const {
  if (name == architecture_of(identity.compute_major, identity.compute_minor)) return true;
  if (name == identity.name) return true;
  const auto row = find(name);
  return row && row->name == identity.name;
}

std::optional<DeviceSpec> DeviceTable::match(const DeviceIdentity& identity) const {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  constexpr double kMib = 1024.0 * 1024;
  const double memory_gib = static_cast<double>(identity.memory_bytes) / kGib;
  std::optional<DeviceSpec> best;
  // Nearest: the SM count decides, then the memory (h100 and h200 have equal counts).
  std::tuple<bool, int, double> least;
  for (const auto& spec : specs_) {
    if (spec.compute_major != identity.compute_major ||
        spec.compute_minor != identity.compute_minor) {
      continue;
    }
    const std::tuple distance{spec.name != identity.name,
                              std::abs(spec.sm_count - identity.sm_count),
                              std::fabs(spec.memory_gib - memory_gib)};
    if (best && distance >= least) continue;
    least = distance;
    best = spec;
  }
  if (!best || best->name == identity.name) return best;
  best->name = identity.name;
  if (identity.sm_count > 0) {
    // Peaks grow with the number of SMs, at the clock of the row.
    const double ratio = static_cast<double>(identity.sm_count) / best->sm_count;
    best->sm_count = identity.sm_count;
    best->fp64_tflops *= ratio;
    best->fp32_tflops *= ratio;
    best->fp16_tensor_tflops *= ratio;
  }
  if (identity.memory_bytes > 0) best->memory_gib = memory_gib;
  if (identity.l2_bytes > 0) best->l2_mib = static_cast<double>(identity.l2_bytes) / kMib;
  return best;
}

}  // namespace warpmind::config
