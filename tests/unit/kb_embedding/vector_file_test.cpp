// The file that keeps an endpoint's vectors: what is in it is read again, and nothing else.

#include "knowledge_base/retrieval/vector_file.h"

#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class VectorFileTest : public testing::Test {
 protected:
  [[nodiscard]] VectorFile open(const std::string& embedder = "http:m:2") const {
    return VectorFile::open(path_, {embedder, "base", 2}).value();
  }
  static void append(VectorFile& file, const std::vector<VectorRow>& rows) {
    const auto appended = file.append(rows);
    ASSERT_TRUE(appended.has_value()) << appended.error().message;
  }
  static std::array<float, 2> at(const VectorFile& file, std::int64_t document) {
    std::array<float, 2> vector{};
    const auto read = file.read(document, vector);
    EXPECT_TRUE(read.has_value()) << read.error().message;
    return vector;
  }
  [[nodiscard]] std::string bytes() const { return read_file(path_, 1U << 20U).value(); }
  void replace(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }

  const ScratchDirectory scratch_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb-vectors").value();
  const std::filesystem::path path_ = scratch_.path() / "index" / "endpoint-x.vectors";
};

TEST_F(VectorFileTest, KeepsTheNewestVectorOfADocument) {
  {
    auto file = open();
    append(file, {{7, 70, {1, 0}}, {9, 90, {0, 1}}});
    append(file, {{7, 71, {0, -1}}});
    EXPECT_EQ(file.rows(), 3U);
  }
  const auto file = open();
  EXPECT_EQ(file.rows(), 3U);
  EXPECT_FALSE(file.has(7, 70));
  EXPECT_TRUE(file.has(7, 71));
  EXPECT_TRUE(file.has(9, 90));
  EXPECT_FALSE(file.has(8, 0));
  EXPECT_FALSE(file.has(100, 0));
  EXPECT_THAT(at(file, 7), ElementsAre(0, -1));
  EXPECT_THAT(at(file, 9), ElementsAre(0, 1));
  std::array<float, 2> none{};
  EXPECT_EQ(file.read(8, none).error().code, Errc::not_found);
}

TEST_F(VectorFileTest, IsReadableByItsOwnerAlone) {
  (void)open();
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(VectorFileTest, OfAnotherEmbedderOrBaseIsMadeAnew) {
  auto file = open();
  append(file, {{1, 10, {1, 0}}});
  EXPECT_EQ(open("http:n:2").rows(), 0U);
  EXPECT_EQ(open("http:m:2").rows(), 0U);  // the one before has replaced it
}

TEST_F(VectorFileTest, EveryDamagedByteCostsItsRowOnly) {
  {
    auto file = open();
    append(file, {{1, 10, {1, 0}}, {2, 20, {0, 1}}, {3, 30, {-1, 0}}});
  }
  const std::string sound = bytes();
  const std::size_t header = std::string("warpmind vectors 1\nhttp:m:2\nbase\n").size();
  const std::size_t row = (sound.size() - header) / 3;
  for (std::size_t i = header + row; i < header + 2 * row; ++i) {
    std::string damaged = sound;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    replace(damaged);
    const auto file = open();
    EXPECT_TRUE(file.has(1, 10)) << i;
    EXPECT_FALSE(file.has(2, 20)) << i;
    EXPECT_TRUE(file.has(3, 30)) << i;
  }
}

TEST_F(VectorFileTest, ATornEndIsWrittenOver) {
  {
    auto file = open();
    append(file, {{1, 10, {1, 0}}, {2, 20, {0, 1}}});
  }
  const std::string whole = bytes();
  const std::size_t row =
      (whole.size() - std::string("warpmind vectors 1\nhttp:m:2\nbase\n").size()) / 2;
  for (std::size_t cut = 1; cut < row; ++cut) {
    replace(whole.substr(0, whole.size() - cut));
    {
      auto file = open();
      EXPECT_TRUE(file.has(1, 10));
      EXPECT_FALSE(file.has(2, 20));
      append(file, {{3, 30, {0, 1}}});
    }
    const auto file = open();
    EXPECT_TRUE(file.has(1, 10));
    EXPECT_TRUE(file.has(3, 30));
    EXPECT_THAT(at(file, 3), ElementsAre(0, 1));
  }
}

TEST_F(VectorFileTest, WhatIsDamagedWhileItIsOpenIsNotHandedOut) {
  auto file = open();
  append(file, {{1, 10, {1, 0}}});
  std::string damaged = bytes();
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  {
    std::fstream stream(path_, std::ios::binary | std::ios::in | std::ios::out);
    stream << damaged;
  }
  std::array<float, 2> vector{};
  EXPECT_EQ(file.read(1, vector).error().code, Errc::corrupt_data);
}

TEST_F(VectorFileTest, AnythingElseIsNotTakenForVectors) {
  const auto folder = path_.parent_path();
  std::filesystem::create_directories(folder);
  for (const auto* content : {"", "x", "warpmind vectors 1\n", "warpmind vectors 2\nhttp:m:2\n"}) {
    replace(content);
    EXPECT_EQ(open().rows(), 0U);
  }
  std::filesystem::remove(path_);
  std::filesystem::create_symlink(scratch_.path() / "elsewhere", path_);
  const auto link = VectorFile::open(path_, {"http:m:2", "base", 2});
  ASSERT_FALSE(link.has_value());
  EXPECT_THAT(link.error().message, HasSubstr("cannot be opened"));
}

}  // namespace
}  // namespace warpmind::knowledge_base
