#include "simulated_counts.h"

#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <cstring>

namespace warpmind::profilers {
namespace {

constexpr std::uint64_t kCapacity = std::uint64_t{1} << 30U;

std::vector<std::byte> place_arguments(const simulator::Program& program,
                                       const std::vector<SimulatedArgument>& arguments,
                                       simulator::DeviceMemory& memory) {
  std::vector<std::byte> block(program.parameter_bytes);
  for (std::size_t i = 0; i < std::min(arguments.size(), program.parameters.size()); ++i) {
    std::byte* const to = block.data() + program.parameters[i].offset;
    if (arguments[i].buffer_bytes > 0) {
      const std::uint64_t address = memory.allocate(arguments[i].buffer_bytes);
      memory.mark_written(address, arguments[i].buffer_bytes);
      std::memcpy(to, &address, sizeof(address));
    } else {
      std::memcpy(to, arguments[i].scalar.data(), arguments[i].scalar.size());
    }
  }
  return block;
}

}  // namespace

Result<simulator::LaunchRecord> simulate_launch(const std::string& ptx, const std::string& kernel,
                                                const WalkLaunch& shape,
                                                const std::vector<SimulatedArgument>& arguments) {
  simulator::DeviceMemory memory(kCapacity);
  WARPMIND_TRY(auto syntax, simulator::ptx::parse_ptx(ptx));
  WARPMIND_TRY(const auto module,
               simulator::compile_module(
                   std::move(syntax), [&memory](const simulator::ptx::Variable& variable) {
                     return memory.allocate(std::max<std::uint64_t>(variable.bytes, 1));
                   }));
  const simulator::Program* program = module->find(kernel);
  if (program == nullptr) return fail(Errc::not_found, "no kernel " + kernel);
  const auto block = place_arguments(*program, arguments, memory);
  simulator::LaunchOptions options;
  options.check_initialised = false;
  options.check_shared_races = false;
  options.check_global_races = false;
  return simulator::run_launch({{shape}, *module, *program, std::span<const std::byte>(block)},
                               options, memory);
}

}  // namespace warpmind::profilers
