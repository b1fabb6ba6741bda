#include "agents/builtin/forms/digit_loops.h"

#include "agents/builtin/loops/scan_loop.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// `for (d = 0; d < bound; ++d)`.
std::optional<CountedLoop> loop_from_zero(const KernelBody& body, NodeId node) {
  auto loop = counted_loop(body, node);
  if (!loop || integer_literal(body.tree(), loop->start) != 0 || loop->step != kNoNode ||
      loop->is_inclusive) {
    return std::nullopt;
  }
  return *loop;
}

bool is_statement_of(const KernelBody& body, const CountedLoop& loop, NodeId expression) {
  const SyntaxTree& tree = body.tree();
  return contains(body_statements(tree, loop.body), tree.node(expression).parent);
}

/// Whether `access` is `array[d]` with the loop's variable.
bool is_digit_element(const KernelBody& body, const CountedLoop& loop, const MemoryAccess& access) {
  const SyntaxTree& tree = body.tree();
  return access.index != kNoNode && tree.is(tree.bare(access.pointer), "identifier") &&
         tree.text(tree.bare(access.pointer)) == access.root &&
         tree.text(tree.bare(access.index)) == loop.variable->name;
}

/// The sum of the counts before this digit is stored, then the digit's count is added.
bool sums_before(const KernelBody& body, const CountedLoop& loop, const MemoryAccess& store,
                 const MemoryAccess& load) {
  const SyntaxTree& tree = body.tree();
  const NodeId assignment = tree.node(store.node).parent;
  const NodeId stored = tree.bare(tree.field(assignment, "right"));
  const Local* sum = tree.is(stored, "identifier") ? body.local_of(stored) : nullptr;
  if (sum == nullptr || tree.operator_of(assignment) != "=" || sum->value == kNoNode ||
      integer_literal(tree, sum->value) != 0 || body.declared_in(*sum, loop.node)) {
    return false;
  }
  int updates = 0;
  for (const Write& write : body.writes()) {
    const bool is_inside = tree.contains(loop.node, write.node);
    if (write.local == loop.variable || (!is_inside && write.local != sum)) continue;
    const NodeId taken = tree.bare(tree.field(write.node, "right"));
    const Local* kept = tree.is(taken, "identifier") ? body.local_of(taken) : nullptr;
    const bool takes = taken == load.node || (kept != nullptr && kept->value != kNoNode &&
                                              tree.bare(kept->value) == load.node);
    if (write.local != sum || tree.operator_of(write.node) != "+=" || !takes ||
        write.node < assignment || !is_statement_of(body, loop, write.node)) {
      return false;
    }
    ++updates;
  }
  // In place: the count must be read before its start is written.
  const bool is_in_place = load.root == store.root;
  return updates == 1 && is_statement_of(body, loop, assignment) &&
         (!is_in_place || load.node < assignment);
}

/// The loops in front of the pass, from the last to the first.
class OwnStartsReader {
 public:
  OwnStartsReader(const Scene& scene, const SortPassLaunch& pass)
      : scene_(scene), tree_(scene.tree()), body_(*pass.body), pass_(pass) {}

  Result<std::string> read() {
    auto loops = pass_.other_loops;
    const std::string odd = "the loops in front of the pass do not count and sum its digits";
    if (loops.empty() || !stands_beside(loops.back())) return fail(Errc::not_found, odd);
    const auto sum = sum_loop(body_, loops.back());
    if (!sum || sum->starts != pass_.starts || !covers_digits(sum->loop)) {
      return fail(Errc::not_found, odd);
    }
    loops.pop_back();
    const Parameter* parameter = body_.function().parameter(sum->counts);
    const Local* counts = array_called(sum->counts);
    if (counts == nullptr && parameter != nullptr && parameter->is_pointer) {
      return loops.empty() && stores_outside_loops().empty()
                 ? Result<std::string>(sum->counts)
                 : Result<std::string>(fail(Errc::not_found, odd));
    }
    if (counts == nullptr || loops.empty() || !counts_keys(loops.back(), *counts)) {
      return fail(Errc::not_found, odd);
    }
    loops.pop_back();
    if (starts_at_zero(*counts)) {
      if (!loops.empty()) return fail(Errc::not_found, odd);
    } else if (loops.size() != 1 || !clears(loops.back(), *counts)) {
      return fail(Errc::not_found, "the counts of the digits do not begin at zero");
    }
    if (!stores_outside_loops().empty()) return fail(Errc::not_found, odd);
    return std::string();
  }

 private:
  /// Whether the thread that distributes runs the loop, once.
  [[nodiscard]] bool stands_beside(NodeId loop) const {
    return tree_.node(loop).parent == tree_.node(pass_.loop.node).parent &&
           tree_.is(tree_.node(loop).parent, "compound_statement");
  }

  [[nodiscard]] const Local* array_called(std::string_view name) const {
    for (const Local& local : body_.locals()) {
      if (local.name == name && local.is_array) return &local;
    }
    return nullptr;
  }

  [[nodiscard]] bool covers_digits(const CountedLoop& loop) const {
    for (const SceneLaunch* launch : scene_.launches_of(body_.function())) {
      const KernelProber prober(scene_.source(), body_.function(), *launch);
      if (prober.value(loop.bound, prober.position(0)) != pass_.digits) return false;
    }
    return true;
  }

  /// The only access that stores in the loop; nullptr: there are several.
  [[nodiscard]] const MemoryAccess* only_store(NodeId loop) const {
    const MemoryAccess* store = nullptr;
    for (const MemoryAccess& access : body_.accesses()) {
      if (!access.is_store || !tree_.contains(loop, access.node)) continue;
      if (store != nullptr) return nullptr;
      store = &access;
    }
    return store;
  }

  /// Whether nothing but the loop's variable is written in it.
  [[nodiscard]] bool carries_nothing(const CountedLoop& loop) const {
    return std::all_of(body_.writes().begin(), body_.writes().end(), [&](const Write& write) {
      return !tree_.contains(loop.node, write.node) || write.local == loop.variable;
    });
  }

  /// `for (i = 0; i < n; ++i) ++counts[digit of key i];` over the same keys.
  [[nodiscard]] bool counts_keys(NodeId node, const Local& counts) const {
    const auto loop = loop_from_zero(body_, node);
    if (!loop || !stands_beside(node) || !carries_nothing(*loop)) return false;
    const MemoryAccess* store = only_store(node);
    if (store == nullptr || store->root != counts.name || !store->is_load) return false;
    const NodeId whole = tree_.node(store->node).parent;
    const bool adds_one = tree_.operator_of(whole) == "++" ||
                          (tree_.operator_of(whole) == "+=" &&
                           integer_literal(tree_, tree_.field(whole, "right")) == 1);
    if (!adds_one || !is_statement_of(body_, *loop, whole)) return false;
    const auto keys = key_texts(body_, pass_.keys, loop->variable->name, node);
    const auto bound = closed_value(body_, loop->bound, {});
    return closed_value(body_, store->index, keys) == pass_.digit && bound &&
           bound == closed_value(body_, pass_.loop.bound, {});
  }

  [[nodiscard]] bool starts_at_zero(const Local& counts) const {
    if (!tree_.is(counts.value, "initializer_list")) return false;
    const auto values = tree_.children(counts.value);
    return std::all_of(values.begin(), values.end(),
                       [&](NodeId value) { return integer_literal(tree_, value) == 0; });
  }

  [[nodiscard]] bool clears(NodeId node, const Local& counts) const {
    const auto loop = loop_from_zero(body_, node);
    const MemoryAccess* store = only_store(node);
    if (!loop || !stands_beside(node) || store == nullptr || store->root != counts.name)
      return false;
    const NodeId whole = tree_.node(store->node).parent;
    return carries_nothing(*loop) && covers_digits(*loop) &&
           is_digit_element(body_, *loop, *store) && tree_.operator_of(whole) == "=" &&
           integer_literal(tree_, tree_.field(whole, "right")) == 0 &&
           is_statement_of(body_, *loop, whole);
  }

  /// A store to memory or arrays outside of all loops, or empty.
  [[nodiscard]] std::string stores_outside_loops() const {
    for (const MemoryAccess& access : body_.accesses()) {
      const auto is_around = [&](NodeId loop) { return tree_.contains(loop, access.node); };
      if (access.is_store && !is_around(pass_.loop.node) &&
          std::none_of(pass_.other_loops.begin(), pass_.other_loops.end(), is_around)) {
        return tree_.plain_text(access.node);
      }
    }
    return {};
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  const KernelBody& body_;
  const SortPassLaunch& pass_;
};

}  // namespace

std::optional<SumLoop> sum_loop(const KernelBody& body, NodeId node) {
  const SyntaxTree& tree = body.tree();
  SumLoop found;
  const auto loop = loop_from_zero(body, node);
  if (!loop) return std::nullopt;
  found.loop = *loop;
  const MemoryAccess* store = nullptr;
  const MemoryAccess* load = nullptr;
  for (const MemoryAccess& access : body.accesses()) {
    if (!tree.contains(node, access.node)) continue;
    auto& role = access.is_store ? store : load;
    if (role != nullptr || (access.is_store && access.is_load)) return std::nullopt;
    if (!tree.contains(found.loop.body, access.node) ||
        !is_digit_element(body, found.loop, access)) {
      return std::nullopt;
    }
    role = &access;
  }
  if (store == nullptr || load == nullptr || !sums_before(body, found.loop, *store, *load)) {
    return std::nullopt;
  }
  for (const auto kind : {"break_statement", "continue_statement", "return_statement"}) {
    if (!tree.descendants(node, kind).empty()) return std::nullopt;
  }
  found.counts = load->root;
  found.starts = store->root;
  return found;
}

Result<std::string> counts_of_own_starts(const Scene& scene, const SortPassLaunch& pass) {
  return OwnStartsReader(scene, pass).read();
}

}  // namespace warpmind::agents::builtin
