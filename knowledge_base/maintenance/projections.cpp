#include "knowledge_base/maintenance/projections.h"

#include <algorithm>
#include <array>

namespace warpmind::knowledge_base {
namespace {

using namespace std::string_view_literals;

// Prefixes are the kind bytes of key_codec. Of the insights, only events (2) are the truth.
constexpr std::array kRanges{
    ProjectionRange{Family::tasks, "\2"sv, "remembered kernels"},
    ProjectionRange{Family::tasks, "\3"sv, "episode counts"},
    ProjectionRange{Family::insights, "\1"sv, "insights as they stand"},
    ProjectionRange{Family::insights, "\3"sv, "insight histories"},
    ProjectionRange{Family::insights, "\4"sv, "sources"},
    ProjectionRange{Family::insights, "\5"sv, "insights by source"},
    ProjectionRange{Family::insights, "\6"sv, "near insights"},
    ProjectionRange{Family::insights, "\7"sv, "insight counters"},
    ProjectionRange{Family::insights, "\10"sv, "measured devices"},
    ProjectionRange{Family::edges, ""sv, "edges and clusters"},
    ProjectionRange{Family::posteriors, ""sv, "posteriors and lift counts"},
    ProjectionRange{Family::embeddings, ""sv, "catalogue and vectors"},
    ProjectionRange{Family::terms, ""sv, "inverted index"},
};

}  // namespace

std::span<const ProjectionRange> projection_ranges() { return kRanges; }

bool is_counted_projection(Family family) {
  return std::any_of(kRanges.begin(), kRanges.end(), [family](const ProjectionRange& range) {
    return range.family == family && (range.prefix.empty() || range.prefix == "\1"sv);
  });
}

}  // namespace warpmind::knowledge_base
