#include "base/file.h"

#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind {
namespace {

using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  ScratchDirectory scratch_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "file_test"))
          .value();
};

TEST_F(FileTest, WrittenAtomicallyReadsBack) {
  const auto path = scratch_.path() / "a";

  ASSERT_TRUE(write_file_atomic(path, "one").has_value());
  ASSERT_TRUE(write_file_atomic(path, "two").has_value());

  EXPECT_EQ(read_file(path, 100).value(), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}), 1);
}

/// The umask is the process's: it is given back at the end of the scope.
class UmaskScope {
 public:
  explicit UmaskScope(mode_t mask) : before_(::umask(mask)) {}
  UmaskScope(const UmaskScope&) = delete;
  UmaskScope& operator=(const UmaskScope&) = delete;
  ~UmaskScope() { ::umask(before_); }

 private:
  mode_t before_;
};

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

TEST_F(FileTest, StateIsForTheOwnerAndOutputFollowsTheUmask) {
  struct Case {
    mode_t mask;
    unsigned file;
    unsigned folder;
  };
  for (const auto& [mask, file, folder] :
       {Case{022, 0644, 0755}, Case{002, 0664, 0775}, Case{077, 0600, 0700}}) {
    const UmaskScope scope(mask);
    const auto name = std::to_string(mask);

    ASSERT_TRUE(write_file_atomic(scratch_.path() / ("state" + name), "x").has_value());
    ASSERT_TRUE(write_output_file(scratch_.path() / ("best" + name), "x").has_value());
    ASSERT_TRUE(make_output_directory(scratch_.path() / ("a" + name) / "b").has_value());

    EXPECT_EQ(mode_of(scratch_.path() / ("state" + name)), 0600U);
    EXPECT_EQ(mode_of(scratch_.path() / ("best" + name)), file);
    EXPECT_EQ(mode_of(scratch_.path() / ("a" + name)), folder);
    EXPECT_EQ(mode_of(scratch_.path() / ("a" + name) / "b"), folder);
  }
}

TEST_F(FileTest, OutputThatIsReplacedKeepsItsMode) {
  const UmaskScope scope(022);
  const auto path = scratch_.path() / "config.toml";
  ASSERT_TRUE(write_output_file(path, "one").has_value());
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);

  ASSERT_TRUE(write_output_file(path, "two").has_value());

  EXPECT_EQ(mode_of(path), 0640U);
  EXPECT_EQ(read_file(path, 100).value(), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}), 1);
}

TEST_F(FileTest, MissingDirectoryAndOversizeAreSentences) {
  std::ofstream(scratch_.path() / "big") << std::string(200, 'x');

  EXPECT_EQ(read_file(scratch_.path() / "none", 10).error().code, Errc::not_found);
  EXPECT_THAT(read_file(scratch_.path() / "big", 100).error().message, HasSubstr("limit of 100"));
  EXPECT_THAT(read_file(scratch_.path(), 100).error().message, HasSubstr("is a directory"));
  EXPECT_FALSE(write_file_atomic(scratch_.path() / "no" / "x", "y").has_value());
}

TEST_F(FileTest, NamedPipeIsRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(::mkfifo((scratch_.path() / "pipe").c_str(), 0600), 0);

  EXPECT_THAT(read_file(scratch_.path() / "pipe", 100).error().message,
              HasSubstr("is not a regular file"));
}

TEST_F(FileTest, PrivateDirectoriesAreForTheOwnerOnly) {
  const auto path = scratch_.path() / "p" / "q";

  ASSERT_TRUE(make_private_directory(path).has_value());

  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  std::ofstream(scratch_.path() / "f") << "x";
  EXPECT_FALSE(make_private_directory(scratch_.path() / "f").has_value());
}

TEST_F(FileTest, ScratchDirectoryLeavesNothing) {
  std::filesystem::path path;
  {
    auto inner = std::move(ScratchDirectory::create(scratch_.path(), "in")).value();
    path = inner.path();
    std::ofstream(path / "x") << "y";
    const ScratchDirectory moved = std::move(inner);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(UniqueFd, MovesOwnership) {
  UniqueFd a(::dup(0));
  const int number = a.get();
  UniqueFd b = std::move(a);
  EXPECT_EQ(b.get(), number);
  b.reset();
  EXPECT_FALSE(b);
}

}  // namespace
}  // namespace warpmind
