#pragma once
/// \file
/// Builds a reference as the lab does: a shared object from C++ text, by the system's compiler.

#include <filesystem>
#include <string>

namespace warpmind::profilers::testing {

/// Returns the path of the shared object in `directory`; throws with the command when it fails.
std::filesystem::path build_reference(const std::string& source,
                                      const std::filesystem::path& directory);

/// A directory that goes with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

}  // namespace warpmind::profilers::testing
