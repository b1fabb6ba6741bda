#include "profilers/baseline/kept_best_library.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "base/hash.h"
#include "profilers/lab/judging.h"

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{64} << 10U;
constexpr const char* kFolder = "best_libraries";

fs::path file_of(const fs::path& state_directory, const std::string& key) {
  return state_directory / kFolder / (key + ".json");
}

}  // namespace

std::string key_of(const LibrarySituation& situation) {
  const DeviceIdentity& device = situation.device;
  std::string libraries;
  for (const std::string& one : situation.libraries) libraries += one + ";";
  return short_hash(hash_input({kHarnessVersion, situation.task.id.str(),
                                device.uuid.empty() ? device.name : device.uuid, device.driver,
                                situation.toolkit, libraries}),
                    32);
}

Result<BestLibrary> read_best_library(const fs::path& state_directory, const std::string& key) {
  if (state_directory.empty()) return fail(Errc::not_found, "nothing is kept here");
  WARPMIND_TRY(const std::string text, read_file(file_of(state_directory, key), kMostFileBytes));
  WARPMIND_TRY(const auto document, codec::parse_json(text));
  const auto best = document.is_object() ? document.find("best_library") : document.end();
  if (best == document.end() || !best->is_object()) {
    return fail(Errc::corrupt_data, key + ".json names no library");
  }
  return codec::from_json<BestLibrary>(*best, "best library");
}

Result<void> keep_best_library(const fs::path& state_directory, const LibrarySituation& situation,
                               const BestLibrary& best) {
  WARPMIND_CHECK(make_private_directory(state_directory / kFolder));
  nlohmann::json document;
  document["task"] = situation.task.name;
  document["device"] = situation.device.name;
  document["driver"] = situation.device.driver;
  document["toolkit"] = situation.toolkit;
  document["libraries"] = situation.libraries;
  document["best_library"] = best;
  return write_file_atomic(file_of(state_directory, key_of(situation)), codec::dump_json(document));
}

}  // namespace warpmind::profilers
