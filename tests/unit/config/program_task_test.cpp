#include "base/file.h"
#include "config/program_task_file.h"
#include "config/program_task_folder.h"
#include "config/program_task_import.h"
#include "config/program_task_makefile.h"
#include "config/program_task_needs.h"
#include "config/program_task_pattern.h"
#include "config/program_task_proposal.h"
#include "config/program_task_validator.h"

#include <fstream>

#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

class ProgramTaskTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const fs::path file = folder() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  [[nodiscard]] fs::path folder() const { return scratch_.path() / "scan-cuda"; }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
};

constexpr const char* kKernelText =
    "__global__ void k(float* x) { x[0] = 1; }\n"
    "int main() { std::puts(ok ? \"Test PASSED\" : \"Test FAILED\"); }  // or OK\n";
constexpr const char* kMakefileText =
    "# options\nCC = nvcc\nARCH = sm_60\nprogram = main\nsize := 1024\n"
    "$(program): main.cu\n\t$(CC) -arch=$(ARCH) main.cu -o $@\n"
    "run: $(program)\n\t@$(LAUNCHER) ./$(program) $(size) 100\n\techo done\n";

ProgramTask a_task() {
  ProgramTask task;
  task.name = "scan-2";
  task.build = "make ARCH={arch} \"X=\\\"y\\\"\"";
  task.run = "./main 1000";
  task.pass = {3, "^ok [0-9]+$", "FAIL|nan"};
  task.kernels = {"scan.*", "a|b"};
  task.editable = {"main.cu", "src/part.cuh"};
  task.needs = {"/opt/library"};
  task.build_seconds = 12.5;
  task.run_seconds = 7;
  task.origin = "hecbench";
  task.restricted = "LICENSE says \"non-commercial\"";
  return task;
}

TEST_F(ProgramTaskTest, WhatIsWrittenIsReadBackIdentical) {
  const auto task = a_task();

  const auto read = parse_program_task(program_task_toml(task), "program.toml");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, task);
}

TEST_F(ProgramTaskTest, IsWrittenOnceAndLoadedFromItsFolder) {
  write("main.cu", kKernelText);
  auto task = a_task();
  task.editable = {"main.cu"};
  task.needs.clear();

  ASSERT_TRUE(write_program_task(folder(), task));
  const auto loaded = load_program_task(folder());
  const auto again = write_program_task(folder(), task);

  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(*loaded, task);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::conflict);
}

TEST_F(ProgramTaskTest, AFolderWithoutItSaysHowToMakeIt) {
  write("main.cu", kKernelText);

  const auto loaded = load_program_task(folder());

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Errc::not_found);
  EXPECT_NE(loaded.error().message.find("warpmind task new"), std::string::npos);
}

struct BadTask {
  const char* name;
  const char* text;
  const char* complaint;
};
std::ostream& operator<<(std::ostream& out, const BadTask& one) { return out << one.name; }
class BadTasks : public testing::TestWithParam<BadTask> {};

TEST_P(BadTasks, AreRefusedAtTheirPlace) {
  const auto read = parse_program_task(GetParam().text, "p.toml");

  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::invalid_argument);
  EXPECT_NE(read.error().message.find(GetParam().complaint), std::string::npos)
      << read.error().message;
}

#define WARPMIND_GOOD_HEAD "name = \"n\"\nrun = \"./main\"\neditable = [\"main.cu\"]\n"

INSTANTIATE_TEST_SUITE_P(
    , BadTasks,
    testing::Values(
        BadTask{"syntax", "name = ", "p.toml:1:"},
        BadTask{"unknown_key", WARPMIND_GOOD_HEAD "kernel = [\".*\"]\n[pass]\n",
                "did you mean 'kernels'?"},
        BadTask{"no_pass", WARPMIND_GOOD_HEAD "kernels = [\".*\"]\n", "'pass'"},
        BadTask{"no_run", "name = \"n\"\n", "run = \"./main 1000\""},
        BadTask{"no_kernels", WARPMIND_GOOD_HEAD "[pass]\n", "p.toml:1:1: 'kernels'"},
        BadTask{"bad_pattern", WARPMIND_GOOD_HEAD "kernels = [\"a\", \"b(\"]\n[pass]\n",
                "p.toml:4:17: 'kernels[1]'"},
        BadTask{"pattern_leaves_frame", WARPMIND_GOOD_HEAD "kernels = [\"a)|(b\"]\n[pass]\n",
                "no POSIX extended"},
        BadTask{"counted_pattern",
                WARPMIND_GOOD_HEAD "kernels = [\".*\"]\n[pass]\noutput = \"(a{99}){99}\"\n",
                "p.toml:6:10: 'pass.output': the pattern"},
        BadTask{"back_reference",
                WARPMIND_GOOD_HEAD "kernels = [\".*\"]\n[pass]\nnever = '(a*)\\1'\n",
                "a reference to a group"},
        BadTask{"edge_of_a_word",
                WARPMIND_GOOD_HEAD "kernels = [\".*\"]\n[pass]\noutput = '\\<PASS'\n",
                "write \\b at the edge of a word"},
        BadTask{"exit_code",
                WARPMIND_GOOD_HEAD "kernels = [\".*\"]\n[pass]\nexit_code = 4294967296\n",
                "an exit code is 0 to 255"},
        BadTask{"leaves_folder",
                "name = \"n\"\nrun = \"./m\"\neditable = [\"../x\"]\nkernels = [\".*\"]\n[pass]\n",
                "p.toml:3:13: 'editable[0]'"},
        BadTask{"home", WARPMIND_GOOD_HEAD "kernels = [\".*\"]\nneeds = [\"/home/me\"]\n[pass]\n",
                "absolute folder of one library"},
        BadTask{"name", "name = \"a/b\"\nrun = \"./m\"\n[pass]\n", "p.toml:1:8: 'name'"},
        BadTask{"two_lines", "name = \"n\"\nrun = \"a\\nb\"\n[pass]\n", "one line"},
        BadTask{"no_time", WARPMIND_GOOD_HEAD "kernels = [\".*\"]\nrun_seconds = 0\n[pass]\n",
                "p.toml:5:15: 'run_seconds': must be above 0"}),
    [](const auto& param) { return param.param.name; });

TEST_F(ProgramTaskTest, AnEditableFileMustBeThereAndInside) {
  write("main.cu", kKernelText);
  fs::create_symlink("/etc/hostname", folder() / "away.cu");
  auto task = a_task();
  task.needs.clear();

  task.editable = {"none.cu"};
  EXPECT_NE(find_missing_file(task, folder()), std::nullopt);
  task.editable = {"away.cu"};
  EXPECT_NE(find_missing_file(task, folder()), std::nullopt);
  task.editable = {"main.cu"};
  EXPECT_EQ(find_missing_file(task, folder()), std::nullopt);
}

TEST(ProgramPatternTest, IsTriedOnEachLine) {
  const auto pattern = ProgramPattern::compile("^(PASS|ok)$").value();

  EXPECT_TRUE(pattern.matches_a_line("time 3\r\nPASS\r\nend"));
  EXPECT_TRUE(pattern.matches_a_line("ok"));
  EXPECT_FALSE(pattern.matches_a_line("PASS 3\nFAIL\n"));
  EXPECT_FALSE(pattern.matches_a_line(""));
  EXPECT_TRUE(pattern.matches_a_line(std::string("a\0b\nok\n", 7)));
  EXPECT_FALSE(pattern.matches_a_line(std::string(std::size_t{4} << 20U, 'P')));
}

TEST(ProgramPatternTest, TakesTimeThatGrowsWithTheTextAlone) {
  // Each takes hours with an engine that goes back, or that tries every start anew.
  const std::string line(std::size_t{2} << 20U, 'a');
  for (const char* text : {"(a|aa)*b", "(a*)*b", "(a+a+)+b", "a*a*a*a*a*a*b", "[ab]*a[ab]{60}b"}) {
    EXPECT_FALSE(ProgramPattern::compile(text).value().matches_a_line(line)) << text;
  }
}

TEST(ProgramPatternTest, AWholeOneIsAnchoredAroundAlternatives) {
  const auto pattern = ProgramPattern::compile_whole("a|bc").value();

  EXPECT_TRUE(pattern.matches("bc"));
  EXPECT_FALSE(pattern.matches("bcd"));
  EXPECT_FALSE(pattern.matches("xa"));
}

TEST(MakefileTest, ShowsHowTheProgramIsRun) {
  const auto make = read_makefile(kMakefileText);

  EXPECT_EQ(make.variables.at("program"), "main");
  EXPECT_EQ(make.command, "./main 1024 100");
  EXPECT_EQ(read_makefile("").command, "");
  EXPECT_EQ(read_makefile("run:\n\t$(unclosed\n").command, "");
}

TEST(MakefileTest, VariablesThatDoubleWithEachLineEnd) {
  std::string text = "v0 = 0123456789\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "$(v" + std::to_string(i - 1) + ")";
    text += "v" + std::to_string(i) + " = " + before + before + "\n";
  }
  const auto make = read_makefile(text + "run:\n\t./main $(v59)\n");

  EXPECT_EQ(make.command, "./main");
  EXPECT_EQ(make.variables.at("v1"), "01234567890123456789");
}

class NeedsTest : public ProgramTaskTest {
 protected:
  void SetUp() override {
    ProgramTaskTest::SetUp();
    for (const char* name : {"home/me/.ssh", "home/me/task/lib", "state/run", "opt/torch"}) {
      fs::create_directories(place(name));
    }
    fs::create_directory_symlink(place("home/me/.ssh"), place("opt/link"));
    fs::create_directory_symlink(place("home/me/.ssh"), place("home/me/task/away"));
    fs::create_directory_symlink(place("opt/torch"), place("opt/newest"));
    settings_.daemon.state_directory = place("state");
    environment_["HOME"] = place("home/me");
  }
  [[nodiscard]] std::string place(const std::string& name) const {
    return (fs::canonical(scratch_.path()) / name).string();
  }
  /// Why a task in home/me/task may not have the folder; "" = it may.
  std::string refusal(const std::string& folder, const std::string& allowed = "") {
    auto task = a_task();
    task.needs = {folder};
    auto places = private_folders(settings_, environment_, allowed);
    // Everything here lies in /tmp.
    std::erase(places.asked, fs::path("/tmp"));
    const auto checked = check_needs(task, place("home/me/task"), places);
    return checked ? "" : checked.error().message;
  }

  Settings settings_;
  Environment environment_;
};

TEST_F(NeedsTest, WhatIsPrivateIsRefusedWithOneSentence) {
  EXPECT_EQ(refusal(place("home/me/.ssh")),
            "needs[0]: " + place("home/me/.ssh") + " lies in " + place("home/me") +
                "; to let programs read it, add it to the setting lab.program_folders");
  EXPECT_EQ(refusal(place("opt/link")),
            "needs[0]: " + place("opt/link") + ", which is " + place("home/me/.ssh") +
                ", lies in " + place("home/me") +
                "; to let programs read it, add it to the setting lab.program_folders");
  EXPECT_EQ(refusal(place("state/run")), "needs[0]: " + place("state/run") + " lies in " +
                                             place("state") + ", and no program gets to see that");
  EXPECT_EQ(refusal(place("home")).find("needs[0]: " + place("home") + " contains "), 0U);
  for (const char* folder :
       {"/proc/1", "/dev/shm", "/sys/kernel", "/run", "/etc/ssl", "/var/log"}) {
    if (!fs::exists(folder)) continue;
    EXPECT_NE(refusal(folder), "") << folder;
  }
}

TEST_F(NeedsTest, LibrariesAndItsOwnFoldersAreNot) {
  EXPECT_EQ(refusal(place("opt/torch")), "");
  EXPECT_EQ(refusal(place("opt/newest")), "");
  EXPECT_EQ(refusal("/usr"), "");
  EXPECT_EQ(refusal(place("home/me/task/lib")), "");
  EXPECT_NE(refusal(place("home/me/task/away")), "");
}

TEST_F(NeedsTest, WhatTheUserListsIsAllowedButNotTheDaemonsOwnFiles) {
  EXPECT_EQ(refusal(place("home/me/.ssh"), "/nowhere:" + place("home/me/.ssh")), "");
  EXPECT_EQ(refusal(place("opt/link"), place("home/me")), "");
  EXPECT_NE(refusal(place("home/me/.ssh"), place("home/me/task")), "");
  EXPECT_NE(refusal(place("state/run"), place("state")), "");
  EXPECT_NE(refusal("/proc/1", "/proc"), "");
}

TEST_F(ProgramTaskTest, ProposesFromAMakefile) {
  write("Makefile", kMakefileText);
  write("main.cu", kKernelText);
  write("notes.txt", "no __global__ here");

  const auto proposal = propose_program_task(folder());

  ASSERT_TRUE(proposal) << proposal.error().message;
  EXPECT_EQ(proposal->task.name, "scan-cuda");
  EXPECT_EQ(proposal->task.build, "make ARCH={arch}");
  EXPECT_EQ(proposal->task.run, "./main 1024 100");
  EXPECT_EQ(proposal->task.pass, (ProgramPassRule{0, "PASSED", "FAILED"}));
  EXPECT_EQ(proposal->task.editable, std::vector<std::string>{"main.cu"});
  EXPECT_EQ(find_program_task_problem(proposal->task), std::nullopt);
}

TEST_F(ProgramTaskTest, WordsOfTheOutputStandInWholeLiterals) {
  write("a.cu",
        "__global__ void k() {}\nint main() { char q = '\"'; puts(R\"(a \"b\"\nPASSED)\" "
        "\"FAI\\\nLED\"); }\n");
  write("b.cu", "// int main() {}\nconst char* s = \"main\";\n");

  EXPECT_EQ(guess_pass_rule(folder(), {"a.cu"}), (ProgramPassRule{0, "PASSED", "FAILED"}));
  fs::remove(folder() / "a.cu");
  EXPECT_FALSE(propose_program_task(folder())) << "b.cu defines no main()";
}

TEST_F(ProgramTaskTest, ProposesFromCMakeAndFromSourcesAlone) {
  write("a.cu", "__global__ void k() {}\nint main() { return 0; }\n");
  const auto bare = propose_program_task(folder());
  ASSERT_TRUE(bare) << bare.error().message;
  EXPECT_EQ(bare->task.build, "nvcc -O3 -std=c++17 -arch={arch} -o main a.cu");
  EXPECT_EQ(bare->task.run, "./main");
  EXPECT_EQ(bare->task.pass, ProgramPassRule{});
  ASSERT_FALSE(bare->notes.empty());
  EXPECT_NE(bare->notes.back().find("null-kernel control"), std::string::npos);

  write("CMakeLists.txt", "project(x CUDA)\nadd_executable( bench\n  a.cu)\n");
  const auto cmake = propose_program_task(folder());
  ASSERT_TRUE(cmake) << cmake.error().message;
  EXPECT_EQ(cmake->task.run, "./build/bench");
  EXPECT_NE(cmake->task.build.find("CMAKE_CUDA_RUNTIME_LIBRARY=Shared"), std::string::npos);
}

TEST_F(ProgramTaskTest, ProposesNothingWithoutAKernelOrAWayToBuild) {
  write("main.cpp", "int main() { return 0; }\n");
  const auto none = propose_program_task(folder());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("no file with a kernel"), std::string::npos);

  write("library.cu", "__global__ void k() {}\n");
  fs::remove(folder() / "main.cpp");
  const auto no_main = propose_program_task(folder());
  ASSERT_FALSE(no_main);
  EXPECT_NE(no_main.error().message.find("--build and --run"), std::string::npos);
}

TEST_F(ProgramTaskTest, SeesALicenceThatForbidsToPassTheTextOn) {
  write("Makefile", kMakefileText);
  write("main.cu",
        "// Subject to the NVIDIA End User License Agreement.\n" + std::string(kKernelText));

  EXPECT_EQ(propose_program_task(folder())->task.restricted,
            "main.cu says \"end user license agreement\"");
}

TEST_F(ProgramTaskTest, CopiesWithoutHiddenFilesAndLinksAway) {
  write("main.cu", kKernelText);
  write("sub/part.h", "x");
  write(".git/config", "x");
  fs::create_symlink("/etc/hostname", folder() / "away");
  fs::create_symlink("main.cu", folder() / "same.cu");

  EXPECT_EQ(list_program_folder(folder()).value(),
            (std::vector<std::string>{"main.cu", "same.cu", "sub/part.h"}));
  EXPECT_FALSE(list_program_folder(folder(), {2, 1U << 20U}));
  EXPECT_FALSE(copy_program_folder(folder(), folder() / "inside"));
  EXPECT_TRUE(copy_program_folder(folder(), scratch_.path() / "copy"));
  EXPECT_TRUE(fs::is_regular_file(scratch_.path() / "copy/sub/part.h"));
}

TEST_F(ProgramTaskTest, ImportsAHecbenchStyleFolder) {
  write("Makefile", kMakefileText);
  write("main.cu", kKernelText);
  ImportOptions options;
  options.arguments["scan"] = "16 2";

  const auto folders = find_suite_folders(ProgramSuite::hecbench, scratch_.path());
  ASSERT_TRUE(folders) << folders.error().message;
  const auto task =
      import_program(ProgramSuite::hecbench, folders->at(0), scratch_.path() / "out", options);

  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->name, "scan");
  EXPECT_EQ(task->run, "./main 16 2");
  EXPECT_EQ(task->pass, (ProgramPassRule{0, "PASS", "FAIL"}));
  EXPECT_EQ(load_program_task(scratch_.path() / "out").value(), *task);
  const auto again =
      import_program(ProgramSuite::hecbench, folder(), scratch_.path() / "out", options);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::conflict);
}

TEST_F(ProgramTaskTest, AProgramThatReachesBesideItsFolderIsNotImported) {
  write("Makefile", kMakefileText);
  write("main.cu", "#include \"../other-cuda/reference.h\"\n" + std::string(kKernelText));

  const auto task = import_program(ProgramSuite::hecbench, folder(), scratch_.path() / "out", {});

  ASSERT_FALSE(task);
  EXPECT_NE(task.error().message.find("main.cu names files beside"), std::string::npos);
  EXPECT_FALSE(fs::exists(scratch_.path() / "out"));
}

TEST_F(ProgramTaskTest, ImportsAKernelblasterStyleFolderWithItsLibrary) {
  write("init.cu",
        "__global__ void k() {}\n// __global__ void old() {}\n__global__ void last() {}\n");
  write("driver.cpp", "#include <torch/torch.h>\n#include \"cuda_model.cuh\"\n");
  const fs::path torch = scratch_.path() / "libtorch";
  const auto without =
      import_program(ProgramSuite::kernelblaster, folder(), scratch_.path() / "out", {});
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().message.find("--libtorch"), std::string::npos);

  fs::create_directories(torch / "include/torch/csrc/api/include/torch");
  std::ofstream(torch / "include/torch/csrc/api/include/torch/torch.h") << "// library\n";
  fs::create_directories(torch / "lib");
  std::ofstream(torch / "lib/libtorch_cuda.so") << "library\n";
  ImportOptions options;
  options.libtorch = torch;
  options.precompiled = scratch_.path() / "compiled";
  const auto early =
      import_program(ProgramSuite::kernelblaster, folder(), scratch_.path() / "out", options);
  ASSERT_FALSE(early) << "there is no compiled header";
  EXPECT_NE(early.error().message.find("precompiled_torch.h.gch; make it"), std::string::npos);
  fs::create_directories(options.precompiled);
  std::ofstream(options.precompiled / "precompiled_torch.h") << "//\n";
  std::ofstream(options.precompiled / "precompiled_torch.h.gch") << "compiled\n";
  const auto task =
      import_program(ProgramSuite::kernelblaster, folder(), scratch_.path() / "out", options);

  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->pass, (ProgramPassRule{0, "passed", "failed"}));
  EXPECT_EQ(task->editable, std::vector<std::string>{"init.cu"});
  EXPECT_TRUE(fs::exists(scratch_.path() / "out/cuda_model.cuh"));
  EXPECT_NE(task->build.find("-ltorch_cuda"), std::string::npos);
  EXPECT_NE(task->build.find("/compiled -include precompiled_torch.h"), std::string::npos);
  EXPECT_EQ(task->kernels, std::vector<std::string>{"k|last"}) << "libtorch's are not timed";
  EXPECT_EQ(task->needs.size(), 2U);
}

TEST_F(ProgramTaskTest, ASuiteThatIsNotThereSaysWhatToGive) {
  const auto none = find_suite_folders(ProgramSuite::hecbench, scratch_.path());

  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_found);
  EXPECT_NE(none.error().message.find("NAME-cuda"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::config
