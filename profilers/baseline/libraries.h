#pragma once
/// \file
/// NVIDIA's libraries as they lie on the disk: in the toolkit, among the system's, or in pip's
/// packages. Nothing of this program is linked to them.

#include "base/result.h"
#include "config/settings_loader.h"
#include "config/toolkit.h"
#include "profilers/baseline/library_calls.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct FoundLibrary {
  std::string name;               ///< with its version: "cuBLASLt 13.1.0"
  std::filesystem::path headers;  ///< folder for -I; empty = nvcc finds them by itself
  std::filesystem::path folder;   ///< of `file`; empty = nothing is linked
  std::string file;               ///< "libcublasLt.so.13"
};

/// Where libraries are looked for, in order.
class LibraryPlaces {
 public:
  /// Beside the toolkit; in the system's folders; in the packages of the Python on PATH and of
  /// $VIRTUAL_ENV.
  LibraryPlaces(const config::Toolkit& toolkit, const config::Environment& environment);

  /// Header and library of one release. Errors: unavailable, naming what is missing and how to get
  /// it.
  [[nodiscard]] Result<FoundLibrary> find(Library library) const;

  /// Of all libraries that are here: what a process needs to load them.
  [[nodiscard]] std::vector<std::filesystem::path> library_folders() const;

 private:
  struct Place {
    std::vector<std::filesystem::path> headers;
    std::vector<std::filesystem::path> libraries;
  };
  std::vector<Place> places_;
  std::filesystem::path own_headers_;  ///< nvcc's
  config::ToolkitVersion toolkit_;
};

}  // namespace warpmind::profilers
