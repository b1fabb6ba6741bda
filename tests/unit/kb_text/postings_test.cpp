#include "knowledge_base/retrieval/postings.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

std::vector<Posting> random_postings(std::mt19937& random) {
  std::set<std::uint16_t> documents;
  const std::size_t count = random() % 200;
  while (documents.size() < count) documents.insert(static_cast<std::uint16_t>(random()));
  std::vector<Posting> postings;
  for (const auto document : documents) {
    postings.push_back({document, static_cast<std::uint8_t>(1 + random() % 255),
                        static_cast<std::uint8_t>(1 + random() % 255)});
  }
  return postings;
}

TEST(Postings, ComeBackAsTheyWereAppended) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const auto postings = random_postings(random);
    std::string bytes;
    for (const auto& posting : postings) append_posting(bytes, posting);
    const auto view = PostingsView::over(bytes);
    ASSERT_TRUE(view);
    ASSERT_EQ(view->size(), postings.size());
    for (std::size_t i = 0; i < postings.size(); ++i) EXPECT_EQ((*view)[i], postings[i]);
    EXPECT_TRUE(view->ascending());
  }
}

TEST(Postings, SeekFindsWhatALinearSearchFinds) {
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    const auto postings = random_postings(random);
    std::string bytes;
    for (const auto& posting : postings) append_posting(bytes, posting);
    const auto view = PostingsView::over(bytes).value();
    std::size_t at = 0;
    std::uint16_t document = 0;
    for (int step = 0; step < 20; ++step) {
      const auto expected =
          std::find_if(postings.begin() + static_cast<std::ptrdiff_t>(at), postings.end(),
                       [&](const Posting& p) { return p.document >= document; });
      at = view.seek(at, document);
      EXPECT_EQ(static_cast<std::ptrdiff_t>(at), expected - postings.begin());
      document = static_cast<std::uint16_t>(
          std::min<unsigned>(65535, document + static_cast<unsigned>(random() % 8000)));
    }
  }
}

TEST(Postings, DamagedBytesAreRefused) {
  EXPECT_EQ(PostingsView::over("abcde").error().code, Errc::corrupt_data);
  EXPECT_TRUE(PostingsView::over("")->ascending());
  std::string twice;
  append_posting(twice, {7, 1, 1});
  append_posting(twice, {7, 1, 1});
  EXPECT_FALSE(PostingsView::over(twice)->ascending());
}

}  // namespace
}  // namespace warpmind::knowledge_base
