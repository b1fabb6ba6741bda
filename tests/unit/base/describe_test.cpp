// One description of an option: limits, documents and what reports print of it.
#include "base/describe.h"

#include "base/codec/described_json.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

constexpr std::array<std::string_view, 3> kColours{"red", "green", "blue"};

struct Paints {
  std::optional<std::int64_t> coats = {};
  std::optional<double> hours = {};
  std::string colour = {};
  std::string plan_file = {};
  std::string remark = {};
  bool is_wet = false;

  static void describe(auto& self, auto& field) {
    field.optional("coats", self.coats,
                   Option{.text = "layers",
                          .value = "N",
                          .setting = "paint.coats",
                          .limits = {.least = 1, .most = 9}});
    field.required("hours", self.hours,
                   Option{.text = "time to dry", .fallback = "2", .limits = {.above = 0}});
    field.optional("colour", self.colour,
                   Option{.text = "`red` is fast", .fallback = "blue", .choices = kColours});
    field.optional("plan_file", self.plan_file,
                   Option{.text = "where to paint", .value = "FILE", .flag = "plan"});
    field.optional("remark", self.remark,
                   Option{.text = "for the report", .limits = {.longest = 4}, .is_reported = true});
    field.optional("is_wet", self.is_wet, Option{.text = "it is"});
  }
};

/// The refusal, or "" for options inside their limits.
std::string refusal(const Paints& paints, OptionNames names = OptionNames::members) {
  const auto checked = check_options(paints, names);
  return checked ? std::string() : checked.error().message;
}

/// The document sentence of each member, in their order.
struct Sentences {
  std::vector<std::string> found;
  void required(const char*, const auto&, const Option& option) {
    found.push_back(document_sentence(option));
  }
  void optional(const char*, const auto&, const Option& option) {
    found.push_back(document_sentence(option));
  }
};

TEST(Describe, WhatIsAbsentOrAtABoundIsInsideTheLimits) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.coats = 1, .hours = 0.001, .remark = "wörd"}), "");
  EXPECT_EQ(refusal({.coats = 9}), "");
}

TEST(Describe, TheFirstValueOutsideIsNamedWithItsBounds) {
  EXPECT_EQ(refusal({.coats = 0, .hours = -1}), "'coats' must be at least 1 and at most 9, not 0");
  EXPECT_EQ(refusal({.coats = 10}), "'coats' must be at least 1 and at most 9, not 10");
  EXPECT_EQ(refusal({.hours = 0}), "'hours' must be above 0, not 0");
  EXPECT_EQ(refusal({.hours = -0.5}), "'hours' must be above 0, not -0.5");
  EXPECT_EQ(refusal({.hours = std::nan("")}), "'hours' must be above 0, not nan");
}

TEST(Describe, ATextIsOneLineAndCountedInCharacters) {
  EXPECT_EQ(refusal({.remark = "words"}),
            "'remark' must be one line of at most 4 characters, not 5");
  for (const char* text : {"a\nb", "a\tb", "\x1b[m", "\x7f"}) {
    EXPECT_EQ(refusal({.remark = text}), "'remark' must be one line of at most 4 characters");
  }
}

TEST(Describe, ARefusalAtAShellNamesTheFlag) {
  EXPECT_EQ(refusal({.coats = 0}, OptionNames::flags),
            "--coats must be at least 1 and at most 9, not 0");
  EXPECT_EQ(flag_name("gpu_seconds", Option{.text = ""}), "--gpu-seconds");
  EXPECT_EQ(flag_name("plan_file", Option{.text = "", .flag = "plan"}), "--plan");
}

TEST(Describe, DocumentsSayChoicesDefaultsAndLimits) {
  Sentences sentences;
  const Paints paints;
  Paints::describe(paints, sentences);
  EXPECT_EQ(sentences.found, (std::vector<std::string>{
                                 "layers; default `paint.coats`", "time to dry; default 2",
                                 "`red` is fast; one of `red`, `green` or `blue`; default `blue`",
                                 "where to paint; an absolute path",
                                 "for the report; one line of at most 4 characters", "it is"}));
}

TEST(Describe, ReportsPrintWhatWasGivenAndIsMeantForThem) {
  using Rows = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(reported_options(Paints{.colour = "red"}), Rows());
  EXPECT_EQ(reported_options(Paints{.colour = "red", .remark = "dry"}), (Rows{{"remark", "dry"}}));
}

TEST(Describe, JsonIsThatOfTheMembers) {
  const Paints paints{.coats = 2, .remark = "dry", .is_wet = true};
  const nlohmann::json json = paints;
  EXPECT_EQ(json.dump(),
            R"({"coats":2,"colour":"","hours":null,"is_wet":true,"plan_file":"","remark":"dry"})");
  EXPECT_EQ(json.get<Paints>().coats, 2);
  EXPECT_EQ(nlohmann::json::parse("{}").get<Paints>().coats, std::nullopt);
}

}  // namespace
}  // namespace warpmind
