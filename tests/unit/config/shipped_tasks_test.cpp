// The tasks of this repository: they load, their kernels compile, their references compute.
#include "base/file.h"
#include "base/plan_evaluation.h"
#include "config/reference/warpmind_reference.h"
#include "config/reference_header.h"
#include "config/task_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <limits>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

using testing::IsEmpty;
namespace fs = std::filesystem;

struct LibraryCloser {
  void operator()(void* library) const noexcept { (void)::dlclose(library); }
};
using UniqueLibrary = std::unique_ptr<void, LibraryCloser>;
using ReferenceFunction = void (*)(const warpmind::ReferenceCall&);

// NOLINTNEXTLINE(concurrency-mt-unsafe): one thread; the words come from this file
int run(const std::string& command) { return std::system(command.c_str()); }

void fail_test(void* /*context*/, const char* message) {
  ADD_FAILURE() << message;
  std::abort();
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(WARPMIND_SOURCE_DIR "/tasks")) {
    if (fs::exists(entry.path() / "task.toml")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// One task of the repository, with the first workload's buffers.
class ShippedTask : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto loaded = load_task(fs::path(WARPMIND_SOURCE_DIR) / "tasks" / GetParam());
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    EXPECT_THAT(loaded->warnings, IsEmpty());
    task_ = std::move(loaded->task);
    auto scratch = ScratchDirectory::create(fs::temp_directory_path(), "shipped_tasks");
    ASSERT_TRUE(scratch.has_value()) << scratch.error().message;
    scratch_.emplace(*std::move(scratch));
  }

  [[nodiscard]] std::string path(std::string_view name) const {
    return (scratch_->path() / name).string();
  }

  UniqueLibrary build_reference() const {
    EXPECT_TRUE(write_file_atomic(path(kReferenceHeaderName), reference_header()).has_value());
    EXPECT_TRUE(write_file_atomic(path("reference.cpp"), task_.reference).has_value());
    EXPECT_EQ(run("g++ -O2 -shared -fPIC -Wall -Wextra -Werror -o '" + path("r.so") + "' '" +
                  path("reference.cpp") + "'"),
              0);
    return UniqueLibrary(::dlopen(path("r.so").c_str(), RTLD_NOW | RTLD_LOCAL));
  }

  Task task_;

 private:
  std::optional<ScratchDirectory> scratch_;
};

TEST_P(ShippedTask, KernelCompiles) {
  if (run("nvcc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no nvcc on PATH";
  ASSERT_TRUE(write_file_atomic(path("kernel.cu"), task_.kernel.source).has_value());

  EXPECT_EQ(run("nvcc -cubin -arch=sm_90 -Werror all-warnings -o '" + path("k.cubin") + "' '" +
                path("kernel.cu") + "'"),
            0);
}

TEST_P(ShippedTask, ReferenceWritesEveryElement) {
  const UniqueLibrary library = build_reference();
  ASSERT_NE(library, nullptr);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how dlsym gives functions
  auto* const function = reinterpret_cast<ReferenceFunction>(::dlsym(library.get(), "reference"));
  ASSERT_NE(function, nullptr);
  for (const auto& workload : task_.workloads) {
    if (workload.timed) continue;
    std::vector<std::vector<double>> buffers;
    std::vector<ReferenceArgument> arguments;
    std::vector<ReferenceScalar> scalars;
    std::vector<ReferenceSize> sizes;
    for (const auto& [name, value] : workload.sizes) sizes.push_back({name.c_str(), value});
    buffers.reserve(task_.arguments.size());
    for (const auto& argument : task_.arguments) {
      if (argument.kind == ArgumentKind::scalar) {
        scalars.push_back(
            {argument.name.c_str(), *evaluate_scalar_value(argument, workload.sizes)});
        continue;
      }
      const auto elements = *evaluate_product(argument.shape, workload.sizes);
      const bool out = argument.kind == ArgumentKind::out;
      auto& buffer = buffers.emplace_back(elements, std::numeric_limits<double>::quiet_NaN());
      for (std::size_t i = 0; !out && i < buffer.size(); ++i) {
        buffer[i] = std::sin(static_cast<double>(i + buffers.size()));
      }
      arguments.push_back({argument.name.c_str(), out ? kReferenceOut : kReferenceIn,
                           out ? nullptr : buffer.data(), out ? buffer.data() : nullptr, elements});
    }

    function({kReferenceVersion, static_cast<std::int32_t>(arguments.size()),
              static_cast<std::int32_t>(sizes.size()), static_cast<std::int32_t>(scalars.size()),
              arguments.data(), sizes.data(), scalars.data(), fail_test, nullptr});

    for (const auto& buffer : buffers) {
      for (const double element : buffer) ASSERT_TRUE(std::isfinite(element)) << workload.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedTask, testing::ValuesIn(task_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace warpmind::config
