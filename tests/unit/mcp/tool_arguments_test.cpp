#include "daemon/mcp/tool_arguments.h"

#include "base/file.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

namespace fs = std::filesystem;

TEST(SourceFiles, OnlyCudaIsReadForAgents) {
  auto folder = ScratchDirectory::create(fs::temp_directory_path(), "mcp-arguments");
  ASSERT_TRUE(folder) << folder.error().message;
  const fs::path kernel = folder->path() / "k.cu";
  const fs::path secret = folder->path() / "secret.txt";
  ASSERT_TRUE(write_file_atomic(kernel, "x"));
  ASSERT_TRUE(write_file_atomic(secret, "x"));
  fs::create_symlink(secret, folder->path() / "link.cu");

  EXPECT_TRUE(check_source_file(kernel.string()));
  EXPECT_FALSE(check_source_file(secret.string()));
  EXPECT_FALSE(check_source_file((folder->path() / "link.cu").string())) << "it leads elsewhere";
  EXPECT_FALSE(check_source_file((folder->path() / "absent.cu").string()));
  EXPECT_FALSE(
      check_source_file((folder->path() / ".." / folder->path().filename() / "k.cu").string()));
  EXPECT_FALSE(check_source_file("k.cu"));
  EXPECT_FALSE(check_source_file(folder->path().string()));
  EXPECT_FALSE(check_source_file(std::string("/a\0.cu", 6)));
  EXPECT_FALSE(check_source_file(""));
}

TEST(CutText, NeverCutsACharacterApart) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("aé", 2), "a\n… (cut)");
}

}  // namespace
}  // namespace warpmind::daemon::mcp
