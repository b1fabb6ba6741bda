#include "base/kernel_name.h"

#include "base/text.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace warpmind {
namespace {

struct FreeText {
  void operator()(char* text) const { std::free(text); }  // NOLINT: __cxa_demangle uses malloc
};

}  // namespace

std::optional<std::string> demangle(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return std::nullopt;  // "f" would be read as the type float
  int status = 0;
  const std::unique_ptr<char, FreeText> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
  if (status != 0 || text == nullptr) return std::nullopt;
  return std::string(text.get());
}

std::string readable_kernel_name(const std::string& linker_name) {
  // nvcc puts something before the name of a static kernel.
  const auto start = linker_name.starts_with("__nv_static") ? linker_name.find("_Z") : 0;
  const std::string mangled = linker_name.substr(start == std::string::npos ? 0 : start);
  auto demangled = demangle(mangled);
  if (!demangled) return linker_name;
  std::string name = *std::move(demangled);
  name = replace_text(std::move(name), "(anonymous namespace)::", "");
  // Template functions carry their return type; parameters begin outside of angle brackets.
  if (name.starts_with("void ")) name.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
  }
  return name;
}

std::string_view plain_name(std::string_view readable) {
  readable = readable.substr(0, readable.find('<'));
  const auto colon = readable.rfind("::");
  return colon == std::string_view::npos ? readable : readable.substr(colon + 2);
}

}  // namespace warpmind
