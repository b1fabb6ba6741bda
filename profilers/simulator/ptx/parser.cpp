#include "profilers/simulator/ptx/parser.h"

#include "profilers/simulator/ptx/module_parser.h"

#include <array>
#include <utility>

namespace warpmind::simulator::ptx {
namespace {

struct TypeSize {
  std::string_view name;
  int bytes;
};
constexpr std::array kTypes = {
    TypeSize{"pred", 0},    TypeSize{"b8", 1},         TypeSize{"u8", 1},    TypeSize{"s8", 1},
    TypeSize{"e4m3", 1},    TypeSize{"e5m2", 1},       TypeSize{"b16", 2},   TypeSize{"u16", 2},
    TypeSize{"s16", 2},     TypeSize{"f16", 2},        TypeSize{"bf16", 2},  TypeSize{"b32", 4},
    TypeSize{"u32", 4},     TypeSize{"s32", 4},        TypeSize{"f32", 4},   TypeSize{"tf32", 4},
    TypeSize{"f16x2", 4},   TypeSize{"bf16x2", 4},     TypeSize{"b64", 8},   TypeSize{"u64", 8},
    TypeSize{"s64", 8},     TypeSize{"f64", 8},        TypeSize{"b128", 16}, TypeSize{"texref", 8},
    TypeSize{"surfref", 8}, TypeSize{"samplerref", 8},
};

}  // namespace

int declared_bytes(std::string_view type) {
  for (const auto& known : kTypes) {
    if (known.name == type) return known.bytes;
  }
  return -1;
}

bool find_space(std::string_view directive, Space& space) {
  static constexpr std::array<std::pair<std::string_view, Space>, 5> kSpaces = {
      {{".global", Space::global},
       {".const", Space::constant},
       {".shared", Space::shared},
       {".local", Space::local},
       {".param", Space::param}}};
  for (const auto& [name, known] : kSpaces) {
    if (name == directive) {
      space = known;
      return true;
    }
  }
  return false;
}

void ModuleParser::parse_version() {
  if (!reader_.peek().is(".version")) {
    reader_.fail("PTX begins with .version");
    return;
  }
  reader_.take();
  const Token version = reader_.take();
  const std::size_t dot = version.text.find('.');
  int* parts[] = {&module_.version_major, &module_.version_minor};
  std::string_view rest = version.text;
  bool is_good = version.kind == TokenKind::number && dot != std::string_view::npos;
  for (int* part : parts) {
    const std::string_view digits = rest.substr(0, part == parts[0] ? dot : rest.size());
    is_good = is_good && !digits.empty() && digits.size() <= 3 &&
              digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_good) break;
    for (const char digit : digits) *part = *part * 10 + (digit - '0');
    rest.remove_prefix(digits.size() < rest.size() ? digits.size() + 1 : 0);
  }
  if (!is_good) {
    reader_.fail_at(version.line, ".version is not followed by a version such as 8.5");
  } else if (module_.version_major < kOldestMajor || module_.version_major > kNewestMajor) {
    reader_.fail_at(version.line,
                    "PTX ISA " + std::string(version.text) + " is not read, only versions " +
                        std::to_string(kOldestMajor) + ".0 to " + std::to_string(kNewestMajor) +
                        ".x: compile with an nvcc of CUDA " +
                        (module_.version_major < kOldestMajor ? "9 or newer" : "12 or 13"));
  }
}

void ModuleParser::parse_target() {
  module_.target = reader_.expect_word("a target such as sm_90");
  while (reader_.accept(",")) (void)reader_.expect_word("a target option");
}

void ModuleParser::parse_file() {
  const std::uint64_t index = reader_.expect_count("the number of a file");
  const Token name = reader_.take();
  if (name.kind != TokenKind::quoted) {
    reader_.fail_at(name.line, ".file has no name in quotes");
    return;
  }
  module_.files[static_cast<int>(index)] = std::string(name.text);
  // Time stamp and size, which nobody needs.
  while (reader_.accept(",")) (void)reader_.expect_count("a number");
}

void ModuleParser::parse_module_directive() {
  Linkage linkage;
  while (true) {
    const Token& token = reader_.peek();
    if (token.is(".extern")) linkage.is_extern = true;
    if (!token.is(".extern") && !token.is(".visible") && !token.is(".weak") &&
        !token.is(".common")) {
      break;
    }
    reader_.take();
  }
  const Token directive = reader_.take();
  Space space = Space::generic;
  if (directive.is(".entry") || directive.is(".func")) {
    parse_function(directive.is(".entry"), linkage);
  } else if (find_space(directive.text, space) && directive.kind == TokenKind::word &&
             space != Space::param && space != Space::local) {
    for (Variable& variable : parse_variables(space, linkage)) {
      module_.variables.push_back(std::move(variable));
    }
  } else if (directive.is(".target")) {
    parse_target();
  } else if (directive.is(".address_size")) {
    if (reader_.expect_count("64") != 64) reader_.fail("only 64-bit addresses are read");
  } else if (directive.is(".file")) {
    parse_file();
  } else if (directive.is(".section")) {
    (void)reader_.expect_word("the name of a section");
    if (reader_.expect("{")) reader_.skip_braces();
  } else if (directive.is(".pragma")) {
    while (!reader_.at_end() && !reader_.accept(";")) reader_.take();
  } else {
    reader_.fail_at(directive.line, "\"" + std::string(directive.text.substr(0, 60)) +
                                        "\" is no directive of a module that is read");
  }
}

void ModuleParser::resolve_lines(Module& module) const {
  const int main_file = find_main_file(module.files);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    for (std::size_t i = 0; i < module.functions[f].body.size(); ++i) {
      Statement& statement = module.functions[f].body[i];
      const SourcePlace place = lines_.resolve(places_[f][i], main_file);
      statement.source_file = place.line == 0 ? 0 : place.file;
      statement.source_line = place.line;
    }
  }
}

Module ModuleParser::parse() {
  parse_version();
  while (!reader_.at_end()) parse_module_directive();
  if (!reader_.failed() && module_.target.empty()) reader_.fail("there is no .target");
  if (!reader_.failed()) resolve_lines(module_);
  return std::move(module_);
}

Result<Module> parse_ptx(std::string_view text) {
  // A fatbin's text ends in zeros.
  text = text.substr(0, text.find('\0'));
  ModuleParser parser(text);
  Module module = parser.parse();
  if (parser.reader().failed()) return fail(Errc::invalid_argument, parser.reader().error());
  return module;
}

}  // namespace warpmind::simulator::ptx
