#include "agents/builtin/forms/own_prefix.h"

#include "agents/builtin/forms/scan_site.h"
#include "agents/builtin/loops/scan_loop.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/loops/taken_in.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

tl::unexpected<Error> no_prefix(std::string why) { return fail(Errc::not_found, std::move(why)); }

class PrefixFinder {
 public:
  PrefixFinder(const Scene& scene, const KernelBody& body, const std::vector<SceneLaunch>& launches)
      : scene_(scene), body_(body), tree_(body.tree()), launches_(launches) {}

  Result<OwnPrefix> find() {
    if (auto why = reason_not_to_edit(scene_.source(), body_.function()); !why.empty()) {
      return no_prefix(std::move(why));
    }
    for (const Call& call : body_.calls()) {
      if (call.kind != CallKind::pure) return no_prefix("it calls " + call.name);
    }
    WARPMIND_CHECK(find_loop());
    WARPMIND_CHECK(find_values());
    WARPMIND_CHECK(find_before());
    WARPMIND_CHECK(find_axes());
    WARPMIND_CHECK(check_terms());
    return std::move(prefix_);
  }

 private:
  Result<void> find_loop() {
    for (const NodeId node : tree_.descendants(body_.function().body, "for_statement")) {
      const auto loop = counted_loop(body_, node);
      if (!loop || loop->step != kNoNode || integer_literal(tree_, loop->start) != 0) continue;
      for (const Local& local : body_.locals()) {
        const auto own = takes_own_term(body_, *loop, local);
        if (!own || body_.declared_in(local, node) || local.is_pointer) continue;
        output_ = &local;
        prefix_.loop = *loop;
        prefix_.is_inclusive = *own;
        return {};
      }
    }
    return no_prefix(kNoScanLoop);
  }

  Result<void> find_values() {
    prefix_.facts = loop_facts(body_, prefix_.loop, buffer_names(scene_, body_.function()),
                               injective_by_probing(scene_, body_.function()));
    if (!prefix_.facts.obstacle.empty()) return no_prefix(prefix_.facts.obstacle);
    if (prefix_.facts.reductions.empty() || !prefix_.facts.stores.empty()) {
      return no_prefix("its loop does not sum");
    }
    for (const Reduction& reduction : prefix_.facts.reductions) {
      prefix_.values.push_back({reduction.variable, reduction.how, {}, false});
      if (!is_integer_type(reduction.variable->type)) continue;
      for (const auto& write : body_.writes()) {
        if (write.local != reduction.variable || !tree_.contains(prefix_.loop.node, write.node)) {
          continue;
        }
        const auto taken = taken_in(body_, write);
        if (taken && taken->value != kNoNode && !has_no_fractions(body_, taken->value)) {
          return no_prefix("'" + write.local->name + "' is an integer, its terms may not be");
        }
      }
    }
    return {};
  }

  Result<void> find_before() {
    for (NodeId at = prefix_.loop.node; at != body_.function().body; at = tree_.node(at).parent) {
      const NodeId list = tree_.node(at).parent;
      if (tree_.is(list, "if_statement")) continue;
      if (!tree_.is(list, "compound_statement")) return no_prefix("a loop stands around it");
      std::vector<NodeId> before;
      for (const NodeId child : tree_.children(list)) {
        if (child >= at) break;
        if (tree_.is(child, "preproc_call") || is_guard(tree_, child)) continue;
        for (const std::string_view kind :
             {"for_statement", "while_statement", "do_statement", "return_statement"}) {
          if (!tree_.descendants(child, kind).empty()) {
            return no_prefix("another loop or a return stands in front of it");
          }
        }
        if (has_store(body_, child)) return no_prefix("a store stands in front of it");
        before.push_back(child);
      }
      prefix_.before.insert(prefix_.before.begin(), before.begin(), before.end());
    }
    return {};
  }

  Result<void> find_axes() {
    std::vector<KernelProber> probers;
    for (const auto& launch : launches_) {
      probers.emplace_back(scene_.source(), body_.function(), launch);
    }
    const UniformExpressions expressions(scene_, body_.function(), launches_);
    WARPMIND_TRY(const auto axes, find_output_axes(probers, expressions, prefix_.loop.node));
    bool found = false;
    std::vector<Range> replaced;
    for (const OutputAxis& axis : axes.axes) {
      if (axis.grid_dimension) return no_prefix("only its grid says how many outputs there are");
      const NodeId value = initializer_of(axis.variable);
      if (value == kNoNode) return no_prefix("'" + axis.variable + "' is set in several places");
      replaced.push_back(tree_.node(value).range);
      if (axis.variable == output_->name) {
        prefix_.output = axis;
        found = true;
      } else if (prefix_.row) {
        return no_prefix("its rows have several numbers");
      } else {
        prefix_.row = axis;
      }
    }
    if (!found) return no_prefix("'" + output_->name + "' is not the number of an output");
    for (const std::string_view name : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
      for (const NodeId use : tree_.uses(body_.function().body, name)) {
        const Range range = tree_.node(use).range;
        const bool gone = std::any_of(replaced.begin(), replaced.end(), [&](const Range& whole) {
          return whole.begin <= range.begin && range.end <= whole.end;
        });
        if (!gone) return no_prefix("more than its output hangs on the number of the thread");
      }
    }
    return {};
  }

  /// The value of a local that is set where it is declared and nowhere else.
  [[nodiscard]] NodeId initializer_of(std::string_view name) const {
    NodeId value = kNoNode;
    for (const Local& local : body_.locals()) {
      if (local.name != name) continue;
      if (value != kNoNode || body_.written_in(local, body_.function().body)) return kNoNode;
      value = local.value;
    }
    return value;
  }

  /// Terms must be the same for all outputs, and no output may be a term.
  Result<void> check_terms() const {
    std::vector<const Local*> varying{output_};
    for (std::size_t before = 0; before != varying.size();) {
      before = varying.size();
      for (const Local& local : body_.locals()) {
        if (body_.declared_in(local, prefix_.loop.node)) continue;
        bool varies = local.value != kNoNode && mentions(local.value, varying);
        for (const auto& write : body_.writes()) {
          varies = varies || (write.local == &local && write.node < prefix_.loop.node);
        }
        if (varies) append_unique(varying, &local);
      }
    }
    for (const auto& value : prefix_.values) std::erase(varying, value.variable);
    for (const Local* local : varying) {
      if (body_.uses_of(*local, prefix_.loop.body).empty()) continue;
      return no_prefix("its terms depend on '" + local->name + "'");
    }
    const auto buffer = buffer_names(scene_, body_.function());
    for (const MemoryAccess* load : prefix_.facts.loads) {
      if (load->root.empty()) return no_prefix("it is not known where its terms lie");
      for (const auto& access : body_.accesses()) {
        if (access.is_store && !access.is_private && buffer(access.root) == buffer(load->root)) {
          return no_prefix("its terms are read from '" + load->root + "', which it stores to");
        }
      }
    }
    return {};
  }

  [[nodiscard]] bool mentions(NodeId expression, const std::vector<const Local*>& locals) const {
    return std::any_of(locals.begin(), locals.end(), [&](const Local* local) {
      return !body_.uses_of(*local, expression).empty();
    });
  }

  const Scene& scene_;
  const KernelBody& body_;
  const SyntaxTree& tree_;
  const std::vector<SceneLaunch>& launches_;
  const Local* output_ = nullptr;
  OwnPrefix prefix_;
};

class PrefixWriter {
 public:
  PrefixWriter(const KernelBody& body, const OwnPrefix& prefix)
      : body_(body), tree_(body.tree()), prefix_(prefix) {
    replace_number(prefix.output.variable, "wm_at");
    if (prefix.row) replace_number(prefix.row->variable, "wm_row");
    LoopFacts facts = prefix.facts;
    streams_ = streams_of(body, facts);
    std::erase_if(streams_, [&](const Stream& stream) {
      return std::any_of(stream.nodes.begin(), stream.nodes.end(),
                         [&](NodeId node) { return !tree_.is(node, "subscript_expression"); });
    });
  }

  [[nodiscard]] ScanProblem write() const {
    const ScanText text(body_, prefix_.values);
    ScanProblem problem = text.head(false, size_of_type(prefix_.loop.variable->type) == 8);
    std::string& code = problem.text;
    const std::string rows = prefix_.row ? prefix_.row->extent : "1";
    code += text.method("unsigned rows() const", "return static_cast<unsigned>(" + rows + ");\n");
    code += text.method("index length(unsigned wm_row) const",
                        "const long long wm_count = " + prefix_.output.extent +
                            ";\nreturn wm_count > 0 ? static_cast<wm_index>(wm_count) : 0;\n");
    code += text.method("value load(unsigned wm_row, index wm_at) const",
                        before_lines() + term_lines(text, edits_, "wm_at") + "return " +
                            text.values_brace() + ";\n");
    code += text.method(
        "void store(unsigned wm_row, index wm_at, value wm_before, value wm_with) const",
        store_lines(text));
    code += wide_text(text);
    code += text.method("void begin(unsigned wm_row) const", "");
    code += text.method(
        "void finish(unsigned wm_row, value wm_total, unsigned wm_lane, unsigned wm_lanes) const",
        "");
    code += "};";
    return problem;
  }

 private:
  void replace_number(const std::string& variable, const std::string& by) {
    for (const Local& local : body_.locals()) {
      if (local.name != variable) continue;
      edits_.push_back(
          {tree_.node(local.value).range, "static_cast<" + local.type + ">(" + by + ")"});
    }
  }

  [[nodiscard]] std::string before_lines() const {
    std::string text;
    for (const NodeId node : prefix_.before) {
      text += edited_part(tree_.source(), tree_.node(node).range, edits_) + "\n";
    }
    return text;
  }

  [[nodiscard]] std::string term_lines(const ScanText& text, const std::vector<TextEdit>& edits,
                                       const std::string& at) const {
    const Local& variable = *prefix_.loop.variable;
    const NodeId inside = prefix_.loop.body;
    std::string lines = "const " + variable.type + " " + variable.name + " = static_cast<" +
                        variable.type + ">(" + at + ");\n" + text.neutral_lines();
    // A `continue` ends the block.
    lines += "do {\n";
    lines += tree_.is(inside, "compound_statement")
                 ? body_text(tree_, prefix_.loop, edits, "  ")
                 : "  " + edited_part(tree_.source(), tree_.node(inside).range, edits) + "\n";
    return lines + "} while (false);\n";
  }

  [[nodiscard]] std::string store_lines(const ScanText& text) const {
    auto edits = edits_;
    const Range loop{begin_with_pragma(tree_, prefix_.loop.node),
                     tree_.node(prefix_.loop.node).range.end};
    std::string taken_in;
    for (const auto& value : prefix_.values) {
      taken_in += (taken_in.empty() ? "" : " ") +
                  text.taking_in(value, value.variable->name,
                                 prefix_.is_inclusive ? "wm_with" : "wm_before");
    }
    edits.push_back({loop, prefix_.values.size() > 1 ? "{ " + taken_in + " }" : taken_in});
    const Range whole = tree_.node(body_.function().body).range;
    return edited_part(tree_.source(), {whole.begin + 1, whole.end - 1}, edits);
  }

  [[nodiscard]] std::string wide_text(const ScanText& text) const {
    std::string aligned;
    std::string pieces;
    auto edits = edits_;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const std::string name = "wm_piece_" + std::to_string(i);
      const std::string type = "wm_piece<" + streams_[i].type + ", wm_N>";
      const std::string first = "static_cast<" + prefix_.loop.variable->type + ">(wm_at)";
      aligned.append(aligned.empty() ? "" : " &&\n       ").append("reinterpret_cast<size_t>(");
      aligned.append(address_of(body_, prefix_.loop, streams_[i], "0")).append(") % sizeof(");
      aligned.append(type).append(") == 0");
      pieces.append("const ").append(type).append(" ").append(name);
      pieces.append(" = *reinterpret_cast<const ").append(type).append("*>(");
      pieces.append(address_of(body_, prefix_.loop, streams_[i], first)).append(");\n");
      for (const NodeId node : streams_[i].nodes) {
        edits.push_back({tree_.node(node).range, name + ".at[wm_i]"});
      }
    }
    const std::string head = "  template <int wm_N>\n";
    const std::string each = "#pragma unroll\nfor (int wm_i = 0; wm_i < wm_N; ++wm_i) {\n";
    const std::string at = "const wm_index wm_at = 0;\n";
    std::string code =
        ScanText::piece_type() + head +
        text.method("bool wide(unsigned wm_row) const",
                    aligned.empty() ? "return false;\n"
                                    : at + before_lines() + "return " + aligned + ";\n");
    code += head + text.method(
                       "void load_piece(unsigned wm_row, index wm_at, value (&wm_out)[wm_N]) const",
                       before_lines() + pieces + each +
                           reindented(term_lines(text, edits, "wm_at + wm_i") +
                                          "wm_out[wm_i] = " + text.values_brace() + ";\n",
                                      "  ") +
                           "}\n");
    return code + head +
           text.method(
               "void store_piece(unsigned wm_row, index wm_at, const value (&wm_before)[wm_N],\n"
               "                   const value (&wm_with)[wm_N]) const",
               each + "  store(wm_row, wm_at + wm_i, wm_before[wm_i], wm_with[wm_i]);\n}\n");
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  const OwnPrefix& prefix_;
  std::vector<TextEdit> edits_;  ///< numbers of outputs and rows instead of those of threads
  std::vector<Stream> streams_;
};

}  // namespace

Result<OwnPrefix> find_own_prefix(const Scene& scene, const KernelBody& body,
                                  const std::vector<SceneLaunch>& launches) {
  return PrefixFinder(scene, body, launches).find();
}

ScanProblem own_prefix_problem(const KernelBody& body, const OwnPrefix& prefix) {
  return PrefixWriter(body, prefix).write();
}

}  // namespace warpmind::agents::builtin
