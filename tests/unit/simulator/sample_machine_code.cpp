#include "tests/unit/simulator/sample_machine_code.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kHeaderBytes = 64;

template <class T>
void put(std::vector<std::byte>& out, std::size_t offset, T value) {
  if (out.size() < offset + sizeof(T)) out.resize(offset + sizeof(T));
  std::memcpy(out.data() + offset, &value, sizeof(T));
}

struct Words {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

Words words_of(const Encoding& one, int architecture) {
  Words words;
  words.low = one.opcode | std::uint64_t{7} << 12U;  // always
  std::uint64_t control = one.stall;
  control |= std::uint64_t{one.write_barrier} << 5U;
  control |= std::uint64_t{one.read_barrier} << 8U;
  control |= std::uint64_t{one.wait_mask} << 11U;
  words.high = control << 41U;
  if ((one.opcode & 0x1ffU) == (kBra & 0x1ffU)) {
    auto offset = static_cast<std::uint64_t>(one.offset * 4);
    if (architecture >= 90) {
      words.low |= (offset & 0xffU) << 16U;
      offset = static_cast<std::uint64_t>(one.offset * 4 >> 8U);
    }
    words.low |= offset << 34U;
    words.high |= offset >> 30U & 0x3ffffU;
  }
  return words;
}

void put_section(std::vector<std::byte>& out, std::size_t at, std::array<std::uint64_t, 4> what) {
  const auto [name, type, offset, size] = what;
  put(out, at, static_cast<std::uint32_t>(name));
  put(out, at + 4, static_cast<std::uint32_t>(type));
  put(out, at + 24, offset);
  put(out, at + 32, size);
  put(out, at + 56, std::uint64_t{0});
}

}  // namespace

std::vector<std::byte> encode(std::span<const Encoding> code, int architecture) {
  std::vector<std::byte> out;
  for (const auto& one : code) put(out, out.size(), words_of(one, architecture));
  return out;
}

std::vector<std::byte> make_cubin(const std::string& name, std::span<const std::byte> code,
                                  int architecture) {
  const std::string names = std::string("\0.shstrtab\0", 11) + ".text." + name + '\0';
  std::vector<std::byte> out(kHeaderBytes);
  constexpr std::array<unsigned char, 9> kIdent = {0x7f, 'E', 'L', 'F', 2, 1, 1, 65, 8};
  std::memcpy(out.data(), kIdent.data(), kIdent.size());
  put(out, 16, std::uint16_t{2});
  put(out, 18, std::uint16_t{190});
  put(out, 48, static_cast<std::uint32_t>(architecture) << 8U);
  const std::size_t names_at = out.size();
  out.resize(names_at + names.size());
  std::memcpy(out.data() + names_at, names.data(), names.size());
  const std::size_t code_at = out.size();
  out.insert(out.end(), code.begin(), code.end());
  const std::size_t table = out.size();
  put_section(out, table, {0, 0, 0, 0});
  put_section(out, table + 64, {1, 3, names_at, names.size()});
  put_section(out, table + 128, {11, 1, code_at, code.size()});
  put(out, 40, std::uint64_t{table});
  put(out, 58, std::uint16_t{64});
  put(out, 60, std::uint16_t{3});
  put(out, 62, std::uint16_t{1});
  return out;
}

std::optional<std::vector<std::byte>> assemble(const std::string& body, int architecture) {
  const std::string path = "PATH=\"$PATH:/usr/local/cuda/bin\"; ";
  // NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): a test on a machine with a compiler
  if (std::system((path + "command -v ptxas > /dev/null").c_str()) != 0) return std::nullopt;
  std::string directory = (std::filesystem::temp_directory_path() / "warpmind-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) return std::nullopt;
  const std::string target = "sm_" + std::to_string(architecture);
  std::ofstream(directory + "/k.ptx")
      << ".version 9.0\n.target " << target << "\n.address_size 64\n"
      << ".visible .entry k(.param .u64 a, .param .u32 n) {\n.reg .b32 %r<16>; .reg .f32 %f<16>;\n"
      << ".reg .b64 %l<8>; .reg .pred %p<4>;\nld.param.u64 %l0, [a]; ld.param.u32 %r0, [n];\n"
      << body << "ret;\n}\n";
  const std::string command =
      path + "cd " + directory + " && ptxas -arch=" + target + " k.ptx -o k.cubin";
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  std::ifstream file(directory + "/k.cubin", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::filesystem::remove_all(directory);
  if (status != 0) return std::vector<std::byte>();
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return std::vector<std::byte>(first, first + text.size());
}

}  // namespace warpmind::simulator
