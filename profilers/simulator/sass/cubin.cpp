#include "profilers/simulator/sass/cubin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kSectionHeaderBytes = 64;
constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint32_t kNoBits = 8;  // a section without bytes in the file
constexpr std::size_t kInstructionBytes = 16;

// Attributes of .nv.info, as seen in the output of ptxas 13.0: {format, attribute, u16}, and for
// format 4 as many bytes as the u16 says.
constexpr std::uint8_t kFormatSized = 4;
constexpr std::uint8_t kRegisterCount = 0x2f;        // {symbol, registers}
constexpr std::uint8_t kParameterBlockBytes = 0x19;  // in the u16
// What __launch_bounds__ and -maxrregcount leave behind beside the code that they led to.
constexpr std::uint8_t kMostThreads = 0x05;
constexpr std::uint8_t kMostRegisters = 0x1b;

constexpr std::string_view kCodePrefix = ".text.";
constexpr std::string_view kInfoName = ".nv.info";

struct Section {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint32_t info = 0;
  std::uint64_t size = 0;  ///< in memory: a section without bytes in the file has one, too
  std::span<const std::byte> bytes;
};

template <class T>
std::optional<T> read(std::span<const std::byte> bytes, std::size_t offset) {
  if (bytes.size() < sizeof(T) || offset > bytes.size() - sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Result<std::span<const std::byte>> part(std::span<const std::byte> bytes, std::uint64_t offset,
                                        std::uint64_t size, std::string_view what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return fail(Errc::corrupt_data, "cubin: " + std::string(what) + " reaches past the end, to " +
                                        std::to_string(offset) + " + " + std::to_string(size) +
                                        " of " + std::to_string(bytes.size()) + " bytes");
  }
  return bytes.subspan(offset, size);
}

std::string_view text_at(std::span<const std::byte> strings, std::uint32_t offset) {
  if (offset >= strings.size()) return {};
  const auto rest = strings.subspan(offset);
  const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
  if (end == rest.end()) return {};
  return {reinterpret_cast<const char*>(rest.data()), static_cast<std::size_t>(end - rest.begin())};
}

/// Sections with their names, in the order of the file.
Result<std::vector<Section>> read_sections(std::span<const std::byte> bytes) {
  const auto table_offset = read<std::uint64_t>(bytes, 40).value_or(0);
  const auto entry_bytes = read<std::uint16_t>(bytes, 58).value_or(0);
  const auto count = read<std::uint16_t>(bytes, 60).value_or(0);
  const auto names_index = read<std::uint16_t>(bytes, 62).value_or(0);
  if (entry_bytes != kSectionHeaderBytes || names_index >= count) {
    return fail(Errc::corrupt_data, "cubin: the section table is malformed");
  }
  WARPMIND_TRY(const auto table,
               part(bytes, table_offset, count * kSectionHeaderBytes, "the section table"));
  const auto header = [&](std::size_t index) {
    return table.subspan(index * kSectionHeaderBytes, kSectionHeaderBytes);
  };
  const auto contents = [&](std::size_t index) -> Result<std::span<const std::byte>> {
    const auto one = header(index);
    if (read<std::uint32_t>(one, 4) == kNoBits) return std::span<const std::byte>();
    return part(bytes, *read<std::uint64_t>(one, 24), *read<std::uint64_t>(one, 32),
                "section " + std::to_string(index));
  };
  WARPMIND_TRY(const auto names, contents(names_index));
  std::vector<Section> sections(count);
  for (std::size_t i = 0; i < count; ++i) {
    sections[i].name = text_at(names, *read<std::uint32_t>(header(i), 0));
    sections[i].type = *read<std::uint32_t>(header(i), 4);
    sections[i].info = *read<std::uint32_t>(header(i), 44);
    sections[i].size = *read<std::uint64_t>(header(i), 32);
    WARPMIND_TRY(sections[i].bytes, contents(i));
  }
  return sections;
}

/// Calls `visit(attribute, value or first words)` for each attribute of a .nv.info section.
template <class Visit>
Result<void> visit_attributes(const Section& section, Visit visit) {
  std::size_t at = 0;
  while (at + 4 <= section.bytes.size()) {
    const auto format = *read<std::uint8_t>(section.bytes, at);
    const auto attribute = *read<std::uint8_t>(section.bytes, at + 1);
    const auto value = *read<std::uint16_t>(section.bytes, at + 2);
    at += 4;
    if (format != kFormatSized) {
      visit(attribute, value, std::span<const std::byte>());
      continue;
    }
    WARPMIND_TRY(const auto payload, part(section.bytes, at, value, section.name));
    visit(attribute, value, payload);
    at += value;
  }
  return {};
}

Result<std::map<std::uint32_t, int>> registers_by_symbol(const std::vector<Section>& sections) {
  std::map<std::uint32_t, int> registers;
  for (const auto& section : sections) {
    if (section.name != kInfoName) continue;
    WARPMIND_CHECK(visit_attributes(
        section, [&](std::uint8_t attribute, std::uint16_t, std::span<const std::byte> payload) {
          if (attribute != kRegisterCount || payload.size() < 8) return;
          const auto count = *read<std::uint32_t>(payload, 4);
          // 255 is the most that an instruction can name.
          if (count <= 256) registers[*read<std::uint32_t>(payload, 0)] = static_cast<int>(count);
        }));
  }
  return registers;
}

Result<int> parameter_bytes(const std::vector<Section>& sections, std::string_view kernel) {
  int bytes = 0;
  for (const auto& section : sections) {
    if (!section.name.starts_with(kInfoName) ||
        section.name.substr(kInfoName.size()) != "." + std::string(kernel)) {
      continue;
    }
    WARPMIND_CHECK(visit_attributes(
        section, [&](std::uint8_t attribute, std::uint16_t value, std::span<const std::byte>) {
          if (attribute == kParameterBlockBytes) bytes = value;
        }));
  }
  return bytes;
}

bool is_device_content(std::string_view name) {
  constexpr std::array<std::string_view, 7> kPrefixes = {
      ".text.",     ".nv.constant", ".nv.global", ".nv.shared.",
      ".nv.local.", ".rel.text.",   ".rela.text."};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The attributes of one kernel, but for the bounds on its launches.
Result<std::string> attributes_text(const Section& section) {
  std::string text;
  WARPMIND_CHECK(visit_attributes(section, [&](std::uint8_t attribute, std::uint16_t value,
                                               std::span<const std::byte> payload) {
    if (attribute == kMostThreads || attribute == kMostRegisters) return;
    text += std::to_string(attribute) + ":" + std::to_string(value) + ":";
    text += text_of(payload);
  }));
  return text;
}

/// Since ELF ABI version 8 (CUDA 13) in the second byte of the flags, before in the lowest.
int architecture_of(std::uint32_t flags, std::uint8_t abi_version) {
  return static_cast<int>(abi_version >= 8 ? flags >> 8U & 0xffU : flags & 0xffU);
}

/// Whether it is the kind of file whose sections mean something here.
Result<void> check_header(std::span<const std::byte> bytes) {
  constexpr std::array<std::uint8_t, 6> kMagic = {0x7f, 'E', 'L', 'F', 2, 1};  // 64 bit, little
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return fail(Errc::corrupt_data, "cubin: not a 64-bit little-endian ELF file");
  }
  if (read<std::uint16_t>(bytes, 18) != kMachineCuda) {
    return fail(Errc::corrupt_data, "cubin: an ELF file, but not for a CUDA device");
  }
  return {};
}

}  // namespace

const CubinKernel* Cubin::find(std::string_view kernel) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const CubinKernel& one) { return one.name == kernel; });
  return found == kernels.end() ? nullptr : &*found;
}

Result<Cubin> read_cubin(std::span<const std::byte> bytes) {
  WARPMIND_CHECK(check_header(bytes));
  Cubin cubin;
  cubin.architecture =
      architecture_of(*read<std::uint32_t>(bytes, 48), *read<std::uint8_t>(bytes, 8));
  WARPMIND_TRY(const auto sections, read_sections(bytes));
  WARPMIND_TRY(const auto registers, registers_by_symbol(sections));
  for (const auto& section : sections) {
    if (!section.name.starts_with(kCodePrefix) || section.type == kNoBits) continue;
    CubinKernel kernel;
    kernel.name = section.name.substr(kCodePrefix.size());
    if (section.bytes.size() % kInstructionBytes != 0) {
      return fail(Errc::corrupt_data, "cubin: the code of '" + kernel.name + "' has " +
                                          std::to_string(section.bytes.size()) +
                                          " bytes, not a multiple of 16");
    }
    kernel.code.assign(section.bytes.begin(), section.bytes.end());
    const auto count = registers.find(section.info & 0xffffffU);
    if (count != registers.end()) kernel.registers = count->second;
    WARPMIND_TRY(kernel.parameter_bytes, parameter_bytes(sections, kernel.name));
    cubin.kernels.push_back(std::move(kernel));
  }
  return cubin;
}

/// Each with its length, so that two lists of parts never give the same text.
static void append_parts(std::string& content, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    content += std::to_string(part.size()) + ":";
    content += part;
  }
}

Result<std::string> machine_code_content(std::span<const std::byte> bytes) {
  WARPMIND_CHECK(check_header(bytes));
  WARPMIND_TRY(const auto sections, read_sections(bytes));
  WARPMIND_TRY(const auto registers, registers_by_symbol(sections));
  std::string content;
  for (const auto& section : sections) {
    if (section.name.starts_with(".nv.info.")) {
      WARPMIND_TRY(const auto attributes, attributes_text(section));
      append_parts(content, {section.name, attributes});
    } else if (is_device_content(section.name)) {
      const auto count = registers.find(section.info & 0xffffffU);
      const int used =
          section.name.starts_with(kCodePrefix) && count != registers.end() ? count->second : 0;
      append_parts(content, {section.name, std::to_string(section.size), std::to_string(used),
                             text_of(section.bytes)});
    }
  }
  return content;
}

}  // namespace warpmind::simulator
