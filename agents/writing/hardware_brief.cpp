#include "agents/writing/hardware_brief.h"

#include "base/text.h"

namespace warpmind::agents::writing {
namespace {

/// A line per number, in the order added; zeros are unknown.
class Brief {
 public:
  void add(const std::string& what, double value, const std::string& unit, int digits = 0) {
    if (value > 0) text_ += "- " + what + ": " + fixed(value, digits) + " " + unit + "\n";
  }
  void add_line(const std::string& line) { text_ += line + "\n"; }
  [[nodiscard]] std::string take() {
    if (!text_.empty()) text_.pop_back();
    return std::move(text_);
  }

 private:
  std::string text_;
};

}  // namespace

std::string hardware_brief(const DeviceSpec& device) {
  Brief brief;
  brief.add_line(device.name + ", " + architecture_of(device.compute_major, device.compute_minor) +
                 (device.family.empty() ? "" : " (" + device.family + ")") + ":");
  brief.add("multiprocessors", device.sm_count, "SMs");
  brief.add("clock", device.sm_clock_mhz, "MHz");
  brief.add("device memory", device.memory_gib, "GiB", 1);
  brief.add("memory bandwidth", device.memory_bandwidth_gb_s, "GB/s");
  brief.add("L2 cache", device.l2_mib, "MiB", 1);
  brief.add("shared memory of an SM", device.shared_kib_per_sm, "KiB");
  brief.add("shared memory of a block, at most", device.shared_kib_per_block, "KiB");
  brief.add("registers of an SM", device.registers_per_sm, "of 32 bits");
  brief.add("threads of an SM", device.threads_per_sm, "threads");
  brief.add("blocks of an SM", device.blocks_per_sm, "blocks");
  brief.add("FP32", device.fp32_tflops, "TFLOP/s", 1);
  brief.add("FP64", device.fp64_tflops, "TFLOP/s", 1);
  brief.add("FP16 on tensor cores, dense", device.fp16_tensor_tflops, "TFLOP/s", 1);
  if (device.memory_bandwidth_gb_s > 0 && device.fp32_tflops > 0) {
    constexpr double kGigaOfTera = 1e3;
    brief.add("FP32 roofline bends at",
              device.fp32_tflops * kGigaOfTera / device.memory_bandwidth_gb_s, "FLOP a byte", 1);
  }
  if (device.timing.wgmma_fp16_macs > 0) brief.add_line("- has wgmma and TMA");
  return brief.take();
}

}  // namespace warpmind::agents::writing
