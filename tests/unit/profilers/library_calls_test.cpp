#include "profilers/baseline/library_calls.h"

#include "config/task_file.h"
#include "lab_places.h"
#include "profilers/baseline/kept_best_library.h"
#include "profilers/lab/library_trials.h"
#include "profilers/lab/run_case.h"
#include "twice_task.h"

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Task shipped(const std::string& name) {
  auto loaded = config::load_task(std::filesystem::path(WARPMIND_SOURCE_DIR "/tasks") / name);
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? loaded->task : Task{};
}

std::vector<std::string> names_for(const Task& task) {
  std::vector<std::string> names;
  for (const LibraryCall& call : library_calls_for(task)) {
    names.push_back(std::string(name_of(call.library)) + " " + call.call);
  }
  return names;
}

TEST(LibraryCalls, OfTheShippedTasks) {
  EXPECT_THAT(names_for(shipped("gemm_f16")), ElementsAre("cuBLASLt cublasLtMatmul"));
  EXPECT_THAT(names_for(shipped("batched_gemm_f16")), ElementsAre("cuBLASLt cublasLtMatmul"));
  EXPECT_THAT(names_for(shipped("row_softmax_f16")), ElementsAre("cuDNN cudnnSoftmaxForward"));
  EXPECT_THAT(names_for(shipped("conv2d_3x3_f16")), ElementsAre("cuDNN cudnnConvolutionForward"));
  EXPECT_THAT(
      names_for(shipped("exclusive_scan")),
      ElementsAre("CUB cub::DeviceScan::ExclusiveSum", "CUB cub::DeviceScan::InclusiveSum"));
  EXPECT_THAT(names_for(shipped("histogram")),
              ElementsAre("CUB cub::DeviceHistogram::HistogramEven"));
  EXPECT_THAT(names_for(shipped("row_sum")),
              ElementsAre("CUB cub::DeviceSegmentedReduce::Sum", "cuBLAS cublasSgemv",
                          "cuDNN cudnnReduceTensor", "CUB cub::DeviceSegmentedReduce::Max",
                          "cuDNN cudnnReduceTensor"));
  EXPECT_THAT(
      names_for(shipped("column_sum")),
      ElementsAre("cuBLAS cublasSgemv", "cuDNN cudnnReduceTensor", "cuDNN cudnnReduceTensor"));
  EXPECT_THAT(names_for(shipped("dot")), ElementsAre("cuBLAS cublasSdot"));
  EXPECT_THAT(names_for(shipped("dot_f64")), ElementsAre("cuBLAS cublasDdot"));
  EXPECT_THAT(names_for(shipped("transpose")), ElementsAre("cuBLAS cublasSgeam"));
  EXPECT_THAT(names_for(shipped("vector_add")), ElementsAre("cuBLAS cublasSgeam"));
  EXPECT_THAT(names_for(shipped("radix_pass")), testing::SizeIs(3)) << "all bits, 4 bits, 8 bits";
  EXPECT_THAT(names_for(shipped("top8_rows")),
              ElementsAre("CUB cub::DeviceSegmentedRadixSort::SortPairsDescending"));
  EXPECT_THAT(names_for(shipped("spmv_csr")),
              ElementsAre("cuSPARSE cusparseSpMV", "cuSPARSE cusparseSpMV"));
}

TEST(LibraryCalls, OfOtherTasksThereAreNone) {
  for (const char* const name :
       {"vector_add_chain", "gelu_bias_f16", "rmsnorm_bf16", "layernorm_f16", "stencil_5point",
        "spmv_ell", "emssd_accept_advance", "emssd_unpad_mha", "ssas_span_attention"}) {
    EXPECT_THAT(names_for(shipped(name)), IsEmpty()) << name;
  }
}

TEST(LibraryCalls, TheContractSaysWhetherTf32IsAllowed) {
  Task task = shipped("gemm_f32");
  EXPECT_THAT(library_calls_for(task).at(0).kernel.source,
              HasSubstr("LT_COMPUTE CUBLAS_COMPUTE_32F\n"));
  task.contract.tf32_allowed = true;
  EXPECT_THAT(library_calls_for(task).at(0).kernel.source,
              HasSubstr("LT_COMPUTE CUBLAS_COMPUTE_32F_FAST_TF32\n"));
}

TEST(LibraryCalls, ProductsGoByHowTheirFactorsAreStored) {
  Task task = shipped("gemm_f16");
  task.arguments[1].shape = {"n", "k"};
  const auto calls = library_calls_for(task);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_THAT(calls[0].kernel.source, HasSubstr("A_TRANSPOSED 0\n#define B_TRANSPOSED 1\n"));
  for (auto& argument : task.arguments) argument.shape = {"n", "n"};
  EXPECT_EQ(library_calls_for(task).size(), 4U) << "square: the oracle decides";
  task.arguments[2].dtype = Dtype::i32;
  EXPECT_THAT(library_calls_for(task), IsEmpty());
}

TEST(LibraryCalls, EveryCallCanBeBoundOnEveryWorkload) {
  std::size_t bound = 0;
  for (const auto& folder : std::filesystem::directory_iterator(WARPMIND_SOURCE_DIR "/tasks")) {
    if (!folder.is_directory()) continue;
    const Task task = shipped(folder.path().filename().string());
    for (const LibraryCall& call : library_calls_for(task)) {
      EXPECT_THAT(call.kernel.source, HasSubstr("extern \"C\" int library_call("));
      for (const Workload& workload : task.workloads) {
        const auto program = make_program(task, call.kernel, workload, "bin/candidate");
        ASSERT_TRUE(program) << task.name << ": " << program.error().message;
        ++bound;
      }
    }
  }
  EXPECT_GT(bound, 60U);
}

LibraryCall call_of(const std::string& name, const std::string& meaning) {
  return {Library::cub, name, meaning, {}};
}

TEST(LibraryTrials, TheFastestOfThoseThatAreRightCounts) {
  const LibraryCall full = call_of("Sort", "by 32 bits");
  const LibraryCall pass = call_of("Pass", "by 4 bits");
  const LibraryCall other = call_of("OtherPass", "by 4 bits");
  LibraryTrials trials;
  EXPECT_TRUE(trials.worth_a_try(full));
  trials.add({&full, {"CUB 3.0.1", {}, {}, {}}}, {Outcome::wrong, "wrong at y[3]", 0, ""});
  EXPECT_FALSE(trials.worth_a_try(full)) << "what computes the same is wrong as well";
  EXPECT_EQ(trials.best, BestLibrary{});
  EXPECT_FALSE(trials.was_blocked);

  trials.add({&pass, {"CUB 3.0.1", {}, {}, {}}}, {Outcome::same, "", 9010, ""});
  EXPECT_TRUE(trials.worth_a_try(other));
  EXPECT_FALSE(trials.worth_a_try(call_of("Third", "by 8 bits")));
  trials.add({&other, {"cuX 1", {}, {}, {}}}, {Outcome::same, "", 12000, ""});
  EXPECT_EQ(trials.best.call, "Pass");
  trials.add({&other, {"cuX 1", {}, {}, {}}}, {Outcome::same, "", 8000, "algorithm 2 of 8"});
  EXPECT_EQ(trials.best, (BestLibrary{"cuX 1", "OtherPass, algorithm 2 of 8", 8000, ""}));
  EXPECT_THAT(trials.detail, HasSubstr("Sort: wrong at y[3]; CUB 3.0.1 Pass 9.01 µs; cuX 1"));

  trials.add({&other, {"cuX 1", {}, {}, {}}}, {Outcome::blocked, "someone else computes", 0, ""});
  EXPECT_TRUE(trials.was_blocked) << "not kept: the machine may be quieter next time";
}

TEST(KeptBestLibrary, IsOfOneTaskDeviceAndSetOfVersions) {
  const LabPlaces places;
  const Task task = twice_task();
  DeviceIdentity device;
  device.name = "NVIDIA H200";
  device.uuid = "GPU-1";
  const LibrarySituation situation{task, device, "13.0", {"cuBLASLt 13.1.0"}};
  const BestLibrary best{"cuBLASLt 13.1.0", "cublasLtMatmul", 9010, ""};
  EXPECT_FALSE(read_best_library(places.path(), key_of(situation)));
  const auto kept = keep_best_library(places.path(), situation, best);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(read_best_library(places.path(), key_of(situation)).value(), best);

  LibrarySituation newer = situation;
  newer.libraries = {"cuBLASLt 13.2.0"};
  EXPECT_NE(key_of(newer), key_of(situation));
  Task other_task = task;
  other_task.workloads[0].sizes["n"] = 7;
  other_task.id = id_of(other_task);
  EXPECT_NE(key_of({other_task, device, "13.0", situation.libraries}), key_of(situation));
  DeviceIdentity other = device;
  other.uuid = "GPU-2";
  EXPECT_NE(key_of({task, other, "13.0", situation.libraries}), key_of(situation));
}

}  // namespace
}  // namespace warpmind::profilers
