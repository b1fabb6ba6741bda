#pragma once
/// \file
/// Syntax to programs: symbols placed, registers laid out, every instruction decoded, control flow
/// analysed.

#include "base/result.h"
#include "profilers/simulator/program/program.h"

#include <functional>
#include <memory>

namespace warpmind::simulator {

/// Gives `bytes` of device memory for a module's variable; the address, or 0 when there is none.
using PlaceVariable = std::function<std::uint64_t(const ptx::Variable&)>;

/// A function that uses something unknown is kept, with `Program::unsupported` saying what and
/// where: other kernels of the module still run. Initial values are the caller's to write (with
/// Variable::references resolved by resolve_references()).
/// Errors: invalid_argument when no variable could be placed, or a symbol is defined twice.
[[nodiscard]] Result<std::unique_ptr<CompiledModule>> compile_module(ptx::Module module,
                                                                     const PlaceVariable& place);

/// The initial bytes of `variable`, zero-filled to its size, with addresses of symbols put in.
/// Errors: invalid_argument naming an unknown symbol.
[[nodiscard]] Result<std::vector<std::uint8_t>> initial_bytes(const CompiledModule& module,
                                                              const PlacedVariable& variable);

}  // namespace warpmind::simulator
