#pragma once
/// \file
/// Runs PTX statements on hand-made registers: parsed and decoded as in a program, then their
/// handlers are called one after the other.

#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/exec/warp.h"
#include "profilers/simulator/program/decode_context.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warpmind::simulator::test {

/// Registers by class: %p0… predicates, %h0… 16 bits, %r0… 32, %d0… 64, %q0… 128. Ten of each.
class OpcodeBench {
 public:
  /// Statements of a function's body. What cannot be decoded is in error().
  explicit OpcodeBench(const std::string& statements);
  ~OpcodeBench();
  OpcodeBench(const OpcodeBench&) = delete;
  OpcodeBench& operator=(const OpcodeBench&) = delete;

  /// The first thing that a decoder did not know; empty = all is well.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const Instruction& instruction(std::size_t index = 0) const {
    return program_.code[index];
  }
  [[nodiscard]] const InstructionInfo& info(std::size_t index = 0) const {
    return program_.info[index];
  }

  /// Sets all lanes; of a predicate, to whether `value` is not zero.
  void fill(const std::string& name, std::uint64_t value);
  /// The low bytes of `value` to one lane.
  void write(const std::string& name, int lane, std::uint64_t value);
  template <class T>
  void set(const std::string& name, int lane, T value) {
    std::memcpy(address(name, lane), &value, sizeof value);
  }
  template <class T>
  [[nodiscard]] T get(const std::string& name, int lane) {
    T value{};
    std::memcpy(&value, address(name, lane), sizeof value);
    return value;
  }
  [[nodiscard]] Mask& mask(const std::string& name);
  /// A lane's value with zeros above; a predicate's bit.
  [[nodiscard]] std::uint64_t bits(const std::string& name, int lane);

  void run(Mask active = kAllLanes);
  [[nodiscard]] Warp& warp() { return warp_; }
  [[nodiscard]] std::vector<CheckEntry> checks() const { return checks_.entries(); }

 private:
  class Context;

  std::byte* address(const std::string& name, int lane);
  void decode(const std::string& statements);

  Program program_;
  CompiledModule module_;
  BlockState block_;
  LaunchState launch_;
  CheckRecorder checks_;
  Warp warp_;
  std::unique_ptr<Context> context_;
  std::string error_;
};

/// One statement, what %_1, %_2, … hold in all lanes, and what %_0 must hold after it.
struct OpcodeCase {
  const char* statement;
  std::vector<std::uint64_t> sources;
  std::uint64_t expected;
};

/// Runs each case on a full warp and on a part, whose other lanes must keep what they had.
void expect_cases(const std::vector<OpcodeCase>& cases);

/// Runs the statement on values of `edges` and on random ones, others in each lane, and compares
/// %_0 with what `reference` makes of the sources' bits.
using Reference = std::function<std::uint64_t(const std::vector<std::uint64_t>&)>;
void expect_reference(const std::string& statement, int sources,
                      const std::vector<std::uint64_t>& edges, const Reference& reference);

/// The bits of a number, for cases.
[[nodiscard]] inline std::uint64_t f32(float value) { return std::bit_cast<std::uint32_t>(value); }
[[nodiscard]] inline std::uint64_t f64(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace warpmind::simulator::test
