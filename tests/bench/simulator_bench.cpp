/// \file
/// How fast the simulator runs: thread instructions a second of processor time, for six kernels and
/// four degrees of checking; then what a module costs to read, and what a wave with caches costs.
///   simulator_bench [REPETITIONS [KERNEL [MODE]]]   MODE "wave": that part only
/// Without a GPU and without nvcc: the kernels' PTX lies in simulator_kernels/.

#include "config/device_table.h"
#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::simulator {
namespace {

constexpr std::uint64_t kCapacity = std::uint64_t{1} << 30U;
constexpr double kGiga = 1e9;
/// As in cudart/launches.cpp.
constexpr std::uint64_t kWaveInstructions = 5'000'000;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Mode {
  const char* name = "";
  LaunchOptions options;
};

std::array<Mode, 4> modes() {
  std::array<Mode, 4> out{Mode{"bare", {}}, Mode{"counted", {}}, Mode{"checked", {}},
                          Mode{"full", {}}};
  for (std::size_t i = 0; i < out.size(); ++i) {
    LaunchOptions& options = out[i].options;
    options.count_accesses = i >= 1;
    options.check_initialised = i >= 2;
    options.check_shared_races = i >= 3;
    options.check_global_races = i >= 3;
  }
  return out;
}

/// A kernel with its launch: two buffers of `elements` 16-bit (or wider) values before `last`.
struct Kernel {
  const char* name = "";
  Dim3 grid{};
  Dim3 block{};
  std::uint64_t elements = 0;
  int inputs = 1;         ///< buffers read, before the one that is written
  std::int32_t last = 0;  ///< the last parameter
  double macs = 0;        ///< of tensor instructions
};

constexpr std::int32_t kRows = 512;
constexpr std::int32_t kRounds = 4096;

const std::array kKernels = {
    Kernel{"relu_f16", {65536, 1, 1}, {256, 1, 1}, 1U << 24U, 1, 1 << 24},
    Kernel{"softmax_f16", {kRows, 1, 1}, {256, 1, 1}, std::uint64_t{kRows} * 4096, 1, 4096},
    Kernel{"matmul_naive_f16", {24, 24, 1}, {16, 16, 1}, std::uint64_t{384} * 384, 2, 384},
    Kernel{"matmul_tiled_f16", {16, 16, 1}, {16, 16, 1}, std::uint64_t{256} * 256, 2, 256},
    Kernel{"layernorm_f16", {kRows, 1, 1}, {256, 1, 1}, std::uint64_t{kRows} * 4096, 1, 4096},
    Kernel{"mma_f16", {16, 1, 1}, {128, 1, 1}, 4096, 1, kRounds, 16.0 * 4 * kRounds * 16 * 8 * 16},
};

struct Module {
  std::unique_ptr<CompiledModule> compiled;
  const Program* program = nullptr;
  double seconds = 0;  ///< to parse and compile, CPU
  std::size_t bytes = 0;
};

Result<Module> load(const Kernel& kernel, DeviceMemory& memory) {
  std::ifstream file(std::string(WARPMIND_SIMULATOR_KERNELS) + "/" + kernel.name + ".ptx");
  std::ostringstream text;
  text << file.rdbuf();
  Module out;
  out.bytes = text.str().size();
  const double start = cpu_seconds();
  WARPMIND_TRY(auto syntax, ptx::parse_ptx(text.str()));
  WARPMIND_TRY(out.compiled, compile_module(std::move(syntax), [&](const ptx::Variable& variable) {
                 return memory.allocate(std::max<std::uint64_t>(variable.bytes, 1));
               }));
  out.seconds = cpu_seconds() - start;
  out.program = out.compiled->find(kernel.name);
  if (out.program == nullptr) return fail(Errc::not_found, "no kernel " + std::string(kernel.name));
  return out;
}

/// Parameters: the buffers, filled with halves between 0 and 1, and the size.
std::vector<std::byte> make_arguments(const Kernel& kernel, DeviceMemory& memory) {
  const auto buffers = static_cast<std::size_t>(kernel.inputs) + 1;
  std::vector<std::byte> out(buffers * 8 + 4);
  for (std::size_t b = 0; b < buffers; ++b) {
    const std::uint64_t bytes = kernel.elements * (b + 1 == buffers ? 4 : 2);
    const std::uint64_t address = memory.allocate(bytes);
    std::memcpy(out.data() + b * 8, &address, sizeof address);
    if (b + 1 == buffers) continue;
    for (std::uint64_t i = 0; i < kernel.elements; ++i) {
      const auto half = static_cast<std::uint16_t>(0x3000 + i % 1024);
      std::memcpy(memory.host(address) + i * 2, &half, 2);
    }
    memory.mark_written(address, bytes);
  }
  std::memcpy(out.data() + buffers * 8, &kernel.last, sizeof kernel.last);
  return out;
}

/// What the last line says: " key=value" one after the other.
struct Figures {
  std::string text;

  void add(const std::string& key, double value) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.3f", value);
    text += " " + key + "=" + digits.data();
  }
};

struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
};

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

/// Runs the launch and says how much was done a second; at least 0.2 s in each sample.
Result<double> sample(const LaunchRequest& request, const LaunchOptions& options,
                      DeviceMemory& memory) {
  constexpr double kLeastSeconds = 0.2;
  double instructions = 0;
  const double start = cpu_seconds();
  double seconds = 0;
  while (seconds < kLeastSeconds) {
    WARPMIND_TRY(const LaunchRecord record, run_launch(request, options, memory));
    if (record.end != LaunchEnd::completed) return fail(Errc::external_failure, record.end_reason);
    for (const CheckEntry& found : record.checks) {
      return fail(Errc::external_failure, record.kernel + ": " + std::string(name_of(found.kind)));
    }
    instructions += static_cast<double>(record.thread_instructions);
    seconds = cpu_seconds() - start;
  }
  return instructions / seconds;
}

/// What the command line asks for; empty names = all.
struct Wanted {
  int repetitions = 5;
  std::string kernel;
  std::string mode;
};

/// One row of the table.
Result<void> measure_modes(const Kernel& kernel, const Module& module, const Wanted& wanted,
                           Figures& figures) {
  std::printf("%-17s", kernel.name);
  for (const Mode& mode : modes()) {
    if (!wanted.mode.empty() && wanted.mode != mode.name) continue;
    DeviceMemory memory(kCapacity);
    const std::vector<std::byte> arguments = make_arguments(kernel, memory);
    const LaunchRequest request{
        {{kernel.grid, kernel.block}}, *module.compiled, *module.program, arguments};
    std::vector<double> rates;
    for (int i = 0; i < wanted.repetitions; ++i) {
      WARPMIND_TRY(const double rate, sample(request, mode.options, memory));
      rates.push_back(rate / kGiga);
    }
    const Spread rate = spread_of(std::move(rates));
    std::printf("  %5.2f (%.2f to %.2f)", rate.median, rate.low, rate.high);
    figures.add(std::string(kernel.name) + "_" + mode.name, rate.median);
  }
  std::printf("\n");
  std::fflush(stdout);
  return {};
}

/// What a module costs before its first launch, and what a warp of it holds.
Result<void> measure_module(const Kernel& kernel, const Module& module, int repetitions,
                            Figures& figures) {
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    DeviceMemory memory(kCapacity);
    WARPMIND_TRY(const Module again, load(kernel, memory));
    seconds.push_back(again.seconds * 1e3);
  }
  const Spread ms = spread_of(std::move(seconds));
  std::printf(
      "%-17s %7.2f ms (%.2f to %.2f) for %zu bytes of PTX, %zu instructions; registers of "
      "a warp %u bytes\n",
      kernel.name, ms.median, ms.low, ms.high, module.bytes, module.program->code.size(),
      module.program->register_bytes);
  figures.add(std::string(kernel.name) + "_load_ms", ms.median);
  return {};
}

/// A wave with caches as the drop-in runtime makes one after a launch.
Result<void> measure_wave(const Kernel& kernel, const Module& module, const DeviceSpec& device,
                          int repetitions, Figures& figures) {
  DeviceMemory memory(kCapacity);
  const std::vector<std::byte> arguments = make_arguments(kernel, memory);
  const LaunchRequest request{
      {{kernel.grid, kernel.block}}, *module.compiled, *module.program, arguments};
  const std::uint32_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  const auto resident = static_cast<std::uint32_t>(device.threads_per_sm) / threads;
  std::vector<double> seconds;
  LaunchRecord last;
  for (int i = 0; i < repetitions; ++i) {
    WARPMIND_TRY(last, run_wave(request, device, resident, kWaveInstructions, memory));
    seconds.push_back(last.seconds);
  }
  std::uint64_t sectors = 0;
  std::uint64_t l1 = 0;
  std::uint64_t l2 = 0;
  for (const InstructionRecord& one : last.instructions) {
    sectors += one.access.sectors;
    l1 += one.access.l1_hits;
    l2 += one.access.l2_hits;
  }
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  const Spread time = spread_of(std::move(seconds));
  std::printf(
      "%-17s %6.3f s (%.3f to %.3f), %5.2f M warp instructions counted, L1 %.1f %%, L2 "
      "%.1f %% of %llu sectors\n",
      kernel.name, time.median, time.low, time.high,
      static_cast<double>(last.warp_instructions) / 1e6, share(l1, sectors),
      share(l2, sectors - l1), static_cast<unsigned long long>(sectors));
  figures.add(std::string(kernel.name) + "_wave_s", time.median);
  return {};
}

/// Tensor work, without checks and counts.
Result<void> measure_tensor(const Kernel& kernel, const Module& module, Figures& figures) {
  if (kernel.macs <= 0) return {};
  DeviceMemory memory(kCapacity);
  const std::vector<std::byte> arguments = make_arguments(kernel, memory);
  const LaunchRequest request{
      {{kernel.grid, kernel.block}}, *module.compiled, *module.program, arguments};
  WARPMIND_TRY(const LaunchRecord record, run_launch(request, modes()[0].options, memory));
  figures.add("tensor_gmacs", kernel.macs / record.seconds / kGiga);
  std::printf("tensor instructions: %.2f G multiply-adds a CPU second (bare)\n",
              kernel.macs / record.seconds / kGiga);
  return {};
}

void print_heading(const Wanted& wanted) {
  std::array<double, 1> load_average{};
  if (::getloadavg(load_average.data(), 1) == 1) {
    std::printf(
        "load average %.2f before the start (an idle machine has 0: others make the figures "
        "worse)\n",
        load_average[0]);
  }
  std::printf("G thread instructions a CPU second, median of %d (least to most)\n%-17s",
              wanted.repetitions, "");
  for (const Mode& mode : modes()) {
    if (wanted.mode.empty() || wanted.mode == mode.name) std::printf("  %-20s", mode.name);
  }
  std::printf("\n");
}

Result<void> run(const Wanted& wanted) {
  WARPMIND_TRY(const config::DeviceTable devices, config::DeviceTable::load());
  const auto device = devices.find("h200");
  if (!device) return fail(Errc::not_found, "the device table has no h200");
  DeviceMemory memory(kCapacity);
  std::vector<std::pair<const Kernel*, Module>> kernels;
  for (const Kernel& kernel : kKernels) {
    if (!wanted.kernel.empty() && wanted.kernel != kernel.name) continue;
    WARPMIND_TRY(Module module, load(kernel, memory));
    kernels.emplace_back(&kernel, std::move(module));
  }
  print_heading(wanted);
  Figures figures;
  for (const auto& [kernel, module] : kernels) {
    if (wanted.mode == "wave") break;
    WARPMIND_CHECK(measure_modes(*kernel, module, wanted, figures));
  }
  if (wanted.mode.empty()) {
    for (const auto& [kernel, module] : kernels) {
      WARPMIND_CHECK(measure_tensor(*kernel, module, figures));
    }
    std::printf("\nparse and compile\n");
    for (const auto& [kernel, module] : kernels) {
      WARPMIND_CHECK(measure_module(*kernel, module, wanted.repetitions, figures));
    }
  }
  if (wanted.mode.empty() || wanted.mode == "wave") {
    std::printf("\none wave of %llu warp instructions on %s\n",
                static_cast<unsigned long long>(kWaveInstructions), device->name.c_str());
    for (const auto& [kernel, module] : kernels) {
      WARPMIND_CHECK(measure_wave(*kernel, module, *device, wanted.repetitions, figures));
    }
  }
  std::printf("RESULT%s\n", figures.text.c_str());
  return {};
}

}  // namespace
}  // namespace warpmind::simulator

int main(int argc, char** argv) {
  constexpr int kLeastRepetitions = 3;
  warpmind::simulator::Wanted wanted;
  if (argc > 1) wanted.repetitions = std::max(kLeastRepetitions, std::atoi(argv[1]));
  if (argc > 2) wanted.kernel = argv[2];
  if (argc > 3) wanted.mode = argv[3];
  const auto ran = warpmind::simulator::run(wanted);
  if (ran) return 0;
  std::fprintf(stderr, "simulator_bench: %s\n", ran.error().message.c_str());
  return 1;
}
