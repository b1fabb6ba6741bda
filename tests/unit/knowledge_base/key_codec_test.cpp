#include "knowledge_base/key_codec.h"

#include "knowledge_base/column_families.h"

#include <set>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

TEST(KeyCodec, OrderOfKeysIsTheOrderOfNumbers) {
  EXPECT_LT(job_key(9), job_key(10));
  EXPECT_LT(job_key(255), job_key(256));
  EXPECT_LT(job_key(1LL << 40), job_key((1LL << 40) + 1));
  EXPECT_LT(step_key(1, 99), step_key(2, 0));
  EXPECT_LT(step_key(1, 9), step_key(1, 10));
}

TEST(KeyCodec, BytesOnDiskAreThese) {
  EXPECT_EQ(job_key(0x0102030405060708), std::string("\1\1\2\3\4\5\6\7\10", 9));
  EXPECT_EQ(unfinished_job_key(7), std::string("\2\0\0\0\0\0\0\0\7", 9));
  EXPECT_EQ(step_key(1, 2), std::string("\1\0\0\0\0\0\0\0\1\0\0\0\2", 13));
  EXPECT_EQ(kernel_key(KernelId("k-ab")), std::string("\1k-ab\0", 6));
  EXPECT_EQ(schema_key(), std::string("\1schema\0", 8));
  EXPECT_EQ(posterior_key({PosteriorLevel::bottleneck, Provider::sim, "t", "b", "", ""}),
            std::string("\1\2sim\0t\0b\0\0\0", 12));
}

TEST(KeyCodec, NumbersComeBackOutOfKeys) {
  EXPECT_EQ(number_in_key(log_key(123456789012)), 123456789012);
  EXPECT_EQ(number_in_key("short"), std::nullopt);
}

TEST(KeyCodec, TextCannotPretendToBeTwoFields) {
  const std::string nul(1, '\0');
  const auto key = [](std::string technique, std::string bottleneck) {
    return posterior_key({PosteriorLevel::bottleneck, Provider::gpu, std::move(technique),
                          std::move(bottleneck), "", ""});
  };

  EXPECT_NE(key("a" + nul + "b", ""), key("a", "b"));
  EXPECT_NE(key("a\1", ""), key("a" + nul, ""));
  EXPECT_NE(key("ab", "c"), key("a", "bc"));
  EXPECT_FALSE(best_kernel_key(TaskId("t-12"), Provider::gpu, "x")
                   .starts_with(best_kernel_prefix(TaskId("t-1"), Provider::gpu)));
}

TEST(KeyCodec, ReadsIdsOfItsOwnShapeOnly) {
  EXPECT_EQ(job_id(7), JobId("j-0000000007"));
  EXPECT_EQ(number_of(JobId("j-0000000007")), 7);
  EXPECT_EQ(number_of(EpisodeId("e-12345678901")), 12345678901);
  for (const char* text : {"", "j-", "j-7", "e-0000000007", "j-00000000x7", "j-0000000000",
                           "j--000000007", "j-00000000007", "j-99999999999999999999"}) {
    EXPECT_EQ(number_of(JobId(text)), std::nullopt) << text;
  }
}

TEST(ColumnFamilies, NamesAreUniqueAndAllThere) {
  std::set<std::string_view> names;
  for (const auto& spec : kColumnFamilies) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_EQ(name_of(spec.family), spec.name);
    EXPECT_FALSE(spec.purpose.empty());
  }
  EXPECT_EQ(names.size(), 17U);
}

}  // namespace
}  // namespace warpmind::knowledge_base
