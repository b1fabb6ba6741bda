#include "profilers/simulator/cudart/fatbin.h"

#include "profilers/simulator/cudart/lz4.h"
#include "profilers/simulator/sass/fatbin.h"

#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <zstd.h>

namespace warpmind::simulator {
namespace {

constexpr std::uint32_t kElfMagic = 0x464c457f;
/// No PTX that people write comes near; a damaged header may claim anything.
constexpr std::uint64_t kMostPtxBytes = std::uint64_t{1} << 30U;

constexpr std::string_view kNoPtx =
    "the program holds no PTX: add -gencode arch=compute_90,code=compute_90";

/// Whether this process's program was linked from relocatable device code: its PTX then lies in a
/// section of its own, which the device linker reads and nobody runs.
bool is_linked_device_code() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // In two parts: a program that this file is linked into must not be found by its own search.
  const std::string section = std::string("__nv_rel") + "fatbin";
  return text.find(section) != std::string::npos;
}

std::string no_ptx() {
  if (!is_linked_device_code()) return std::string(kNoPtx);
  return "the program was linked from relocatable device code, which leaves no PTX to run: build "
         "it "
         "without -rdc=true (-dc, CUDA_SEPARABLE_COMPILATION)";
}

std::string text_until_zero(const char* data, std::size_t bytes) {
  return bytes == 0 ? std::string() : std::string(data, strnlen(data, bytes));
}

Result<std::string> text_of(const FatbinEntry& entry) {
  const bool is_lz4 = (entry.flags & FatbinEntry::kLz4) != 0;
  const auto* data = reinterpret_cast<const char*>(entry.payload.data());
  const std::size_t bytes = entry.payload.size();
  if (!is_lz4 && (entry.flags & FatbinEntry::kZstd) == 0) return text_until_zero(data, bytes);
  if (entry.plain_bytes == 0 || entry.plain_bytes > kMostPtxBytes) {
    return fail(Errc::corrupt_data,
                "the fat binary claims " + std::to_string(entry.plain_bytes) + " bytes of PTX");
  }
  std::string text(entry.plain_bytes, '\0');
  const auto damaged = [](const std::string& why) {
    return fail(Errc::corrupt_data, "the program's compressed PTX is damaged (" + why +
                                        "): compile with -Xfatbin -compress=false");
  };
  if (is_lz4) {
    const auto got = lz4_decompress({data, bytes}, text);
    if (!got) return damaged("LZ4");
    return text_until_zero(text.data(), *got);
  }
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), data, bytes);
  if (ZSTD_isError(got) != 0) return damaged(ZSTD_getErrorName(got));
  return text_until_zero(text.data(), got);
}

/// "sm_90a" runs on 9.0 only: the directive says so, the entry's number does not.
bool is_specific(std::string_view ptx) {
  const auto at = ptx.find(".target sm_");
  if (at == std::string_view::npos) return false;
  auto rest = ptx.substr(at + std::string_view(".target sm_").size());
  while (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest.front())) != 0) {
    rest.remove_prefix(1);
  }
  return !rest.empty() && rest.front() == 'a';
}

/// Which of several PTX entries runs best.
struct Choice {
  std::string ptx;
  int architecture = -1;
  int newest_refused = -1;
  bool any_cubin = false;

  void consider(int candidate, std::string text, int capability) {
    const bool specific = is_specific(text);
    if (candidate > capability || (specific && candidate != capability)) {
      newest_refused = std::max(newest_refused, candidate);
    } else if (candidate > architecture || (candidate == architecture && specific)) {
      architecture = candidate;
      ptx = std::move(text);
    }
  }
};

bool looks_like_ptx(std::string_view text) {
  return text.find(".version") != std::string_view::npos;
}

}  // namespace

Result<std::string> ptx_of_fatbin(std::span<const std::byte> fatbin, int capability) {
  WARPMIND_TRY(const auto entries, fatbin_entries(fatbin));
  Choice choice;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != FatbinEntry::kPtx) continue;
    WARPMIND_TRY(std::string text, text_of(entry));
    choice.consider(static_cast<int>(entry.architecture), std::move(text), capability);
  }
  if (choice.architecture >= 0) return std::move(choice.ptx);
  if (choice.newest_refused < 0) return fail(Errc::not_found, no_ptx());
  return fail(Errc::not_found, "the program's PTX is for compute_" +
                                   std::to_string(choice.newest_refused) +
                                   ", which the simulated device (compute capability " +
                                   std::to_string(capability / 10) + "." +
                                   std::to_string(capability % 10) + ") does not run");
}

Result<std::string> ptx_of_bytes(std::span<const std::byte> bytes, int capability) {
  if (bytes.size() >= sizeof(std::uint32_t)) {
    std::uint32_t magic = 0;
    std::memcpy(&magic, bytes.data(), sizeof magic);
    if (magic == kFatbinMagic) return ptx_of_fatbin(bytes, capability);
    if (magic == kElfMagic) {
      return fail(Errc::not_found,
                  "this is a cubin, machine code that the simulator does not run: give it PTX "
                  "(nvcc -ptx) or a fat binary that holds PTX");
    }
  }
  std::string text = text_until_zero(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (looks_like_ptx(text)) return text;
  return fail(Errc::invalid_argument,
              "the kernel's image is neither PTX text nor a fat binary: make it with nvcc -ptx or "
              "nvcc -fatbin");
}

Result<std::string> ptx_of_image(const void* image, int capability) {
  const auto* bytes = static_cast<const std::byte*>(image);
  std::uint32_t magic = 0;
  std::memcpy(&magic, bytes, sizeof magic);
  if (magic == kFatbinWrapperMagic) {
    FatbinWrapper wrapper;
    std::memcpy(&wrapper, bytes, sizeof wrapper);
    if (wrapper.data == nullptr) return fail(Errc::corrupt_data, "the fat binary is missing");
    bytes = wrapper.data;
    std::memcpy(&magic, bytes, sizeof magic);
  }
  if (magic == kFatbinMagic) {
    const std::span<const std::byte> header(bytes, kFatbinHeaderBytes);
    return ptx_of_bytes({bytes, fatbin_bytes(header)}, capability);
  }
  if (magic == kElfMagic) return ptx_of_bytes({bytes, sizeof magic}, capability);
  return ptx_of_bytes({bytes, std::strlen(static_cast<const char*>(image))}, capability);
}

}  // namespace warpmind::simulator
