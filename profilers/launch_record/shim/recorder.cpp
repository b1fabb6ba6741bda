#include "profilers/launch_record/shim/recorder.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {
namespace {

constexpr const char* kTarget = "CUDARECORD_FILE";
constexpr const char* kNullKernels = "CUDARECORD_NULL_KERNELS";
constexpr const char* kContents = "CUDARECORD_CONTENTS";

void say(const std::string& line) { std::fprintf(stderr, "[warpmind record] %s\n", line.c_str()); }

std::uint64_t address_of(const void* any) { return reinterpret_cast<std::uint64_t>(any); }

/// Whether the program's file has a section of nvcc's.
bool holds_device_code() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shoff == 0) return false;
  if (header.e_shentsize != sizeof(ElfW(Shdr)) || header.e_shstrndx >= header.e_shnum) return false;
  std::vector<ElfW(Shdr)> sections(header.e_shnum);
  file.seekg(static_cast<std::streamoff>(header.e_shoff));
  const auto bytes = static_cast<std::streamsize>(sections.size() * sizeof(ElfW(Shdr)));
  if (!file.read(reinterpret_cast<char*>(sections.data()), bytes)) return false;
  constexpr std::size_t kMostNames = std::size_t{1} << 20U;
  const auto& table = sections[header.e_shstrndx];
  std::string names(std::min<std::size_t>(table.sh_size, kMostNames), '\0');
  file.seekg(static_cast<std::streamoff>(table.sh_offset));
  if (!file.read(names.data(), static_cast<std::streamsize>(names.size()))) return false;
  return names.find(".nv_fatbin") != std::string::npos;
}

std::string target_file() {
  const char* const value = std::getenv(kTarget);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_asked_for(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && std::strcmp(value, "on") == 0;
}

/// Stores the path of the CUDA runtime when `info` is about it.
int find_runtime(dl_phdr_info* info, std::size_t, void* path) {
  if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, "libcudart") == nullptr) return 0;
  *static_cast<std::string*>(path) = info->dlpi_name;
  return 1;
}

/// Of the CUDA runtime that is loaded; empty when there is none.
std::string runtime_path() {
  std::string path;
  dl_iterate_phdr(find_runtime, &path);
  return path;
}

/// Without the shared runtime nothing is seen: that must not look like a program without launches.
__attribute__((constructor)) void check_runtime() {
  if (!recorder().trace.is_on() || !holds_device_code()) return;
  if (!runtime_path().empty()) return;
  say("the program has the CUDA runtime linked in, where its calls cannot be seen; link it with "
      "-cudart shared");
  note_other(
      "everything: the program has the CUDA runtime linked in (link it with -cudart shared)");
}

/// The folder that the program was started in, with a slash behind.
std::string starting_folder() {
  std::error_code ec;
  return std::filesystem::current_path(ec).string() + "/";
}

/// Whether `host` lies in the program's file or in a library of the folder it was started in.
bool is_of_the_program(const void* host, const std::string& folder) {
  Dl_info at{};
  if (::dladdr(host, &at) == 0 || at.dli_fname == nullptr) return true;
  std::error_code ec;
  const auto file = std::filesystem::canonical(at.dli_fname, ec);
  if (ec) return true;  // the program itself, by the name it was started with
  const auto program = std::filesystem::canonical("/proc/self/exe", ec);
  return file == program || file.string().starts_with(folder);
}

}  // namespace

bool Recorder::skips(const void* function) const {
  static const std::string& folder = *new std::string(starting_folder());
  return null_kernels && is_of_the_program(names.host_of(function), folder);
}

Recorder::Recorder() : trace(target_file(), "cuda"), null_kernels(is_asked_for(kNullKernels)) {
  if (!trace.is_on()) say(std::string(kTarget) + " does not name a file: nothing is recorded");
  if (is_asked_for(kContents)) trace.keep_contents(read_device_memory);
}

Recorder& recorder() {
  static Recorder& only = *new Recorder();
  return only;
}

void note(const CudaCall& call) {
  static std::atomic<bool> said{false};
  if (const auto written = recorder().trace.write(call); !written && !said.exchange(true)) {
    say(written.error().message);
  }
}

void note_allocation(const void* memory, std::size_t bytes, const char* use) {
  if (memory == nullptr) return;
  CudaCall call;
  call.kind = CallKind::allocate;
  call.name = use;
  call.address = address_of(memory);
  call.bytes = bytes;
  note(call);
}

void note_release(const void* memory, const void* stream, bool async) {
  if (memory == nullptr) return;
  CudaCall call;
  call.kind = CallKind::release;
  call.address = address_of(memory);
  call.stream = address_of(stream);
  call.async = async;
  note(call);
}

void note_copy(const void* to, const void* from, std::size_t bytes, const void* stream,
               bool async) {
  CudaCall call;
  call.kind = CallKind::copy;
  call.address = address_of(to);
  call.from = address_of(from);
  call.bytes = bytes;
  call.stream = address_of(stream);
  call.async = async;
  note(call);
}

void note_fill(const void* to, int value, std::size_t bytes, const void* stream, bool async) {
  CudaCall call;
  call.kind = CallKind::fill;
  call.address = address_of(to);
  call.value = value;
  call.bytes = bytes;
  call.stream = address_of(stream);
  call.async = async;
  note(call);
}

void note_wait(const char* what, const void* stream) {
  CudaCall call;
  call.kind = CallKind::wait;
  call.name = what;
  call.stream = address_of(stream);
  note(call);
}

void note_other(const char* function) {
  CudaCall call;
  call.kind = CallKind::other;
  call.name = function;
  note(call);
}

void* behind(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    // A runtime that came with a library which the program loaded for itself alone.
    const std::string path = runtime_path();
    void* const runtime = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (runtime != nullptr) found = dlsym(runtime, name);
  }
  if (found == nullptr) say("there is no " + std::string(name) + " behind the recorder");
  return found;
}

}  // namespace warpmind::profilers
