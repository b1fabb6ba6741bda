#include "config/toml_document.h"

#include <string>

#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

std::string complaint(const std::string& text) {
  const auto read = parse_toml(text, "f.toml");
  return read ? "" : read.error().message;
}

constexpr const char* kTooDeep = "keys and brackets are nested deeper than 64 levels";

TEST(TomlDocument, DeepKeysAndBracketsAreRefusedWithTheirPlace) {
  constexpr int kDeep = 15'000;  // ends a thread's stack
  for (const auto& text :
       {repeated("a.", kDeep) + "a = 1", "[" + repeated("a.", kDeep) + "a]",
        "[[" + repeated("a.", kDeep) + "a]]", "x = " + repeated("[", kDeep),
        "x = " + repeated("{a = ", kDeep), "x = " + repeated("{a.b.c = [", kDeep),
        "x = {" + repeated("a . 'b' . \"c\" . ", kDeep) + "d = 1}",
        "x = '''#'''\n" + repeated("a.", kDeep) + "a = 1",
        "x = \"\"\"a\"\"\"\"\" # \"\n" + repeated("a.", kDeep) + "a = 1"}) {
    EXPECT_NE(complaint(text).find(kTooDeep), std::string::npos) << text.substr(0, 40);
  }
  EXPECT_EQ(complaint("a = 1\n" + repeated("b.", 70) + "c = 1").find("f.toml:2:130: keys"), 0U);
}

TEST(TomlDocument, WhatOnlyLooksDeepIsRead) {
  const std::string marks = repeated(".", 100) + repeated("[", 100);
  EXPECT_EQ(complaint("a = \"" + marks + "\\\"\"\nb = '" + marks + "'\n# " + marks + "\nc = '''\n" +
                      marks + "\n'''\nd = \"\"\"" + marks + "\\\"\"\"\"\n"),
            "");
  EXPECT_EQ(complaint("a = [" + repeated("1.5,\n", 1000) + "]"), "");
  EXPECT_EQ(complaint(repeated("x", 50) + " = 1.5\n" + "[a.b]\nc.d = {e.f = [[1.5, 2.5]]}\n"), "");
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += "k" + std::to_string(i) + ".x = 0.5\n";
  EXPECT_EQ(complaint(lines), "");
}

TEST(TomlDocument, AnUnclosedBracketIsReportedAsWhatItIs) {
  std::string text = "[a\n";
  for (int i = 0; i < 200; ++i) text += "k" + std::to_string(i) + " = 0.5\n";

  EXPECT_EQ(complaint(text).find(kTooDeep), std::string::npos) << complaint(text);
  EXPECT_EQ(complaint(text).find("f.toml:"), 0U);
}

}  // namespace
}  // namespace warpmind::config
