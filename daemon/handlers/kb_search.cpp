#include "base/text.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/protocol/knowledge_messages.h"
#include "knowledge_base/retrieval/features.h"
#include "knowledge_base/retrieval/retrieval.h"

#include <cmath>

namespace warpmind::daemon {
namespace {

using knowledge_base::InsightQuery;
using protocol::KbSearchParams;
using protocol::KbSearchResult;

constexpr std::int64_t kDefaultLimit = 10;
constexpr std::size_t kTextBytes = std::size_t{16} * 1024;
constexpr std::size_t kKernelBytes = std::size_t{1024} * 1024;
/// A person reads whole lists: room for the longest claims.
constexpr std::int64_t kTokensAnInsight = 120;

Result<void> check_sizes(const KbSearchParams& params) {
  const auto check = [](std::string_view name, std::size_t size, std::size_t most) -> Result<void> {
    if (size <= most) return {};
    return fail(Errc::invalid_argument, "'" + std::string(name) + "' may have at most " +
                                            std::to_string(most) + " bytes, not " +
                                            std::to_string(size));
  };
  WARPMIND_CHECK(check("text", params.text.size(), kTextBytes));
  WARPMIND_CHECK(check("kernel", params.kernel.size(), kKernelBytes));
  if (params.profile.size() > knowledge_base::kMostFeatures) {
    return fail(Errc::invalid_argument, "'profile' may have at most " +
                                            std::to_string(knowledge_base::kMostFeatures) +
                                            " features");
  }
  for (const auto& [name, value] : params.profile) {
    if (!std::isfinite(value)) {
      return fail(Errc::invalid_argument,
                  "feature " + quoted_name(name) + " is not a finite number");
    }
  }
  return {};
}

Result<InsightQuery> query_of(const KbSearchParams& params) {
  WARPMIND_CHECK(check_sizes(params));
  InsightQuery query;
  query.text = params.text;
  query.profile = params.profile;
  if (!params.kernel.empty()) {
    Kernel kernel;
    kernel.source = params.kernel;
    query.code = knowledge_base::code_features(kernel);
  }
  query.operator_family = params.operator_family;
  WARPMIND_TRY(query.dtypes, enums_of<Dtype>("dtypes", params.dtypes));
  WARPMIND_TRY(query.bottlenecks, enums_of<BottleneckClass>("bottlenecks", params.bottlenecks));
  WARPMIND_TRY(const NamedDevice device, device_of(params.device));
  query.device = device.name;
  WARPMIND_TRY(query.capability, capability_of("capability", params.capability));
  if (query.capability == 0) query.capability = device.capability;
  query.contracts = params.contracts.value_or(std::vector<std::string>{});
  query.contracts_known = params.contracts.has_value();
  query.spaces = params.spaces;
  query.techniques = params.techniques;
  query.offered_only = !params.all;
  WARPMIND_TRY(query.limit, within("limit", params.limit.value_or(kDefaultLimit), 1,
                                   knowledge_base::kMostInsights));
  query.token_budget = query.limit * kTokensAnInsight;
  return query;
}

}  // namespace

void add_search_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& retrieval = access.base.retrieval();
  dispatcher.add(
      protocol::kKbSearch, Execution::pool,
      [&retrieval](const KbSearchParams& params, RequestContext&) -> Result<KbSearchResult> {
        WARPMIND_TRY(const InsightQuery query, query_of(params));
        WARPMIND_TRY(auto answer, retrieval.search(query));
        return KbSearchResult{std::move(answer.insights), std::move(answer.note), answer.documents,
                              answer.candidates};
      });
}

}  // namespace warpmind::daemon
