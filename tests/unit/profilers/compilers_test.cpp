#include "profilers/toolchain/compilers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Compilers, NamesWhereNvccWasLookedFor) {
  config::ToolchainSettings settings;
  settings.nvcc = "/nonexistent/nvcc";

  const auto nvcc = find_nvcc(settings);

  ASSERT_FALSE(nvcc);
  EXPECT_EQ(nvcc.error().code, Errc::unavailable);
  EXPECT_THAT(nvcc.error().message,
              AllOf(HasSubstr("/nonexistent/nvcc"), HasSubstr("toolchain.nvcc")));
}

TEST(Compilers, FollowsAScriptThatStartsNvccElsewhere) {
  const auto nvcc = find_nvcc({});
  if (!nvcc) GTEST_SKIP() << nvcc.error().message;
  const auto folder = std::filesystem::path(::testing::TempDir()) / "wrapped_nvcc";
  const auto script = folder / "bin" / "nvcc";
  std::filesystem::create_directories(script.parent_path());
  std::ofstream(script) << "#!/bin/sh\nexec " << nvcc->program.string() << " \"$@\"\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  config::ToolchainSettings settings;
  settings.nvcc = script;

  const auto found = find_nvcc(settings);
  std::filesystem::remove_all(folder);

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->root, nvcc->root);
  EXPECT_EQ(found->version, nvcc->version);
}

/// g++ of some versions, as scripts on a PATH of their own.
class HostCompilers : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    before_ = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
    ::setenv("PATH", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& version) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\necho 'g++ (GCC) " << version << "'\n"
                                  << "echo 'Copyright (C) Free Software Foundation, Inc.'\n";
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / "host_compilers";
  std::string before_;
};

TEST_F(HostCompilers, TheNewestThatNvccAcceptsIsTaken) {
  write("g++", "14.2.0");
  write("g++-13", "13.3.0");
  write("g++-12", "12.2.0");

  EXPECT_EQ(find_host_compiler({}, 15).value_or(Compiler{}).release, "14.2.0");
  EXPECT_EQ(find_host_compiler({}, 0).value_or(Compiler{}).release, "14.2.0");
  EXPECT_EQ(find_host_compiler({}, 13).value_or(Compiler{}).program, folder_ / "g++-13");
  EXPECT_EQ(find_host_compiler({}, 12).value_or(Compiler{}).program, folder_ / "g++-12");
}

TEST_F(HostCompilers, NoneThatNvccAcceptsIsSaid) {
  EXPECT_THAT(find_host_compiler({}, 13).error().message,
              AllOf(HasSubstr("g++ is not on PATH: install it"), HasSubstr("host_compiler")));

  write("g++", "14.2.0");

  const auto host = find_host_compiler({}, 13);
  ASSERT_FALSE(host);
  EXPECT_EQ(host.error().code, Errc::unavailable);
  EXPECT_THAT(host.error().message,
              AllOf(HasSubstr("is 14.2.0, and this CUDA toolkit accepts g++ up to 13"),
                    HasSubstr("install g++-13")));
}

}  // namespace
}  // namespace warpmind::profilers
