/// \file
/// Variables of device code: copies to and from them, their addresses.

#include "profilers/simulator/cudart/copies.h"

namespace warpmind::simulator {
namespace {

cudaError_t find_variable(Runtime& runtime, const void* symbol, DeviceVariable& out) {
  const std::lock_guard lock(runtime.mutex);
  const KernelModules& modules = process().modules;
  const KernelModules::Variable* const known = modules.variable(symbol);
  if (known == nullptr) {
    const std::string* const refused = modules.refused(symbol);
    if (refused == nullptr) return cudaErrorInvalidSymbol;
    say_once(*refused);
    return cudaErrorNotSupported;
  }
  const auto module = known->module->compiled(runtime.memory, runtime.capability());
  if (!module) return refuse(module.error());
  const auto found = known->module->variable(known->name, runtime.memory, runtime.capability());
  if (!found) return cudaErrorInvalidSymbol;
  out = *found;
  return cudaSuccess;
}

/// Part of a variable.
struct SymbolRange {
  const void* symbol = nullptr;
  std::size_t bytes = 0;
  std::size_t offset = 0;
};

/// The device address of a range, if the variable is that large.
cudaError_t place_in(Runtime& runtime, const SymbolRange& range, void*& out) {
  const auto [symbol, bytes, offset] = range;
  DeviceVariable variable;
  const auto code = find_variable(runtime, symbol, variable);
  if (code != cudaSuccess) return code;
  if (offset > variable.bytes || bytes > variable.bytes - offset) return cudaErrorInvalidValue;
  out = reinterpret_cast<void*>(variable.address + offset);  // NOLINT(performance-no-int-to-ptr)
  return cudaSuccess;
}

cudaError_t copy_to(const SymbolRange& range, const void* from, cudaMemcpyKind kind,
                    cudaStream_t stream, Waiting waiting) {
  return with_runtime([&](Runtime& rt) {
    void* to = nullptr;
    const auto code = place_in(rt, range, to);
    return code != cudaSuccess ? code
                               : copy(rt, line_copy(to, from, range.bytes, kind), stream, waiting);
  });
}

cudaError_t copy_from(void* to, const SymbolRange& range, cudaMemcpyKind kind, cudaStream_t stream,
                      Waiting waiting) {
  return with_runtime([&](Runtime& rt) {
    void* from = nullptr;
    const auto code = place_in(rt, range, from);
    return code != cudaSuccess ? code
                               : copy(rt, line_copy(to, from, range.bytes, kind), stream, waiting);
  });
}

}  // namespace
}  // namespace warpmind::simulator

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): CUDA's declarations
using namespace warpmind::simulator;  // NOLINT(google-build-using-namespace)

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_to({symbol, bytes, offset}, from, kind, nullptr, Waiting::until_done);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to({symbol, bytes, offset}, from, kind, stream, Waiting::returns_at_once);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_from(to, {symbol, bytes, offset}, kind, nullptr, Waiting::until_done);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_from(to, {symbol, bytes, offset}, kind, stream, Waiting::returns_at_once);
}
cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
  return with_runtime([&](Runtime& rt) {
    return out == nullptr ? cudaErrorInvalidValue : place_in(rt, {symbol, 0, 0}, *out);
  });
}
cudaError_t cudaGetSymbolSize(size_t* out, const void* symbol) {
  return with_runtime([&](Runtime& rt) {
    DeviceVariable variable;
    if (out == nullptr) return cudaErrorInvalidValue;
    const auto code = find_variable(rt, symbol, variable);
    if (code == cudaSuccess) *out = variable.bytes;
    return code;
  });
}
// NOLINTEND(readability-identifier-naming,readability-function-size)

WARPMIND_PER_THREAD(cudaMemcpyToSymbol, _ptds);
WARPMIND_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);
WARPMIND_PER_THREAD(cudaMemcpyFromSymbol, _ptds);
WARPMIND_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);
