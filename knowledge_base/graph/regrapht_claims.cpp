#include "knowledge_base/graph/regrapht_claims.h"

#include "knowledge_base/insights/text_guard.h"

#include <cctype>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kLongestSlug = 64;
constexpr std::size_t kLongestDetail = 160;

/// One line with single spaces, at most `most` bytes, cut between words; never inside a character.
std::string one_line(const std::string& text, std::size_t most) {
  std::string line;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
    if (line.size() > most) break;
  }
  if (line.size() > most)
    line.erase(line.find_last_of(' ') == std::string::npos ? 0 : line.find_last_of(' '));
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

/// `text` on one line, or nothing when it may not be kept.
std::string kept(const std::string& text, std::size_t most) {
  std::string line = one_line(text, most);
  return check_prose("it", line) ? line : std::string();
}

std::string claim_text(const std::string& from, const std::string& to) {
  const std::string said = " pays, an imported reasoning graph says without a measurement.";
  if (from.empty()) return to + " as the first step" + said;
  if (from == to) return to + " a second time" + said;
  return to + " right after " + from + said;
}

}  // namespace

std::string technique_slug(const std::string& name) {
  std::string slug;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!slug.empty() && slug.back() != '_') {
      slug += '_';
    }
  }
  if (slug.size() > kLongestSlug) slug.resize(kLongestSlug);
  while (!slug.empty() && slug.back() == '_') slug.pop_back();
  return slug;
}

std::vector<Insight> claims_of(const ForeignGraph& graph, const std::string& source,
                               const std::function<std::string(const std::string&)>& ours) {
  std::vector<std::string> names;
  names.reserve(graph.nodes.size());
  for (const auto& node : graph.nodes) {
    names.push_back(names.empty() ? std::string() : ours(node));
  }
  std::vector<Insight> claims;
  for (const auto& edge : graph.edges) {
    const std::string& from = names[edge.source];
    const std::string& to = names[edge.target];
    if (to.empty() || (from.empty() && edge.source != 0)) continue;
    for (const auto& example : edge.examples) {
      Insight claim;
      claim.kind = from.empty() ? InsightKind::positive : InsightKind::composite;
      if (!from.empty()) claim.action.techniques.push_back(from);
      claim.action.techniques.push_back(to);
      claim.action.parameters = kept(example.detail, kLongestDetail);
      claim.claim = claim_text(from, to);
      claim.mechanism = kept(example.think, kMostCharacters);
      claim.provenance.source = source;
      claim.provenance.author = "reasoning graph";
      claims.push_back(std::move(claim));
    }
  }
  return claims;
}

}  // namespace warpmind::knowledge_base
