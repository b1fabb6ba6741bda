// What tells a container from a machine, on made trees.
#include "base/container.h"

#include "base/file.h"

#include <fstream>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

namespace fs = std::filesystem;

class ContainerTest : public testing::Test {
 protected:
  void SetUp() override {
    write("proc/1/environ",
          "HOME=/\0"
          "PATH=/bin");
    write("proc/1/cgroup", "0::/init.scope\n");
    link("proc/self/ns/pid", "pid:[4026531836]");
    link("proc/self/ns/user", "user:[4026531837]");
    link("proc/1/root", "../..");
  }
  void write(const fs::path& file, std::string_view text = "") const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void link(const fs::path& file, const fs::path& target) const {
    fs::create_directories((root_ / file).parent_path());
    fs::remove(root_ / file);
    fs::create_symlink(target, root_ / file);
  }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
  fs::path root_ = scratch_.path();
};

TEST_F(ContainerTest, AMachineShowsNothing) { EXPECT_EQ(container_sign(root_), ""); }

TEST_F(ContainerTest, AnEmptyRootShowsNothing) {
  fs::remove_all(root_ / "proc");

  EXPECT_EQ(container_sign(root_), "");
}

TEST_F(ContainerTest, FilesOfContainerToolsShowIt) {
  for (const char* file : {".dockerenv", "run/.containerenv", "run/systemd/container"}) {
    write(file);
    EXPECT_EQ(container_sign(root_), "/" + std::string(file));
    fs::remove(root_ / file);
  }
}

TEST_F(ContainerTest, ProcessOneShowsIt) {
  write("proc/1/environ", std::string_view("HOME=/\0container=lxc", 20));
  EXPECT_EQ(container_sign(root_), "the variable container of process 1");
  write("proc/1/environ", "notcontainer=lxc");
  EXPECT_EQ(container_sign(root_), "");
  write("proc/1/cgroup", "12:pids:/kubepods/burstable/pod1\n");
  EXPECT_EQ(container_sign(root_), "the control group kubepods");
}

TEST_F(ContainerTest, NamespacesShowIt) {
  link("proc/self/ns/pid", "pid:[4026532201]");
  EXPECT_EQ(container_sign(root_), "a PID namespace of its own");
  write("proc/version", "Linux version 5.15.1-microsoft-standard-WSL2");
  EXPECT_EQ(container_sign(root_), "");
  link("proc/self/ns/user", "user:[4026532200]");
  EXPECT_EQ(container_sign(root_), "a user namespace of its own");
}

TEST_F(ContainerTest, AnotherRootFolderShowsIt) {
  link("proc/1/root", "/");

  EXPECT_EQ(container_sign(root_), "a changed root folder (chroot)");
}

}  // namespace
}  // namespace warpmind
