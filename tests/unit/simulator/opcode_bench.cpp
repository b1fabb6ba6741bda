#include "tests/unit/simulator/opcode_bench.h"

#include "profilers/simulator/program/opcode_table.h"
#include "profilers/simulator/ptx/literal.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

constexpr std::uint32_t kRegisterFile = 64 * 1024;
constexpr int kRegistersEach = 10;

std::string module_of(const std::string& statements) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel()\n{\n"
         ".reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<10>;\n.reg .b64 %d<10>;\n"
         ".reg .b128 %q<10>;\n" +
         statements + "\nret;\n}\n";
}

ptx::LiteralKind kind_of(ptx::OperandKind kind) {
  if (kind == ptx::OperandKind::integer) return ptx::LiteralKind::integer;
  return kind == ptx::OperandKind::real32 ? ptx::LiteralKind::real32 : ptx::LiteralKind::real64;
}

bool is_literal(const ptx::Operand& operand) {
  return operand.kind == ptx::OperandKind::integer || operand.kind == ptx::OperandKind::real32 ||
         operand.kind == ptx::OperandKind::real64;
}

}  // namespace

/// Registers by name, and literals as registers that hold them.
class OpcodeBench::Context final : public DecodeContext {
 public:
  explicit Context(Program& program) : program_(program) {
    constexpr std::pair<char, int> kClasses[] = {{'p', 0}, {'h', 2}, {'r', 4}, {'d', 8}, {'q', 16}};
    for (const auto& [letter, bytes] : kClasses) {
      for (int i = 0; i < kRegistersEach; ++i) {
        const std::string name = std::string("%") + letter + std::to_string(i);
        registers_[name] = {place(bytes), bytes};
      }
    }
  }

  Slot source(const ptx::Operand& operand, int bytes, std::string_view type) override {
    if (is_literal(operand)) {
      const ptx::LiteralType wanted{bytes, is_float_type(type), type == "bf16"};
      return constant(ptx::literal_bits({kind_of(operand.kind), operand.bits}, wanted), bytes);
    }
    return find(operand, bytes);
  }
  Slot destination(const ptx::Operand& operand, int bytes) override {
    return operand.kind == ptx::OperandKind::ignored ? scratch(bytes) : find(operand, bytes);
  }
  [[nodiscard]] int register_bytes(const ptx::Operand& operand) const override {
    const auto at = registers_.find(operand.name);
    return at == registers_.end() ? -1 : at->second.bytes;
  }
  Slot scratch(int bytes) override { return place(bytes); }
  Slot constant(std::uint64_t value, int bytes) override {
    const Slot slot = place(bytes);
    program_.constants.push_back({slot, static_cast<std::uint8_t>(bytes), value});
    return slot;
  }
  [[nodiscard]] bool literal(const ptx::Operand& operand, std::uint64_t& value) const override {
    value = operand.bits;
    return is_literal(operand);
  }
  void address(const ptx::Operand& /*operand*/, Space /*space*/, Instruction& /*out*/) override {
    fail("an address");
  }
  std::uint32_t list(const ptx::Operand& /*operand*/, int /*bytes*/, std::string_view /*type*/,
                     bool /*is_destination*/) override {
    fail("a list");
    return 0;
  }
  std::uint32_t add_slot(Slot slot) override {
    program_.slots.push_back(slot);
    return static_cast<std::uint32_t>(program_.slots.size() - 1);
  }
  std::uint32_t new_access() override { return 0; }
  std::int32_t label(const ptx::Operand& /*operand*/) override { return 0; }
  std::int32_t branch_table(const ptx::Operand& /*operand*/) override { return 0; }
  std::int32_t call(const ptx::Statement& /*in*/) override { return 0; }
  void fail(std::string message) override {
    if (error_.empty()) error_ = std::move(message);
  }
  [[nodiscard]] bool failed() const override { return !error_.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }

  struct Register {
    Slot slot = 0;
    int bytes = 0;
  };
  [[nodiscard]] Register named(const std::string& name) const { return registers_.at(name); }
  std::byte* file() { return file_.get(); }

 private:
  Slot find(const ptx::Operand& operand, int bytes) {
    const auto at = registers_.find(operand.name);
    if (at == registers_.end() || at->second.bytes != bytes) {
      fail("the operand " + operand.name + " of " + std::to_string(bytes) + " bytes");
      return 0;
    }
    return at->second.slot;
  }
  Slot place(int bytes) {
    const Slot slot = next_;
    next_ += static_cast<Slot>(bytes == 0 ? 64 : bytes * kLanes);
    if (next_ > kRegisterFile) throw std::length_error("the register file of the test is full");
    return slot;
  }

  struct Release {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
  };
  Program& program_;
  std::map<std::string, Register> registers_;
  std::unique_ptr<std::byte[], Release> file_{new (std::align_val_t{64})
                                                  std::byte[kRegisterFile]()};
  Slot next_ = 0;
  std::string error_;
};

OpcodeBench::OpcodeBench(const std::string& statements)
    : context_(std::make_unique<Context>(program_)) {
  program_.name = "kernel";
  launch_.module = &module_;
  launch_.program = &program_;
  launch_.block = {kLanes, 1, 1};
  launch_.checks = &checks_;
  warp_.registers = context_->file();
  warp_.block = &block_;
  warp_.launch = &launch_;
  warp_.live = kAllLanes;
  warp_.frames.emplace_back();
  warp_.frames.back().program = &program_;
  warp_.frames.back().registers = warp_.registers;
  decode(statements);
}

OpcodeBench::~OpcodeBench() = default;

void OpcodeBench::decode(const std::string& statements) {
  const auto parsed = ptx::parse_ptx(module_of(statements));
  if (!parsed) {
    error_ = parsed.error().message;
    return;
  }
  auto body = parsed->functions.front().body;
  body.pop_back();  // ret
  for (const auto& statement : body) {
    bool knows_opcode = false;
    const Decoder decoder = find_decoder(statement, knows_opcode);
    if (decoder == nullptr) {
      error_ = "no decoder of " + statement.text;
      return;
    }
    Instruction out;
    InstructionInfo info;
    info.text = statement.text;
    out.index = static_cast<std::uint32_t>(program_.code.size());
    decoder(*context_, statement, out, info);
    if (context_->failed()) error_ = context_->error();
    program_.code.push_back(out);
    program_.info.push_back(info);
  }
  for (const auto& constant : program_.constants) {
    if (constant.bytes == 0) predicate(warp_, constant.slot) = constant.low != 0 ? kAllLanes : 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      std::memcpy(warp_.registers + constant.slot + lane * constant.bytes, &constant.low,
                  constant.bytes);
    }
  }
}

std::byte* OpcodeBench::address(const std::string& name, int lane) {
  const auto at = context_->named(name);
  return warp_.registers + at.slot + lane * at.bytes;
}

Mask& OpcodeBench::mask(const std::string& name) {
  return predicate(warp_, context_->named(name).slot);
}

void OpcodeBench::fill(const std::string& name, std::uint64_t value) {
  const int bytes = context_->named(name).bytes;
  if (bytes == 0) {
    mask(name) = value != 0 ? kAllLanes : 0;
    return;
  }
  for (int lane = 0; lane < kLanes; ++lane) write(name, lane, value);
}

void OpcodeBench::write(const std::string& name, int lane, std::uint64_t value) {
  const int bytes = context_->named(name).bytes;
  std::memcpy(address(name, lane), &value, static_cast<std::size_t>(std::min(bytes, 8)));
}

std::uint64_t OpcodeBench::bits(const std::string& name, int lane) {
  const int bytes = context_->named(name).bytes;
  if (bytes == 0) return (mask(name) >> static_cast<unsigned>(lane)) & 1U;
  std::uint64_t value = 0;
  std::memcpy(&value, address(name, lane), static_cast<std::size_t>(std::min(bytes, 8)));
  return value;
}

void OpcodeBench::run(Mask active) {
  for (const auto& instruction : program_.code) instruction.handler(warp_, instruction, active);
}

namespace {

/// The register numbered `number` in a statement: "%r2".
std::string register_numbered(const std::string& statement, std::size_t number) {
  for (std::size_t at = statement.find('%'); at != std::string::npos;
       at = statement.find('%', at + 1)) {
    if (statement.substr(at + 2, 1) == std::to_string(number)) return statement.substr(at, 3);
  }
  throw std::invalid_argument(statement + " has no register " + std::to_string(number));
}

void expect_case(const OpcodeCase& one, Mask active) {
  OpcodeBench bench(one.statement);
  ASSERT_EQ(bench.error(), "") << one.statement;
  const std::string result = register_numbered(one.statement, 0);
  constexpr std::uint64_t kBefore = 0x5a5a'1234'6789'abcd;
  bench.fill(result, kBefore);
  const std::uint64_t before = bench.bits(result, 0);
  for (std::size_t i = 0; i < one.sources.size(); ++i) {
    bench.fill(register_numbered(one.statement, i + 1), one.sources[i]);
  }
  bench.run(active);
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool runs = ((active >> static_cast<unsigned>(lane)) & 1U) != 0;
    ASSERT_EQ(testing::PrintToString(bench.bits(result, lane)),
              testing::PrintToString(runs ? one.expected : before))
        << one.statement << std::hex << " gives 0x" << bench.bits(result, lane) << ", not 0x"
        << (runs ? one.expected : before) << std::dec << " in lane " << lane << ", active "
        << std::hex << active << ", first source 0x"
        << (one.sources.empty() ? 0 : one.sources.front());
  }
}

}  // namespace

void expect_cases(const std::vector<OpcodeCase>& cases) {
  for (const auto& one : cases) {
    expect_case(one, kAllLanes);
    expect_case(one, 0x8f0f'a5a5U);
  }
}

void expect_reference(const std::string& statement, int sources,
                      const std::vector<std::uint64_t>& edges, const Reference& reference) {
  constexpr int kRounds = 40;
  std::mt19937_64 random(42);
  OpcodeBench bench(statement);
  ASSERT_EQ(bench.error(), "") << statement;
  const std::string result = register_numbered(statement, 0);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<std::uint64_t>> given(kLanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 1; i <= sources; ++i) {
        const std::string name = register_numbered(statement, static_cast<std::size_t>(i));
        const bool takes_edge = !edges.empty() && random() % 2 == 0;
        const std::uint64_t value = takes_edge ? edges[random() % edges.size()] : random();
        bench.write(name, lane, value);
        given[static_cast<std::size_t>(lane)].push_back(bench.bits(name, lane));
      }
    }
    bench.run();
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto& values = given[static_cast<std::size_t>(lane)];
      ASSERT_EQ(bench.bits(result, lane), reference(values))
          << statement << " of " << testing::PrintToString(values);
    }
  }
}

}  // namespace warpmind::simulator::test
