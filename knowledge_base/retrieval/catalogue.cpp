#include "knowledge_base/retrieval/catalogue.h"

#include "base/sequence.h"
#include "knowledge_base/retrieval/stable_hash.h"
#include "knowledge_base/retrieval/text_analysis.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpmind::knowledge_base {
namespace {

/// An empty side sets no limit.
template <class T>
bool meet(const std::vector<T>& scope, const std::vector<T>& asked) {
  return scope.empty() || asked.empty() || intersects(scope, asked);
}

bool contains_all(const std::vector<std::string>& allowed, const std::vector<std::string>& needed) {
  return std::all_of(needed.begin(), needed.end(),
                     [&](const std::string& name) { return contains(allowed, name); });
}

/// Classes that say something: "unknown" is no bottleneck to compare with.
std::vector<BottleneckClass> known_classes(const std::vector<BottleneckClass>& classes) {
  std::vector<BottleneckClass> known;
  for (const auto value : classes) {
    if (value != BottleneckClass::unknown) known.push_back(value);
  }
  return known;
}

/// The usual names of operator families (docs/tasks.md). Others are not seen in a text; who means
/// one names it as the situation.
constexpr auto kFamilies = std::to_array<std::string_view>(
    {"attention", "conv", "elementwise", "gemm", "gemv", "histogram", "norm", "pooling",
     "reduction", "scan", "softmax", "sort", "sparse", "stencil", "transpose"});

/// The bits of those that a text speaks of.
std::uint64_t families_named_by(const std::vector<std::string>& tokens) {
  std::uint64_t bits = 0;
  for (const auto family : kFamilies) {
    if (contains(tokens, stem_of(family))) {
      bits |= name_bit(family);
    }
  }
  return bits;
}

}  // namespace

void Catalogue::set(std::int64_t document, const CatalogueEntry& entry) {
  const auto index = static_cast<std::size_t>(document);
  if (index >= entries_.size()) entries_.resize(index + 1);
  auto& place = entries_[index];
  const auto count = [this](const CatalogueEntry& counted, int sign) {
    if (!counted.exists()) return;
    alive_ += sign;
    if (is_offered(counted.state)) offered_ += sign;
  };
  count(place, -1);
  place = entry;
  count(place, 1);
}

QueryFilter::QueryFilter(const InsightQuery& query, const std::vector<std::string>& tokens)
    : query_(&query),
      family_(query.operator_family.empty() ? 0 : name_bit(query.operator_family)),
      named_families_(families_named_by(tokens)),
      device_(name_hash(query.device)),
      capability_(query.capability) {
  for (const auto& space : query.spaces) spaces_.push_back(name_hash(space));
  for (const auto& technique : query.techniques) techniques_ |= name_bit(technique);
  if (query.contracts) {
    for (const auto& contract : *query.contracts) contracts_ |= name_bit(contract);
  }
  unsigned dtypes = 0;
  for (const auto dtype : query.dtypes) dtypes |= 1U << static_cast<unsigned>(dtype);
  unsigned bottlenecks = 0;
  for (const auto value : known_classes(query.bottlenecks)) {
    bottlenecks |= 1U << static_cast<unsigned>(value);
  }
  dtypes_ = static_cast<std::uint16_t>(dtypes);
  bottlenecks_ = static_cast<std::uint16_t>(bottlenecks);
}

bool QueryFilter::is_open(std::uint64_t space) const { return contains(spaces_, space); }

bool QueryFilter::applies(const Insight& insight) const {
  const auto& query = *query_;
  const auto& scope = insight.scope;
  const bool stands = (!query.offered_only || is_offered(insight.state)) &&
                      insight.trust >= query.least_trust && meet({insight.space}, query.spaces);
  const std::vector<std::string> families = query.operator_family.empty()
                                                ? std::vector<std::string>{}
                                                : std::vector<std::string>{query.operator_family};
  const bool about =
      query.techniques.empty() ||
      (!insight.action.techniques.empty() && meet(insight.action.techniques, query.techniques));
  const bool in_range = query.capability == 0 ||
                        (query.capability >= scope.capability_min &&
                         (scope.capability_max == 0 || query.capability <= scope.capability_max));
  const bool on_device =
      query.device.empty() || scope.device.empty() || query.device == scope.device;
  const bool allowed = !query.contracts || contains_all(*query.contracts, scope.contracts);
  return stands && about && in_range && on_device && allowed &&
         meet(scope.operator_families, families) && meet(scope.dtypes, query.dtypes) &&
         meet(scope.bottlenecks, known_classes(query.bottlenecks));
}

}  // namespace warpmind::knowledge_base
