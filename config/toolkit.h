#pragma once
/// \file
/// A CUDA toolkit as it lies on the disk, whoever installed it: NVIDIA's own folder, Debian's
/// packages, pip's, conda's. Described by looking at files; nothing is run.

#include "base/result.h"

#include <compare>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {

struct ToolkitVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const ToolkitVersion&) const = default;  // NOLINT(modernize-use-nullptr)
};
[[nodiscard]] std::string text_of(const ToolkitVersion& version);  ///< "12.4"

inline constexpr ToolkitVersion kOldestToolkit{12, 4};
inline constexpr int kNewestToolkitMajor = 13;

/// Whether nvcc of that release makes code for a GPU of compute capability `major`.`minor`.
[[nodiscard]] bool builds_for(const ToolkitVersion& version, int major, int minor);
/// What that release lacks, for people; empty when nothing that warpmind uses.
[[nodiscard]] std::string lacks(const ToolkitVersion& version);

struct Toolkit {
  std::string place;                ///< where it was found: "PATH", "$CUDA_HOME", "site-packages"
  std::filesystem::path nvcc;       ///< links resolved, scripts followed
  std::filesystem::path root;       ///< the folder above nvcc's bin/
  std::filesystem::path headers;    ///< folder of cuda_runtime.h
  std::filesystem::path libraries;  ///< folder of the runtime
  std::string runtime;              ///< its file: "libcudart.so.13"
  ToolkitVersion version;           ///< of the headers
  int newest_gcc = 0;               ///< newest major version of g++ that it accepts; 0 = not said
  /// What a sandbox must show of it; files and folders, links resolved.
  std::vector<std::filesystem::path> folders;
  /// What nvcc does not find by itself in this layout: -I and -L.
  std::vector<std::string> flags;
  /// Why it cannot be used, as "what is wrong: how to fix it"; empty when it can.
  std::string problem;

  [[nodiscard]] bool usable() const { return problem.empty(); }
};

/// The toolkit of the nvcc at `program`: a file, a link, or a script that starts one elsewhere.
[[nodiscard]] Toolkit describe_toolkit(const std::filesystem::path& program, std::string place);

/// What nvcc is called with, and what it reads then.
struct ToolkitUse {
  std::vector<std::string> flags;
  std::vector<std::filesystem::path> folders;
};

/// `toolkit.flags` and `toolkit.folders`; where the toolkit has no libcudart.so for the linker
/// (pip's has none), also a folder below `links` that is made for that.
/// Errors: external_failure when it cannot be made.
[[nodiscard]] Result<ToolkitUse> use_toolkit(const Toolkit& toolkit,
                                             const std::filesystem::path& links);

}  // namespace warpmind::config
