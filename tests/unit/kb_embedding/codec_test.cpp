// What is asked of an embeddings endpoint, and which answers are believed.

#include "knowledge_base/embedding/embedding_codec.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::SizeIs;

constexpr float kEpsilon = 1e-6F;

TEST(EmbeddingCodec, TheRequestHasModelTextsAndForm) {
  const auto request = nlohmann::json::parse(embedding_request("m", {"a\n\"b\"", "\xff"}));
  EXPECT_EQ(request["model"], "m");
  EXPECT_EQ(request["encoding_format"], "float");
  EXPECT_EQ(request["input"][0], "a\n\"b\"");
  EXPECT_EQ(request["input"][1], "\xEF\xBF\xBD");  // a text that is not UTF-8 is still sent
}

TEST(EmbeddingCodec, VectorsAreOrderedByIndexAndOfUnitLength) {
  const auto vectors = read_embeddings(
      R"({"object":"list","data":[{"index":1,"embedding":[0,-2]},{"index":0,"embedding":[3,4]}],
          "usage":{"total_tokens":3}})",
      2);
  ASSERT_TRUE(vectors.has_value()) << vectors.error().message;
  EXPECT_THAT((*vectors)[0], ElementsAre(FloatNear(0.6F, kEpsilon), FloatNear(0.8F, kEpsilon)));
  EXPECT_THAT((*vectors)[1], ElementsAre(FloatNear(0, kEpsilon), FloatNear(-1, kEpsilon)));
}

TEST(EmbeddingCodec, WithoutIndexTheOrderIsThatOfTheRequest) {
  const auto vectors = read_embeddings(R"({"data":[{"embedding":[1,0]},{"embedding":[0,1]}]})", 2);
  ASSERT_TRUE(vectors.has_value()) << vectors.error().message;
  EXPECT_THAT((*vectors)[1], ElementsAre(0, 1));
}

TEST(EmbeddingCodec, VeryLargeAndVerySmallComponentsAreScaled) {
  const auto vectors = read_embeddings(R"({"data":[{"embedding":[3e100,4e100]}]})", 1);
  ASSERT_TRUE(vectors.has_value()) << vectors.error().message;
  EXPECT_THAT((*vectors)[0], ElementsAre(FloatNear(0.6F, kEpsilon), FloatNear(0.8F, kEpsilon)));
}

TEST(EmbeddingCodec, WhatCannotBeRightIsRefusedWithASentence) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  std::string many = "[1";
  for (std::size_t i = 0; i < kMostDimension; ++i) many += ",1";
  many += "]";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "is not JSON"},
      {"<html>busy</html>", "is not JSON"},
      {R"({"data":[{"index":0,"embedding":[NaN,1]}]})", "is not JSON"},
      {R"({"data":)" + deep + "}", "is not JSON"},
      {"[]", "no list \"data\""},
      {"17", "no list \"data\""},
      {R"({"error":"no"})", "no list \"data\""},
      {R"({"data":{"embedding":[1]}})", "no list \"data\""},
      {R"({"data":[]})", "0 embeddings for 2 texts"},
      {R"({"data":[{"index":0,"embedding":[1]}]})", "1 embeddings for 2 texts"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
       "the index 0 twice"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]})", "out of range"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]})", "no number"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":"1","embedding":[1]}]})", "no number"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1}]})", "without an embedding"},
      {R"({"data":[{"index":0,"embedding":[1]},3]})", "without an embedding"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[]}]})", "of 0 numbers"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":"AAAA"}]})", "no list"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[[1]]}]})", "no number"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[null]}]})", "no number"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[0]}]})", "of zeros"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1e200]}]})", "not finite"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1e999]}]})", "JSON"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,1]}]})", "different"},
      {R"({"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[1,1]}]})", "different"},
      {R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":)" + many + "}]}", "8193"},
  };
  for (const auto& [answer, why] : cases) {
    const auto vectors = read_embeddings(answer, 2);
    ASSERT_FALSE(vectors.has_value()) << answer.substr(0, 200);
    EXPECT_EQ(vectors.error().code, Errc::corrupt_data);
    EXPECT_THAT(vectors.error().message, HasSubstr(why)) << answer.substr(0, 200);
  }
}

TEST(EmbeddingCodec, ARefusalIsQuotedInOneCleanLine) {
  EXPECT_EQ(refusal_in(R"({"error":{"message":"input is too long","type":"x"}})"),
            "input is too long");
  EXPECT_EQ(refusal_in(R"({"error":"no such\nmodel"})"), "no such model");
  EXPECT_EQ(refusal_in(R"({"message":"busy"})"), "busy");
  EXPECT_EQ(refusal_in(R"({"error":{"message":7}})"), "");
  EXPECT_EQ(refusal_in("<html>"), "");
  EXPECT_THAT(refusal_in(R"({"error":")" + std::string(5000, 'x') + R"("})"), SizeIs(200));
}

}  // namespace
}  // namespace warpmind::knowledge_base
