#pragma once
// A base in a scratch folder with a search index, and insights to put into it.

#include "base/clock.h"
#include "base/file.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "tests/fakes/insight_generator.h"
#include "tests/fakes/insight_records.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {

class RetrievalFixture : public testing::Test {
 protected:
  void SetUp() override { open(); }

  void open(const RetrievalOptions& options = {}) {
    close();
    auto base = OpenBase::open(location());
    ASSERT_TRUE(base.has_value()) << base.error().message;
    base_ = std::move(*base);
    auto retrieval = Retrieval::open(*base_, options);
    ASSERT_TRUE(retrieval.has_value()) << retrieval.error().message;
    retrieval_ = std::move(*retrieval);
  }
  void close() {
    retrieval_.reset();
    base_.reset();
  }

  [[nodiscard]] StoreLocation location() const {
    return {.directory = scratch_.path() / "kb", .reserve_bytes = 0, .clock = clock_};
  }
  void put(std::vector<Insight> insights) {
    const auto stored = fakes::put_insights(*base_, std::move(insights));
    ASSERT_TRUE(stored.has_value()) << stored.error().message;
  }
  [[nodiscard]] RetrievalAnswer search(const InsightQuery& query) const {
    auto answer = retrieval_->search(query);
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    return answer.value_or(RetrievalAnswer{});
  }
  [[nodiscard]] std::vector<InsightId> found(const InsightQuery& query) const {
    std::vector<InsightId> ids;
    for (const auto& insight : search(query).insights) ids.push_back(insight.id);
    return ids;
  }

  /// One that speaks of coalescing; `parameters` tells it from others.
  [[nodiscard]] static Insight insight(const std::string& parameters,
                                       const std::string& technique = "coalesced_layout") {
    Insight one;
    one.claim =
        "Transposing the index order so that lanes read neighbours removes uncoalesced "
        "loads (" +
        parameters + ").";
    one.action.techniques = {technique};
    one.action.parameters = parameters;
    one.provenance.source = "episodes";
    one.state = InsightState::confirmed;
    one.trust = Trust::t3;
    one.utility.observations = 4;
    one.id = id_of(one);
    return one;
  }
  [[nodiscard]] static InsightQuery about(const std::string& text) {
    InsightQuery query;
    query.text = text;
    return query;
  }
  static constexpr const char* kQuestion = "uncoalesced loads: transpose the index order";

  const SystemClock clock_{};
  const ScratchDirectory scratch_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb-retrieval").value();
  std::unique_ptr<OpenBase> base_;
  std::unique_ptr<Retrieval> retrieval_;
};

}  // namespace warpmind::knowledge_base
