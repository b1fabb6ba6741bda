#include "base/sequence.h"
#include "profilers/simulator/ptx/module_parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace warpmind::simulator::ptx {
namespace {

/// Kernels may have 32764 bytes; functions more than anybody passes.
constexpr std::uint64_t kMostParameterBytes = std::uint64_t{1} << 24U;

}  // namespace

void ModuleParser::parse_function(bool is_entry, const Linkage& linkage) {
  Function function;
  function.is_entry = is_entry;
  function.ptx_line = reader_.line();
  std::uint32_t result_bytes = 0;
  if (!is_entry && reader_.peek().is("(")) function.results = parse_parameters(result_bytes);
  function.name = reader_.expect_word("the name of a function");
  if (reader_.peek().is("(")) function.parameters = parse_parameters(function.parameter_bytes);
  parse_function_directives(function);
  places_.emplace_back();
  if (reader_.accept(";")) {
    function.is_declaration = true;
  } else if (linkage.is_extern) {
    reader_.fail("an .extern function has a body");
  } else if (reader_.expect("{")) {
    lines_.begin_function();
    place_ = -1;
    parse_body(function);
  }
  module_.functions.push_back(std::move(function));
}

std::vector<Parameter> ModuleParser::parse_parameters(std::uint32_t& bytes) {
  std::vector<Parameter> parameters;
  std::uint64_t offset = 0;
  reader_.expect("(");
  while (!reader_.at_end() && !reader_.accept(")")) {
    if (!parameters.empty() && !reader_.expect(",")) break;
    if (!reader_.accept(".param")) {
      reader_.fail_unexpected(".param (parameters in registers are not read)");
      break;
    }
    Declarator declarator = parse_type();
    parse_name(declarator);
    const std::uint64_t size = total_bytes(declarator);
    const std::uint64_t alignment = declarator.natural_alignment();
    offset = (offset + alignment - 1) / alignment * alignment;
    if (size > kMostParameterBytes || offset + size > kMostParameterBytes) {
      reader_.fail("parameters are larger than 16 MiB");
      break;
    }
    parameters.push_back({std::string(declarator.name), static_cast<std::uint32_t>(offset),
                          static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(alignment)});
    offset += size;
  }
  if (reader_.at_end()) reader_.fail("a list of parameters does not end");
  bytes = static_cast<std::uint32_t>(offset);
  return parameters;
}

void ModuleParser::parse_dimensions(std::uint32_t (&dimensions)[3]) {
  std::fill(std::begin(dimensions), std::end(dimensions), 1U);
  for (auto& dimension : dimensions) {
    const std::uint64_t count = reader_.expect_count("a number of threads or blocks");
    if (count > std::numeric_limits<std::int32_t>::max()) reader_.fail("a dimension is too large");
    dimension = static_cast<std::uint32_t>(count);
    if (!reader_.accept(",")) break;
  }
}

void ModuleParser::parse_function_directives(Function& function) {
  // Hints to the register allocation and the scheduler: they change no result.
  static constexpr std::array<std::string_view, 5> kWithNumber = {
      ".minnctapersm", ".maxnctapersm", ".maxnreg", ".maxclusterrank", ".abi_preserve"};
  static constexpr std::array<std::string_view, 3> kAlone = {".noreturn", ".explicitcluster",
                                                             ".blocksareclusters"};
  while (reader_.peek().kind == TokenKind::word) {
    const Token directive = reader_.take();
    std::uint32_t most[3] = {0, 0, 0};
    if (directive.is(".maxntid")) {
      parse_dimensions(most);
      const std::uint64_t product = std::uint64_t{most[0]} * most[1] * most[2];
      function.most_threads = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(product, std::numeric_limits<std::uint32_t>::max()));
    } else if (directive.is(".reqntid")) {
      parse_dimensions(function.required_threads);
    } else if (directive.is(".reqnctapercluster")) {
      parse_dimensions(function.cluster_blocks);
    } else if (directive.is(".pragma")) {
      while (!reader_.at_end() && !reader_.accept(";")) reader_.take();
    } else if (contains(kWithNumber, directive.text)) {
      (void)reader_.expect_count("a number");
    } else if (!contains(kAlone, directive.text)) {
      reader_.fail_at(directive.line, "\"" + std::string(directive.text.substr(0, 60)) +
                                          "\" is no directive of a function that is read");
    }
  }
}

}  // namespace warpmind::simulator::ptx
