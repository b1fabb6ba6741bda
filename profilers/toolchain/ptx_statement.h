#pragma once
/// \file
/// One statement of PTX, for those that write PTX anew with other arithmetic.

#include <string_view>
#include <vector>

namespace warpmind::profilers {

struct PtxStatement {
  std::string_view before;  ///< spaces and an opening brace
  std::string_view guard;   ///< "@%p1 ", or empty
  std::string_view opcode;
  std::string_view result;
  std::string_view operands;  ///< behind the result's comma
  std::string_view after;     ///< behind the semicolon
};

/// Of a line that holds one statement; an empty opcode for any other.
[[nodiscard]] PtxStatement read_statement(std::string_view line);

/// "add.rn.f32" in its parts.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view opcode);

/// The operands behind the result, without spaces around them.
[[nodiscard]] std::vector<std::string_view> operands_of(const PtxStatement& statement);

}  // namespace warpmind::profilers
