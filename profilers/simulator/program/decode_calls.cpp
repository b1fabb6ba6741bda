/// \file
/// FunctionDecoder: calls and the copies that they make.

#include "base/sequence.h"
#include "profilers/simulator/program/function_decoder.h"

#include <algorithm>
#include <array>

namespace warpmind::simulator {
namespace {

using ptx::OperandKind;

/// Functions that a driver provides, and we.
bool is_builtin(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kBuiltins = {"vprintf", "__assertfail", "malloc",
                                                                "free"};
  return contains(kBuiltins, name);
}

bool have_same_sizes(const std::vector<ptx::Parameter>& actual,
                     const std::vector<ptx::Parameter>& formal) {
  return std::equal(actual.begin(), actual.end(), formal.begin(), formal.end(),
                    [](const auto& a, const auto& f) { return a.bytes == f.bytes; });
}

}  // namespace

std::int32_t FunctionDecoder::call(const ptx::Statement& in) {
  const auto name = std::find_if(in.operands.begin(), in.operands.end(), [](const auto& operand) {
    return operand.kind == OperandKind::name;
  });
  if (name == in.operands.end()) {
    fail("nothing is called");
    return 0;
  }
  const auto found = symbols_.functions.find(name->name);
  const ptx::Function* callee = found == symbols_.functions.end() ? nullptr : found->second;
  CallSite site;
  fill_callee(*name, callee, site);
  fill_copies(in, callee, site);
  program_.calls.push_back(std::move(site));
  return static_cast<std::int32_t>(program_.calls.size() - 1);
}

void FunctionDecoder::fill_callee(const ptx::Operand& operand, const ptx::Function* callee,
                                  CallSite& site) {
  if (registers_.bytes(operand.name) >= 0) {
    site.target = register_source(operand, 8);
    return;
  }
  const auto index = symbols_.module.program_index.find(operand.name);
  if (index != symbols_.module.program_index.end()) {
    site.callee = index->second;
  } else if (callee != nullptr && is_builtin(operand.name)) {
    site.builtin = operand.name;
  } else if (callee != nullptr) {
    fail("the function " + operand.name + " has no body in this module");
  } else {
    fail("there is no function " + operand.name);
  }
}

/// Appends the .param variable that `operand` names.
bool FunctionDecoder::add_argument(const ptx::Operand& operand,
                                   std::vector<ptx::Parameter>& arguments) {
  const auto found = std::find_if(
      function_.variables.begin(), function_.variables.end(), [&](const ptx::Variable& variable) {
        return variable.space == Space::param && variable.name == operand.name;
      });
  if (operand.kind != OperandKind::name || found == function_.variables.end()) {
    fail("an argument or a result is no .param variable of the function");
    return false;
  }
  arguments.push_back({found->name, 0, static_cast<std::uint32_t>(found->bytes), found->alignment});
  return true;
}

void FunctionDecoder::fill_copies(const ptx::Statement& in, const ptx::Function* callee,
                                  CallSite& site) {
  std::vector<ptx::Parameter> results;
  std::vector<ptx::Parameter> arguments;
  bool is_after_name = false;
  for (const auto& operand : in.operands) {
    if (operand.kind == OperandKind::vector) {
      auto& names = is_after_name ? arguments : results;
      for (const auto& element : operand.elements) {
        if (!add_argument(element, names)) return;
      }
    }
    is_after_name = is_after_name || operand.kind == OperandKind::name;
  }
  if (callee != nullptr && (!have_same_sizes(results, callee->results) ||
                            !have_same_sizes(arguments, callee->parameters))) {
    fail("arguments or results do not have the sizes that " + callee->name + " declares");
    return;
  }
  const CallLayout layout = callee != nullptr ? lay_out_call(callee->results, callee->parameters)
                                              : lay_out_call(results, arguments);
  for (std::size_t i = 0; i < results.size(); ++i) {
    site.results.push_back(
        {frame_.offsets.at(results[i].name), layout.results[i], results[i].bytes});
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    site.arguments.push_back(
        {frame_.offsets.at(arguments[i].name), layout.parameters[i], arguments[i].bytes});
  }
}

}  // namespace warpmind::simulator
