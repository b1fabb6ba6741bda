#pragma once
/// \file
/// The device table: one TOML file a GPU model under config/devices/, compiled into the binary.

#include "base/model/device.h"
#include "base/result.h"
#include "config/embedded_files.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {

class DeviceTable {
 public:
  /// Parses the built-in files. Errors: corrupt_data with file:line:column. Programs use
  /// device_table().
  [[nodiscard]] static Result<DeviceTable> load();
  /// The same of those of `files` whose names begin with "devices/".
  [[nodiscard]] static Result<DeviceTable> parse(std::span<const EmbeddedFile> files);

  [[nodiscard]] const std::vector<DeviceSpec>& all() const { return specs_; }
  /// By key ("h200"), or nullopt.
  [[nodiscard]] std::optional<DeviceSpec> find(std::string_view key) const;
  /// The same. Errors: not_found with the nearest key and all of them.
  [[nodiscard]] Result<DeviceSpec> need(std::string_view key) const;
  /// Row of the GPU at hand: by driver name, else the nearest of the same compute capability with
  /// SM count, memory and L2 taken from `identity`; nullopt when no row has that capability.
  [[nodiscard]] std::optional<DeviceSpec> match(const DeviceIdentity& identity) const;
  /// Whether `name` means the GPU at hand: its architecture ("sm_90"), the driver's name of it, or
  /// the key of the row with that name.
  [[nodiscard]] bool means(std::string_view name, const DeviceIdentity& identity) const;

 private:
  std::vector<DeviceSpec> specs_;
};

/// The built-in table, parsed at the first call. Any thread. Throws std::runtime_error with the
/// sentence of DeviceTable::load() for a fault in a built-in file, which is one of the build.
[[nodiscard]] const DeviceTable& device_table();

}  // namespace warpmind::config
