// As much of CUPTI's activity interface as the injected library uses, for machines without a GPU:
// delivers two kernels in a full buffer, a third one when it is flushed, and says that two were
// lost.
#include <cstring>
#include <vector>

#include <cupti.h>

namespace {

CUpti_BuffersCallbackRequestFunc give = nullptr;
CUpti_BuffersCallbackCompleteFunc take = nullptr;
bool enabled = false;
std::size_t lost = 2;

CUpti_ActivityKernel10 kernel(const char* name, uint64_t start, uint64_t end) {
  CUpti_ActivityKernel10 activity;
  std::memset(&activity, 0, sizeof activity);
  activity.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  activity.name = name;
  activity.start = start;
  activity.end = end;
  activity.gridX = 8;
  activity.gridY = 2;
  activity.gridZ = 1;
  activity.blockX = 128;
  activity.blockY = activity.blockZ = 1;
  activity.registersPerThread = 24;
  activity.staticSharedMemory = 256;
  activity.dynamicSharedMemory = 1024;
  activity.streamId = 7;
  return activity;
}

void deliver(const std::vector<CUpti_ActivityKernel10>& kernels) {
  uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t most = 0;
  give(&buffer, &size, &most);
  const std::size_t bytes = kernels.size() * sizeof(CUpti_ActivityKernel10);
  if (buffer == nullptr || size < bytes) return;
  std::memcpy(buffer, kernels.data(), bytes);
  take(nullptr, 0, buffer, size, bytes);
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  give = request;
  take = complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  enabled = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  return enabled ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

CUptiResult cuptiActivityFlushAll(uint32_t /*flag*/) {
  if (enabled) deliver({kernel("_Z4lastPf", 900, 950)});
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  auto* const first = reinterpret_cast<CUpti_ActivityKernel10*>(buffer);
  auto* const next =
      *record == nullptr ? first : reinterpret_cast<CUpti_ActivityKernel10*>(*record) + 1;
  if (reinterpret_cast<uint8_t*>(next) >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext /*context*/, uint32_t /*stream*/,
                                              size_t* dropped) {
  *dropped = lost;
  lost = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult /*result*/, const char** text) {
  *text = "an error";
  return CUPTI_SUCCESS;
}

/// What a program's launches would do.
void fake_cupti_run_kernels() {
  if (enabled) deliver({kernel("_Z3addPKfPfi", 100, 350), kernel("_Z3addPKfPfi", 400, 700)});
}
}
