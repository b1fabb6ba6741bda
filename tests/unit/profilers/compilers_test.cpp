#include "profilers/toolchain/compilers.h"

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

}  // namespace
}  // namespace warpmind::profilers
