// The endpoint behind a whole base: seed, statistics, rebuild, a full disk.

#include "base/clock.h"
#include "base/file.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/retrieval/endpoint_space.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "tests/fakes/embedding_server.h"

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<float> by_length(const std::string& text) {
  return {1, static_cast<float>(text.size() % 7)};
}

class KnowledgeBaseEndpointTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<KnowledgeBase> open() {
    EmbeddingOptions options;
    options.url = server_.url();
    options.model = "m";
    options.first_wait = std::chrono::milliseconds(1);
    options.longest_wait = std::chrono::milliseconds(4);
    return KnowledgeBase::open({.directory = scratch_.path() / "kb",
                                .reserve_bytes = 0,
                                .clock = clock_,
                                .free_space = [this](const auto&) -> Result<std::int64_t> {
                                  return free_bytes_.load();
                                }},
                               options)
        .value();
  }
  static std::int64_t embedded(KnowledgeBase& base) {
    const auto* endpoint = base.retrieval().endpoint();
    endpoint->await([](const auto& now) { return now.settled; });
    return endpoint->figures().embedded;
  }
  [[nodiscard]] std::size_t texts_sent() const {
    std::size_t count = 0;
    for (const auto& call : server_.calls()) {
      if (call.texts.front() != "warpmind") count += call.texts.size();
    }
    return count;
  }

  std::atomic<std::int64_t> free_bytes_ = 1LL << 40;
  fakes::EmbeddingServer server_{by_length};
  const SystemClock clock_{};
  const ScratchDirectory scratch_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb-endpoint").value();
};

TEST_F(KnowledgeBaseEndpointTest, ARebuildDropsTheVectorsAndTheyAreMadeAgain) {
  const auto base = open();
  const auto count = embedded(*base);
  ASSERT_GT(count, 10);
  ASSERT_EQ(texts_sent(), static_cast<std::size_t>(count));
  const auto report = base->maintenance().rebuild();
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical) << testing::PrintToString(report->differences);
  EXPECT_EQ(embedded(*base), count);
  EXPECT_EQ(texts_sent(), 2 * static_cast<std::size_t>(count));
  const auto verified = base->maintenance().verify(true);
  ASSERT_TRUE(verified.has_value()) << verified.error().message;
  EXPECT_EQ(verified->problems, 0) << testing::PrintToString(verified->notes);
}

TEST_F(KnowledgeBaseEndpointTest, ARestoredBaseIsEmbeddedAgain) {
  const auto base = open();
  const auto count = embedded(*base);
  ASSERT_TRUE(base->maintenance().backup(scratch_.path() / "backup", 1).has_value());
  ASSERT_TRUE(base->maintenance().restore_here(scratch_.path() / "backup", 0).has_value());
  EXPECT_EQ(embedded(*base), count);
  EXPECT_EQ(texts_sent(), 2 * static_cast<std::size_t>(count));
}

TEST_F(KnowledgeBaseEndpointTest, ADiskThatIsNearlyFullGetsNoVectors) {
  std::int64_t count = 0;
  {
    const auto base = open();
    count = embedded(*base);
  }
  std::filesystem::remove_all(scratch_.path() / "kb" / "index");
  free_bytes_ = 0;
  const auto base = open();
  const auto* endpoint = base->retrieval().endpoint();
  endpoint->await([](const auto& now) { return !now.trouble.empty(); });
  EXPECT_THAT(endpoint->figures().trouble, HasSubstr("disk nearly full"));
  EXPECT_EQ(endpoint->figures().embedded, 0);
  EXPECT_THAT(base->retrieval().figures().endpoint, StartsWith("0 of "));
  free_bytes_ = 1LL << 40;
  EXPECT_EQ(embedded(*base), count);
}

}  // namespace
}  // namespace warpmind::knowledge_base
