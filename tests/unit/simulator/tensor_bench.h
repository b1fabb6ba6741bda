#pragma once
/// \file
/// Kernels from PTX text, run on device memory of their own.

#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/memory/device_memory.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::simulator::test {

/// A module with device memory. Failures are those of the test.
class TensorBench {
 public:
  explicit TensorBench(const std::string& ptx);

  /// Why the first kernel cannot run; empty = it can.
  [[nodiscard]] std::string unsupported() const;
  [[nodiscard]] const Program& program() const { return *module_->programs.front(); }

  template <class T>
  [[nodiscard]] std::uint64_t upload(const std::vector<T>& values) {
    const std::uint64_t bytes = values.size() * sizeof(T);
    const std::uint64_t address = memory_.allocate(bytes);
    if (bytes > 0) std::memcpy(memory_.host(address), values.data(), bytes);
    memory_.mark_written(address, bytes);
    return address;
  }
  template <class T>
  [[nodiscard]] std::vector<T> download(std::uint64_t address, std::size_t count) const {
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), memory_.host(address), count * sizeof(T));
    return values;
  }

  /// Runs the first kernel; its parameters are 8 bytes each.
  LaunchRecord run(const std::vector<std::uint64_t>& parameters, Dim3 grid = {1, 1, 1},
                   Dim3 block = {kLanes, 1, 1});

 private:
  DeviceMemory memory_{std::uint64_t{64} << 20U};
  std::unique_ptr<CompiledModule> module_;
};

/// What lies in the registers of a warp: word i of lane l at [i * 32 + l].
using Words = std::vector<std::uint32_t>;

/// Statements on one warp: registers %i0 … hold `input`, %o0 … are brought back. Besides there are
/// scratch registers %r<32>, %d<32> (64 bits), %p<4>, %h<8> and %memory, the address of `memory`,
/// which is copied to the shared array `tile` before and brought back from there or from global
/// memory after.
struct WarpProgram {
  std::string statements;
  std::size_t outputs = 0;
  bool is_shared = false;
  std::string target = "sm_90a";
  std::uint32_t threads = kLanes;
};
struct WarpResult {
  std::string unsupported;
  Words registers;
  std::vector<std::byte> memory;
  LaunchRecord record;
  std::vector<InstructionInfo> info;
};
[[nodiscard]] WarpResult run_warp(const WarpProgram& program, const Words& input,
                                  const std::vector<std::byte>& memory = {});

/// "{%i4, %i5}": `count` registers from `first` on.
[[nodiscard]] std::string registers(char letter, std::size_t first, std::size_t count);

// Formats, bit by bit.
[[nodiscard]] std::uint16_t half_bits(float value);
[[nodiscard]] float half_value(std::uint16_t bits);
[[nodiscard]] std::uint16_t bfloat_bits(float value);

}  // namespace warpmind::simulator::test
