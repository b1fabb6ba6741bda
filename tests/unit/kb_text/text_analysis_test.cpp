#include "knowledge_base/retrieval/text_analysis.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST(TextAnalysis, LowersWordsAndDropsStopWords) {
  EXPECT_THAT(analyse("The Kernel is FAST"), ElementsAre("kernel", "fast"));
}

TEST(TextAnalysis, SplitsIdentifiersAndKeepsTheWhole) {
  EXPECT_THAT(analyse("mySharedTile2D"), ElementsAre("mysharedtile2d", "shar", "til", "2"));
  EXPECT_THAT(analyse("block_x"), ElementsAre("block_x", "block"));
  EXPECT_THAT(analyse("HTTPServer"), ElementsAre("httpserver", "http", "server"));
  EXPECT_THAT(analyse("float4"), ElementsAre("float4", "vectoriz", "float", "4"));
}

TEST(TextAnalysis, FormsOfAWordMeet) {
  for (const auto* form : {"coalesced", "coalescing", "coalesce", "coalesces"}) {
    EXPECT_EQ(stem_of(form), "coalesc") << form;
  }
  for (const auto* form : {"vectorise", "vectorized", "vectorizing", "vectorisation"}) {
    EXPECT_EQ(stem_of(form), "vectoriz") << form;
  }
  for (const auto* form : {"reduce", "reduced", "reduction", "reductions", "reducing"}) {
    EXPECT_EQ(stem_of(form), "reduc") << form;
  }
  EXPECT_EQ(stem_of("latencies"), stem_of("latency"));
  EXPECT_EQ(stem_of("mapping"), stem_of("maps"));
  EXPECT_EQ(stem_of("saturation"), stem_of("saturated"));
}

TEST(TextAnalysis, DifferentWordsStayApart) {
  EXPECT_NE(stem_of("bus"), stem_of("bu"));
  EXPECT_EQ(stem_of("axis"), "axis");
  EXPECT_EQ(stem_of("string"), "string");
  EXPECT_EQ(stem_of("speed"), "speed");
  EXPECT_EQ(stem_of("m16n8k16"), "m16n8k16");
}

TEST(TextAnalysis, ConceptsJoinWordsOfTheTrade) {
  const std::pair<const char*, const char*> pairs[] = {
      {"shared memory", "smem"},
      {"uncoalesced loads", "coalesced"},
      {"128-bit loads", "vectorised"},
      {"float4", "vectorised"},
      {"bank conflicts", "bank-conflict"},
      {"tensor cores", "wmma"},
      {"cp.async", "asynchronous copy"},
      {"matmul", "GEMM"},
      {"__half", "fp16"},
      {"threads per block", "block size"},
  };
  for (const auto& [left, right] : pairs) {
    const auto tokens = analyse(right);
    EXPECT_THAT(analyse(left), testing::Contains(testing::AnyOfArray(tokens)))
        << left << " and " << right;
  }
}

TEST(TextAnalysis, PhrasesNeedTheirWordsSideBySide) {
  EXPECT_THAT(analyse("shared memory"), Contains("smem"));
  EXPECT_THAT(analyse("shared by memory"), Not(Contains("smem")));
}

TEST(TextAnalysis, BytesThatAreNoUtf8SeparateWords) {
  EXPECT_THAT(analyse("warp\xff\xfeshuffle"), ElementsAre("warp", "shuffl"));
  EXPECT_THAT(analyse("\xc3"), IsEmpty());
  EXPECT_THAT(analyse("größer 2×3 – naïve 行列"), ElementsAre("größer", "2", "3", "naïve", "行列"));
}

TEST(TextAnalysis, LongTextsAndLongWordsAreCut) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word" + std::to_string(i) + " ";
  EXPECT_EQ(analyse(text).size(), kMostTokens);
  EXPECT_EQ(words_of(text).size(), kMostTokens);
  EXPECT_THAT(analyse(std::string(5000, 'x') + " warp"), ElementsAre("warp"));
}

TEST(TextAnalysis, TakesAnyBytes) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 80; ++i) text += static_cast<char>(random() % 256);
    const auto tokens = analyse(text);
    EXPECT_EQ(tokens, analyse(text));
    EXPECT_LE(tokens.size(), kMostTokens);
    for (const auto& token : tokens) EXPECT_FALSE(token.empty());
  }
}

TEST(TextAnalysis, WordsAsTheyAreWritten) {
  EXPECT_THAT(words_of("The coalesced float4"), ElementsAre("the", "coalesced", "float4"));
}

}  // namespace
}  // namespace warpmind::knowledge_base
