#include "profilers/program/linked_runtime.h"

#include "base/file.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string_view>
#include <vector>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kMostProgramBytes = std::size_t{1} << 30U;

/// A copy of the T at `offset`; false when the file ends before.
template <class T>
bool read_at(std::string_view bytes, std::uint64_t offset, T& out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return true;
}

std::string_view text_at(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset, 4096);
  return rest.substr(0, rest.find('\0'));
}

std::vector<Elf64_Shdr> sections_of(std::string_view bytes, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read_at(bytes, header.e_shoff + i * sizeof section, section)) return {};
    sections.push_back(section);
  }
  return sections;
}

bool needs_runtime(std::string_view bytes, const std::vector<Elf64_Shdr>& sections,
                   const Elf64_Shdr& dynamic) {
  if (dynamic.sh_link >= sections.size()) return false;
  const std::uint64_t names = sections[dynamic.sh_link].sh_offset;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.sh_size; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry{};
    if (!read_at(bytes, dynamic.sh_offset + at, entry) || entry.d_tag == DT_NULL) return false;
    if (entry.d_tag != DT_NEEDED) continue;
    if (text_at(bytes, names + entry.d_un.d_val).starts_with("libcudart.so")) return true;
  }
  return false;
}

}  // namespace

LinkedRuntime linked_runtime(const std::filesystem::path& program) {
  const auto content = read_file(program, kMostProgramBytes);
  Elf64_Ehdr header{};
  if (!content || !read_at(*content, 0, header)) return LinkedRuntime::unknown;
  const bool fits = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                    header.e_ident[EI_CLASS] == ELFCLASS64 &&
                    header.e_shentsize == sizeof(Elf64_Shdr);
  if (!fits) return LinkedRuntime::unknown;
  const auto sections = sections_of(*content, header);
  if (header.e_shstrndx >= sections.size()) return LinkedRuntime::unknown;
  const std::uint64_t names = sections[header.e_shstrndx].sh_offset;
  bool device_code = false;
  for (const auto& section : sections) {
    if (section.sh_type == SHT_DYNAMIC && needs_runtime(*content, sections, section)) {
      return LinkedRuntime::shared;
    }
    device_code =
        device_code || text_at(*content, names + section.sh_name).starts_with(".nv_fatbin");
  }
  return device_code ? LinkedRuntime::inside : LinkedRuntime::unknown;
}

}  // namespace warpmind::profilers
