#include "profilers/lab_recording.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"

#include <string>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kFileLimit = std::size_t{16} * 1024 * 1024;
constexpr const char* kVerdict = "verdict";
constexpr const char* kComparison = "comparison";
constexpr const char* kDevice = "device";
constexpr const char* kBuild = "build";

template <class T>
Result<void> write_member(const fs::path& file, const char* member, const T& value) {
  nlohmann::json document;
  document[member] = value;
  return write_output_file(
      file, document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

template <class T>
Result<std::optional<T>> read_member(const fs::path& file, const char* member) {
  auto text = read_file(file, kFileLimit);
  if (!text && text.error().code == Errc::not_found) return std::optional<T>();
  if (!text) return fail(std::move(text).error());
  auto document = codec::parse_json(*text);
  if (!document) return fail(std::move(document).error().while_doing("recording " + file.string()));
  if (!document->is_object() || !document->contains(member)) {
    return fail(Errc::corrupt_data,
                "recording " + file.string() + " has no member '" + member + "'");
  }
  auto value = codec::from_json<T>((*document)[member], "recording " + file.string());
  if (!value) return fail(std::move(value).error());
  return std::optional<T>(std::move(*value));
}

}  // namespace

fs::path verdict_file(const fs::path& directory, const Kernel& kernel, const Kernel* incumbent) {
  const std::string over = incumbent == nullptr ? "" : "-over-" + id_of(*incumbent).str();
  return directory / (id_of(kernel).str() + over + ".json");
}

fs::path comparison_file(const fs::path& directory, const Kernel& candidate,
                         const Kernel& incumbent) {
  return directory / ("compare-" + id_of(candidate).str() + "-" + id_of(incumbent).str() + ".json");
}

fs::path code_file(const fs::path& directory, const Kernel& kernel) {
  return directory / ("code-" + id_of(kernel).str() + ".json");
}

fs::path device_file(const fs::path& directory) { return directory / "device.json"; }

Result<void> write_recording(const fs::path& file, const Verdict& verdict) {
  return write_member(file, kVerdict, verdict);
}
Result<void> write_recording(const fs::path& file, const Comparison& comparison) {
  return write_member(file, kComparison, comparison);
}
Result<void> write_recording(const fs::path& file, const DeviceIdentity& device) {
  return write_member(file, kDevice, device);
}
Result<void> write_recording(const fs::path& file, const BuildReport& build) {
  return write_member(file, kBuild, build);
}

Result<std::optional<Verdict>> read_verdict(const fs::path& file) {
  return read_member<Verdict>(file, kVerdict);
}
Result<std::optional<Comparison>> read_comparison(const fs::path& file) {
  return read_member<Comparison>(file, kComparison);
}
Result<std::optional<DeviceIdentity>> read_device(const fs::path& file) {
  return read_member<DeviceIdentity>(file, kDevice);
}
Result<std::optional<BuildReport>> read_build(const fs::path& file) {
  return read_member<BuildReport>(file, kBuild);
}

}  // namespace warpmind::profilers
