#include "agents/builtin/untiling/flat_tiles.h"

#include "agents/builtin/untiling/index_forms.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostText = 20'000;

/// A name that the kernel does not have. Not one of ours: analyses take those for rewritten code.
std::string free_name(const std::string& source) {
  std::string name = "term";
  while (source.find(name) != std::string::npos) name += "_";
  return name;
}

struct Header {
  std::string variable;
  std::string type;
  NodeId initial = kNoNode;
  NodeId bound = kNoNode;
  bool inclusive = false;
  std::int64_t step = 1;
};

/// `for (int i = a; i < b; i += c)` with a number c.
std::optional<Header> header_of(const IndexForms& forms, NodeId loop) {
  const SyntaxTree& tree = forms.body().tree();
  Header header;
  const NodeId init = tree.field(loop, "initializer");
  const auto declarators = tree.descendants(init, "init_declarator");
  if (!tree.is(init, "declaration") || declarators.size() != 1) return std::nullopt;
  header.variable = tree.text(tree.declared(declarators.front()));
  header.type = tree.plain_text(tree.field(init, "type"));
  header.initial = tree.field(declarators.front(), "value");
  const NodeId condition = tree.bare(tree.field(loop, "condition"));
  const auto op = tree.operator_of(condition);
  if (!tree.is(condition, "binary_expression") || (op != "<" && op != "<=") ||
      tree.text(tree.bare(tree.field(condition, "left"))) != header.variable) {
    return std::nullopt;
  }
  header.inclusive = op == "<=";
  header.bound = tree.field(condition, "right");
  const NodeId update = tree.bare(tree.field(loop, "update"));
  const bool by_one = tree.is(update, "update_expression");
  const auto how = tree.operator_of(update);
  if (how != (by_one ? "++" : "+=") ||
      tree.text(tree.bare(tree.field(update, by_one ? "argument" : "left"))) != header.variable) {
    return std::nullopt;
  }
  if (!by_one) header.step = forms.constant(tree.field(update, "right")).value_or(0);
  if (header.step <= 0) return std::nullopt;
  const NodeId body = tree.field(loop, "body");
  for (const Write& write : forms.body().writes()) {
    if (tree.contains(body, write.node) && tree.text(write.identifier) == header.variable) {
      return std::nullopt;
    }
  }
  return header;
}

/// The only statement of a loop's body, or kNoNode.
NodeId only_statement(const SyntaxTree& tree, NodeId loop) {
  NodeId body = tree.field(loop, "body");
  while (tree.is(body, "compound_statement")) {
    NodeId only = kNoNode;
    for (const NodeId child : tree.children(body)) {
      if (tree.is(child, "preproc_call")) continue;
      if (only != kNoNode) return kNoNode;
      only = child;
    }
    body = only;
  }
  return body;
}

/// The two loops that become one.
struct TileLoops {
  Header tile, inner;
  std::int64_t length = 1;
  bool tile_is_first = false;  ///< the tile's variable is the number of its first term
  std::string term;            ///< name of the new variable
};

/// Expressions with the number of the term in place of those of the tile and of the term in it.
class TermText {
 public:
  TermText(const IndexForms& forms, const TileLoops& loops)
      : forms_(forms), tree_(forms.body().tree()), loops_(loops) {}

  [[nodiscard]] std::string text(NodeId node) const {
    if (tree_.is(node, "identifier")) return of_name(std::string(tree_.text(node)));
    if (tree_.is(node, "binary_expression") &&
        (tree_.operator_of(node) == "+" || tree_.operator_of(node) == "-")) {
      if (auto sum = of_sum(node)) return *sum;
    }
    std::vector<TextEdit> edits;
    for (const NodeId child : tree_.children(node)) {
      if (tree_.node(child).field == "field" || tree_.node(child).field == "function") continue;
      edits.push_back({tree_.node(child).range, text(child)});
    }
    return edited_part(tree_.source(), tree_.node(node).range, edits);
  }

 private:
  struct Part {
    NodeId node = kNoNode;
    bool minus = false;
  };

  [[nodiscard]] std::string of_name(const std::string& name) const {
    const std::string length = std::to_string(loops_.length);
    if (name == loops_.inner.variable) return "(" + loops_.term + " % " + length + ")";
    if (name != loops_.tile.variable) return name;
    const std::string tile = loops_.term + " / " + length;
    return "(" + tile + (loops_.tile_is_first ? " * " + length : "") + ")";
  }

  void take_apart(NodeId node, bool minus, std::vector<Part>& parts) const {
    const NodeId at = tree_.bare(node);
    const auto op = tree_.operator_of(at);
    if (tree_.is(at, "binary_expression") && (op == "+" || op == "-")) {
      take_apart(tree_.field(at, "left"), minus, parts);
      take_apart(tree_.field(at, "right"), minus != (op == "-"), parts);
      return;
    }
    parts.push_back({at, minus});
  }

  /// A product: its number, and its other factors by their spelling.
  struct Product {
    std::int64_t number = 1;
    std::vector<std::string> factors;
    std::vector<NodeId> others;  ///< all factors but one of the loops' variables
    std::string variable;        ///< that one
  };

  void multiply(NodeId node, Product& product) const {
    const NodeId at = tree_.bare(node);
    if (tree_.is(at, "binary_expression") && tree_.operator_of(at) == "*") {
      multiply(tree_.field(at, "left"), product);
      multiply(tree_.field(at, "right"), product);
      return;
    }
    const auto name = tree_.is(at, "identifier") ? std::string(tree_.text(at)) : std::string();
    if (product.variable.empty() &&
        (name == loops_.tile.variable || name == loops_.inner.variable) && !name.empty()) {
      product.variable = name;
      return;
    }
    const IndexForm form = forms_.form(at);
    if (form.terms.empty()) {
      product.number *= form.constant;
    } else if (form.terms.size() == 1 && form.constant == 0) {
      product.number *= form.terms.begin()->second.factor;
      product.factors.push_back(form.terms.begin()->first);
    } else {
      product.factors.push_back(form.spelling());
    }
    product.others.push_back(at);
  }

  /// The product of a part with that variable in it; nullopt: it is none.
  [[nodiscard]] std::optional<Product> product_of(const Part& part, const std::string& name) const {
    Product product;
    multiply(part.node, product);
    if (part.minus || product.variable != name) return std::nullopt;
    std::sort(product.factors.begin(), product.factors.end());
    return product;
  }

  [[nodiscard]] std::optional<std::string> of_sum(NodeId node) const {
    std::vector<Part> parts;
    take_apart(node, false, parts);
    const std::int64_t ratio = loops_.tile_is_first ? 1 : loops_.length;
    for (std::size_t t = 0; t < parts.size(); ++t) {
      const auto tile = product_of(parts[t], loops_.tile.variable);
      for (std::size_t i = 0; i < parts.size() && tile; ++i) {
        const auto inner = product_of(parts[i], loops_.inner.variable);
        if (!inner || i == t || inner->factors != tile->factors ||
            tile->number != inner->number * ratio) {
          continue;
        }
        std::string term = loops_.term;
        for (const NodeId other : inner->others) term += " * " + in_parentheses(text(other));
        return joined(parts, t, i, term);
      }
    }
    return std::nullopt;
  }

  /// The sum with `term` in place of part `at`, and without part `gone`.
  [[nodiscard]] std::string joined(const std::vector<Part>& parts, std::size_t at, std::size_t gone,
                                   const std::string& term) const {
    std::string sum;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (p == gone) continue;
      if (!sum.empty()) sum += parts[p].minus ? " - " : " + ";
      if (sum.empty() && parts[p].minus) sum = "-";
      sum += p == at ? term : in_parentheses(text(parts[p].node));
    }
    return sum;
  }

  const IndexForms& forms_;
  const SyntaxTree& tree_;
  const TileLoops& loops_;
};

/// `text` of the plain loop, as TermText has it.
std::string term_text_of(const std::string& source, const SceneLaunch& launch,
                         const std::string& text, const TileLoops& loops) {
  const auto read = CudaSource::read(
      source + "\n__global__ void wm_written() { auto wm_value = " + text + "; }\n");
  const Function* function = read ? read->kernel("wm_written") : nullptr;
  if (function == nullptr || function->has_error) return {};
  const KernelBody body(*read, *function);
  const IndexForms forms(body, launch, true);
  const auto found = read->tree.descendants(function->body, "init_declarator");
  if (found.size() != 1) return {};
  std::string out = TermText(forms, loops).text(read->tree.field(found.front(), "value"));
  while (out.size() > 2 && out.front() == '(' && out.find(')') == out.size() - 1) {
    out = out.substr(1, out.size() - 2);
  }
  return out;
}

NodeId top_loop(const KernelBody& body) {
  NodeId found = kNoNode;
  for (const NodeId child : body.tree().children(body.function().body)) {
    if (body.tree().is(child, "for_statement")) found = child;
  }
  return found;
}

/// A kernel of a source, read for an edit of its text.
struct OpenKernel {
  OpenKernel(const std::string& text, const std::string& kernel, const SceneLaunch& launch)
      : source(CudaSource::read(text)), function(source ? source->kernel(kernel) : nullptr) {
    if (function == nullptr) return;
    body.emplace(*source, *function);
    forms.emplace(*body, launch, true);
  }
  OpenKernel(const OpenKernel&) = delete;
  OpenKernel(OpenKernel&&) = delete;
  OpenKernel& operator=(const OpenKernel&) = delete;
  OpenKernel& operator=(OpenKernel&&) = delete;
  ~OpenKernel() = default;

  /// Whether there is a kernel of that name.
  explicit operator bool() const { return function != nullptr; }

  Result<CudaSource> source;
  const Function* function = nullptr;
  std::optional<KernelBody> body;
  std::optional<IndexForms> forms;
};

/// The expression with locals that `place` comes before replaced by their values.
std::string text_before(const IndexForms& forms, NodeId expression, NodeId place) {
  const SyntaxTree& tree = forms.body().tree();
  if (tree.is(expression, "identifier")) {
    const Local* once = forms.set_once(expression);
    if (once == nullptr || once->identifier < place) return std::string(tree.text(expression));
    return in_parentheses(text_before(forms, once->value, place));
  }
  std::vector<TextEdit> edits;
  for (const NodeId child : tree.children(expression)) {
    if (tree.node(child).field == "field") continue;
    edits.push_back({tree.node(child).range, text_before(forms, child, place)});
    if (edits.back().text.size() > kMostText) return {};
  }
  return edited_part(tree.source(), tree.node(expression).range, edits);
}

}  // namespace

std::optional<std::string> with_flat_tiles(
    const std::string& source, const std::string& kernel, const SceneLaunch& launch,
    const std::vector<std::pair<std::string, std::string>>& bounds, const std::string& end) {
  const OpenKernel opened(source, kernel, launch);
  if (!opened) return std::nullopt;
  const IndexForms& forms = *opened.forms;
  const SyntaxTree& tree = opened.body->tree();
  for (const NodeId loop : tree.descendants(opened.function->body, "for_statement")) {
    const NodeId below = only_statement(tree, loop);
    if (!tree.is(below, "for_statement")) continue;
    const auto tile = header_of(forms, loop);
    const auto inner = header_of(forms, below);
    if (!tile || !inner || inner->step != 1 || inner->inclusive) continue;
    const auto length = forms.constant(inner->bound);
    if (!length || *length < 1 || forms.constant(inner->initial) != 0 ||
        forms.constant(tile->initial) != 0) {
      continue;
    }
    const TileLoops loops{*tile, *inner, *length, tile->step == *length && *length > 1,
                          free_name(source)};
    if (!loops.tile_is_first && tile->step != 1) continue;
    std::string last = std::string(tree.text(tile->bound)) + (tile->inclusive ? " + 1" : "");
    if (!loops.tile_is_first) last = in_parentheses(last) + " * " + std::to_string(*length);
    if (!end.empty()) last = end;
    for (const auto& [left, right] : bounds) {
      if (term_text_of(source, launch, left, loops) == loops.term) last = right;
    }
    std::string text = "for (" + tile->type + " " + loops.term + " = 0; " + loops.term + " < " +
                       last + "; ++" + loops.term + ") " +
                       TermText(forms, loops).text(tree.field(below, "body"));
    return apply_edits(source, {{tree.node(loop).range, std::move(text)}});
  }
  return std::nullopt;
}

std::optional<std::string> with_early_return(const std::string& source, const std::string& kernel,
                                             const SceneLaunch& launch) {
  const OpenKernel opened(source, kernel, launch);
  if (!opened) return std::nullopt;
  const KernelBody& body = *opened.body;
  const SyntaxTree& tree = body.tree();
  const NodeId loop = top_loop(body);
  if (loop == kNoNode) return std::nullopt;
  NodeId last = kNoNode;
  bool behind = false;
  for (const NodeId child : tree.children(opened.function->body)) {
    if (behind && last != kNoNode && !tree.is(last, "declaration")) return std::nullopt;
    if (behind) last = child;
    behind |= child == loop;
  }
  while (tree.is(last, "compound_statement")) {
    const auto parts = tree.children(last);
    if (parts.empty()) return std::nullopt;
    for (const NodeId part : parts) {
      if (part != parts.back() && !tree.is(part, "declaration")) return std::nullopt;
    }
    last = parts.back();
  }
  if (!tree.is(last, "if_statement") || tree.field(last, "alternative") != kNoNode) {
    return std::nullopt;
  }
  const NodeId condition = tree.field(last, "condition");
  const std::size_t at = tree.node(loop).range.begin;
  return apply_edits(
      source,
      {{{at, at}, "if (!" + text_before(*opened.forms, condition, loop) + ") return;\n  "}});
}

}  // namespace warpmind::agents::builtin
