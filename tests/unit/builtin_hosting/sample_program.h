#pragma once
/// \file
/// A program with a chain of two kernels, and the record of a run of it.

#include "agents/builtin/hosting/program_parts.h"

#include <cstring>

namespace warpmind::agents::builtin {

inline constexpr const char* kSampleProgram = R"(
__global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
__global__ void shift(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}
void chain(const float* x, float* out, int n) {
  float* t = nullptr;
  cudaMalloc(&t, n * 4);
  scale<<<2, 64>>>(x, t, 0.5f, n);
  shift<<<2, 64>>>(t, out, n);
  cudaFree(t);
}
void alone(float* out) { shift<<<1, 32>>>(out, out, 7); }
)";

inline profilers::RecordedArgument pointer_to(std::size_t allocation) {
  return {std::string(8, '\x11'), profilers::RecordedPlace{allocation, 0}};
}

template <class T>
profilers::RecordedArgument value_argument(T value) {
  profilers::RecordedArgument argument;
  argument.bytes.resize(sizeof value);
  std::memcpy(argument.bytes.data(), &value, sizeof value);
  return argument;
}

/// scale(x, t), shift(t, out), `alone` times shift(out, out).
inline profilers::ProgramRecord sample_record(int alone) {
  profilers::ProgramRecord record;
  record.allocations = {{1000, 400, {}, 1, {}}, {2000, 400, {}, 2, 9}, {3000, 400, {}, 3, {}}};
  record.transfers = {{{0, 4}, profilers::RecordedPlace{0, 0}, {}, 400},
                      {{0, 90}, {}, profilers::RecordedPlace{2, 0}, 400}};
  record.launches = {{{{2, 1, 1}, {64, 1, 1}},
                      {0, 6},
                      "_Z5scalePKfPffi",
                      {pointer_to(0), pointer_to(1), value_argument(0.5F), value_argument(100)}},
                     {{{2, 1, 1}, {64, 1, 1}},
                      {0, 7},
                      "_Z5shiftPKfPfi",
                      {pointer_to(1), pointer_to(2), value_argument(100)}}};
  for (int i = 0; i < alone; ++i) {
    record.launches.push_back({{{1, 1, 1}, {32, 1, 1}},
                               {0, static_cast<std::size_t>(10 + i)},
                               "_Z5shiftPKfPfi",
                               {pointer_to(2), pointer_to(2), value_argument(7)}});
  }
  return record;
}

}  // namespace warpmind::agents::builtin
