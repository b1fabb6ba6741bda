#include "profilers/simulator/program/compiler.h"

#include "profilers/simulator/program/cfg.h"
#include "profilers/simulator/program/function_decoder.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpmind::simulator {
namespace {

Result<void> place_variables(ptx::Module& syntax, const PlaceVariable& place,
                             CompiledModule& module) {
  for (auto& variable : syntax.variables) {
    // Shared variables are a launch's, and what is defined elsewhere has no address here.
    if (variable.space == Space::shared || variable.is_extern) continue;
    const std::string name = variable.name;
    const std::uint64_t bytes = variable.bytes;
    const auto [at, is_new] = module.variables.try_emplace(name);
    if (!is_new) return fail(Errc::invalid_argument, "the variable " + name + " is defined twice");
    at->second.address = place(variable);
    if (at->second.address == 0) {
      return fail(Errc::invalid_argument, "there is no device memory for the variable " + name +
                                              " of " + std::to_string(bytes) + " bytes");
    }
    at->second.variable = std::move(variable);
  }
  return {};
}

/// Numbers the functions that have a body.
Result<void> number_programs(const ptx::Module& syntax, CompiledModule& module) {
  for (const auto& function : syntax.functions) {
    if (function.is_declaration) continue;
    const auto index = static_cast<std::uint32_t>(module.programs.size());
    if (!module.program_index.emplace(function.name, index).second ||
        module.variables.contains(function.name)) {
      return fail(Errc::invalid_argument, "the function " + function.name + " is defined twice");
    }
    module.programs.push_back(std::make_unique<Program>());
    module.programs.back()->ordinal = index;
  }
  return {};
}

ModuleSymbols collect_symbols(const ptx::Module& syntax, CompiledModule& module) {
  ModuleSymbols symbols{module, {}};
  for (const auto& function : syntax.functions) {
    const ptx::Function*& known = symbols.functions[function.name];
    if (known == nullptr || known->is_declaration) known = &function;
  }
  return symbols;
}

void start_program(const ptx::Function& function, const SharedView& shared, Program& program) {
  program.name = function.name;
  program.is_entry = function.is_entry;
  program.parameters = function.parameters;
  program.parameter_bytes = function.parameter_bytes;
  program.most_threads = function.most_threads;
  std::copy(std::begin(function.required_threads), std::end(function.required_threads),
            std::begin(program.required_threads));
  std::copy(std::begin(function.cluster_blocks), std::end(function.cluster_blocks),
            std::begin(program.cluster_blocks));
  program.uses_dynamic_shared = shared.uses_dynamic;
  program.shared_bytes = static_cast<std::uint32_t>(shared.bytes);
  if (shared.bytes > std::numeric_limits<std::uint32_t>::max()) {
    program.unsupported = std::to_string(shared.bytes) + " bytes of shared memory are too many";
  }
  // Blocks run one after the other, so those of a cluster cannot wait for each other.
  const std::uint64_t blocks = std::uint64_t{program.cluster_blocks[0]} *
                               program.cluster_blocks[1] * program.cluster_blocks[2];
  if (blocks > 1) program.unsupported = "clusters of several blocks are not simulated";
}

/// Decodes twice: which registers can share a slot is known when all instructions are.
void compile_function(const ModuleSymbols& symbols, const ptx::Function& function,
                      const SharedView& shared, Program& program) {
  const std::uint32_t accesses = symbols.module.accesses;
  Program draft;
  start_program(function, shared, draft);
  FunctionDecoder first(symbols, function, shared, nullptr, draft);
  first.decode();
  analyse_control_flow(draft);
  const RegisterPacking packing = pack_registers(draft, first.uses(), function.registers);

  symbols.module.accesses = accesses;
  start_program(function, shared, program);
  FunctionDecoder(symbols, function, shared, &packing, program).decode();
  analyse_control_flow(program);
}

}  // namespace

Result<std::unique_ptr<CompiledModule>> compile_module(ptx::Module module,
                                                       const PlaceVariable& place) {
  auto compiled = std::make_unique<CompiledModule>();
  compiled->target = module.target;
  compiled->files = module.files;
  const std::vector<SharedView> shared = lay_out_shared(module);
  WARPMIND_CHECK(place_variables(module, place, *compiled));
  WARPMIND_CHECK(number_programs(module, *compiled));
  const ModuleSymbols symbols = collect_symbols(module, *compiled);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    const ptx::Function& function = module.functions[f];
    if (function.is_declaration) continue;
    Program& program = *compiled->programs[compiled->program_index.at(function.name)];
    compile_function(symbols, function, shared[f], program);
  }
  return compiled;
}

Result<std::vector<std::uint8_t>> initial_bytes(const CompiledModule& module,
                                                const PlacedVariable& variable) {
  std::vector<std::uint8_t> bytes = variable.variable.initial;
  bytes.resize(variable.variable.bytes);
  for (const auto& reference : variable.variable.references) {
    std::uint64_t address = 0;
    if (const auto at = module.variables.find(reference.symbol); at != module.variables.end()) {
      address = at->second.address;
    } else if (const auto program = module.program_index.find(reference.symbol);
               program != module.program_index.end()) {
      address = kFunctionAddresses + 16ULL * program->second;
    } else {
      return fail(Errc::invalid_argument, "the initial value of " + variable.variable.name +
                                              " is the address of " + reference.symbol +
                                              ", which this module does not define");
    }
    address += static_cast<std::uint64_t>(reference.addend);
    for (std::uint64_t i = 0; i < sizeof(address) && reference.offset + i < bytes.size(); ++i) {
      bytes[reference.offset + i] = static_cast<std::uint8_t>(address >> (8 * i));
    }
  }
  return bytes;
}

}  // namespace warpmind::simulator
