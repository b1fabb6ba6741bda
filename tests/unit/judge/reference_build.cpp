#include "tests/unit/judge/reference_build.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace warpmind::profilers::testing {
namespace fs = std::filesystem;

fs::path build_reference(const std::string& source, const fs::path& directory) {
  const fs::path file = directory / "reference.cpp";
  const fs::path object = directory / "reference.so";
  std::ofstream(file) << source;
  const std::string command = "c++ -std=c++17 -O2 -fPIC -shared -I " WARPMIND_SOURCE_DIR
                              "/config/reference -o " +
                              object.string() + " " + file.string();
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  return object;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "wm-judge-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace warpmind::profilers::testing
