// Every library call for a shipped task is built by the real nvcc, linked to the libraries of this
// machine. Nothing is run.
#include "config/task_file.h"
#include "config/toolkit_search.h"
#include "profilers/baseline/libraries.h"
#include "profilers/baseline/library_calls.h"
#include "profilers/toolchain/kernel_toolchain.h"
#include "tests/unit/profilers/lab_places.h"

#include <set>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

class LibraryCallsBuild : public testing::TestWithParam<std::string> {};

TEST_P(LibraryCallsBuild, WithTheLibrariesOfThisMachine) {
  const auto loaded = config::load_task(fs::path(WARPMIND_SOURCE_DIR "/tasks") / GetParam());
  ASSERT_TRUE(loaded) << loaded.error().message;
  const LabPlaces places;
  config::Settings settings = places.settings();
  settings.toolchain.timeout_s = 300;  // CUB's headers, on a busy machine
  const auto sandbox = Sandbox::create(settings.lab);
  if (!sandbox) GTEST_SKIP() << sandbox.error().message;
  const auto toolchain = KernelToolchain::create(settings.toolchain, *sandbox);
  if (!toolchain) GTEST_SKIP() << toolchain.error().message;
  const LibraryPlaces libraries(toolchain->toolkit(),
                                config::toolkit_search(settings.toolchain).environment);
  std::string missing;
  std::set<std::string> built;  // calls that differ in their arguments alone have one source
  for (const LibraryCall& call : library_calls_for(loaded->task)) {
    const auto found = libraries.find(call.library);
    if (!found) {
      missing = found.error().message;
      continue;
    }
    if (!built.insert(call.kernel.source).second) continue;
    LinkedLibraries linked;
    if (!found->headers.empty()) linked.headers = {found->headers};
    if (!found->folder.empty()) linked.folders = {found->folder};
    if (!found->file.empty()) linked.files = {found->file};
    const auto outcome = toolchain->build_linked(call.kernel, linked, "sm_90", {});
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(outcome->report.succeeded) << found->name << " " << call.call << ":\n"
                                           << outcome->report.diagnostics;
  }
  if (built.empty()) GTEST_SKIP() << missing;
}

INSTANTIATE_TEST_SUITE_P(Shipped, LibraryCallsBuild,
                         testing::Values("batched_gemm_f16", "column_sum", "conv2d_3x3_f16", "dot",
                                         "dot_f64", "exclusive_scan", "gemm_f16", "gemm_f32",
                                         "histogram", "radix_pass", "row_softmax_f16", "row_sum",
                                         "spmv_csr", "top8_rows", "transpose", "vector_add"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace warpmind::profilers
