#include "tests/fakes/insight_records.h"

#include "base/codec/model_json.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/projection.h"
#include "knowledge_base/sealed_json.h"

#include <optional>

namespace warpmind::fakes {
namespace {

using namespace knowledge_base;

constexpr std::int64_t kBytesEach = 4096;

Result<void> put_insight(ChangeSet& change, Insight& insight) {
  WARPMIND_TRY(const auto stored, change.get(Family::insights, insight_key(insight.id)));
  std::optional<Insight> before;
  if (stored) {
    WARPMIND_TRY(const auto opened, open_json(*stored, "insight"));
    WARPMIND_TRY(before, codec::from_json<Insight>(opened, "insight"));
  }
  WARPMIND_CHECK(project_document(change, before, insight));
  WARPMIND_TRY(auto bytes, seal(nlohmann::json(insight), "insight"));
  if (before) {
    change.put(Family::insights, insight_key(insight.id), std::move(bytes));
  } else {
    change.add(Family::insights, insight_key(insight.id), std::move(bytes));
  }
  return {};
}

}  // namespace

Result<void> put_insights(OpenBase& base, std::vector<Insight> insights) {
  const auto bytes = static_cast<std::int64_t>(insights.size()) * kBytesEach;
  return base.write(bytes, [&insights](ChangeSet& change) -> Result<void> {
    std::vector<std::string> ids;
    for (auto& insight : insights) {
      WARPMIND_CHECK(put_insight(change, insight));
      ids.push_back(insight.id.str());
    }
    change.describe("insights", std::move(ids));
    return {};
  });
}

}  // namespace warpmind::fakes
