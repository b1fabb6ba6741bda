#include "config/device_table.h"

#include "config/embedded_files.h"
#include "config/nearest_name.h"
#include "config/toml_table_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace warpmind::config {
namespace {

Result<int> integer_of(const TableReader& table, std::string_view key, std::int64_t least = 1) {
  WARPMIND_TRY(const std::int64_t value, table.integer(key, std::string(key) + " = <integer>"));
  if (value < least || value > std::numeric_limits<int>::max()) {
    return table.error_at_key(key, "'" + std::string(key) + "' is out of range");
  }
  return static_cast<int>(value);
}

Result<double> positive_number(const TableReader& table, std::string_view key) {
  WARPMIND_TRY(const double value, table.number(key, std::string(key) + " = <number>"));
  if (!(value > 0)) {
    return table.error_at_key(key, "'" + std::string(key) + "' must be above zero");
  }
  return value;
}

struct TimingField {
  std::string_view key;
  double TimingModel::*field = nullptr;
  bool may_be_zero = false;
};

constexpr std::array<TimingField, 21> kTimingFields = {{
    {"sustained_clock_mhz", &TimingModel::sustained_clock_mhz},
    {"fp32_lanes", &TimingModel::fp32_lanes},
    {"int32_lanes", &TimingModel::int32_lanes},
    {"imad_lanes", &TimingModel::imad_lanes},
    {"fp16x2_lanes", &TimingModel::fp16x2_lanes},
    {"fp64_lanes", &TimingModel::fp64_lanes},
    {"special_lanes", &TimingModel::special_lanes},
    {"tensor_fp16_macs", &TimingModel::tensor_fp16_macs},
    {"wgmma_fp16_macs", &TimingModel::wgmma_fp16_macs, true},
    {"lsu_lanes", &TimingModel::lsu_lanes},
    {"l1_bytes", &TimingModel::l1_bytes},
    {"shared_bytes", &TimingModel::shared_bytes},
    {"l2_bytes", &TimingModel::l2_bytes},
    {"l1_kib", &TimingModel::l1_kib},
    {"l1_latency_cycles", &TimingModel::l1_latency_cycles},
    {"shared_latency_cycles", &TimingModel::shared_latency_cycles},
    {"l2_latency_cycles", &TimingModel::l2_latency_cycles},
    {"dram_latency_cycles", &TimingModel::dram_latency_cycles},
    {"dram_efficiency", &TimingModel::dram_efficiency},
    {"atomic_cycles", &TimingModel::atomic_cycles},
    {"launch_us", &TimingModel::launch_us},
}};

/// All of its entries, or none: a model with a hole would predict nonsense.
Result<TimingModel> parse_timing(const EmbeddedFile& file, const TomlValue& value,
                                 const DeviceSpec& device) {
  WARPMIND_TRY(const TableReader table, TableReader::open(file.name, "[timing]", value));
  TimingModel out;
  for (const auto& [key, field, may_be_zero] : kTimingFields) {
    if (may_be_zero) {
      WARPMIND_TRY(out.*field, table.number(key, std::string(key) + " = <number>"));
      if (!(out.*field >= 0)) return table.error_at_key(key, std::string(key) + " is below zero");
    } else {
      WARPMIND_TRY(out.*field, positive_number(table, key));
    }
  }
  for (const auto& entry : *value.get<TomlValue::Table>()) {
    const bool known =
        std::any_of(kTimingFields.begin(), kTimingFields.end(),
                    [&](const TimingField& field) { return field.key == entry.key; });
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
  WARPMIND_CHECK(table.allow_only({"key",
                                   "name",
                                   "family",
                                   "compute_major",
                                   "compute_minor",
                                   "sm_count",
                                   "sm_clock_mhz",
                                   "memory_clock_mhz",
                                   "memory_bandwidth_gb_s",
                                   "memory_gib",
                                   "l2_mib",
                                   "fp64_tflops",
                                   "fp32_tflops",
                                   "fp16_tensor_tflops",
                                   "shared_kib_per_sm",
                                   "shared_kib_per_block",
                                   "registers_per_sm",
                                   "threads_per_sm",
                                   "blocks_per_sm",
                                   "warps_per_sm",
                                   "timing"}));
  DeviceSpec out;
  WARPMIND_TRY(out.key, table.text("key", "key = \"h200\""));
  WARPMIND_TRY(out.name, table.text("name", "name = \"NVIDIA H200\""));
  WARPMIND_TRY(out.family, table.text("family", "family = \"hopper\""));
  WARPMIND_TRY(out.compute_major, integer_of(table, "compute_major"));
  WARPMIND_TRY(out.compute_minor, integer_of(table, "compute_minor", 0));
  WARPMIND_TRY(out.sm_count, integer_of(table, "sm_count"));
  WARPMIND_TRY(out.sm_clock_mhz, positive_number(table, "sm_clock_mhz"));
  WARPMIND_TRY(out.memory_clock_mhz, positive_number(table, "memory_clock_mhz"));
  WARPMIND_TRY(out.memory_bandwidth_gb_s, positive_number(table, "memory_bandwidth_gb_s"));
  WARPMIND_TRY(out.memory_gib, positive_number(table, "memory_gib"));
  WARPMIND_TRY(out.l2_mib, positive_number(table, "l2_mib"));
  WARPMIND_TRY(out.fp64_tflops, positive_number(table, "fp64_tflops"));
  WARPMIND_TRY(out.fp32_tflops, positive_number(table, "fp32_tflops"));
  WARPMIND_TRY(out.fp16_tensor_tflops, positive_number(table, "fp16_tensor_tflops"));
  WARPMIND_TRY(out.shared_kib_per_sm, integer_of(table, "shared_kib_per_sm"));
  WARPMIND_TRY(out.shared_kib_per_block, integer_of(table, "shared_kib_per_block"));
  WARPMIND_TRY(out.registers_per_sm, integer_of(table, "registers_per_sm"));
  WARPMIND_TRY(out.threads_per_sm, integer_of(table, "threads_per_sm"));
  WARPMIND_TRY(out.blocks_per_sm, integer_of(table, "blocks_per_sm"));
  WARPMIND_TRY(out.warps_per_sm, integer_of(table, "warps_per_sm"));
  if (const TomlValue* timing = table.find("timing")) {
    WARPMIND_TRY(out.timing, parse_timing(file, *timing, out));
  }
  return out;
}

}  // namespace

Result<DeviceTable> DeviceTable::load() {
  DeviceTable table;
  for (const auto& file : embedded_files()) {
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
