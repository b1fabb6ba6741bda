#include "agents/builtin/forms/scan_site.h"

#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/taken_in.h"
#include "agents/builtin/loops/thread_dependence.h"
#include "agents/builtin/probe/probe_points.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// Threads of a launch that are all asked who walks; of larger ones a sample is.
constexpr std::int64_t kMostAsked = 4096;
constexpr int kSampled = 32;

tl::unexpected<Error> no_site(std::string why) { return fail(Errc::not_found, std::move(why)); }

class SiteFinder {
 public:
  SiteFinder(const Scene& scene, const KernelBody& body)
      : scene_(scene),
        body_(body),
        tree_(body.tree()),
        buffer_(buffer_names(scene, body.function())),
        injective_(injective_by_probing(scene, body.function())) {}

  Result<ScanSite> find() {
    site_.function = &body_.function();
    WARPMIND_CHECK(check_calls());
    WARPMIND_CHECK(find_loop());
    WARPMIND_CHECK(find_surroundings());
    WARPMIND_CHECK(check_before());
    WARPMIND_CHECK(check_after());
    WARPMIND_CHECK(find_walkers());
    return std::move(site_);
  }

 private:
  Result<void> check_calls() const {
    for (const Call& call : body_.calls()) {
      if (call.kind == CallKind::pure) continue;
      return no_site("it calls " + call.name);
    }
    for (const Local& local : body_.locals()) {
      if (local.is_shared) return no_site("it works in shared memory");
    }
    if (!tree_.uses(body_.function().body, "gridDim").empty()) {
      return no_site("it asks for the size of its grid");
    }
    return {};
  }

  Result<void> find_loop() {
    std::string refusal = "no loop leaves something for every prefix";
    for (const NodeId node : tree_.descendants(body_.function().body, "for_statement")) {
      auto loop = carried_loop(body_, node, buffer_, injective_);
      if (!loop) continue;
      if (loop->obstacle.empty()) {
        site_.loop = std::move(*loop);
        return {};
      }
      refusal = "the loop over '" + loop->header.variable->name + "': " + loop->obstacle;
    }
    return no_site(refusal);
  }

  Result<void> find_surroundings() {
    bool is_under_condition = false;
    for (NodeId at = site_.loop.header.node; at != body_.function().body;) {
      const NodeId list = tree_.node(at).parent;
      if (tree_.is(list, "if_statement")) {
        at = list;
        site_.before.insert(site_.before.begin(), tree_.field(at, "condition"));
        is_under_condition = true;
        if (tree_.field(at, "alternative") != kNoNode) {
          return no_site("other threads do something else");
        }
        continue;
      }
      if (!tree_.is(list, "compound_statement")) return no_site("a loop stands around it");
      std::vector<NodeId> before;
      for (const NodeId child : tree_.children(list)) {
        if (child < at) before.push_back(child);
        if (child <= at || tree_.is(child, "return_statement")) continue;
        if (is_under_condition) return no_site("other threads go on behind it");
        site_.after.push_back(child);
      }
      site_.before.insert(site_.before.begin(), before.begin(), before.end());
      const NodeId up = tree_.node(list).parent;
      at = list == body_.function().body ? list : tree_.is(up, "if_statement") ? list : kNoNode;
      if (at == kNoNode) return no_site("a loop stands around it");
    }
    return {};
  }

  Result<void> check_before() const {
    for (const NodeId statement : site_.before) {
      if (tree_.is(statement, "preproc_call")) continue;
      if (is_guard(tree_, statement) || is_condition(tree_, statement)) continue;
      if (!tree_.descendants(statement, "return_statement").empty()) {
        return no_site("a thread may leave in front of it");
      }
      for (const std::string_view kind : {"for_statement", "while_statement", "do_statement"}) {
        if (!tree_.descendants(statement, kind).empty()) {
          return no_site("another loop stands in front of it");
        }
      }
      if (!has_store(body_, statement)) continue;
      const bool writes =
          std::any_of(body_.writes().begin(), body_.writes().end(),
                      [&](const Write& write) { return tree_.contains(statement, write.node); });
      if (writes || !tree_.is(statement, "expression_statement")) {
        return no_site("a store in front of it does something besides");
      }
    }
    return check_meetings(site_.before);
  }

  Result<void> check_after() const {
    std::vector<std::string> stored;
    for (const NodeId statement : site_.after) {
      if (tree_.is(statement, "preproc_call")) continue;
      const bool is_shared = shared_tail_loop(body_, statement, buffer_, injective_).has_value();
      for (const std::string_view kind : {"for_statement", "while_statement", "do_statement"}) {
        if (!is_shared && !tree_.descendants(statement, kind).empty()) {
          return no_site("a serial loop stands behind it");
        }
      }
      if (!tree_.descendants(statement, "return_statement").empty()) {
        return no_site("a thread may leave behind it");
      }
      std::vector<std::string> own;
      for (const auto& access : body_.accesses()) {
        if (!access.is_store || access.is_private || !tree_.contains(statement, access.node)) {
          continue;
        }
        append_unique(own, buffer_(access.root));
      }
      if (!own.empty() && !is_shared && tree_.is(statement, "declaration")) {
        return no_site("a store stands in a declaration");
      }
      for (const auto& buffer : own) {
        if (contains(stored, buffer)) return no_site("it is stored to twice behind the loop");
      }
      stored.insert(stored.end(), own.begin(), own.end());
    }
    return check_meetings(site_.after);
  }

  /// What stands around the loop and what its iterations do run side by side: they must not meet.
  Result<void> check_meetings(const std::vector<NodeId>& statements) const {
    for (const auto& access : body_.accesses()) {
      const bool is_around =
          std::any_of(statements.begin(), statements.end(),
                      [&](NodeId statement) { return tree_.contains(statement, access.node); });
      if (!is_around || access.is_private) continue;
      if (access.root.empty()) {
        return no_site("it is not known where '" + tree_.plain_text(access.node) + "' points");
      }
      for (const auto& other : body_.accesses()) {
        if (other.is_private || buffer_(other.root) != buffer_(access.root)) continue;
        if (tree_.contains(access.node, other.node) || (!access.is_store && !other.is_store)) {
          continue;
        }
        const bool is_inside = tree_.contains(site_.loop.header.node, other.node);
        if (!is_inside && contains_any(statements, other.node)) {
          if (access.is_store && other.is_store) continue;
          return no_site("it reads '" + access.root + "', which it stores to around the loop");
        }
        if (is_inside && is_apart(access, other)) continue;
        return no_site("'" + tree_.plain_text(access.node) + "' and '" +
                       tree_.plain_text(other.node) + "' may meet");
      }
    }
    return {};
  }

  [[nodiscard]] bool contains_any(const std::vector<NodeId>& statements, NodeId node) const {
    return std::any_of(statements.begin(), statements.end(),
                       [&](NodeId statement) { return tree_.contains(statement, node); });
  }

  /// Whether a store around the loop touches no element that the loop stores.
  [[nodiscard]] bool is_apart(const MemoryAccess& around, const MemoryAccess& inside) const {
    if (const CarriedValue* value = value_as_index(body_, site_.loop, inside)) {
      return inside.is_store && around.node > inside.node && starts_at(around, *value);
    }
    const CountedLoop& header = site_.loop.header;
    if (!inside.is_store && !coefficient(body_, inside.index, *header.variable, header.node)) {
      return false;
    }
    if (ends_before(around, inside)) return true;
    bool seen = false;
    for (const SceneLaunch* launch : scene_.launches_of(body_.function())) {
      const KernelProber prober(scene_.source(), body_.function(), *launch);
      for (const auto& thread : probe_threads(prober, site_.loop.header.node, kSampled)) {
        const NodeId loop = site_.loop.header.node;
        if (prober.reaches(loop, thread) == false) continue;
        const auto trips = prober.trips(loop, thread);
        if (!trips) return false;
        if (*trips < 1) continue;
        const auto place = prober.access(around.node, thread);
        const auto first = prober.access(inside.node, thread, {{loop, 0}});
        const auto last = prober.access(inside.node, thread, {{loop, *trips - 1}});
        if (!place || !first || !last) return false;
        const auto [low, high] = std::minmax(first->element, last->element);
        if (place->element >= low && place->element <= high) return false;
        seen = true;
      }
    }
    return seen;
  }

  /// `p[n]` around a loop over `i < n` that meets `p[i]`.
  [[nodiscard]] bool ends_before(const MemoryAccess& around, const MemoryAccess& inside) const {
    const CountedLoop& header = site_.loop.header;
    const auto same = [&](NodeId a, NodeId b) {
      return a != kNoNode && b != kNoNode &&
             tree_.plain_text(tree_.bare(a)) == tree_.plain_text(tree_.bare(b));
    };
    return !site_.loop.counts_down && !header.is_inclusive &&
           names_variable(body_, inside.index, *header.variable) &&
           same(around.pointer, inside.pointer) && same(around.index, header.bound);
  }

  /// Whether the store's index is the final value, or counts up from it.
  [[nodiscard]] bool starts_at(const MemoryAccess& store, const CarriedValue& value) const {
    if (names_variable(body_, store.index, *value.variable)) return true;
    const NodeId loop = tree_.ancestor(store.node, "for_statement", body_.function().body);
    if (loop == kNoNode) return false;
    const auto counted = counted_loop(body_, loop);
    return counted && names_variable(body_, store.index, *counted->variable) &&
           names_variable(body_, counted->start, *value.variable);
  }

  /// Whether who gets to the loop hangs on numbers of threads alone.
  [[nodiscard]] bool guards_name_threads_alone() const {
    const ThreadDependence threads(body_, AmongThreads::of_the_grid);
    std::vector<NodeId> atoms;
    for (const NodeId statement : site_.before) {
      if (is_condition(tree_, statement)) atoms.push_back(statement);
      if (is_guard(tree_, statement)) atoms.push_back(tree_.field(statement, "condition"));
    }
    bool any = false;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      const NodeId at = tree_.bare(atoms[i]);
      const auto op = tree_.is(at, "binary_expression") ? tree_.operator_of(at) : "";
      if (op == "&&" || op == "||") {
        atoms.push_back(tree_.field(at, "left"));
        atoms.push_back(tree_.field(at, "right"));
        continue;
      }
      if (!threads.depends(at)) continue;
      any = true;
      if (!names_threads_alone(at, 0)) return false;
    }
    return any;
  }

  [[nodiscard]] bool names_threads_alone(NodeId expression, int depth) const {
    if (depth > 8) return false;
    for (const NodeId name : tree_.descendants(expression, "identifier")) {
      const auto text = tree_.text(name);
      if (text == "threadIdx" || text == "blockIdx" || text == "blockDim") continue;
      const Local* local = body_.local_of(name);
      if (local == nullptr || local->value == kNoNode || local->is_pointer ||
          body_.written_in(*local, body_.function().body) ||
          !names_threads_alone(local->value, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  Result<void> find_walkers() {
    const auto block = fixed_block(scene_, body_.function());
    if (!block) return no_site("it is launched with blocks of several sizes");
    site_.block = *block;
    if (!guards_name_threads_alone()) {
      for (const SceneLaunch* launch : scene_.launches_of(body_.function())) {
        const auto& grid = launch->shape.grid;
        if (grid[1] * grid[2] != 1 || (*block)[1] * (*block)[2] != 1) {
          return no_site("its rows lie along several dimensions of the grid");
        }
      }
      return {};
    }
    bool only_first = true;
    bool only_blocks = true;
    for (const SceneLaunch* launch : scene_.launches_of(body_.function())) {
      const KernelProber prober(scene_.source(), body_.function(), *launch);
      std::vector<ThreadPosition> asked;
      if (prober.threads() <= kMostAsked) {
        for (std::int64_t i = 0; i < prober.threads(); ++i) asked.push_back(prober.position(i));
      } else {
        asked = probe_threads(prober, site_.loop.header.node, kSampled);
      }
      for (const auto& thread : asked) {
        const auto reaches = prober.reaches(site_.loop.header.node, thread);
        if (!reaches) return no_site("it cannot be told which threads walk it");
        const bool is_first = thread.thread == std::array<std::int64_t, 3>{};
        const bool is_first_block = thread.block == std::array<std::int64_t, 3>{};
        only_blocks = only_blocks && (!*reaches || is_first);
        only_first = only_first && (!*reaches || (is_first && is_first_block));
        if (launch->shape.grid[1] * launch->shape.grid[2] != 1) only_blocks = false;
      }
    }
    if (!only_first && !only_blocks) return no_site("several threads of a block walk it");
    site_.walkers = only_first ? ScanWalkers::one : ScanWalkers::one_a_block;
    return {};
  }

  const Scene& scene_;
  const KernelBody& body_;
  const SyntaxTree& tree_;
  BufferNames buffer_;
  Injective injective_;
  ScanSite site_;
};

}  // namespace

bool is_condition(const SyntaxTree& tree, NodeId part) {
  return tree.node(part).field == "condition";
}

bool is_guard(const SyntaxTree& tree, NodeId statement) {
  if (!tree.is(statement, "if_statement") || tree.field(statement, "alternative") != kNoNode) {
    return false;
  }
  NodeId inside = tree.field(statement, "consequence");
  if (tree.is(inside, "compound_statement") && tree.children(inside).size() == 1) {
    inside = tree.children(inside).front();
  }
  return tree.is(inside, "return_statement") && tree.children(inside).empty();
}

bool has_store(const KernelBody& body, NodeId node) {
  return std::any_of(
      body.accesses().begin(), body.accesses().end(), [&](const MemoryAccess& access) {
        return access.is_store && !access.is_private && body.tree().contains(node, access.node);
      });
}

std::optional<CountedLoop> shared_tail_loop(const KernelBody& body, NodeId statement,
                                            const BufferNames& buffer, const Injective& injective) {
  if (!body.tree().is(statement, "for_statement")) return std::nullopt;
  const auto loop = counted_loop(body, statement);
  if (!loop) return std::nullopt;
  const LoopFacts facts = loop_facts(body, *loop, buffer, injective);
  if (!facts.obstacle.empty() || !facts.reductions.empty()) return std::nullopt;
  return *loop;
}

Result<ScanSite> find_scan_site(const Scene& scene, const KernelBody& body) {
  if (auto why = reason_not_to_edit(scene.source(), body.function()); !why.empty()) {
    return no_site(std::move(why));
  }
  return SiteFinder(scene, body).find();
}

}  // namespace warpmind::agents::builtin
