#include "profilers/baseline/libraries.h"

#include "base/file.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/python_packages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostHeaderBytes = std::size_t{4} << 20U;  // cusparse.h has 0.3 MB
constexpr const char* kSystemHeaders = "/usr/include";
constexpr const char* kSystemLibraries = "/usr/lib/x86_64-linux-gnu";

/// How a library is found: the header with its version, and its file.
struct Description {
  Library library;
  const char* header;
  const char* file;                    ///< "libcublas.so."; null = headers alone
  std::array<const char*, 3> version;  ///< macros of the header; a null ends them
  bool follows_toolkit;                ///< its major version is that of CUDA
  const char* package;                 ///< of pip
};

constexpr std::array kDescriptions{
    Description{
        Library::cub, "cub/version.cuh", nullptr, {"CUB_VERSION"}, false, "nvidia-cuda-cccl"},
    Description{Library::cublas,
                "cublas_api.h",
                "libcublas.so.",
                {"CUBLAS_VER_MAJOR", "CUBLAS_VER_MINOR", "CUBLAS_VER_PATCH"},
                true,
                "nvidia-cublas"},
    Description{Library::cublaslt,
                "cublas_api.h",
                "libcublasLt.so.",
                {"CUBLAS_VER_MAJOR", "CUBLAS_VER_MINOR", "CUBLAS_VER_PATCH"},
                true,
                "nvidia-cublas"},
    Description{Library::cudnn,
                "cudnn_version.h",
                "libcudnn.so.",
                {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"},
                false,
                "nvidia-cudnn"},
    Description{Library::cusparse,
                "cusparse.h",
                "libcusparse.so.",
                {"CUSPARSE_VER_MAJOR", "CUSPARSE_VER_MINOR", "CUSPARSE_VER_PATCH"},
                false,
                "nvidia-cusparse"},
};

const Description* description_of(Library library) {
  const auto* const found =
      std::find_if(kDescriptions.begin(), kDescriptions.end(),
                   [&](const Description& one) { return one.library == library; });
  return found == kDescriptions.end() ? nullptr : &*found;
}

/// What `#define name` says, a whole number.
std::optional<int> defined_number(std::string_view text, std::string_view name) {
  const std::string define = "#define " + std::string(name) + " ";
  const auto at = text.find(define);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + define.size());
  text = trim_left(text, " \t");
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc()) return std::nullopt;
  return number;
}

struct Version {
  int major = 0;
  std::string text;
};

/// Of the header in `folder`, if it is there.
std::optional<Version> version_in(const fs::path& folder, const Description& wanted) {
  const auto text = read_file(folder / wanted.header, kMostHeaderBytes);
  if (!text) return std::nullopt;
  Version version;
  for (const char* const macro : wanted.version) {
    if (macro == nullptr) break;
    const auto number = defined_number(*text, macro);
    if (!number) return std::nullopt;
    if (version.text.empty()) version.major = *number;
    version.text += (version.text.empty() ? "" : ".") + std::to_string(*number);
  }
  if (wanted.library == Library::cub) {  // 300001 is 3.0.1
    const int number = version.major;
    version.text = std::to_string(number / 100000) + "." + std::to_string(number / 100 % 1000) +
                   "." + std::to_string(number % 100);
  }
  return version;
}

/// The shortest name in `folder` that begins so and goes on with a digit; empty when there is none.
std::string library_in(const fs::path& folder, std::string_view begin) {
  std::string name;
  std::error_code ec;
  for (auto at = fs::directory_iterator(folder, ec); !ec && at != fs::directory_iterator();
       at.increment(ec)) {
    std::string file = at->path().filename().string();
    if (!file.starts_with(begin) || file.size() == begin.size()) continue;
    if (file[begin.size()] < '0' || file[begin.size()] > '9') continue;
    if (name.empty() || file.size() < name.size()) name = std::move(file);
  }
  return name;
}

}  // namespace

LibraryPlaces::LibraryPlaces(const config::Toolkit& toolkit, const config::Environment& environment)
    : own_headers_(toolkit.headers), toolkit_(toolkit.version) {
  places_.push_back({{toolkit.headers, toolkit.headers / "cccl", toolkit.root / "include",
                      toolkit.root / "include/cccl"},
                     {toolkit.libraries, toolkit.root / "lib64", toolkit.root / "lib"}});
  places_.push_back({{kSystemHeaders}, {kSystemLibraries}});
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  std::vector<fs::path> packages;
  if (toolkit.root.parent_path().filename() == "nvidia") {
    packages.push_back(toolkit.root.parent_path().parent_path());
  }
  if (const auto home = value("VIRTUAL_ENV"); !home.empty()) {
    const auto found = config::packages_below(home);
    packages.insert(packages.end(), found.begin(), found.end());
  }
  const auto found = config::packages_of_python(value("PATH"));
  packages.insert(packages.end(), found.begin(), found.end());
  for (const fs::path& folder : packages) {
    for (const fs::path& package : config::folders_in(folder / "nvidia")) {
      places_.push_back({{package / "include", package / "include/cccl"}, {package / "lib"}});
    }
  }
}

Result<FoundLibrary> LibraryPlaces::find(Library library) const {
  const Description* const wanted = description_of(library);
  if (wanted == nullptr) {
    return FoundLibrary{std::string(name_of(library)) + " " + config::text_of(toolkit_), "", "",
                        ""};
  }
  for (const Place& place : places_) {
    for (const fs::path& headers : place.headers) {
      const auto version = version_in(headers, *wanted);
      if (!version || (wanted->follows_toolkit && version->major != toolkit_.major)) continue;
      FoundLibrary found{std::string(name_of(library)) + " " + version->text, headers, "", ""};
      // nvcc looks there anyway, and -I of the system's folder would change what it finds first.
      const bool known =
          headers == own_headers_ || headers == own_headers_ / "cccl" || headers == kSystemHeaders;
      if (known) found.headers.clear();
      if (wanted->file == nullptr) return found;
      for (const fs::path& folder : place.libraries) {
        found.file = library_in(folder, wanted->file);
        if (found.file.empty()) continue;
        found.folder = folder;
        return found;
      }
    }
  }
  return fail(Errc::unavailable, std::string(name_of(library)) + " is not here (" + wanted->header +
                                     (wanted->file == nullptr ? "" : " and ") +
                                     (wanted->file == nullptr ? "" : wanted->file) +
                                     "*): install the whole CUDA toolkit, or pip install " +
                                     wanted->package);
}

std::vector<fs::path> LibraryPlaces::library_folders() const {
  std::vector<fs::path> folders;
  for (const Description& one : kDescriptions) {
    const auto found = find(one.library);
    if (!found || found->folder.empty() || found->folder == kSystemLibraries) continue;
    if (!contains(folders, found->folder)) {
      folders.push_back(found->folder);
    }
  }
  return folders;
}

}  // namespace warpmind::profilers
