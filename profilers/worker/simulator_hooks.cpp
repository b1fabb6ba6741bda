#include "profilers/worker/simulator_hooks.h"

#include "profilers/simulator/cudart/hooks.h"

#include <array>
#include <dlfcn.h>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kSealBytes = 65;  // as the hook says; a seal needs 41

template <class Function>
Function find_hook(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void restrict_access(void* allocation, std::size_t before, std::size_t bytes) {
  static const auto hook = find_hook<decltype(&cudasimRestrictAccess)>("cudasimRestrictAccess");
  if (hook != nullptr) hook(allocation, before, bytes);
}

void forget_content(void* memory, std::size_t bytes) {
  static const auto hook = find_hook<decltype(&cudasimForgetContent)>("cudasimForgetContent");
  if (hook != nullptr) hook(memory, bytes);
}

void sample_blocks(const BlockSample& blocks) {
  static const auto hook = find_hook<decltype(&cudasimSampleBlocks)>("cudasimSampleBlocks");
  if (hook != nullptr) hook(blocks.seed, blocks.instructions);
}

bool oppose_order(bool opposite) {
  static const auto hook = find_hook<decltype(&cudasimOpposeOrder)>("cudasimOpposeOrder");
  if (hook == nullptr) return false;
  hook(opposite ? 1 : 0);
  return opposite;
}

void seal_reports(const std::string& key) {
  static const auto hook = find_hook<decltype(&cudasimSealReports)>("cudasimSealReports");
  if (hook != nullptr) hook(key.c_str());
}

std::string report_seal(const std::string& key) {
  static const auto hook = find_hook<decltype(&cudasimReportSeal)>("cudasimReportSeal");
  if (hook == nullptr) return {};
  std::array<char, kSealBytes> seal{};
  hook(key.c_str(), seal.data());
  return seal.data();
}

std::uint64_t runtime_thread_ns() {
  static const auto hook =
      find_hook<decltype(&cudasimThreadNanoseconds)>("cudasimThreadNanoseconds");
  return hook == nullptr ? 0 : hook();
}

}  // namespace warpmind::profilers
