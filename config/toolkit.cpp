#include "config/toolkit.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/sequence.h"
#include "config/python_packages.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace warpmind::config {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostHeaderBytes = std::size_t{2} << 20U;  // cuda_runtime_api.h has 0.7 MB
constexpr std::size_t kMostScriptBytes = std::size_t{64} << 10U;
constexpr const char* kTarget = "targets/x86_64-linux";
constexpr const char* kOwnLink = "libcudart.so";
constexpr const char* kDeviceRuntime = "libcudadevrt.a";

bool is_file(const fs::path& path) {
  std::error_code ec;
  return fs::is_regular_file(path, ec);
}

fs::path resolved(const fs::path& path) {
  std::error_code ec;
  const fs::path real = fs::canonical(path, ec);
  return ec ? path : real;
}

/// The number behind the first `name` in `text`, or 0.
int number_after(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t", at + name.size()), text.size()));
  int number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// What a script of that name (Debian's, of module systems) starts: the first path in it that ends
/// in /nvcc and is there. `program` when it is no such script.
fs::path behind_script(const fs::path& program) {
  std::error_code ec;
  if (fs::file_size(program, ec) > kMostScriptBytes || ec) return program;
  const std::string text = read_file(program, kMostScriptBytes).value_or("");
  if (!text.starts_with("#!")) return program;
  constexpr std::string_view kName = "/nvcc";
  constexpr std::string_view kEnds = " \t\n\"'=;&|()";
  for (auto at = text.find(kName); at != std::string::npos; at = text.find(kName, at + 1)) {
    const auto begin = text.find_last_of(kEnds, at) + 1;  // npos + 1 is 0
    const fs::path there = text.substr(begin, at + kName.size() - begin);
    if (there.is_absolute() && is_file(there) && resolved(there) != program) return resolved(there);
  }
  return program;
}

/// One way to lay a toolkit out: where the parts lie that are not below nvcc's own root.
struct Layout {
  bool is_debian = false;  ///< /usr/lib/nvidia-cuda-toolkit, the rest in /usr
  bool is_pip = false;     ///< site-packages/nvidia/cu13
  bool is_split = false;   ///< site-packages/nvidia/cuda_nvcc, each package a folder (CUDA 12)
};

Layout layout_of(const fs::path& root) {
  Layout layout;
  layout.is_debian = root.filename() == "nvidia-cuda-toolkit";
  layout.is_pip = root.parent_path().filename() == "nvidia";
  layout.is_split = layout.is_pip && root.filename() == "cuda_nvcc";
  return layout;
}

fs::path usr_of(const fs::path& root) { return root.parent_path().parent_path(); }

/// Folders of headers (`name` is include) or libraries that this layout may have, nvcc's own first.
std::vector<fs::path> part_folders(const fs::path& root, const Layout& layout, bool headers) {
  if (layout.is_debian) {
    const fs::path usr = usr_of(root);
    return {headers ? usr / "include" : usr / "lib/x86_64-linux-gnu"};
  }
  std::vector<fs::path> folders;
  if (headers) {
    folders = {root / "include", root / kTarget / "include"};
  } else {
    folders = {root / "lib64", root / kTarget / "lib", root / "lib", root / "lib/x86_64-linux-gnu"};
  }
  if (layout.is_split) {
    for (const auto& package : folders_in(root.parent_path())) {
      if (package != root) folders.push_back(package / (headers ? "include" : "lib"));
    }
  }
  return folders;
}

bool any_has(const std::vector<fs::path>& folders, const char* file) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const fs::path& folder) { return is_file(folder / file); });
}

/// "libcudart.so.13" in `folder`: the shortest name with a version.
std::string runtime_in(const fs::path& folder) {
  std::string name;
  std::error_code ec;
  for (auto at = fs::directory_iterator(folder, ec); !ec && at != fs::directory_iterator();
       at.increment(ec)) {
    const std::string file = at->path().filename().string();
    if (!file.starts_with("libcudart.so.")) continue;
    if (name.empty() || file.size() < name.size()) name = file;
  }
  return name;
}

/// A part that nvcc cannot do without, and what brings it.
struct Part {
  const char* name;
  bool there;
  const char* package;    ///< of pip, CUDA 13
  const char* package12;  ///< of pip, CUDA 12
};

std::string missing_part(const Toolkit& toolkit, const Layout& layout,
                         const std::vector<fs::path>& headers) {
  const fs::path& root = toolkit.root;
  const bool in_usr = layout.is_debian && is_file(usr_of(root) / "bin/ptxas");
  const bool has_target = any_has(headers, "nv/target") || any_has(headers, "cccl/nv/target");
  const std::array parts{
      Part{"cuda_runtime.h", !toolkit.headers.empty(), "nvidia-cuda-runtime",
           "nvidia-cuda-runtime-cu12"},
      Part{"crt/host_config.h", any_has(headers, "crt/host_config.h"), "nvidia-cuda-crt",
           "nvidia-cuda-nvcc-cu12"},
      Part{"nv/target", has_target, "nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"},
      Part{"nvvm/bin/cicc", is_file(root / "nvvm/bin/cicc") || is_file(root / "bin/cicc"),
           "nvidia-nvvm", "nvidia-cuda-nvcc-cu12"},
      Part{"bin/ptxas", in_usr || is_file(root / "bin/ptxas"), "nvidia-cuda-nvcc",
           "nvidia-cuda-nvcc-cu12"},
      Part{"libcudart.so", !toolkit.runtime.empty(), "nvidia-cuda-runtime",
           "nvidia-cuda-runtime-cu12"},
  };
  for (const Part& part : parts) {
    if (part.there) continue;
    return "the CUDA toolkit at " + root.string() + " has no " + part.name + ": " +
           (layout.is_pip
                ? std::string("pip install ") + (layout.is_split ? part.package12 : part.package)
                : "install the rest of it, or set toolchain.nvcc to the nvcc of a whole one");
  }
  return {};
}

std::string refused_version(const Toolkit& toolkit) {
  if (toolkit.headers.empty()) return {};
  const bool fits =
      toolkit.version >= kOldestToolkit && toolkit.version.major <= kNewestToolkitMajor;
  if (fits) return {};
  return "the CUDA toolkit at " + toolkit.root.string() + " is " + text_of(toolkit.version) +
         ", and warpmind needs " + text_of(kOldestToolkit) + " to " +
         std::to_string(kNewestToolkitMajor) +
         ".x: install one of those (docs/toolkits.md), or set toolchain.nvcc to its nvcc";
}

void add_folder(Toolkit& toolkit, const fs::path& path) {
  const fs::path real = resolved(path);
  std::error_code ec;
  if (path.empty() || !fs::exists(real, ec)) return;
  const bool is_there =
      std::any_of(toolkit.folders.begin(), toolkit.folders.end(),
                  [&](const fs::path& folder) { return begins_with(real, folder); });
  if (!is_there) toolkit.folders.push_back(real);
}

void add_folders(Toolkit& toolkit, const Layout& layout) {
  add_folder(toolkit, layout.is_split ? toolkit.root.parent_path() : toolkit.root);
  add_folder(toolkit, toolkit.headers);
  add_folder(toolkit, toolkit.libraries);
  add_folder(toolkit, toolkit.root / "bin/nvcc.profile");  // Debian's is a link to /etc
}

void add_flags(Toolkit& toolkit, const Layout& layout, const std::vector<fs::path>& headers,
               const std::vector<fs::path>& libraries) {
  if (layout.is_debian) return;  // its nvcc.profile names them
  const auto is_known = [&](const fs::path& folder, const char* own) {
    return folder == toolkit.root / own || begins_with(folder, toolkit.root / kTarget);
  };
  for (const auto& folder : headers) {
    const bool wanted = folder == toolkit.headers || layout.is_split;
    std::error_code ec;
    if (!wanted || is_known(folder, "include") || !fs::is_directory(folder, ec)) continue;
    toolkit.flags.push_back("-I" + folder.string());
  }
  for (const auto& folder : libraries) {
    const bool wanted = folder == toolkit.libraries || layout.is_split;
    std::error_code ec;
    if (!wanted || is_known(folder, "lib64") || !fs::is_directory(folder, ec)) continue;
    toolkit.flags.push_back("-L" + folder.string());
  }
}

}  // namespace

std::string text_of(const ToolkitVersion& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

bool builds_for(const ToolkitVersion& version, int major, int minor) {
  if (version.major >= 13) return major * 10 + minor >= 75;
  if (major >= 10) return version >= ToolkitVersion{12, minor == 0 ? 8 : 9};
  return true;
}

std::string lacks(const ToolkitVersion& version) {
  if (version.major >= 13) return "no targets below sm_75 (V100: CUDA 12)";
  if (version < ToolkitVersion{12, 8}) return "no targets from sm_100 (Blackwell: CUDA 12.8)";
  return {};
}

Toolkit describe_toolkit(const fs::path& program, std::string place) {
  Toolkit toolkit;
  toolkit.place = std::move(place);
  toolkit.nvcc = behind_script(resolved(program));
  toolkit.root = toolkit.nvcc.parent_path().parent_path();
  const Layout layout = layout_of(toolkit.root);
  const auto headers = part_folders(toolkit.root, layout, true);
  const auto libraries = part_folders(toolkit.root, layout, false);
  for (const auto& folder : headers) {
    if (toolkit.headers.empty() && is_file(folder / "cuda_runtime.h")) toolkit.headers = folder;
  }
  for (const auto& folder : libraries) {
    if (!toolkit.runtime.empty()) break;
    toolkit.runtime = runtime_in(folder);
    if (!toolkit.runtime.empty()) toolkit.libraries = folder;
  }
  const int number =
      number_after(read_file(toolkit.headers / "cuda_runtime_api.h", kMostHeaderBytes).value_or(""),
                   "#define CUDART_VERSION");
  toolkit.version = {number / 1000, number % 1000 / 10};
  for (const auto& folder : headers) {
    if (toolkit.newest_gcc != 0) break;
    toolkit.newest_gcc = number_after(
        read_file(folder / "crt/host_config.h", kMostHeaderBytes).value_or(""), "__GNUC__ >");
  }
  toolkit.problem = refused_version(toolkit);
  if (toolkit.usable()) toolkit.problem = missing_part(toolkit, layout, headers);
  add_folders(toolkit, layout);
  add_flags(toolkit, layout, headers, libraries);
  return toolkit;
}

Result<ToolkitUse> use_toolkit(const Toolkit& toolkit, const fs::path& links) {
  ToolkitUse use{toolkit.flags, toolkit.folders};
  if (is_file(toolkit.libraries / kOwnLink)) return use;
  const fs::path runtime = toolkit.libraries / toolkit.runtime;
  constexpr std::size_t kDigits = 12;
  const fs::path made = links / (".cuda-links-" + short_hash(runtime.string(), kDigits));
  WARPMIND_CHECK(make_private_directory(made));
  std::error_code ec;
  if (!fs::is_symlink(made / kOwnLink, ec)) {
    fs::create_symlink(runtime, made / kOwnLink, ec);
    if (ec && ec != std::errc::file_exists) {
      return fail(Errc::external_failure, (made / kOwnLink).string() + ": " + ec.message());
    }
  }
  // nvcc always names libcudadevrt, which pip's CUDA 12 lacks and only kernels that launch kernels
  // need: an archive of nothing will do.
  if (!is_file(toolkit.libraries / kDeviceRuntime) && !is_file(made / kDeviceRuntime)) {
    WARPMIND_CHECK(write_file_atomic(made / kDeviceRuntime, "!<arch>\n"));
  }
  use.flags.push_back("-L" + made.string());
  use.folders.push_back(made);
  return use;
}

}  // namespace warpmind::config
