#include "tests/bench/validation/simulate_point.h"

#include "base/file.h"
#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"
#include "profilers/simulator/sass/cubin.h"
#include "profilers/toolchain/occupancy.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

namespace warpmind::validation {
namespace {

using namespace simulator;

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

/// A compiled kernel with the point's arguments.
struct Kernel {
  std::unique_ptr<CompiledModule> module;
  const Program* program = nullptr;
  std::vector<std::byte> parameters;
  int registers = 0;

  [[nodiscard]] LaunchRequest request(const Point& point) const {
    return {{point.launch.grid, point.launch.block, point.launch.shared_bytes},
            *module,
            *program,
            parameters};
  }
};

Result<std::vector<std::byte>> parameters_of(const Program& program, const Point& point,
                                             const SimulatedBuffers& buffers) {
  std::vector<std::byte> out(program.parameter_bytes);
  const auto& arguments = point.plan.launches.front().arguments;
  if (arguments.size() != program.parameters.size()) {
    return fail(Errc::invalid_argument, point.id + ": " + std::to_string(arguments.size()) +
                                            " arguments for " +
                                            std::to_string(program.parameters.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::byte* const place = out.data() + program.parameters[i].offset;
    if (is_scalar_argument(arguments[i])) {
      WARPMIND_TRY(const std::string bytes,
                   evaluate_scalar_bytes(arguments[i], point.plan, point.sizes));
      std::memcpy(place, bytes.data(), bytes.size());
    } else {
      const auto buffer = static_cast<std::size_t>(buffer_of_argument(point, arguments[i]));
      const std::uint64_t address = buffers.addresses()[buffer];
      std::memcpy(place, &address, sizeof address);
    }
  }
  return out;
}

Result<Kernel> compile(const Point& point, const std::filesystem::path& binaries,
                       const SimulatedBuffers& buffers, DeviceMemory& memory) {
  Kernel kernel;
  WARPMIND_TRY(const std::string text, read_file(binaries / (point.build + ".ptx"), kMostBytes));
  WARPMIND_TRY(auto syntax, ptx::parse_ptx(text));
  const auto place = [&](const ptx::Variable& variable) { return memory.allocate(variable.bytes); };
  WARPMIND_TRY(kernel.module, compile_module(std::move(syntax), place));
  kernel.program = kernel.module->find(point.kernel);
  if (kernel.program == nullptr) {
    return fail(Errc::not_found, point.build + ".ptx has no kernel " + point.kernel);
  }
  WARPMIND_TRY(kernel.parameters, parameters_of(*kernel.program, point, buffers));
  WARPMIND_TRY(const std::string code, read_file(binaries / (point.build + ".cubin"), kMostBytes));
  WARPMIND_TRY(const Cubin cubin, read_cubin(std::as_bytes(std::span(code))));
  if (const CubinKernel* const found = cubin.find(point.kernel))
    kernel.registers = found->registers;
  return kernel;
}

LaunchOptions counting() {
  LaunchOptions options;
  options.check_initialised = false;
  options.check_shared_races = false;
  options.check_global_races = false;
  return options;
}

double instructions_of_grid(const LaunchRecord& sample) {
  return static_cast<double>(sample.thread_instructions) * static_cast<double>(sample.blocks) /
         static_cast<double>(std::max<std::uint64_t>(sample.blocks_run, 1));
}

Result<void> check_end(const LaunchRecord& record, const Point& point) {
  if (record.end == LaunchEnd::completed) return {};
  const std::string detail = record.checks.empty() ? "" : ": " + record.checks.front().detail;
  return fail(Errc::invalid_argument, point.id + ": " + record.end_reason + detail);
}

}  // namespace

Result<SimulatedPoint> simulate(const Point& point, const std::filesystem::path& binaries,
                                const DeviceSpec& device, const SimulationBudget& budget,
                                SimulatedBuffers& buffers, DeviceMemory& memory) {
  WARPMIND_TRY(const Kernel kernel, compile(point, binaries, buffers, memory));
  const LaunchRequest request = kernel.request(point);
  SimulatedPoint out;
  LaunchRecord& launch = out.report.launch;
  LaunchOptions options = counting();
  options.block_limit = budget.sampled_blocks;
  buffers.clear_outputs();
  WARPMIND_TRY(launch, run_launch(request, options, memory));
  if (launch.blocks_run < launch.blocks &&
      instructions_of_grid(launch) <= budget.whole_thread_instructions) {
    options.block_limit = 0;
    buffers.clear_outputs();
    WARPMIND_TRY(launch, run_launch(request, options, memory));
  }
  WARPMIND_CHECK(check_end(launch, point));
  if (launch.blocks_run == launch.blocks) out.sum = buffers.checksum();
  const auto threads = std::int64_t{1} * request.block[0] * request.block[1] * request.block[2];
  const auto occupancy = profilers::theoretical_occupancy(
      {kernel.registers, std::int64_t{launch.static_shared} + launch.dynamic_shared, threads},
      device);
  buffers.clear_outputs();
  WARPMIND_TRY(out.report.wave,
               run_wave(request, device, static_cast<std::uint32_t>(occupancy.blocks_per_sm),
                        budget.wave_instructions, memory));
  out.report.finished = true;
  return out;
}

}  // namespace warpmind::validation
