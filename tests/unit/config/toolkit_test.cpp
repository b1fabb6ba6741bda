// CUDA toolkits in every layout, as folders of small files: which is found, which is taken, and
// what is said of those that cannot be used.
#include "base/file.h"
#include "config/toolkit_search.h"

#include <fstream>

#include <gmock/gmock.h>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ToolkitTest : public testing::Test {
 protected:
  void write(const fs::path& file, const std::string& text = "\n") const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void write_program(const fs::path& file, const std::string& text = "\n") const {
    write(file, text);
    fs::permissions(root_ / file, fs::perms::owner_all);
  }
  void write_headers(const fs::path& folder, int number, int gcc = 13) const {
    write(folder / "cuda_runtime.h");
    write(folder / "cuda_runtime_api.h",
          "#define CUDART_VERSION  " + std::to_string(number) + "\n");
    write(folder / "crt/host_config.h", "#if __GNUC__ > " + std::to_string(gcc) + "\n#error\n");
    write(folder / "nv/target");
  }
  /// NVIDIA's own layout: everything in one folder.
  void write_toolkit(const fs::path& root, int number) const {
    for (const char* program : {"bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"}) {
      write_program(root / program);
    }
    write_headers(root / "include", number);
    write(root / "lib64/libcudart.so");
    write(root / ("lib64/libcudart.so." + std::to_string(number / 1000)));
    write(root / "lib64/libcudadevrt.a");
  }
  void write_pip_cuda_13(const fs::path& packages) const {
    const fs::path root = packages / "nvidia/cu13";
    for (const char* program : {"bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"}) {
      write_program(root / program);
    }
    write_headers(root / "include", 13000);
    write(root / "lib/libcudart.so.13");
    write(root / "lib/libcudadevrt.a");
  }

  [[nodiscard]] std::vector<Toolkit> found() const { return find_toolkits(search_); }
  [[nodiscard]] Result<Toolkit> taken() const { return choose_toolkit(found(), search_); }
  [[nodiscard]] std::vector<std::string> places() const {
    std::vector<std::string> names;
    for (const auto& toolkit : found()) names.push_back(toolkit.place);
    return names;
  }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
  fs::path root_ = fs::canonical(scratch_.path());
  ToolkitSearch search_{
      {}, {{"PATH", (root_ / "usr/bin").string()}}, root_ / "bin/warpmind", root_};
};

TEST_F(ToolkitTest, TheFirstOnPathCountsBeforeAllOthers) {
  write_toolkit("opt/module", 12040);
  write_toolkit("home", 12060);
  write_toolkit("usr/local/cuda-12.8", 12080);
  write_toolkit("usr/local/cuda-12.10", 12100);
  write_toolkit("usr/local/cuda-13.0", 13000);
  fs::create_directory_symlink("cuda-12.8", root_ / "usr/local/cuda");
  search_.environment["PATH"] += ":" + (root_ / "opt/module/bin").string();
  search_.environment["CUDA_HOME"] = (root_ / "home").string();

  EXPECT_THAT(places(),
              ElementsAre("PATH", "$CUDA_HOME", "/usr/local/cuda", "/usr/local", "/usr/local"));
  EXPECT_EQ(found()[3].root, root_ / "usr/local/cuda-13.0");
  const auto toolkit = taken();
  ASSERT_TRUE(toolkit) << toolkit.error().message;
  EXPECT_EQ(toolkit->root, root_ / "opt/module");
  EXPECT_EQ(toolkit->version, (ToolkitVersion{12, 4}));
  EXPECT_EQ(toolkit->runtime, "libcudart.so.12");
  EXPECT_EQ(toolkit->newest_gcc, 13);
  EXPECT_THAT(toolkit->flags, IsEmpty());
  EXPECT_THAT(toolkit->folders, ElementsAre(root_ / "opt/module"));
}

TEST_F(ToolkitTest, TheSettingCountsAlone) {
  write_toolkit("usr/local/cuda", 13000);
  write_toolkit("own", 12080);
  search_.nvcc = root_ / "own/bin/nvcc";

  EXPECT_THAT(places(), ElementsAre("toolchain.nvcc"));

  search_.nvcc = root_ / "gone/bin/nvcc";
  const auto toolkit = taken();
  ASSERT_FALSE(toolkit);
  EXPECT_EQ(toolkit.error().code, Errc::unavailable);
  EXPECT_THAT(toolkit.error().message, HasSubstr("nvcc is not at " + search_.nvcc.string()));
}

TEST_F(ToolkitTest, DebiansPackagesLieAllOverUsr) {
  const fs::path own = "usr/lib/nvidia-cuda-toolkit/bin";
  write_program("usr/bin/nvcc", "#!/bin/sh\nexport PATH=\"" + (root_ / own).string() +
                                    ":$PATH\"\nexec " + (root_ / own / "nvcc").string() +
                                    " \"$@\"\n");
  for (const fs::path& program : {own / "nvcc", own / "cicc", fs::path("usr/bin/ptxas")}) {
    write_program(program);
  }
  write("etc/nvcc.profile");
  fs::create_symlink(root_ / "etc/nvcc.profile", root_ / own / "nvcc.profile");
  write_headers("usr/include", 12040);
  write("usr/lib/x86_64-linux-gnu/libcudart.so");
  write("usr/lib/x86_64-linux-gnu/libcudart.so.12");
  write("usr/lib/x86_64-linux-gnu/libcudart.so.12.4.127");

  const auto toolkit = taken();

  ASSERT_TRUE(toolkit) << toolkit.error().message;
  EXPECT_EQ(found().size(), 1U);
  EXPECT_EQ(toolkit->nvcc, root_ / own / "nvcc");
  EXPECT_EQ(toolkit->headers, root_ / "usr/include");
  EXPECT_EQ(toolkit->libraries, root_ / "usr/lib/x86_64-linux-gnu");
  EXPECT_EQ(toolkit->runtime, "libcudart.so.12");
  EXPECT_THAT(toolkit->flags, IsEmpty());
  EXPECT_THAT(toolkit->folders, testing::Contains(root_ / "etc/nvcc.profile"));
}

TEST_F(ToolkitTest, PipsCuda13IsFoundInEveryPythonThatIsMeant) {
  const std::string packages = "lib/python3.12/site-packages";
  write_program("python/bin/python3");
  for (const char* prefix : {"venv", "python", "home/.local", "tool"}) {
    write_pip_cuda_13(fs::path(prefix) / packages);
  }
  search_.environment = {{"PATH", (root_ / "python/bin").string()},
                         {"VIRTUAL_ENV", (root_ / "venv").string()},
                         {"HOME", (root_ / "home").string()}};
  search_.own_program = root_ / "tool" / packages / "warpmind/bin/warpmindd";

  EXPECT_THAT(places(), ElementsAre("$VIRTUAL_ENV", "the packages of python3", "~/.local",
                                    "the packages of warpmind"));
  const auto toolkit = taken();
  ASSERT_TRUE(toolkit) << toolkit.error().message;
  const fs::path root = root_ / "venv" / packages / "nvidia/cu13";
  EXPECT_EQ(toolkit->runtime, "libcudart.so.13");
  EXPECT_THAT(toolkit->flags, ElementsAre("-L" + (root / "lib").string()));
}

TEST_F(ToolkitTest, WhatMakeDemoBroughtBelongsToItsProgram) {
  write_pip_cuda_13("build/toolkit/lib/python3.11/site-packages");
  search_.own_program = root_ / "build/release/bin/warpmindd";

  EXPECT_THAT(places(), ElementsAre("the packages of warpmind"));
}

TEST_F(ToolkitTest, PipsCuda12KeepsEachPackageInAFolderOfItsOwn) {
  const fs::path packages = "venv/lib/python3.10/site-packages/nvidia";
  for (const char* program : {"bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"}) {
    write_program(packages / "cuda_nvcc" / program);
  }
  write_headers(packages / "cuda_runtime/include", 12060);
  write(packages / "cuda_runtime/lib/libcudart.so.12");
  fs::create_directories(root_ / packages / "cuda_cccl/include");
  search_.environment["VIRTUAL_ENV"] = (root_ / "venv").string();

  const auto toolkit = taken();

  ASSERT_TRUE(toolkit) << toolkit.error().message;
  const std::string folder = (root_ / packages).string();
  EXPECT_THAT(toolkit->flags, ElementsAre("-I" + folder + "/cuda_cccl/include",
                                          "-I" + folder + "/cuda_runtime/include",
                                          "-L" + folder + "/cuda_runtime/lib"));
  EXPECT_THAT(toolkit->folders, ElementsAre(root_ / packages));
}

TEST_F(ToolkitTest, CondaKeepsHeadersBelowTargets) {
  for (const char* program : {"bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"}) {
    write_program(fs::path("conda") / program);
  }
  write_headers("conda/targets/x86_64-linux/include", 12090);
  write("conda/targets/x86_64-linux/lib/libcudart.so");
  write("conda/targets/x86_64-linux/lib/libcudart.so.12");
  search_.environment["CONDA_PREFIX"] = (root_ / "conda").string();

  const auto toolkit = taken();

  ASSERT_TRUE(toolkit) << toolkit.error().message;
  EXPECT_EQ(toolkit->place, "$CONDA_PREFIX");
  EXPECT_THAT(toolkit->flags, IsEmpty());
}

TEST_F(ToolkitTest, OneThatIsTooOldIsRefusedWithItsVersionAndFolder) {
  for (const int number : {11080, 12000, 12030, 14000}) {
    write_toolkit("usr/local/cuda", number);

    const auto toolkit = taken();

    ASSERT_FALSE(toolkit) << number;
    EXPECT_EQ(toolkit.error().code, Errc::unavailable);
    EXPECT_THAT(toolkit.error().message,
                AllOf(HasSubstr((root_ / "usr/local/cuda").string() + " is " +
                                text_of({number / 1000, number % 1000 / 10})),
                      HasSubstr("needs 12.4 to 13.x: install")));
    fs::remove_all(root_ / "usr");
  }
}

TEST_F(ToolkitTest, OneThatCanBeUsedIsTakenInThePlaceOfOneThatCannot) {
  write_toolkit("usr/local/cuda", 11080);
  write_toolkit("usr/local/cuda-12.4", 12040);

  const auto toolkit = taken();

  ASSERT_TRUE(toolkit) << toolkit.error().message;
  EXPECT_EQ(toolkit->root, root_ / "usr/local/cuda-12.4");
  EXPECT_FALSE(found().front().usable());
}

TEST_F(ToolkitTest, AHalfInstalledOneNamesThePackageThatIsMissing) {
  const fs::path packages = "venv/lib/python3.12/site-packages";
  const fs::path root = packages / "nvidia/cu13";
  search_.environment["VIRTUAL_ENV"] = (root_ / "venv").string();
  const std::vector<std::pair<fs::path, std::string>> parts{
      {"include/cuda_runtime.h", "has no cuda_runtime.h: pip install nvidia-cuda-runtime"},
      {"include/crt/host_config.h", "has no crt/host_config.h: pip install nvidia-cuda-crt"},
      {"include/nv/target", "has no nv/target: pip install nvidia-cuda-cccl"},
      {"nvvm/bin/cicc", "has no nvvm/bin/cicc: pip install nvidia-nvvm"},
      {"bin/ptxas", "has no bin/ptxas: pip install nvidia-cuda-nvcc"},
      {"lib/libcudart.so.13", "has no libcudart.so: pip install nvidia-cuda-runtime"}};
  for (const auto& [part, sentence] : parts) {
    write_pip_cuda_13(packages);
    fs::remove(root_ / root / part);

    const auto toolkit = taken();

    ASSERT_FALSE(toolkit) << part;
    EXPECT_THAT(toolkit.error().message, HasSubstr(sentence));
  }
}

TEST_F(ToolkitTest, PtxasWithoutNvccIsSaid) {
  write_program("venv/lib/python3.12/site-packages/nvidia/cuda_nvcc/bin/ptxas");
  search_.environment["VIRTUAL_ENV"] = (root_ / "venv").string();

  const auto toolkit = taken();

  ASSERT_FALSE(toolkit);
  EXPECT_THAT(toolkit.error().message, HasSubstr("has ptxas and no nvcc: pip install"));
}

TEST_F(ToolkitTest, NoneAtAllSaysWhereWasLooked) {
  write_program("usr/lib/ccache/ccache");
  fs::create_symlink("ccache", root_ / "usr/lib/ccache/nvcc");  // answers to every compiler's name
  search_.environment["PATH"] = (root_ / "usr/lib/ccache").string();

  const auto toolkit = taken();

  ASSERT_FALSE(toolkit);
  EXPECT_EQ(toolkit.error().code, Errc::unavailable);
  EXPECT_THAT(toolkit.error().message,
              AllOf(HasSubstr("nvcc is not on PATH"), HasSubstr("12.4 to 13.x")));
}

TEST_F(ToolkitTest, TheLinkerGetsALinkWhereTheToolkitHasNone) {
  write_pip_cuda_13("venv/lib/python3.12/site-packages");
  search_.environment["VIRTUAL_ENV"] = (root_ / "venv").string();
  const auto toolkit = taken();
  ASSERT_TRUE(toolkit);

  const auto use = use_toolkit(*toolkit, root_ / "cache");
  const auto again = use_toolkit(*toolkit, root_ / "cache");

  ASSERT_TRUE(use && again) << use.error().message;
  EXPECT_EQ(use->flags, again->flags);
  ASSERT_EQ(use->folders.size(), 2U);
  EXPECT_EQ(fs::canonical(use->folders[1] / "libcudart.so"),
            toolkit->libraries / "libcudart.so.13");
  EXPECT_FALSE(fs::exists(use->folders[1] / "libcudadevrt.a"));  // the toolkit's own is there
  EXPECT_EQ(use->flags.back(), "-L" + use->folders[1].string());
}

TEST(ToolkitRelease, SaysWhichGpusItBuildsFor) {
  EXPECT_TRUE(builds_for({12, 4}, 9, 0));
  EXPECT_TRUE(builds_for({12, 4}, 7, 0));
  EXPECT_FALSE(builds_for({12, 6}, 10, 0));
  EXPECT_TRUE(builds_for({12, 8}, 12, 0));
  EXPECT_FALSE(builds_for({13, 0}, 7, 0));
  EXPECT_TRUE(builds_for({13, 0}, 7, 5));
  EXPECT_THAT(lacks({12, 4}), HasSubstr("sm_100"));
  EXPECT_THAT(lacks({12, 9}), IsEmpty());
  EXPECT_THAT(lacks({13, 0}), HasSubstr("sm_75"));
}

}  // namespace
}  // namespace warpmind::config
