#include "knowledge_base/retrieval/source_structure.h"

#include "base/sequence.h"
#include "knowledge_base/retrieval/source_words.h"

#include <algorithm>
#include <array>
#include <set>

namespace warpmind::knowledge_base {
namespace {

enum class Space { global, shared, local };

constexpr auto kAssignments = std::to_array<std::string_view>(
    {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
constexpr int kDeepestNesting = 64;  ///< of statements; nothing is read after a deeper one

/// Reads functions and their statements.
class StructureReader {
 public:
  explicit StructureReader(const std::vector<SourceToken>& tokens) : tokens_(tokens) {}

  SourceStructure read();

 private:
  [[nodiscard]] bool is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].is(text);
  }
  [[nodiscard]] bool is_author_name(std::size_t at) const {
    return at < tokens_.size() && tokens_[at].kind == TokenKind::name &&
           !is_type_word(tokens_[at].text) && !is_keyword(tokens_[at].text);
  }
  [[nodiscard]] bool is_assignment(std::size_t at) const {
    return at < tokens_.size() && tokens_[at].kind == TokenKind::sign &&
           contains(kAssignments, tokens_[at].text);
  }
  /// Position after the bracket that closes the one at `at`.
  [[nodiscard]] std::size_t after_bracket(std::size_t at) const;
  [[nodiscard]] bool moves_with_lane(std::size_t at) const;
  void count(const std::string& name, double by = 1) { found_.counts[name] += by; }

  void function_header(std::size_t begin, std::size_t end);
  std::size_t statement(std::size_t at, int loops, int nesting);
  std::size_t loop(std::size_t at, int loops, int nesting);
  std::size_t condition(std::size_t at, int loops, int nesting);
  void simple(std::size_t begin, std::size_t end, int loops);
  void declare(std::size_t begin, std::size_t end);
  void declare_shared(std::size_t begin, std::size_t end);
  void follow_lanes(std::size_t begin, std::size_t end);
  void access(std::size_t at, Space space, int loops);
  void classify_index(std::size_t begin, std::size_t end);
  void operators(std::size_t begin, std::size_t end, int loops);

  const std::vector<SourceToken>& tokens_;
  SourceStructure found_;
  std::map<std::string_view, Space> spaces_;  ///< of the function at hand
  std::set<std::string_view> lane_names_;     ///< differ between neighbouring threads
};

std::size_t StructureReader::after_bracket(std::size_t at) const {
  int open = 0;
  for (; at < tokens_.size(); ++at) {
    if (tokens_[at].kind != TokenKind::sign) continue;
    const char c = tokens_[at].text.front();
    const bool one = tokens_[at].text.size() == 1;
    if (one && (c == '(' || c == '[' || c == '{')) ++open;
    if (one && (c == ')' || c == ']' || c == '}') && --open == 0) return at + 1;
  }
  return tokens_.size();
}

/// threadIdx.x, or a name computed from it, unless it is divided: then whole warps share it.
bool StructureReader::moves_with_lane(std::size_t at) const {
  std::size_t after = at + 1;
  if (is(at, "threadIdx")) {
    if (!is(at + 2, "x")) return false;
    after = at + 3;
  } else if (tokens_[at].kind != TokenKind::name || !lane_names_.contains(tokens_[at].text)) {
    return false;
  }
  return !is(after, "/") && !is(after, ">>") && !is(after, "/=") && !is(after, ">>=");
}

SourceStructure StructureReader::read() {
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < tokens_.size()) {
    if (is(at, ";") || is(at, "}") || is(at, "{")) {
      begin = ++at;  // between declarations; of namespace, extern "C", struct
    } else if (is(at, "(")) {
      const std::size_t after = after_bracket(at);
      // "name(…) {": a function; "(…);" and the rest are declarations.
      std::size_t body = after;
      while (body < tokens_.size() && tokens_[body].kind == TokenKind::name) ++body;
      if (is(body, "{")) {
        spaces_.clear();
        lane_names_.clear();
        function_header(begin, after);
        begin = at = statement(body, 0, 0);
      } else {
        at = after;
      }
    } else {
      ++at;
    }
  }
  return std::move(found_);
}

/// Parameters that are pointers lie in global memory.
void StructureReader::function_header(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (!is(at, "*")) continue;
    std::size_t name = at + 1;
    while (name < end && (is(name, "__restrict__") || is(name, "const") || is(name, "*"))) ++name;
    if (!is_author_name(name)) continue;
    spaces_[tokens_[name].text] = Space::global;
    const bool constant =
        std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(at >= begin + 3 ? at - 3 : begin),
                    tokens_.begin() + static_cast<std::ptrdiff_t>(at),
                    [](const SourceToken& t) { return t.is("const"); });
    count(constant ? "pointers.read_only" : "pointers.written");
  }
}

/// Reads the statement at `at`; returns the position after it.
std::size_t StructureReader::statement(std::size_t at, int loops, int nesting) {
  if (nesting > kDeepestNesting) return tokens_.size();
  if (is(at, "{")) {
    ++at;
    while (at < tokens_.size() && !is(at, "}")) at = statement(at, loops, nesting + 1);
    return at + 1;
  }
  if (is(at, "for") || is(at, "while") || is(at, "do")) return loop(at, loops, nesting);
  if (is(at, "if") || is(at, "switch")) return condition(at, loops, nesting);
  std::size_t end = at;
  while (end < tokens_.size() && !is(end, ";") && !is(end, "}")) {
    end = is(end, "(") || is(end, "[") || is(end, "{") ? after_bracket(end) : end + 1;
  }
  simple(at, std::min(end, tokens_.size()), loops);
  return is(end, "}") ? end : end + 1;
}

std::size_t StructureReader::loop(std::size_t at, int loops, int nesting) {
  count("loops");
  found_.deepest_loop = std::max(found_.deepest_loop, loops + 1);
  if (is(at, "do")) {
    at = statement(at + 1, loops + 1, nesting + 1);
    return is(at, "while") ? after_bracket(at + 1) + 1 : at;
  }
  const std::size_t after = is(at + 1, "(") ? after_bracket(at + 1) : at + 1;
  const auto from = tokens_.begin() + static_cast<std::ptrdiff_t>(at);
  const auto to = tokens_.begin() + static_cast<std::ptrdiff_t>(after);
  const auto is_grid = [](const SourceToken& t) { return t.is("gridDim"); };
  const auto is_block = [](const SourceToken& t) { return t.is("blockDim"); };
  if (std::any_of(from, to, is_grid)) {
    count("loops.grid_stride");
  } else if (std::any_of(from, to, is_block)) {
    count("loops.block_stride");
  }
  simple(at + 1, after, loops + 1);
  return statement(after, loops + 1, nesting + 1);
}

std::size_t StructureReader::condition(std::size_t at, int loops, int nesting) {
  const std::size_t after = is(at + 1, "(") ? after_bracket(at + 1) : at + 1;
  count("branches");
  if (loops > 0) count("branches_in_loops");
  for (std::size_t i = at + 1; i < after; ++i) {
    // Bound checks are in every kernel: what diverges is a choice by the lane's number.
    if (moves_with_lane(i) && (is(i + 1, "%") || is(i + 1, "&") || is(i + 3, "%"))) {
      count("branches.by_lane");
    }
  }
  simple(at + 1, after, loops);
  std::size_t next = statement(after, loops, nesting + 1);
  if (is(next, "else")) next = statement(next + 1, loops, nesting + 1);
  return next;
}

/// Anything without statements inside: declarations, expressions, headers of loops.
void StructureReader::simple(std::size_t begin, std::size_t end, int loops) {
  declare(begin, end);
  follow_lanes(begin, end);
  for (std::size_t at = begin; at < end; ++at) {
    const auto& token = tokens_[at];
    if (token.kind != TokenKind::name) continue;
    if (loops > 0 && token.text == "__syncthreads") count("barriers_in_loops");
    if (loops > 0 && feature_of_word(token.text) == "math.special") count("math.special_in_loops");
    if (loops > 0 && feature_of_word(token.text) == "atomics") count("atomics_in_loops");
    const auto space = spaces_.find(token.text);
    const bool declared =
        at > begin && (is_author_name(at - 1) || is_type_word(tokens_[at - 1].text));
    if (space != spaces_.end() && is(at + 1, "[") && !declared) access(at, space->second, loops);
  }
  operators(begin, end, loops);
}

void StructureReader::declare(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (is(at, "__shared__")) {
      declare_shared(at, end);
      return;
    }
  }
  for (std::size_t at = begin + 1; at + 1 < end; ++at) {
    if (!is_author_name(at)) continue;
    const auto& before = tokens_[at - 1];
    const bool typed = before.kind == TokenKind::name &&
                       (is_type_word(before.text) || is_author_name(at - 1)) && at <= begin + 4;
    if (typed && is(at + 1, "[")) {
      spaces_[tokens_[at].text] = Space::local;
      count("arrays.local");
    }
    const bool pointer =
        (before.is("*") || before.is("__restrict__")) && at <= begin + 6 && is(at + 1, "=");
    if (!pointer) continue;
    Space space = Space::global;
    for (std::size_t i = at + 2; i < end; ++i) {
      const auto source = spaces_.find(tokens_[i].text);
      if (source != spaces_.end() && tokens_[i].kind == TokenKind::name) space = source->second;
    }
    spaces_[tokens_[at].text] = space;
  }
}

void StructureReader::declare_shared(std::size_t begin, std::size_t end) {
  const bool dynamic = begin > 0 && is(begin - 1, "extern");
  count(dynamic ? "arrays.shared_dynamic" : "arrays.shared");
  for (std::size_t at = begin; at + 1 < end; ++at) {
    if (!is_author_name(at) || !is(at + 1, "[")) continue;
    spaces_[tokens_[at].text] = Space::shared;
    std::size_t dimension = at + 1;
    bool padded = false;
    while (is(dimension, "[")) {
      const std::size_t after = after_bracket(dimension);
      padded = padded || (after >= 3 && is(after - 3, "+") && is(after - 2, "1")) ||
               is(after - 2, "33") || is(after - 2, "17") || is(after - 2, "65");
      dimension = after;
    }
    if (padded) count("arrays.shared_padded");
    return;
  }
}

/// `name = … threadIdx.x …` makes `name` differ by lane.
void StructureReader::follow_lanes(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at + 1 < end; ++at) {
    if (!is_author_name(at) || !is(at + 1, "=")) continue;
    for (std::size_t i = at + 2; i < end && !is(i, ",") && !is(i, ";"); ++i) {
      if (is(i, "[")) {  // what was loaded is a value, not an index
        i = after_bracket(i) - 1;
        continue;
      }
      if (moves_with_lane(i)) lane_names_.insert(tokens_[at].text);
    }
  }
}

/// Counts the access `name[…]` at `at`.
void StructureReader::access(std::size_t at, Space space, int loops) {
  std::size_t open = at + 1;
  std::size_t after = after_bracket(open);
  while (is(after, "[")) {
    open = after;
    after = after_bracket(open);
  }
  while (is(after, ".") && after + 1 < tokens_.size()) after += 2;
  static constexpr std::array<const char*, 3> kNames{"global", "shared", "local"};
  const std::string name = kNames.at(static_cast<std::size_t>(space));
  const bool writes = is_assignment(after);
  const bool reads = !writes || !is(after, "=");
  if (writes) count("stores." + name);
  if (reads) count("loads." + name);
  if (loops > 0) count("accesses_in_loops." + name);
  if (space == Space::global) classify_index(open + 1, after_bracket(open) - 1);
}

/// How neighbouring threads meet global memory, by the terms of the index.
void StructureReader::classify_index(std::size_t begin, std::size_t end) {
  bool moves = false;
  bool strided = false;
  for (std::size_t at = begin; at < end; ++at) {
    if (!moves_with_lane(at)) continue;
    moves = true;
    const std::size_t last = is(at, "threadIdx") ? at + 2 : at;
    strided = strided || is(last + 1, "*") || (at > begin && is(at - 1, "*"));
    if (is(at - 1, "(") && is(last + 1, "+")) {
      // "(row + i) * columns"
      std::size_t close = last + 1;
      while (close < end && !is(close, ")")) ++close;
      strided = strided || is(close + 1, "*");
    }
  }
  const bool gathered = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                                    tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                                    [](const SourceToken& t) { return t.is("["); });
  count(gathered  ? "index.gathered"
        : strided ? "index.strided"
        : moves   ? "index.unit"
                  : "index.uniform");
}

void StructureReader::operators(std::size_t begin, std::size_t end, int loops) {
  for (std::size_t at = begin + 1; at < end; ++at) {
    const auto& token = tokens_[at];
    if (token.kind != TokenKind::sign) continue;
    const bool divides = token.is("/") || token.is("/=");
    const bool remainder = token.is("%") || token.is("%=");
    if (divides) count(loops > 0 ? "divisions_in_loops" : "divisions");
    if (remainder) count(loops > 0 ? "remainders_in_loops" : "remainders");
    if (token.is("?")) count("selects");
    if (token.is("*") || token.is("+") || token.is("-")) count("arithmetic");
    if (loops > 0 && token.is("+=") && is_author_name(at - 1)) count("accumulations");
    if (token.is("^") && at + 1 < end) count("bit_tricks");
  }
}

}  // namespace

SourceStructure structure_of(const SourceTokens& source) {
  return StructureReader(source.tokens).read();
}

}  // namespace warpmind::knowledge_base
