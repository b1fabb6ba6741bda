#include "profilers/worker/fill_patterns.h"

#include "profilers/worker/simulator_hooks.h"

#include <algorithm>
#include <sys/random.h>
#include <vector>

namespace warpmind::profilers {
namespace {

/// First piece of a poisoned buffer; the rest is doubled from there with device copies.
constexpr std::size_t kPoisonBlockBytes = std::size_t{256} * 1024;

}  // namespace

Result<FillPatterns> FillPatterns::create() {
  FillPatterns patterns;
  std::array<std::uint8_t, 2> draw{};
  if (::getrandom(patterns.zone_.data(), 256, 0) != 256 || ::getrandom(draw.data(), 2, 0) != 2) {
    return fail(Errc::external_failure, "getrandom gave no random bytes for red zones");
  }
  // One call to getrandom gives 256 bytes at once; the rest is mixed from them.
  for (std::size_t i = 256; i < kRedZoneBytes; ++i) {
    patterns.zone_[i] = patterns.zone_[i - 256] ^ patterns.zone_[i - 255] ^ std::byte{0x5A};
  }

  std::vector<std::byte> image(patterns.zone_.begin(), patterns.zone_.end());
  for (std::size_t round = 0; round < 2; ++round) {
    const auto low = static_cast<std::byte>(0xF1 + (draw[0] + 7 * round) % 15);
    const auto high = ((draw[1] + round) % 2 == 0) ? std::byte{0x7F} : std::byte{0xFF};
    for (std::size_t i = 0; i < kPoisonBlockBytes; i += 2) {
      image.push_back(low);
      image.push_back(high);
    }
  }
  WARPMIND_TRY(patterns.device_, allocate_device(image.size(), "fill patterns"));
  WARPMIND_CHECK(cuda_check(
      cudaMemcpy(patterns.device_.get(), image.data(), image.size(), cudaMemcpyHostToDevice),
      "copying fill patterns"));
  return patterns;
}

Result<void> FillPatterns::fill_zone(std::byte* destination, cudaStream_t stream) const {
  return cuda_check(
      cudaMemcpyAsync(destination, device_.get(), kRedZoneBytes, cudaMemcpyDeviceToDevice, stream),
      "filling a red zone");
}

Result<void> FillPatterns::poison(std::byte* destination, std::size_t bytes, int round,
                                  cudaStream_t stream) const {
  const std::byte* block = device_.get() + kRedZoneBytes + (round % 2 == 0 ? 0 : kPoisonBlockBytes);
  std::size_t filled = std::min(bytes, kPoisonBlockBytes);
  WARPMIND_CHECK(cuda_check(
      cudaMemcpyAsync(destination, block, filled, cudaMemcpyDeviceToDevice, stream), "poisoning"));
  while (filled < bytes) {
    const std::size_t piece = std::min(filled, bytes - filled);
    WARPMIND_CHECK(cuda_check(
        cudaMemcpyAsync(destination + filled, destination, piece, cudaMemcpyDeviceToDevice, stream),
        "poisoning"));
    filled += piece;
  }
  forget_content(destination, bytes);
  return {};
}

}  // namespace warpmind::profilers
