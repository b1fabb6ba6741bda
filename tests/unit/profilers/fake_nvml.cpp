// A stand-in for the driver's management library: FAKE_NVML says which GPUs there are,
// "GPU-a|NVIDIA H200;GPU-b|NVIDIA H200|MIG-1,MIG-2". A GPU with a third field is split.

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalid = 2;
constexpr int kNotFound = 6;

struct Device {
  std::string uuid;
  std::string name;
  bool is_split = false;
  std::vector<Device> slices = {};
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, at);) words.push_back(word);
  return words;
}

std::vector<Device>& devices() {
  static std::vector<Device> all;
  return all;
}

int copy(const std::string& text, char* to, unsigned size) {
  if (to == nullptr || size <= text.size()) return kInvalid;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

}  // namespace

extern "C" {

int nvmlInit_v2();
int nvmlShutdown();
int nvmlDeviceGetCount_v2(unsigned* count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device);
int nvmlDeviceGetUUID(void* device, char* text, unsigned size);
int nvmlDeviceGetName(void* device, char* text, unsigned size);
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending);
int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count);
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** slice);

int nvmlInit_v2() {
  const char* const text = std::getenv("FAKE_NVML");  // NOLINT(concurrency-mt-unsafe)
  if (text == nullptr) return kNotFound;
  devices().clear();
  for (const auto& one : split(text, ';')) {
    const auto fields = split(one, '|');
    Device device{fields.at(0), fields.at(1), fields.size() > 2};
    if (device.is_split) {
      for (const auto& slice : split(fields[2], ',')) {
        device.slices.push_back({slice, fields[1] + " MIG"});
      }
    }
    devices().push_back(std::move(device));
  }
  return kSuccess;
}
int nvmlShutdown() { return kSuccess; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(devices().size());
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= devices().size()) return kInvalid;
  *device = &devices()[index];
  return kSuccess;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  return copy(static_cast<Device*>(device)->uuid, text, size);
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  return copy(static_cast<Device*>(device)->name, text, size);
}
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  *current = static_cast<Device*>(device)->is_split ? 1 : 0;
  *pending = *current;
  return kSuccess;
}
int nvmlDeviceGetMaxMigDeviceCount(void* /*device*/, unsigned* count) {
  *count = 7;  // more than there are: the others are not found
  return kSuccess;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** slice) {
  auto& slices = static_cast<Device*>(device)->slices;
  if (index >= slices.size()) return kNotFound;
  *slice = &slices[index];
  return kSuccess;
}

}  // extern "C"
