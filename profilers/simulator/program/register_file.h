#pragma once
/// \file
/// Slots of one function's frame.

#include "profilers/simulator/program/program.h"
#include "profilers/simulator/program/register_packing.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace warpmind::simulator {

/// Hands out slots: a register gets one when it is first named, equal constants share one. What is
/// found out goes into `program`, which must outlive this.
class RegisterFile {
 public:
  /// With `packing` its slots are used; it must outlive this.
  RegisterFile(const ptx::Function& function, Program& program, const RegisterPacking* packing);

  /// First name that is declared twice; empty = none.
  [[nodiscard]] std::string_view declared_twice() const { return declared_twice_; }

  /// Bytes of a lane: 0 = predicate, -1 = no register. 8-bit registers have 2.
  [[nodiscard]] int bytes(std::string_view name) const;
  /// `name` must be a register.
  [[nodiscard]] Slot slot(std::string_view name);
  [[nodiscard]] std::uint32_t number(std::string_view name) const {
    return registers_.at(name).number;
  }
  [[nodiscard]] Slot scratch(int bytes);
  [[nodiscard]] Slot constant(std::uint64_t value, int bytes);
  /// The address of `offset` in the frame's local memory.
  [[nodiscard]] Slot local_address(std::uint64_t offset, int bytes);
  [[nodiscard]] Slot special(SpecialRegister which, int bytes);

  /// Bytes of all slots, a multiple of 64.
  [[nodiscard]] std::uint32_t size() const { return end_; }

 private:
  struct Entry {
    Slot slot = kNoSlot;
    int bytes = 0;
    std::uint32_t number = 0;  ///< in ptx::Function::registers
  };

  Program& program_;
  const RegisterPacking* packing_;
  std::unordered_map<std::string_view, Entry> registers_;  ///< views of the syntax
  std::map<std::pair<std::uint64_t, int>, Slot> constants_;
  std::map<std::pair<std::uint64_t, int>, Slot> local_addresses_;
  std::map<std::pair<SpecialRegister, int>, Slot> specials_;
  std::string_view declared_twice_;
  std::uint32_t end_ = 0;
  Slot next_predicate_ = 0;  ///< predicates share lines of 64 bytes
  Slot predicates_end_ = 0;
};

}  // namespace warpmind::simulator
