/// \file
/// Says, before main(), which libraries of the program cannot work: they look for the driver on
/// ways that do not lead through the runtime, and fail with a word that explains nothing.

#include "profilers/simulator/cudart/runtime.h"

#include <array>
#include <link.h>
#include <string>
#include <string_view>

namespace warpmind::simulator {
namespace {

constexpr std::array<std::string_view, 9> kNeedDriver = {
    "libcublas",   "libcublasLt", "libcudnn", "libcufft", "libcurand",
    "libcusolver", "libcusparse", "libnccl",  "libcuda"};

/// "/usr/lib/libcublas.so.13" -> "libcublas".
std::string_view plain_name(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return path.substr(0, path.find('.'));
}

int collect(dl_phdr_info* library, std::size_t, void* names) {
  const std::string_view name = plain_name(library->dlpi_name);
  for (const std::string_view needy : kNeedDriver) {
    if (name != needy) continue;
    std::string& list = *static_cast<std::string*>(names);
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  return 0;
}

[[gnu::constructor]] void say_what_needs_the_driver() {
  std::string names;
  dl_iterate_phdr(&collect, &names);
  if (names.empty()) return;
  say_once("the program is linked with " + names +
           ", which needs the CUDA driver: the simulator stands in for the runtime only, so that "
           "its functions will fail");
}

}  // namespace
}  // namespace warpmind::simulator
