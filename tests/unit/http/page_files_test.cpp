#include "daemon/http/page_files.h"

#include "tests/unit/http/fake_exchange.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

constexpr std::string_view kPack =
    "/\ttext/html; charset=utf-8\t3\ttag0\n"
    "/assets/a-1.js\ttext/javascript\t4\ttag1\n"
    "\n"
    "abcdefg";

std::string header(const HttpReply& reply, std::string_view name) {
  for (const auto& one : reply.headers) {
    if (one.name == name) return one.value;
  }
  return {};
}

HttpRequest request(std::vector<HttpHeader> headers) {
  return {"GET", "/", 11, std::move(headers), ""};
}

TEST(PagePackTest, FilesAreFoundInIt) {
  const auto files = read_page_pack(kPack);
  ASSERT_TRUE(files.has_value());
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ(files->at(0).gzip, "abc");
  EXPECT_EQ(files->at(1).path, "/assets/a-1.js");
  EXPECT_EQ(files->at(1).content_type, "text/javascript");
  EXPECT_EQ(files->at(1).gzip, "defg");
  EXPECT_EQ(files->at(1).tag, "tag1");
}

TEST(PagePackTest, WhatIsNoPackIsRefused) {
  const std::string good(kPack);
  for (const std::string& bad :
       {std::string(), std::string("\n"), good.substr(0, good.size() - 1), good + "x",
        std::string("/\ttext/html\tx\ttag\n\nabc"), std::string("/\ttext/html\t3\n\nabc"),
        std::string("index\ttext/html\t3\ttag\n\nabc"), std::string("/\ttext/html\t3\ttag\nabc")}) {
    const auto files = read_page_pack(bad);
    ASSERT_FALSE(files.has_value()) << bad;
    EXPECT_EQ(files.error().code, Errc::corrupt_data);
  }
}

TEST(PagePackTest, TheProgramHoldsAPage) {
  const auto files = read_page_pack(built_in_page_pack());
  ASSERT_TRUE(files.has_value());
  EXPECT_EQ(
      std::count_if(files->begin(), files->end(), [](const auto& f) { return f.path == "/"; }), 1);
  for (const auto& file : *files) EXPECT_EQ(file.gzip.substr(0, 2), "\x1f\x8b") << file.path;
}

/// What the issue allows for the whole page.
TEST(PagePackTest, ThePageHasAtMostThreeHundredKilobytes) {
  EXPECT_LE(built_in_page_pack().size(), 300'000U);
}

TEST(PageFilesTest, AnswersSayHowLongTheyHold) {
  const auto files = read_page_pack(kPack);
  ASSERT_TRUE(files.has_value());
  const HttpRequest plain = request({{"accept-encoding", "gzip, deflate, br"}});
  const auto page = page_reply(files->at(0), plain);
  const auto script = page_reply(files->at(1), plain);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "abc");
  EXPECT_EQ(header(page, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(page, "Cache-Control"), "no-cache");
  EXPECT_EQ(header(script, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(header(script, "ETag"), "\"tag1\"");
}

TEST(PageFilesTest, WhoHasItGetsNoBody) {
  const auto files = read_page_pack(kPack);
  const auto again = page_reply(
      files->at(0), request({{"accept-encoding", "gzip"}, {"if-none-match", "W/\"x\", \"tag0\""}}));
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.body.empty());
  EXPECT_EQ(header(again, "ETag"), "\"tag0\"");
}

TEST(PageFilesTest, WhoTakesNoGzipIsToldSo) {
  const auto files = read_page_pack(kPack);
  EXPECT_EQ(page_reply(files->at(0), request({})).status, 406);
}

TEST(PageFilesTest, NothingInlineAndNothingFromElsewhereMayRun) {
  const auto files = read_page_pack(kPack);
  const std::string policy = header(
      page_reply(files->at(0), request({{"accept-encoding", "gzip"}})), "Content-Security-Policy");
  EXPECT_NE(policy.find("default-src 'self'"), std::string::npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(policy.find("http"), std::string::npos);
}

TEST(PageFilesTest, FilesNeedNoTokenAndNothingElseIsOpen) {
  const auto files = read_page_pack(kPack);
  Router router;
  router.add("/mcp", "POST", [](const auto& exchange) { exchange->reply({202, "", {}, ""}); });
  add_page_routes(*files, router);
  EXPECT_EQ(router.access_to({"GET", "/"}), Access::open);
  EXPECT_EQ(router.access_to({"GET", "/login"}), Access::open);
  EXPECT_EQ(router.access_to({"GET", "/assets/a-1.js"}), Access::open);
  EXPECT_EQ(router.access_to({"POST", "/mcp"}), Access::token);
  EXPECT_EQ(router.access_to({"GET", "/mcp"}), Access::token);
  EXPECT_EQ(router.access_to({"GET", "/assets/"}), Access::token);
}

}  // namespace
}  // namespace warpmind::daemon::http
