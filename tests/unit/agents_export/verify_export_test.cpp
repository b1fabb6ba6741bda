#include "agents/export/verify_export.h"

#include "agents/export/concur.h"
#include "agents/export/trajectories.h"
#include "base/hash.h"
#include "sample_episodes.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::agents {
namespace {

ExportOptions verified_options() {
  ExportOptions options;
  options.base_id = "0011223344556677";
  return options;
}

HeldOut held_out() {
  HeldOut all;
  for (const auto& source : samples::six_tasks()) all.add(source);
  return all;
}

std::string trajectories() {
  return export_trajectories(samples::six_tasks(), held_out(), verified_options()).text;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(VerifyExport, FindsNothingInWhatWasWritten) {
  auto chat = verified_options();
  chat.format = TrajectoryFormat::chat;
  const auto held = held_out();
  const auto sources = samples::six_tasks();
  const std::string row = export_trajectories(std::vector{samples::four_turns()}, held, chat).text;

  for (const std::string& text :
       {trajectories(), row, export_concur(sources, held, verified_options()).text}) {
    const auto check = verify_export(text, held);
    EXPECT_EQ(check.problems, 0) << (check.notes.empty() ? "" : check.notes.front());
    EXPECT_GE(check.lines, 4);
  }
}

TEST(VerifyExport, FindsAChangedLine) {
  const auto check =
      verify_export(with(trajectories(), "eight halves", "seven halves"), held_out());

  EXPECT_EQ(check.problems, 1);
  ASSERT_EQ(check.notes.size(), 1U);
  EXPECT_EQ(check.notes[0], "line 1: its hash does not fit: the line was changed");
}

TEST(VerifyExport, FindsAChangedKernelAndAMissingTurn) {
  const std::string row =
      export_trajectories(std::vector{samples::four_turns()}, {}, verified_options()).text;

  const auto changed = verify_export(with(row, "threadIdx.x *", "threadIdx.y *"), {});
  EXPECT_EQ(changed.problems, 2) << "hash of the line, id of the kernel";

  const auto shortened = verify_export(row.substr(row.find('\n') + 1), {});
  EXPECT_GE(shortened.problems, 2);
  EXPECT_NE(shortened.notes.front().find("are not complete"), std::string::npos);
}

/// The first turn of four with one member changed, and its hash made to fit again.
std::string forged(const std::string& member, const nlohmann::json& value) {
  const std::string row =
      export_trajectories(std::vector{samples::four_turns()}, {}, verified_options()).text;
  const std::size_t end = row.find('\n');
  auto line = nlohmann::json::parse(row.substr(0, end));
  line[member] = value;
  line.erase("hash");
  line["hash"] = short_hash(line.dump());
  return line.dump() + row.substr(end);
}

TEST(VerifyExport, FindsAReturnThatIsNone) {
  const auto check = verify_export(forged("R", 9.5), {});

  EXPECT_GE(check.problems, 1);
  EXPECT_NE(check.notes.front().find("R is not the return"), std::string::npos);
}

TEST(VerifyExport, FindsAScoreThatIsNone) {
  const auto check = verify_export(forged("s", 1.3), {});

  EXPECT_NE(check.notes.front().find("s is not 0.3 + speedup"), std::string::npos);
}

TEST(VerifyExport, FindsHeldOutTasks) {
  const auto sources = samples::six_tasks();
  auto leaked = std::vector{sources.back()};
  leaked[0].episode.split = Split::train;
  const std::string text = export_trajectories(leaked, {}, verified_options()).text;
  ASSERT_FALSE(text.empty());

  EXPECT_EQ(verify_export(text, {}).problems, 0);
  EXPECT_EQ(verify_export(text, held_out()).problems, 10) << "task and kernel, five lines";
}

TEST(VerifyExport, FindsForeignLines) {
  const auto check = verify_export("{\"schema\":\"other\"}\nno json\n{}\n[]\n", {});

  EXPECT_EQ(check.lines, 4);
  EXPECT_EQ(check.problems, 4);
}

}  // namespace
}  // namespace warpmind::agents
