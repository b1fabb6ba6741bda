#include "profilers/worker/simulator_hooks.h"

#include <array>
#include <dlfcn.h>

namespace warpmind::profilers {
namespace {

// Exported by profilers/simulator/cudart/hooks.cpp.
using RestrictAccess = void (*)(void*, std::size_t, std::size_t);
using ForgetContent = void (*)(void*, std::size_t);
using SampleBlocks = void (*)(std::uint64_t, std::uint64_t);
using SealReports = void (*)(const char*);
using GetSeal = void (*)(const char*, char*);
using ThreadNanoseconds = std::uint64_t (*)();
using OpposeOrder = void (*)(int);

constexpr std::size_t kSealBytes = 65;  // as the hook says; a seal needs 41

template <class Function>
Function find_hook(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void restrict_access(void* allocation, std::size_t before, std::size_t bytes) {
  static const auto hook = find_hook<RestrictAccess>("cudasimRestrictAccess");
  if (hook != nullptr) hook(allocation, before, bytes);
}

void forget_content(void* memory, std::size_t bytes) {
  static const auto hook = find_hook<ForgetContent>("cudasimForgetContent");
  if (hook != nullptr) hook(memory, bytes);
}

void sample_blocks(const BlockSample& blocks) {
  static const auto hook = find_hook<SampleBlocks>("cudasimSampleBlocks");
  if (hook != nullptr) hook(blocks.seed, blocks.instructions);
}

bool oppose_order(bool opposite) {
  static const auto hook = find_hook<OpposeOrder>("cudasimOpposeOrder");
  if (hook == nullptr) return false;
  hook(opposite ? 1 : 0);
  return opposite;
}

void seal_reports(const std::string& key) {
  static const auto hook = find_hook<SealReports>("cudasimSealReports");
  if (hook != nullptr) hook(key.c_str());
}

std::string report_seal(const std::string& key) {
  static const auto hook = find_hook<GetSeal>("cudasimReportSeal");
  if (hook == nullptr) return {};
  std::array<char, kSealBytes> seal{};
  hook(key.c_str(), seal.data());
  return seal.data();
}

std::uint64_t runtime_thread_ns() {
  static const auto hook = find_hook<ThreadNanoseconds>("cudasimThreadNanoseconds");
  return hook == nullptr ? 0 : hook();
}

}  // namespace warpmind::profilers
