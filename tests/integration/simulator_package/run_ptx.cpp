/// \file
/// Runs the kernel axpy of a PTX file in the simulator: run_ptx FILE [ELEMENTS]. Prints the sum of
/// the result, and what the checks found.

#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sim = warpmind::simulator;

namespace {

constexpr std::uint32_t kAllocated = 1000;  // elements; more of them are out of bounds

struct Parameters {
  std::uint32_t n;
  float a;
  std::uint64_t x;
  std::uint64_t y;
};

std::uint64_t upload(sim::DeviceMemory& memory, const std::vector<float>& values) {
  const std::uint64_t address = memory.allocate(values.size() * sizeof(float));
  std::memcpy(memory.host(address), values.data(), values.size() * sizeof(float));
  memory.mark_written(address, values.size() * sizeof(float));
  return address;
}

warpmind::Result<double> run_axpy(const std::string& ptx, std::uint32_t elements) {
  WARPMIND_TRY(auto syntax, sim::ptx::parse_ptx(ptx));
  sim::DeviceMemory memory(std::uint64_t{1} << 24U);
  WARPMIND_TRY(const auto module,
               sim::compile_module(std::move(syntax), [&](const sim::ptx::Variable& variable) {
                 return memory.allocate(variable.bytes);
               }));
  const sim::Program* const program = module->find("axpy");
  if (program == nullptr)
    return warpmind::fail(warpmind::Errc::not_found, "there is no kernel axpy");
  std::vector<float> x(kAllocated);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const Parameters values{elements, 2.0F, upload(memory, x),
                          upload(memory, std::vector<float>(kAllocated, 1.0F))};
  const sim::LaunchRequest request{{{{(elements + 127) / 128, 1, 1}, {128, 1, 1}}},
                                   *module,
                                   *program,
                                   std::as_bytes(std::span(&values, 1))};
  WARPMIND_TRY(const sim::LaunchRecord record, sim::run_launch(request, {}, memory));
  for (const auto& entry : record.checks) std::printf("%s\n", entry.detail.c_str());
  if (record.end != sim::LaunchEnd::completed) {
    return warpmind::fail(warpmind::Errc::invalid_argument, record.end_reason);
  }
  std::printf("thread instructions %llu\n",
              static_cast<unsigned long long>(record.thread_instructions));
  std::vector<float> y(kAllocated);
  std::memcpy(y.data(), memory.host(values.y), y.size() * sizeof(float));
  double sum = 0;
  for (const float value : y) sum += value;
  return sum;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "run_ptx FILE [ELEMENTS]\n");
    return 2;
  }
  std::ifstream file(arguments[1]);
  const std::string ptx{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto sum =
      run_axpy(ptx, count > 2 ? static_cast<std::uint32_t>(std::stoul(arguments[2])) : kAllocated);
  if (!sum) {
    std::printf("failed: %s\n", sum.error().message.c_str());
    return 1;
  }
  std::printf("sum %.0f\n", *sum);
  return 0;
}
