#include "base/expression.h"
#include "knowledge_base/retrieval/features.h"
#include "knowledge_base/retrieval/source_structure.h"
#include "knowledge_base/retrieval/source_tokens.h"
#include "knowledge_base/retrieval/source_words.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

using Features = std::map<std::string, double>;

constexpr std::size_t kMostSyntax = 16;  ///< n-grams beside the named features
constexpr double kCountScale = 4;        ///< 15 uses of something = 1

/// Many of something is not much more than some of it.
double scaled(double count) { return std::log2(1 + count) / kCountScale; }

double part_of(const Features& counts, const char* name, double whole) {
  const auto found = counts.find(name);
  return found == counts.end() || whole <= 0 ? 0 : found->second / whole;
}

double sum_of(const Features& counts, std::initializer_list<const char*> names) {
  double sum = 0;
  for (const char* name : names) sum += part_of(counts, name, 1);
  return sum;
}

Features counts_of_words(const SourceTokens& source) {
  Features counts;
  for (const auto& token : source.tokens) {
    const auto feature = token.kind == TokenKind::name   ? feature_of_word(token.text)
                         : token.kind == TokenKind::text ? feature_of_assembly(token.text)
                                                         : std::nullopt;
    if (feature) ++counts[std::string(*feature)];
  }
  if (source.unroll_pragmas > 0) counts["unroll_pragmas"] = source.unroll_pragmas;
  return counts;
}

void add_structure(const SourceStructure& structure, Features& features) {
  constexpr std::array<const char*, 4> kIndices{"index.unit", "index.strided", "index.uniform",
                                                "index.gathered"};
  const auto& counts = structure.counts;
  const double indexed = sum_of(counts, {kIndices[0], kIndices[1], kIndices[2], kIndices[3]});
  for (const auto& [name, count] : counts) {
    if (!name.starts_with("index.") && name != "arithmetic") features[name] = scaled(count);
  }
  for (const char* name : kIndices) features[name] = part_of(counts, name, indexed);
  features["loops.depth"] = structure.deepest_loop / 4.0;
  const double accesses =
      sum_of(counts, {"loads.global", "stores.global", "loads.shared", "stores.shared"});
  features["arithmetic_per_access"] =
      std::log2(1 + part_of(counts, "arithmetic", 1) / std::max(accesses, 1.0)) / kCountScale;
  const double global = sum_of(counts, {"loads.global", "stores.global"});
  features["global_in_loops"] = std::min(1.0, part_of(counts, "accesses_in_loops.global", global));
}

/// Threads of a block, where the plan alone says so.
double threads_of(const Launch& launch, const LaunchPlan& plan) {
  Sizes constants;
  for (const auto& [name, value] : plan.constants) constants.emplace(name, value);
  double threads = 1;
  for (const auto& extent : launch.block) {
    const auto value = evaluate(extent, constants);
    if (!value || *value < 1) return 0;
    threads *= static_cast<double>(*value);
  }
  return threads;
}

int dimensions_of(const std::array<std::string, 3>& extents) {
  return static_cast<int>(std::count_if(extents.begin(), extents.end(),
                                        [](const std::string& extent) { return extent != "1"; }));
}

void add_launches(const Kernel& kernel, Features& features) {
  const auto& plan = kernel.plan;
  if (!plan.launches.empty()) {
    const Launch& first = plan.launches.front();
    features["launch.count"] = scaled(static_cast<double>(plan.launches.size()));
    features["launch.block_dimensions"] = dimensions_of(first.block) / 3.0;
    features["launch.grid_dimensions"] = dimensions_of(first.grid) / 3.0;
    const double threads = threads_of(first, plan);
    if (threads > 0) features["launch.block_threads"] = std::log2(threads) / 10;
    features["launch.dynamic_shared"] = first.shared_bytes == "0" ? 0 : 1;
    features["launch.scratch"] = scaled(static_cast<double>(plan.scratch.size()));
  }
  for (const auto& flag : kernel.build_flags) {
    if (flag.find("fast_math") != std::string::npos) features["flag.fast_math"] = 1;
    if (flag.find("maxrregcount") != std::string::npos) features["flag.register_limit"] = 1;
  }
}

/// What a token looks like without the author's choice of names and numbers.
std::string shape_of(const SourceToken& token) {
  switch (token.kind) {
    case TokenKind::number: return "n";
    case TokenKind::text: return "s";
    case TokenKind::sign: return std::string(token.text);
    case TokenKind::name: break;
  }
  if (is_type_word(token.text)) return "t";
  if (is_keyword(token.text)) return std::string(token.text);
  return std::string(feature_of_word(token.text).value_or("v"));
}

/// The most frequent shapes of three tokens in a row.
void add_syntax(const SourceTokens& source, Features& features) {
  std::map<std::string, int> counts;
  std::vector<std::string> shapes;
  shapes.reserve(source.tokens.size());
  for (const auto& token : source.tokens) shapes.push_back(shape_of(token));
  for (std::size_t i = 0; i + 2 < shapes.size(); ++i) {
    ++counts[shapes[i] + " " + shapes[i + 1] + " " + shapes[i + 2]];
  }
  std::vector<std::pair<std::string, int>> ranked(counts.begin(), counts.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::size_t room = kMostFeatures - std::min(features.size(), kMostFeatures);
  ranked.resize(std::min({ranked.size(), kMostSyntax, room}));
  for (const auto& [shape, count] : ranked) {
    features["syntax." + shape] = scaled(count) / 2;
  }
}

}  // namespace

Features code_features(const Kernel& kernel) {
  const SourceTokens source = tokenise(kernel.source);
  Features features;
  for (const auto& [name, count] : counts_of_words(source)) features[name] = scaled(count);
  add_structure(structure_of(source), features);
  add_launches(kernel, features);
  std::erase_if(features, [](const auto& feature) { return feature.second == 0; });
  // About 90 names exist; no kernel known to us uses more than 45 of them.
  while (features.size() > kMostFeatures) {
    features.erase(
        std::min_element(features.begin(), features.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
  add_syntax(source, features);
  return features;
}

}  // namespace warpmind::knowledge_base
