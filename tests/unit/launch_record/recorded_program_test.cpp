/// A program that nvcc built, recorded by the simulator's runtime and by the preloaded library.
#include "base/file.h"
#include "profilers/launch_record/program_record.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct Ran {
  int status = -1;
  std::string text;  ///< both streams
};

template <class T>
T value_of(const RecordedArgument& argument) {
  T value{};
  EXPECT_EQ(argument.bytes.size(), sizeof value);
  std::memcpy(&value, argument.bytes.data(), std::min(sizeof value, argument.bytes.size()));
  return value;
}

class RecordedProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(WARPMIND_RECORDED_PROGRAM).empty()) {
      GTEST_SKIP() << "built with sanitizers, or without nvcc: no CUDA program to run";
    }
    std::filesystem::remove(file_);
  }
  void TearDown() override {
    std::filesystem::remove(file_);
    std::filesystem::remove_all(contents_folder(file_));
  }

  /// `environment`: "NAME=value NAME=value".
  static Ran run(const std::string& program, const std::string& environment) {
    const std::string command = "timeout 60 env LD_LIBRARY_PATH=" WARPMIND_CUDART_FOLDER " " +
                                environment + " " + program + " 2>&1";
    Ran ran;
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return ran;
    std::array<char, 4096> part{};
    for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
      ran.text.append(part.data(), got);
    }
    const int status = pclose(pipe);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
    return ran;
  }

  /// What the program does, whoever recorded it.
  void expect_record(const std::string& recorder) const {
    const auto record = read_program_record(file_);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    EXPECT_EQ(record->recorder, recorder);
    EXPECT_THAT(record->unseen, IsEmpty());
    ASSERT_THAT(record->allocations, SizeIs(3));
    EXPECT_EQ(record->allocations[0].bytes, 1200U);
    EXPECT_EQ(record->allocations[2].bytes, 24U);
    for (const auto& allocation : record->allocations) EXPECT_TRUE(allocation.released.has_value());
    ASSERT_THAT(record->transfers, SizeIs(3));
    EXPECT_EQ(record->transfers[0].to, (RecordedPlace{0, 0}));
    EXPECT_EQ(record->transfers[1].value, 0);
    EXPECT_TRUE(record->transfers[1].async);
    EXPECT_EQ(record->transfers[2].from, (RecordedPlace{2, 0}));
    ASSERT_THAT(record->waits, SizeIs(2));
    EXPECT_EQ(record->waits[0].what, "stream");
    EXPECT_EQ(record->waits[1].what, "device");
    expect_launches(*record);
  }

  static void expect_launches(const ProgramRecord& record) {
    ASSERT_THAT(record.launches, SizeIs(2));
    const auto& scale = record.launches[0];
    EXPECT_THAT(scale.kernel, HasSubstr("scale"));
    EXPECT_EQ(scale.grid, (std::array<std::uint32_t, 3>{3, 1, 1}));
    EXPECT_EQ(scale.block, (std::array<std::uint32_t, 3>{128, 1, 1}));
    EXPECT_NE(scale.stream, 0U);
    ASSERT_THAT(scale.arguments, SizeIs(4));
    EXPECT_EQ(scale.arguments[0].place, (RecordedPlace{0, 0}));
    EXPECT_EQ(scale.arguments[1].place, (RecordedPlace{1, 0}));
    EXPECT_EQ(value_of<float>(scale.arguments[2]), 0.5F);
    EXPECT_EQ(value_of<int>(scale.arguments[3]), 300);
    const auto& sums = record.launches[1];
    EXPECT_EQ(sums.kernel, "_Z8sum_rowsPKfPfix");
    EXPECT_EQ(sums.shared_bytes, 256U);
    ASSERT_THAT(sums.arguments, SizeIs(4));
    EXPECT_EQ(value_of<long long>(sums.arguments[3]), 50);
    EXPECT_LT(scale.position, sums.position);
    EXPECT_LT(sums.position, record.waits[0].position);
  }

  /// x holds ones and the sums zeros; nobody wrote the temporary before the first launch.
  void expect_contents() const {
    const auto record = read_program_record(file_);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    ASSERT_THAT(record->launches, SizeIs(2));
    ASSERT_THAT(record->launches[0].contents, SizeIs(1));
    const RecordedContents& x = record->launches[0].contents[0];
    EXPECT_EQ(x.allocation, 0U);
    EXPECT_EQ(x.pieces, 0U);
    EXPECT_EQ(numbers_in(record->contents / x.file), std::vector<float>(300, 1.0F));
    ASSERT_THAT(record->launches[1].contents, SizeIs(2));
    EXPECT_EQ(numbers_in(record->contents / record->launches[1].contents[0].file),
              std::vector<float>(300, 0.5F))
        << "as the launch before left it";
    EXPECT_EQ(numbers_in(record->contents / record->launches[1].contents[1].file),
              std::vector<float>(6, 0.0F));
  }

  static std::vector<float> numbers_in(const std::filesystem::path& file) {
    const auto bytes = read_file(file, kMostContentsBytes).value_or("");
    std::vector<float> numbers(bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
    return numbers;
  }

  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("warpmind_recorded_program_" + std::to_string(::getpid()));
};

TEST_F(RecordedProgram, IsRecordedByTheSimulatorsRuntime) {
  const auto ran = run(WARPMIND_RECORDED_PROGRAM, "CUDASIM_TRACE=" + file_.string());
  EXPECT_EQ(ran.status, 0) << ran.text;
  expect_record("simulator");
}

TEST_F(RecordedProgram, IsRecordedByThePreloadedLibrary) {
  const auto ran = run(WARPMIND_RECORDED_PROGRAM,
                       "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY " CUDARECORD_FILE=" + file_.string());
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.text, "25 no error\n") << "the recorder says nothing of its own";
  expect_record("cuda");
}

TEST_F(RecordedProgram, TheSimulatorsRuntimeKeepsWhatBuffersHold) {
  const auto ran =
      run(WARPMIND_RECORDED_PROGRAM, "CUDASIM_CONTENTS=on CUDASIM_TRACE=" + file_.string());
  EXPECT_EQ(ran.status, 0) << ran.text;
  expect_record("simulator");
  expect_contents();
}

TEST_F(RecordedProgram, ThePreloadedLibraryKeepsWhatBuffersHold) {
  const auto ran = run(WARPMIND_RECORDED_PROGRAM, "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY
                                                  " CUDARECORD_CONTENTS=on CUDARECORD_FILE=" +
                                                      file_.string());
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.text, "25 no error\n");
  expect_record("cuda");
  expect_contents();
}

TEST_F(RecordedProgram, NothingIsKeptUnlessAskedFor) {
  const auto ran = run(WARPMIND_RECORDED_PROGRAM, "CUDASIM_TRACE=" + file_.string());
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_FALSE(std::filesystem::exists(contents_folder(file_)));
}

TEST_F(RecordedProgram, LaunchesThatCudaRefusesAreOnRecord) {
  const std::string file = file_.string();
  for (const std::string& recorder :
       {"CUDASIM_TRACE=" + file,
        "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY " CUDARECORD_FILE=" + file}) {
    const auto ran = run(WARPMIND_TROUBLED_PROGRAM " refused", recorder);
    EXPECT_EQ(ran.status, 0) << ran.text;
    const auto record = read_program_record(file_);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    EXPECT_THAT(record->launches, SizeIs(1)) << recorder;
    ASSERT_THAT(record->refused, SizeIs(3)) << recorder;
    EXPECT_THAT(record->refused[0].kernel, HasSubstr("rows"));
    EXPECT_EQ(record->refused[0].what, "its grid has 70000 blocks along y, and CUDA allows 65535");
    EXPECT_EQ(record->refused[1].what, "its grid is empty");
    EXPECT_EQ(record->refused[2].what, "its blocks have 2048 threads, and CUDA allows 1024");
    EXPECT_THAT(record->faults, IsEmpty());
    std::filesystem::remove(file_);
  }
}

TEST_F(RecordedProgram, AFaultIsOnRecordThoughTheProgramEndsWell) {
  const std::string file = file_.string();
  for (const std::string& recorder :
       {"CUDASIM_TRACE=" + file,
        "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY " CUDARECORD_FILE=" + file}) {
    const auto ran = run(WARPMIND_TROUBLED_PROGRAM " fault", recorder);
    EXPECT_EQ(ran.status, 0) << ran.text;
    const auto record = read_program_record(file_);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    ASSERT_THAT(record->faults, Not(IsEmpty())) << recorder;
    EXPECT_THAT(record->faults[0].what,
                AnyOf(HasSubstr("out of bounds"), HasSubstr("illegal memory access")));
    std::filesystem::remove(file_);
  }
}

TEST_F(RecordedProgram, WhatTheChecksFindIsOnRecord) {
  const auto ran = run(WARPMIND_TROUBLED_PROGRAM " race", "CUDASIM_TRACE=" + file_.string());
  EXPECT_EQ(ran.status, 0) << ran.text;
  const auto record = read_program_record(file_);
  ASSERT_TRUE(record.has_value()) << record.error().message;
  ASSERT_THAT(record->findings, Not(IsEmpty()));
  EXPECT_THAT(record->findings[0].kernel, HasSubstr("unordered"));
  EXPECT_THAT(record->findings,
              Contains(Field(&RecordedTrouble::what, HasSubstr("shared race, line 12"))));
}

TEST_F(RecordedProgram, IsRecordedWhenALibraryBringsTheRuntime) {
  const auto ran = run(WARPMIND_LOADED_PROGRAM,
                       "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY " CUDARECORD_FILE=" + file_.string());
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.text, "25 no error\n");
  expect_record("cuda");
}

TEST_F(RecordedProgram, ItsOwnKernelsDoNothingWhereThatIsAskedFor) {
  const std::string null = "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY
                           " CUDARECORD_NULL_KERNELS=on CUDARECORD_FILE=" +
                           file_.string();
  const auto ran = run(WARPMIND_RECORDED_PROGRAM, null);
  EXPECT_EQ(ran.text, "0 no error\n");
  const auto record = read_program_record(file_);
  ASSERT_TRUE(record.has_value()) << record.error().message;
  EXPECT_THAT(record->launches, SizeIs(2));
}

TEST_F(RecordedProgram, KernelsOfALibraryElsewhereRunAllTheSame) {
  const std::string null = "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY
                           " CUDARECORD_NULL_KERNELS=on CUDARECORD_FILE=" +
                           file_.string();
  const auto outside = run("env -C / " WARPMIND_LOADED_PROGRAM, null);
  EXPECT_EQ(outside.text, "25 no error\n") << "a reference that a library computes stays right";
  const auto record = read_program_record(file_);
  ASSERT_TRUE(record.has_value()) << record.error().message;
  EXPECT_THAT(record->launches, IsEmpty()) << "what ran is none of the skipped ones";

  std::filesystem::remove(file_);
  const std::string folder =
      std::filesystem::path(WARPMIND_RECORDED_PROGRAM).parent_path().string();
  const auto inside = run("env -C " + folder + " " WARPMIND_LOADED_PROGRAM, null);
  EXPECT_EQ(inside.text, "0 no error\n") << "a library of the program's own folder";
}

TEST_F(RecordedProgram, RunsOnWithoutARecord) {
  const auto nowhere = run(WARPMIND_RECORDED_PROGRAM, "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY
                                                      " CUDARECORD_FILE=/no/such/folder/record");
  EXPECT_EQ(nowhere.status, 0);
  EXPECT_THAT(nowhere.text, HasSubstr("/no/such/folder/record cannot be written"));
  const auto unset = run(WARPMIND_RECORDED_PROGRAM, "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY);
  EXPECT_EQ(unset.status, 0);
  EXPECT_THAT(unset.text, HasSubstr("CUDARECORD_FILE does not name a file"));
}

TEST_F(RecordedProgram, AStaticRuntimeIsSaid) {
  const auto ran = run(WARPMIND_STATIC_PROGRAM,
                       "LD_PRELOAD=" WARPMIND_RECORD_LIBRARY " CUDARECORD_FILE=" + file_.string());
  EXPECT_THAT(ran.text, HasSubstr("link it with -cudart shared"));
  const auto record = read_program_record(file_);
  ASSERT_TRUE(record.has_value()) << record.error().message;
  ASSERT_THAT(record->unseen, SizeIs(1));
  EXPECT_THAT(record->unseen[0], HasSubstr("-cudart shared"));
}

}  // namespace
}  // namespace warpmind::profilers
