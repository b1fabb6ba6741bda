#include "daemon/command_line.h"

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

std::variant<Arguments, UsageExit> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "warpmindd");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

TEST(DaemonCommandLine, ServesByDefault) {
  const auto parsed = parse({});

  ASSERT_TRUE(std::holds_alternative<Arguments>(parsed));
  EXPECT_EQ(std::get<Arguments>(parsed).action, Action::serve);
  EXPECT_TRUE(std::get<Arguments>(parsed).overrides.empty());
}

TEST(DaemonCommandLine, SetMayBeRepeatedAndSocketIsASetting) {
  const auto parsed = parse({"--set", "a.b=1", "--set", "c.d=x y", "--socket", "/s", "--allow-root",
                             "--config", "/c.toml", "--foreground"});

  ASSERT_TRUE(std::holds_alternative<Arguments>(parsed));
  const auto& arguments = std::get<Arguments>(parsed);
  EXPECT_EQ(arguments.overrides, (std::vector<std::string>{"a.b=1", "c.d=x y", "daemon.socket=/s",
                                                           "daemon.allow_root=true"}));
  EXPECT_EQ(arguments.config, "/c.toml");
}

TEST(DaemonCommandLine, OneShotActions) {
  EXPECT_EQ(std::get<Arguments>(parse({"--version"})).action, Action::print_version);
  EXPECT_EQ(std::get<Arguments>(parse({"--print-protocol"})).action, Action::print_protocol);
  const auto types = std::get<Arguments>(parse({"--print-types", "python", "status"}));
  EXPECT_EQ(types.action, Action::print_types);
  EXPECT_EQ(types.types, (std::vector<std::string>{"python", "status"}));
  const auto doctor = std::get<Arguments>(parse({"--doctor", "--json"}));
  EXPECT_EQ(doctor.action, Action::doctor);
  EXPECT_TRUE(doctor.json);
}

TEST(DaemonCommandLine, HelpNamesTheExitCodes) {
  const auto usage = std::get<UsageExit>(parse({"--help"}));

  EXPECT_EQ(usage.code, 0);
  EXPECT_NE(usage.text.find("3 another daemon runs"), std::string::npos);
}

TEST(DaemonCommandLine, NonsenseIsOneSentenceAndCodeTwo) {
  for (const auto& words :
       {std::vector<const char*>{"--nonsense"}, {"extra"}, {"--set"}, {"--version", "--doctor"}}) {
    const auto parsed = parse(words);
    ASSERT_TRUE(std::holds_alternative<UsageExit>(parsed));
    EXPECT_EQ(std::get<UsageExit>(parsed).code, 2);
    EXPECT_NE(std::get<UsageExit>(parsed).text.find("see warpmindd --help"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpmind::daemon
