#include "agents/builtin/skills/skill_names.h"

#include "base/expression.h"
#include "base/sequence.h"
#include "config/nearest_name.h"

#include <array>

namespace warpmind::agents::builtin {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 14> kContractionFacts{"rows",
                                                             "columns",
                                                             "depth",
                                                             "batches",
                                                             "is_plain_left",
                                                             "is_plain_right",
                                                             "is_left_contiguous",
                                                             "is_right_contiguous",
                                                             "left_along_depth",
                                                             "right_along_depth",
                                                             "is_wide",
                                                             "is_output_even",
                                                             "is_bfloat16",
                                                             "is_tf32_allowed"};
constexpr std::array<std::string_view, 13> kReductionFacts{
    "rows",          "length",    "bytes",      "is_ragged", "reuse",       "along",      "beside",
    "is_contiguous", "is_across", "term_bytes", "loads",     "state_words", "given_lanes"};
constexpr std::array<std::string_view, 5> kScanFacts{"rows", "length", "value_bytes", "is_exact",
                                                     "is_contiguous"};
constexpr std::array<std::string_view, 9> kPointwiseFacts{
    "extent0",    "extent1",       "extent2",      "extent3", "lead0",
    "bytes_read", "bytes_written", "side_by_side", "step"};
constexpr std::array<std::string_view, 17> kWindowFacts{
    "extent0",       "extent1",      "extent2", "extent3", "lead0", "bytes_read",
    "bytes_written", "side_by_side", "step",    "taps",    "loads", "walked0",
    "walked1",       "walked2",      "reach0",  "reach1",  "reach2"};
constexpr std::array<std::string_view, 6> kGatherFacts{"rows",        "length",   "term_bytes",
                                                       "state_words", "gathered", "gathered_bytes"};
constexpr std::array<std::string_view, 6> kScatterFacts{
    "count", "bins", "pack", "element_bytes", "is_weighted", "adds_by_loops"};
constexpr std::array<std::string_view, 3> kSelectionFacts{"rows", "columns", "k"};
constexpr std::array<std::string_view, 4> kSortPassFacts{"count", "digits", "key_bytes",
                                                         "payload_bytes"};
constexpr std::array<std::string_view, 9> kAttentionFacts{
    "queries",   "group",   "groups",           "dim",        "length",
    "is_masked", "is_even", "groups_see_alike", "shares_keys"};

constexpr std::array<std::string_view, 11> kNormalizationFacts{
    "rows",          "length",    "bytes",         "along",       "passes",     "has_stores",
    "is_contiguous", "is_across", "element_bytes", "state_words", "given_lanes"};

constexpr std::array<std::string_view, 2> kElementAndOutput{"element", "output"};
constexpr std::array<std::string_view, 2> kKeyAndPayload{"key", "payload"};
constexpr std::array<std::string_view, 1> kElement{"element"};
constexpr std::array<std::string_view, 1> kKey{"key"};
constexpr std::array<std::string_view, 1> kState{"state"};
constexpr std::array<std::string_view, 1> kValue{"value"};

constexpr std::array<std::string_view, 4> kFunctions{"ceil_div", "min", "max", "next_pow2"};

bool is_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_part(char c) { return is_start(c) || (c >= '0' && c <= '9'); }

/// Names in the order in which they stand, without those of functions.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_start(text[at])) {
      // The letters behind a digit are no name: "2x".
      const bool is_number = is_part(text[at]);
      ++at;
      while (is_number && at < text.size() && is_part(text[at])) ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_part(text[at])) ++at;
    std::string name(text.substr(begin, at - begin));
    if (!contains(kFunctions, std::string_view(name))) append_unique(names, std::move(name));
  }
  return names;
}

}  // namespace

Names facts_of(FormKind kind) {
  switch (kind) {
    case FormKind::contraction: return kContractionFacts;
    case FormKind::reduction: return kReductionFacts;
    case FormKind::scan: return kScanFacts;
    case FormKind::pointwise: return kPointwiseFacts;
    case FormKind::window: return kWindowFacts;
    case FormKind::gather: return kGatherFacts;
    case FormKind::scatter: return kScatterFacts;
    case FormKind::selection: return kSelectionFacts;
    case FormKind::sort_pass: return kSortPassFacts;
    case FormKind::attention: return kAttentionFacts;
    case FormKind::normalization: return kNormalizationFacts;
  }
  return {};
}

Names types_of(FormKind kind) {
  switch (kind) {
    case FormKind::contraction:
    case FormKind::attention: return kElementAndOutput;
    case FormKind::reduction: return kState;
    case FormKind::scan:
    case FormKind::gather:
    case FormKind::scatter: return kValue;
    case FormKind::normalization: return kElement;
    case FormKind::selection: return kKey;
    case FormKind::sort_pass: return kKeyAndPayload;
    case FormKind::pointwise:
    case FormKind::window: return {};
  }
  return {};
}

std::string mistake_in(std::string_view expression, const std::vector<std::string>& known) {
  Sizes sizes;
  for (const std::string& name : names_in(expression)) {
    if (!contains(known, name)) {
      const std::vector<std::string_view> views(known.begin(), known.end());
      return "unknown name '" + name + "'" + config::suggestion(name, views);
    }
    // Any values do; these do not cancel each other out.
    sizes[name] = static_cast<std::int64_t>(1009 + 101 * sizes.size());
  }
  const auto value = evaluate(expression, sizes);
  if (value) return {};
  const std::string& why = value.error().message;
  for (const std::string_view of_values :
       {"division by zero", "overflow", "ceil_div of a negative"}) {
    if (why.find(of_values) != std::string::npos) return {};
  }
  return why + (why.find("unexpected '.'") == std::string::npos
                    ? ""
                    : "; numbers are integers: write 3 * length / 2 for 1.5 * length");
}

}  // namespace warpmind::agents::builtin
