// Both layouts of libtorch, as folders of empty files: the unpacked archive and pip's package.
#include "config/torch_layout.h"

#include "base/file.h"

#include <fstream>

#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

class TorchLayoutTest : public testing::Test {
 protected:
  void write(const fs::path& file, const std::string& text = "\n") const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void write_torch(const fs::path& folder) const {
    write(folder / "include/torch/csrc/api/include/torch/torch.h");
    write(folder / "include/torch/csrc/api/include/torch/all.h", "#error C++17 or later\n");
    write(folder / "lib/libtorch_cuda.so");
  }
  void write_virtual_environment() const {
    write("venv/bin/python3");
    write_torch(packages() / "torch");
    write(packages() / "nvidia/cu13/lib/libcublas.so.13");
    write(packages() / "nvidia/cudnn/lib/libcudnn.so.9");
    write(packages() / "nvidia/cu13_headers/include/cuda.h");
  }
  static fs::path packages() { return "venv/lib/python3.12/site-packages"; }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
  fs::path root_ = fs::canonical(scratch_.path());
};

TEST_F(TorchLayoutTest, FindsAnUnpackedArchive) {
  write_torch("libtorch");
  write("libtorch/share/cmake/Torch/TorchConfig.cmake",
        "set(TORCH_CXX_FLAGS \"-D_GLIBCXX_USE_CXX11_ABI=0\")\n");

  const auto torch = find_torch(root_ / "libtorch", "");

  ASSERT_TRUE(torch) << torch.error().message;
  EXPECT_EQ(torch->root, root_ / "libtorch");
  EXPECT_TRUE(torch->libraries.empty());
  EXPECT_EQ(torch->needs, std::vector<std::string>{(root_ / "libtorch").string()});
  EXPECT_NE(torch_compile_flags(*torch).find(" -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 "),
            std::string::npos);
  EXPECT_EQ(torch_link_flags(*torch).find("-rpath-link"), std::string::npos);
}

TEST_F(TorchLayoutTest, FindsPipsPackageByEveryFolderAboveIt) {
  write_virtual_environment();

  for (const fs::path& given : {root_ / packages() / "torch", root_ / packages(), root_ / "venv"}) {
    const auto torch = find_torch(given, "");
    ASSERT_TRUE(torch) << torch.error().message;
    EXPECT_EQ(torch->root, root_ / packages() / "torch");
    EXPECT_EQ(torch->libraries, (std::vector<fs::path>{root_ / packages() / "nvidia/cu13/lib",
                                                       root_ / packages() / "nvidia/cudnn/lib"}));
    EXPECT_EQ(torch->needs, (std::vector<std::string>{(root_ / packages() / "torch").string(),
                                                      (root_ / packages() / "nvidia").string()}));
    EXPECT_NE(torch_link_flags(*torch).find("-rpath-link -Xlinker " + torch->libraries[0].string() +
                                            ":" + torch->libraries[1].string()),
              std::string::npos);
    EXPECT_EQ(torch_compile_flags(*torch).find("ABI"), std::string::npos);
  }
}

TEST_F(TorchLayoutTest, AsksThePythonOfThePath) {
  write_virtual_environment();
  fs::create_directories(root_ / "empty");

  const auto torch =
      find_torch("", (root_ / "empty").string() + ":" + (root_ / "venv/bin").string());

  ASSERT_TRUE(torch) << torch.error().message;
  EXPECT_EQ(torch->root, root_ / packages() / "torch");
}

TEST_F(TorchLayoutTest, TheFirstPythonCounts) {
  write_virtual_environment();
  write("system/bin/python3");

  const auto torch =
      find_torch("", (root_ / "system/bin").string() + ":" + (root_ / "venv/bin").string());

  ASSERT_FALSE(torch) << torch->root;
  EXPECT_NE(torch.error().message.find("with --libtorch"), std::string::npos);
}

TEST_F(TorchLayoutTest, TakesTheStandardThatTheHeadersWant) {
  write_torch("libtorch");
  write("libtorch/include/torch/csrc/api/include/torch/all.h",
        "#error C++20 or later compatible compiler is required\n");

  EXPECT_EQ(find_torch(root_ / "libtorch", "")->standard, "c++20");
}

TEST_F(TorchLayoutTest, SaysWhatIsMissing) {
  write("other/readme");
  const auto none = find_torch(root_ / "other", "");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::invalid_argument);
  EXPECT_NE(none.error().message.find("other is no libtorch"), std::string::npos);

  write_torch("libtorch");
  fs::remove(root_ / "libtorch/lib/libtorch_cuda.so");
  const auto plain = find_torch(root_ / "libtorch", "");
  ASSERT_FALSE(plain);
  EXPECT_NE(plain.error().message.find("libtorch without CUDA"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::config
