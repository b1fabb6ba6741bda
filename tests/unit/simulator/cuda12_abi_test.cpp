/// What programs built with CUDA 12 get from the simulator's runtime: their names, with the sizes
/// and places of CUDA 12's structures.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

constexpr const char* kVersion = "libcudart.so.12";
constexpr auto kUntouched = std::byte{0xAB};

class Cuda12Abi : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = WARPMIND_CUDART_FOLDER;
    if (folder.empty() || !std::filesystem::exists(folder / kVersion)) {
      GTEST_SKIP() << "built with sanitizers or with CUDA 12: one version alone is exported";
    }
    library_ = ::dlopen((folder / kVersion).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << ::dlerror();
    EXPECT_EQ(::dlopen((folder / "libcudart.so.13").c_str(), RTLD_NOW | RTLD_LOCAL), library_);
  }
  template <class Function>
  Function* find(const char* name) const {
    void* const address = ::dlvsym(library_, name, kVersion);
    EXPECT_NE(address, nullptr) << name;
    return reinterpret_cast<Function*>(address);
  }

  void* library_ = nullptr;
};

template <std::size_t N>
int int_at(const std::array<std::byte, N>& bytes, std::size_t at) {
  int value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <std::size_t N>
std::array<std::byte, N> untouched() {
  std::array<std::byte, N> bytes{};
  bytes.fill(kUntouched);
  return bytes;
}

TEST_F(Cuda12Abi, PropertiesLieWhereCuda12LooksForThem) {
  constexpr std::size_t kBytes = 1032;
  auto properties = untouched<kBytes + 64>();

  ASSERT_EQ(find<int(void*, int)>("cudaGetDeviceProperties_v2")(properties.data(), 0), 0);

  EXPECT_STREQ(reinterpret_cast<const char*>(properties.data()), "NVIDIA H200");
  EXPECT_EQ(int_at(properties, 308), 32);          // warpSize
  EXPECT_EQ(int_at(properties, 320), 1024);        // maxThreadsPerBlock
  EXPECT_EQ(int_at(properties, 348), 1'980'000);   // clockRate
  EXPECT_EQ(int_at(properties, 360), 9);           // major
  EXPECT_EQ(int_at(properties, 388), 132);         // multiProcessorCount
  EXPECT_EQ(int_at(properties, 604), 1);           // unifiedAddressing
  EXPECT_EQ(int_at(properties, 616), 62'914'560);  // l2CacheSize
  EXPECT_EQ(int_at(properties, 624), 2048);        // maxThreadsPerMultiProcessor
  EXPECT_EQ(int_at(properties, 640), 233'472);     // sharedMemPerMultiprocessor
  EXPECT_EQ(int_at(properties, 652), 1);           // managedMemory
  EXPECT_EQ(int_at(properties, 676), 1);           // concurrentManagedAccess
  EXPECT_EQ(int_at(properties, 696), 232'448);     // sharedMemPerBlockOptin
  EXPECT_EQ(int_at(properties, 720), 1024);        // reservedSharedMemPerBlock
  EXPECT_EQ(int_at(properties, 728), 1);           // hostRegisterSupported
  for (std::size_t i = kBytes; i < properties.size(); ++i) EXPECT_EQ(properties[i], kUntouched);
}

TEST_F(Cuda12Abi, PointerAttributesEndWhereCuda12sEnd) {
  void* memory = nullptr;
  ASSERT_EQ(find<int(void**, std::size_t)>("cudaMalloc")(&memory, 256), 0);
  auto attributes = untouched<24 + 64>();

  ASSERT_EQ(find<int(void*, const void*)>("cudaPointerGetAttributes")(attributes.data(), memory),
            0);

  EXPECT_EQ(int_at(attributes, 0), 2);  // cudaMemoryTypeDevice
  for (std::size_t i = 24; i < attributes.size(); ++i) EXPECT_EQ(attributes[i], kUntouched);
  EXPECT_EQ(find<int(void*)>("cudaFree")(memory), 0);
}

TEST_F(Cuda12Abi, AdviceAndPrefetchTakeADeviceNumber) {
  void* memory = nullptr;
  ASSERT_EQ(find<int(void**, std::size_t, unsigned)>("cudaMallocManaged")(&memory, 256, 1), 0);

  EXPECT_EQ(find<int(const void*, std::size_t, int, int)>("cudaMemAdvise")(memory, 256, 1, 0), 0);
  EXPECT_EQ(find<int(const void*, std::size_t, int, void*)>("cudaMemPrefetchAsync")(memory, 256, 0,
                                                                                    nullptr),
            0);
}

TEST_F(Cuda12Abi, NamesThatCuda13DroppedAreThere) {
  int version = 0;
  EXPECT_EQ(find<int(int*)>("cudaRuntimeGetVersion")(&version), 0);
  EXPECT_EQ(version / 1000, 12);
  EXPECT_EQ(find<int()>("cudaThreadSynchronize")(), 0);
  for (const char* name : {"cudaGraphAddNode_v2", "cudaStreamGetCaptureInfo_v3_ptsz",
                           "cudaLaunchCooperativeKernelMultiDevice", "__cudaRegisterFatBinary"}) {
    EXPECT_NE(find<int()>(name), nullptr);
  }
}

}  // namespace
}  // namespace warpmind::simulator
