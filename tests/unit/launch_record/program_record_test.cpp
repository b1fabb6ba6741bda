#include "profilers/launch_record/program_record.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

CudaCall call_of(CallKind kind, std::uint64_t address = 0, std::uint64_t bytes = 0) {
  CudaCall call;
  call.kind = kind;
  call.address = address;
  call.bytes = bytes;
  return call;
}

CudaCall launch_with(const std::vector<std::uint64_t>& pointers) {
  CudaCall call;
  call.kind = CallKind::launch;
  call.name = "k";
  call.grid = {2, 1, 1};
  call.block = {64, 1, 1};
  for (const std::uint64_t pointer : pointers) {
    std::string bytes(sizeof pointer, '\0');
    std::memcpy(bytes.data(), &pointer, bytes.size());
    call.arguments.push_back(bytes);
  }
  return call;
}

std::string lines(const std::vector<CudaCall>& calls) {
  CudaCall begin;
  begin.kind = CallKind::begin;
  begin.name = "test";
  std::string text = encode(begin) + "\n";
  for (const auto& call : calls) text += encode(call) + "\n";
  return text;
}

TEST(ProgramRecord, ResolvesPointersToLiveAllocations) {
  const auto record = parse_program_record(
      lines({call_of(CallKind::allocate, 1000, 100), call_of(CallKind::allocate, 2000, 50),
             launch_with({1000, 1099, 1100, 2049, 7}), call_of(CallKind::release, 1000),
             launch_with({1000, 2000})}));
  ASSERT_TRUE(record.has_value()) << record.error().message;
  EXPECT_EQ(record->recorder, "test");
  ASSERT_THAT(record->launches, SizeIs(2));
  const auto& first = record->launches[0];
  ASSERT_THAT(first.arguments, SizeIs(5));
  EXPECT_EQ(first.arguments[0].place, (RecordedPlace{0, 0}));
  EXPECT_EQ(first.arguments[1].place, (RecordedPlace{0, 99}));
  EXPECT_EQ(first.arguments[2].place, std::nullopt) << "just behind it";
  EXPECT_EQ(first.arguments[3].place, (RecordedPlace{1, 49}));
  EXPECT_EQ(first.arguments[4].place, std::nullopt);
  EXPECT_EQ(record->launches[1].arguments[0].place, std::nullopt) << "given back by then";
  EXPECT_EQ(record->allocations[0].released, 4U);
  EXPECT_EQ(record->allocations[1].released, std::nullopt);
}

TEST(ProgramRecord, AnAddressThatIsUsedAgainIsAnotherAllocation) {
  const auto record =
      parse_program_record(lines({call_of(CallKind::allocate, 1000, 100), launch_with({1000}),
                                  call_of(CallKind::release, 1000),
                                  call_of(CallKind::allocate, 1000, 8), launch_with({1000})}));
  ASSERT_TRUE(record.has_value()) << record.error().message;
  EXPECT_EQ(record->launches[0].arguments[0].place, (RecordedPlace{0, 0}));
  EXPECT_EQ(record->launches[1].arguments[0].place, (RecordedPlace{1, 0}));
}

TEST(ProgramRecord, TransfersSayWhichSideIsTheHost) {
  auto copy = call_of(CallKind::copy, 1004, 16);
  copy.from = 77;
  auto fill = call_of(CallKind::fill, 1000, 100);
  fill.value = 3;
  const auto record =
      parse_program_record(lines({call_of(CallKind::allocate, 1000, 100), fill, copy}));
  ASSERT_TRUE(record.has_value()) << record.error().message;
  ASSERT_THAT(record->transfers, SizeIs(2));
  EXPECT_EQ(record->transfers[0].value, 3);
  EXPECT_EQ(record->transfers[1].to, (RecordedPlace{0, 4}));
  EXPECT_EQ(record->transfers[1].from, std::nullopt);
  EXPECT_EQ(record->transfers[1].value, std::nullopt);
}

TEST(ProgramRecord, ListsOnceWhatIsNotSeen) {
  auto other = call_of(CallKind::other);
  other.name = "cudaGraphLaunch";
  const auto record = parse_program_record(lines({other, other}));
  ASSERT_TRUE(record.has_value());
  EXPECT_THAT(record->unseen, ElementsAre("cudaGraphLaunch"));
  EXPECT_THAT(parse_program_record(lines({call_of(CallKind::release, 5)}))->unseen, SizeIs(1));
}

TEST(ProgramRecord, KeepsWhatWentWrong) {
  auto fault = call_of(CallKind::fault);
  fault.name = "cudaDeviceSynchronize";
  fault.value = 700;
  auto finding = call_of(CallKind::finding);
  finding.name = "k";
  finding.reason = "shared race, line 3: two threads";
  const auto record = parse_program_record(lines({finding, finding, fault}));
  ASSERT_TRUE(record.has_value()) << record.error().message;
  EXPECT_THAT(record->findings,
              ElementsAre(RecordedTrouble{"k", "shared race, line 3: two threads"}));
  EXPECT_THAT(record->faults,
              ElementsAre(RecordedTrouble{"cudaDeviceSynchronize", "CUDA error 700"}));
}

TEST(ProgramRecord, ARefusedLaunchIsNone) {
  auto refused = launch_with({});
  refused.kind = CallKind::refused;
  refused.value = 1;
  refused.reason = "invalid argument";
  const auto simulated = parse_program_record(lines({launch_with({}), refused}));
  ASSERT_TRUE(simulated.has_value());
  EXPECT_THAT(simulated->launches, SizeIs(1)) << "on record as refused only";
  EXPECT_THAT(simulated->refused, ElementsAre(RecordedTrouble{"k", "invalid argument"}));
  std::string on_gpu = lines({launch_with({}), refused});
  on_gpu.replace(on_gpu.find("\"test\""), 6, "\"cuda\"");
  const auto measured = parse_program_record(on_gpu);
  ASSERT_TRUE(measured.has_value());
  EXPECT_THAT(measured->launches, SizeIs(0)) << "written before CUDA had answered";
}

struct Damage {
  std::string text;
  std::string sentence;
};

TEST(ProgramRecord, DamageNamesTheLine) {
  auto no_grid = launch_with({});
  no_grid.grid = {0, 1, 1};
  auto no_name = launch_with({});
  no_name.name.clear();
  const std::string good = lines({});
  for (const auto& [text, sentence] : std::vector<Damage>{
           {"", "record is empty"},
           {"hello\n", "line 1: "},
           {encode(launch_with({})) + "\n", "line 1 is not the beginning"},
           {good + good, "line 2: a second program begins"},
           {good + "{\"call\":\"wait\"}", "line 2 is cut short"},
           {good + "\n", "line 2: "},
           {good + "{\"call\":\"wait\"}\n{\"call\":\n", "line 3: "},
           {lines({no_grid}), "line 2: a launch without a grid"},
           {lines({no_name}), "line 2: a launch without a kernel"},
           {lines({call_of(CallKind::allocate, UINT64_MAX, 2)}), "line 2: an allocation that no"},
       }) {
    const auto record = parse_program_record(text);
    ASSERT_FALSE(record.has_value()) << sentence;
    EXPECT_THAT(record.error().message, HasSubstr(sentence));
  }
}

TEST(ProgramRecord, AnyDamageIsRefusedOrHarmless) {
  const std::string good =
      lines({call_of(CallKind::allocate, 1000, 100), launch_with({1000, 1050, 7}),
             call_of(CallKind::release, 1000), launch_with({1000})});
  std::mt19937 draws(7);  // the same on every run
  for (int round = 0; round < 5000; ++round) {
    std::string text = good;
    for (unsigned i = 0; i < 1 + draws() % 3; ++i) {
      text[draws() % text.size()] = static_cast<char>(draws() % 256);
    }
    const auto record = parse_program_record(text);
    if (!record) {
      EXPECT_EQ(record.error().message.find('\n'), std::string::npos);
      continue;
    }
    for (const auto& launch : record->launches) {
      for (const auto& argument : launch.arguments) {
        if (!argument.place) continue;
        ASSERT_LT(argument.place->allocation, record->allocations.size());
        ASSERT_LT(argument.place->offset, record->allocations[argument.place->allocation].bytes);
      }
    }
  }
}

TEST(ProgramRecord, AMissingFileIsNotFound) {
  const auto record = read_program_record(std::filesystem::path("/no/such/record"));
  ASSERT_FALSE(record.has_value());
  EXPECT_EQ(record.error().code, Errc::not_found);
}

}  // namespace
}  // namespace warpmind::profilers
