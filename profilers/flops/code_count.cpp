#include "profilers/flops/code_count.h"

#include "base/compiler_complaint.h"
#include "base/file.h"
#include "profilers/flops/plan_count.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/simulator/ptx/parser.h"
#include "profilers/simulator/sass/fatbin.h"
#include "profilers/toolchain/kernel_toolchain.h"

#include <cstring>
#include <span>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text));
}

bool is_elf(const std::string& text) {
  return text.starts_with(
      "\x7f"
      "ELF");
}

bool is_fatbin(const std::string& text) {
  std::uint32_t magic = 0;
  if (text.size() < simulator::kFatbinHeaderBytes) return false;
  std::memcpy(&magic, text.data(), sizeof(magic));
  return magic == simulator::kFatbinMagic;
}

Result<void> add_ptx(std::string_view text, CodeCount& count) {
  WARPMIND_TRY(const auto module, simulator::ptx::parse_ptx(text));
  count.ptx = std::string(text);
  if (count.architecture.empty()) count.architecture = module.target;
  for (const auto& function : module.functions) {
    if (function.is_entry && !function.is_declaration) {
      count.kernels.push_back(count_ptx(function));
    }
  }
  return {};
}

Result<void> add_machine_code(std::span<const std::byte> bytes, CodeCount& count) {
  WARPMIND_TRY(const auto cubin, simulator::read_cubin(bytes));
  count.architecture = "sm_" + std::to_string(cubin.architecture);
  for (const auto& kernel : cubin.kernels) {
    WARPMIND_TRY(auto counted, count_sass(kernel, cubin.architecture));
    count.kernels.push_back(std::move(counted));
  }
  return {};
}

Result<void> add_fatbin(const std::string& text, CodeCount& count) {
  WARPMIND_TRY(const auto ptx, ptx_of_fatbin(bytes_of(text)));
  WARPMIND_CHECK(add_ptx(ptx, count));
  WARPMIND_TRY(const auto entries, simulator::fatbin_entries(bytes_of(text)));
  for (const auto& entry : entries) {
    if (entry.kind != simulator::FatbinEntry::kCubin || entry.plain_bytes != 0) continue;
    const auto added = add_machine_code(entry.payload, count);
    // PTX is counted all the same: a new machine's code is no reason to refuse.
    if (!added) count.note = "machine code is left out: " + added.error().message;
    break;
  }
  return {};
}

}  // namespace

Result<CodeCount> count_code_file(const fs::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kMostCodeBytes));
  CodeCount count;
  if (is_elf(text)) {
    WARPMIND_CHECK(add_machine_code(bytes_of(text), count));
  } else if (is_fatbin(text)) {
    WARPMIND_CHECK(add_fatbin(text, count));
  } else if (text.find(".version") != std::string::npos) {
    WARPMIND_CHECK(add_ptx(text, count));
  } else {
    return fail(Errc::invalid_argument,
                file.string() +
                    " is neither PTX nor a cubin nor a fat binary; give a .cu, .ptx, "
                    ".cubin or .fatbin file");
  }
  return count;
}

Result<CodeCount> count_kernel(const Kernel& kernel, const DeviceSpec& device,
                               const config::Settings& settings, const std::stop_token& stop) {
  WARPMIND_TRY(const auto sandbox, make_sandbox(settings));
  WARPMIND_TRY(const auto toolchain, KernelToolchain::create(settings.toolchain, *sandbox));
  const std::string architecture =
      "sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor);
  WARPMIND_TRY(const auto built, toolchain.build_kernel(kernel, architecture, stop));
  if (!built.report.succeeded) {
    return fail(Errc::invalid_argument,
                "does not build: " + first_error_line(built.report.diagnostics));
  }
  if (kernel.tier != Tier::a) {
    return fail(Errc::invalid_argument,
                "only kernels of tier a are counted: the device code of a host entry is not known");
  }
  WARPMIND_TRY(const std::string text, read_file(built.binary, kMostCodeBytes));
  CodeCount count;
  WARPMIND_CHECK(add_fatbin(text, count));
  return count;
}

}  // namespace warpmind::profilers
