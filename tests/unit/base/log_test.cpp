#include "base/log.h"

#include "base/codec/json_guard.h"
#include "base/file.h"
#include "base/ids.h"
#include "base/log_redaction.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind {
namespace {

using testing::HasSubstr;
using testing::Not;

class Log : public testing::Test {
 protected:
  void open(log::Format format, log::Level level = log::Level::info) {
    ASSERT_TRUE(log::open({file(), level, false, format}).has_value());
  }
  [[nodiscard]] std::filesystem::path file() const { return scratch_.path() / "warpmindd.log"; }
  [[nodiscard]] std::string text() const {
    log::flush();
    return read_file(file(), 1 << 20).value();
  }
  /// Each line as an object; a line that is none fails the test.
  [[nodiscard]] std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> all;
    std::istringstream whole(text());
    for (std::string line; std::getline(whole, line);) {
      auto parsed = codec::parse_json(line);
      EXPECT_TRUE(parsed.has_value()) << line;
      if (parsed) all.push_back(std::move(*parsed));
    }
    return all;
  }

  ScratchDirectory scratch_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "log_test"))
          .value();
};

TEST_F(Log, ALineOfTheFileIsOneObjectWithTimeLevelComponentAndFields) {
  open(log::Format::json);

  log::info("agents", "step",
            {{"job", JobId("j-0000000001")},
             {"reason", "a \"b\"\nc\x01\xff"},
             {"step", 3},
             {"level", "deep"}});
  log::debug("agents", "hidden");

  const auto all = lines();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0]["ts"].get<std::string>(),
              testing::MatchesRegex("....-..-..T..:..:.....{1,5}.*"));
  EXPECT_EQ(all[0]["level"], "info");
  EXPECT_EQ(all[0]["component"], "agents");
  EXPECT_EQ(all[0]["message"], "step");
  EXPECT_EQ(all[0]["job"], "j-0000000001");
  EXPECT_EQ(all[0]["step"], 3);
  EXPECT_EQ(all[0]["level_"], "deep") << "no key stands twice";
  EXPECT_THAT(all[0]["reason"].get<std::string>(), HasSubstr("a \"b\"\nc"));
}

TEST_F(Log, TextQuotesWhatNeedsIt) {
  open(log::Format::text);

  log::info("agents", "step", {{"task", TaskId("t-1")}, {"reason", "a \"b\"\nc"}, {"step", 3}});

  EXPECT_THAT(text(), HasSubstr(R"(info agents step task=t-1 reason="a \"b\"\nc" step=3)"));
}

TEST_F(Log, TheLevelOfOneComponentChangesWhileItRuns) {
  open(log::Format::json);

  log::set_level(log::Level::debug, "agents");
  log::debug("agents", "seen");
  log::debug("daemon", "unseen");
  log::set_level(log::Level::error);
  log::debug("agents", "no longer");
  log::warn("daemon", "too mild");
  log::error("daemon", "kept");

  EXPECT_EQ(log::levels().general, log::Level::error);
  EXPECT_TRUE(log::levels().components.empty());
  const auto all = lines();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["message"], "seen");
  EXPECT_EQ(all[1]["message"], "kept");
}

TEST_F(Log, ACanaryKeyReachesNoSinkInAnyPartOfALine) {
  const std::string canary = "canary-4f1c0e9b7d";
  log::hide(canary);
  for (const auto format : {log::Format::json, log::Format::text}) {
    open(format);
    log::warn("agents", "the server said " + canary,
              {{"why", "401 for Bearer " + canary}, {"body", "{\"key\":\"" + canary + "\"}"}});
    log::warn("agents", "never registered",
              {{"header", "Authorization: Bearer abcdefghijklmnop"},
               {"key", "sk-proj-0123456789abcdefghij"},
               {"cloud", "AKIAIOSFODNN7EXAMPLE"},
               {"url", "https://ada:secret99@example.com/v1"},
               {"pem", "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"}});
    const std::string kept = text();
    for (const std::string& secret :
         {canary, std::string("abcdefghijklmnop"), std::string("0123456789abcdefghij"),
          std::string("IOSFODNN7"), std::string("secret99"), std::string("MIIE")}) {
      EXPECT_THAT(kept, Not(HasSubstr(secret)));
    }
    EXPECT_THAT(kept, HasSubstr("[hidden]"));
    EXPECT_THAT(kept, HasSubstr("example.com/v1"));
  }
}

TEST(LogRedaction, LeavesOrdinaryWordsAlone) {
  for (const std::string& text :
       {std::string("task-runner and disk-based work"), std::string("Bearer of news"),
        std::string("a basic block of 128 threads"), std::string("user@host without a scheme"),
        std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")}) {
    EXPECT_EQ(log::redacted(text), text);
  }
}

TEST(LogRedaction, AWordTooShortToBeASecretIsNoSecret) {
  log::hide("step");
  EXPECT_EQ(log::redacted("step 3"), "step 3");
}

TEST_F(Log, UnwritableFileIsAnError) {
  const auto opened = log::open({"/proc/nowhere/x.log", log::Level::info, false});

  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().message, HasSubstr("/proc/nowhere/x.log"));
}

}  // namespace
}  // namespace warpmind
