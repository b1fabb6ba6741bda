#include "tests/unit/simulator/tensor_bench.h"

#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <bit>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

constexpr std::size_t kRowBytes = 4 * kLanes;

std::string number(std::size_t value) { return std::to_string(value); }

/// One word a lane, between memory at `base` (a lane's own address) and a register.
std::string load(const std::string& space, const std::string& to, const std::string& base,
                 std::size_t row) {
  return "ld." + space + ".b32 " + to + ", [" + base + "+" + number(row * kRowBytes) + "];\n";
}
std::string store(const std::string& space, const std::string& base, std::size_t row,
                  const std::string& from) {
  return "st." + space + ".b32 [" + base + "+" + number(row * kRowBytes) + "], " + from + ";\n";
}

std::string kernel_of(const WarpProgram& program, std::size_t inputs, std::size_t memory_bytes) {
  std::string text =
      ".version 8.7\n.target " + program.target +
      "\n.address_size 64\n.visible .entry kernel(.param .u64 input, .param .u64 output,\n"
      ".param .u64 memory) {\n.reg .b32 %i<72>, %o<72>, %r<32>, %copy, %lane, %shared;\n"
      ".reg .b64 %d<32>, %in, %out, %memory, %own, %offset;\n.reg .b16 %h<8>;\n.reg .pred %p<4>;\n"
      ".shared .align 128 .b8 tile[" +
      number(std::max<std::size_t>(memory_bytes, 16)) +
      "];\nld.param.u64 %in, [input];\nld.param.u64 %out, [output];\n"
      "ld.param.u64 %memory, [memory];\nmov.u32 %lane, %tid.x;\nmul.wide.u32 %offset, %lane, 4;\n"
      "add.u64 %in, %in, %offset;\nadd.u64 %out, %out, %offset;\nadd.u64 %own, %memory, %offset;\n"
      "mov.u32 %shared, tile;\nmad.lo.u32 %shared, %lane, 4, %shared;\n";
  for (std::size_t i = 0; i < inputs; ++i) text += load("global", "%i" + number(i), "%in", i);
  const std::size_t rows = program.is_shared ? memory_bytes / kRowBytes : 0;
  for (std::size_t i = 0; i < rows; ++i) {
    text += load("global", "%copy", "%own", i) + store("shared", "%shared", i, "%copy");
  }
  text += "bar.sync 0;\n" + program.statements + "\nbar.sync 0;\n";
  for (std::size_t i = 0; i < rows; ++i) {
    text += load("shared", "%copy", "%shared", i) + store("global", "%own", i, "%copy");
  }
  for (std::size_t i = 0; i < program.outputs; ++i) {
    text += store("global", "%out", i, "%o" + number(i));
  }
  return text + "ret;\n}\n";
}

}  // namespace

TensorBench::TensorBench(const std::string& ptx) {
  auto syntax = ptx::parse_ptx(ptx);
  if (!syntax) throw std::runtime_error(syntax.error().message);
  auto module = compile_module(std::move(*syntax), [this](const ptx::Variable& variable) {
    return memory_.allocate(variable.bytes);
  });
  if (!module) throw std::runtime_error(module.error().message);
  module_ = std::move(*module);
}

std::string TensorBench::unsupported() const { return program().unsupported; }

LaunchRecord TensorBench::run(const std::vector<std::uint64_t>& parameters, Dim3 grid, Dim3 block) {
  const LaunchRequest request{
      {{grid, block}}, *module_, program(), std::as_bytes(std::span(parameters))};
  auto record = run_launch(request, LaunchOptions{}, memory_);
  if (!record) throw std::runtime_error(record.error().message);
  return std::move(*record);
}

WarpResult run_warp(const WarpProgram& program, const Words& input,
                    const std::vector<std::byte>& memory) {
  TensorBench bench(kernel_of(program, input.size() / kLanes, memory.size()));
  WarpResult result;
  result.unsupported = bench.unsupported();
  if (!result.unsupported.empty()) return result;
  const std::uint64_t in = bench.upload(input.empty() ? Words(kLanes) : input);
  const std::uint64_t out = bench.upload(Words((program.outputs + 1) * kLanes));
  const std::uint64_t tile = bench.upload(memory.empty() ? std::vector<std::byte>(16) : memory);
  result.record = bench.run({in, out, tile}, {1, 1, 1}, {program.threads, 1, 1});
  result.registers = bench.download<std::uint32_t>(out, program.outputs * kLanes);
  result.memory = bench.download<std::byte>(tile, memory.size());
  result.info = bench.program().info;
  return result;
}

std::string registers(char letter, std::size_t first, std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "%" : ", %") + std::string(1, letter) + number(first + i);
  }
  return text + "}";
}

float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10U & 0x1f;
  const int mantissa = bits & 0x3ff;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(mantissa), -24)
                              : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// For values that the format has; zero and normal numbers.
std::uint16_t half_bits(float value) {
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);  // 0.5 … 1
  const auto mantissa = static_cast<unsigned>(std::ldexp(fraction, 11)) & 0x3ffU;
  const auto bits = static_cast<unsigned>(exponent + 14) << 10U | mantissa;
  const auto half = static_cast<std::uint16_t>(bits | (value < 0 ? 0x8000U : 0U));
  if (half_value(half) != value) throw std::invalid_argument("no f16 value");
  return half;
}

std::uint16_t bfloat_bits(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}

}  // namespace warpmind::simulator::test
