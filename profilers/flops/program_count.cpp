#include "profilers/flops/program_count.h"

#include "profilers/simulator/cudart/fatbin.h"
#include "profilers/simulator/ptx/parser.h"
#include "profilers/simulator/sass/fatbin.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace warpmind::profilers {
namespace {

using simulator::ptx::Function;
using simulator::ptx::Module;

constexpr std::size_t kAlignment = 8;  // of fat binaries in a file

/// The fat binary that begins at `at`; empty when none does.
std::span<const std::byte> fatbin_at(std::span<const std::byte> file, std::size_t at) {
  std::uint32_t magic = 0;
  if (at + simulator::kFatbinHeaderBytes > file.size()) return {};
  std::memcpy(&magic, file.data() + at, sizeof(magic));
  if (magic != simulator::kFatbinMagic) return {};
  const auto rest = file.subspan(at);
  const std::uint64_t bytes = simulator::fatbin_bytes(rest.first(simulator::kFatbinHeaderBytes));
  return bytes <= rest.size() ? rest.first(static_cast<std::size_t>(bytes))
                              : std::span<const std::byte>{};
}

Result<WalkLaunch> walk_launch_of(const RecordedLaunch& recorded, const Function& function) {
  if (recorded.arguments.size() != function.parameters.size()) {
    return fail(Errc::invalid_argument,
                "'" + function.name + "' has " + std::to_string(function.parameters.size()) +
                    " parameters, the record gives " + std::to_string(recorded.arguments.size()));
  }
  WalkLaunch launch;
  launch.shape() = recorded.shape();
  launch.parameters.resize(function.parameter_bytes);
  for (std::size_t i = 0; i < recorded.arguments.size(); ++i) {
    const std::string& bytes = recorded.arguments[i].bytes;
    const std::size_t at = function.parameters[i].offset;
    if (launch.parameters.size() < at + bytes.size()) launch.parameters.resize(at + bytes.size());
    std::memcpy(launch.parameters.data() + at, bytes.data(), bytes.size());
  }
  return launch;
}

const Function* find_entry(std::span<const Module> modules, const std::string& name) {
  for (const Module& module : modules) {
    for (const Function& one : module.functions) {
      if (one.name == name && one.is_entry && !one.is_declaration) return &one;
    }
  }
  return nullptr;
}

/// Everything that can decide how the launch runs.
std::string key_of(const RecordedLaunch& launch) {
  std::string key = launch.kernel + " " + std::to_string(launch.shared_bytes);
  for (const auto extents : {launch.grid, launch.block}) {
    for (const std::uint32_t extent : extents) key += " " + std::to_string(extent);
  }
  for (const auto& argument : launch.arguments) {
    key += argument.place ? std::string(" @") : " " + argument.bytes;
  }
  return key;
}

}  // namespace

Result<std::vector<Module>> ptx_of_program(std::span<const std::byte> file, int capability) {
  std::vector<Module> modules;
  Error last{Errc::not_found,
             "the program has no PTX: compile it with -gencode arch=compute_90,code=compute_90"};
  for (std::size_t at = 0; at + kAlignment <= file.size(); at += kAlignment) {
    const auto fatbin = fatbin_at(file, at);
    if (fatbin.empty()) continue;
    const auto text = simulator::ptx_of_fatbin(fatbin, capability);
    if (!text) {
      last = text.error();
      continue;
    }
    WARPMIND_TRY(auto module, simulator::ptx::parse_ptx(*text));
    modules.push_back(std::move(module));
  }
  if (modules.empty()) return fail(std::move(last));
  return modules;
}

LaunchCount count_recorded(const RecordedLaunch& launch, std::span<const Module> modules) {
  LaunchCount count;
  const Function* function = find_entry(modules, launch.kernel);
  if (function == nullptr) {
    count.undecided = "the program's PTX has no kernel '" + launch.kernel + "'";
  } else if (const auto walk = walk_launch_of(launch, *function); !walk) {
    count.undecided = walk.error().message;
  } else {
    count = count_launch(*function, *walk);
    if (!count.undecided.empty()) count = count_launch(*function, *walk, WalkGoal::flops);
  }
  count.kernel = launch.kernel;
  count.shape() = launch.shape();
  return count;
}

std::vector<ProgramLaunch> distinct_launches(const ProgramRecord& record) {
  std::vector<ProgramLaunch> distinct;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < record.launches.size(); ++i) {
    const auto [at, is_new] = known.try_emplace(key_of(record.launches[i]), distinct.size());
    if (is_new) distinct.push_back({i, 0});
    ++distinct[at->second].times;
  }
  return distinct;
}

}  // namespace warpmind::profilers
