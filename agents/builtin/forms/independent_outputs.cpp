#include "agents/builtin/forms/independent_outputs.h"

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/probe/probe_points.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::int64_t kMostThreads = std::int64_t{1} << 31;
constexpr int kRandomThreads = 10;
constexpr std::array<char, 3> kLetters{'x', 'y', 'z'};

tl::unexpected<Error> dependent(std::string why) { return fail(Errc::not_found, std::move(why)); }

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string without_casts(std::string text) {
  for (const auto cast : {"(int)", "(unsigned)", "(long long)", "(int64_t)", "(size_t)"}) {
    text = replace_text(std::move(text), cast, "");
  }
  return text;
}

class OutputFinder {
 public:
  OutputFinder(const Scene& scene, std::size_t launch) : scene_(scene), tree_(scene.tree()) {
    found_.launch = launch;
    found_.function = scene.function_of(launch);
    found_.launches = std::make_shared<const std::vector<SceneLaunch>>(scene.launches_of(launch));
  }

  Result<IndependentOutputs> find() {
    WARPMIND_CHECK(check_launches());
    found_.body = std::make_shared<const KernelBody>(scene_.source(), *found_.function);
    WARPMIND_CHECK(find_stride_loop());
    WARPMIND_CHECK(check_code());
    WARPMIND_CHECK(read_accesses());
    for (const auto& one : *found_.launches) {
      probers_.emplace_back(scene_.source(), *found_.function, one);
    }
    WARPMIND_CHECK(check_dependences());
    const UniformExpressions expressions(scene_, *found_.function, *found_.launches);
    if (find_axes(expressions)) {
      WARPMIND_CHECK(order_axes());
      say_extents(expressions);
    }
    if (found_.plan_extents.empty() && found_.stride_loop != kNoNode) {
      return dependent("the outputs of its loop over all threads cannot be numbered");
    }
    if (found_.plan_extents.empty()) WARPMIND_CHECK(take_whole_grid());
    return std::move(found_);
  }

 private:
  Result<void> check_launches() {
    if (found_.function == nullptr) return dependent("the launched kernel is not defined once");
    const auto& name = found_.function->name;
    if (const auto why = reason_not_to_edit(scene_.source(), *found_.function); !why.empty()) {
      return dependent(why);
    }
    const auto& plan = scene_.plan().launches;
    if (std::count_if(plan.begin(), plan.end(),
                      [&](const Launch& one) { return one.kernel == name; }) != 1) {
      return dependent(quoted(name) + " is launched more than once");
    }
    if (found_.launches->empty()) return dependent("no workload launches it");
    for (const auto& one : *found_.launches) {
      if (one.timed) ++found_.timed;
      if (one.shape.block != found_.launches->front().shape.block) {
        return dependent("the block shape differs between workloads");
      }
      if (one.threads() >= kMostThreads) return dependent("it has 2^31 threads or more");
    }
    return {};
  }

  /// The only reason to read the size of the grid that says nothing about the outputs.
  Result<void> find_stride_loop() {
    const NodeId body = found_.function->body;
    const auto uses = tree_.uses(body, "gridDim");
    if (uses.empty()) return {};
    const auto statements = tree_.children(body);
    const auto loop = counted_loop(*found_.body, statements.back());
    const auto& launch = found_.launches->front();
    if (!loop || loop->step == kNoNode || loop->is_inclusive ||
        coordinate_of(tree_, set_once(loop->start), {}, launch) != std::size_t{0} ||
        !is_all_threads(set_once(loop->step))) {
      return dependent("its threads depend on the size of the grid");
    }
    for (const NodeId use : uses) {
      if (!tree_.contains(set_once(loop->step), use)) {
        return dependent("its threads depend on the size of the grid");
      }
    }
    WARPMIND_CHECK(check_iterations(loop->node));
    std::vector<SceneLaunch> once = *found_.launches;
    for (SceneLaunch& one : once) {
      const KernelProber prober(scene_.source(), *found_.function, one);
      const auto count = prober.value(loop->bound, prober.position(0));
      if (!count) return dependent("the length of its loop over all threads is not known");
      const std::int64_t block = one.shape.block[0];
      one.shape.grid[0] =
          static_cast<std::uint32_t>(std::max<std::int64_t>((*count + block - 1) / block, 1));
    }
    found_.launches = std::make_shared<const std::vector<SceneLaunch>>(std::move(once));
    found_.stride_loop = loop->node;
    return {};
  }

  /// One iteration of the loop over all threads leaves nothing to the next one.
  Result<void> check_iterations(NodeId loop) const {
    const NodeId body = tree_.field(loop, "body");
    for (const auto& write : found_.body->writes()) {
      if (!tree_.contains(body, write.node)) continue;
      if (write.local == nullptr || !tree_.contains(body, write.local->identifier)) {
        return dependent(quoted(tree_.text(write.identifier)) +
                         " goes from one iteration of the loop over all threads to the next");
      }
    }
    for (const NodeId node : tree_.descendants(body)) {
      const bool leaves = tree_.is(node, "return_statement") ||
                          (tree_.is(node, "break_statement") && innermost_loop(node) == loop);
      if (leaves) return dependent("its loop over all threads ends early");
    }
    return {};
  }

  /// Or switch.
  [[nodiscard]] NodeId innermost_loop(NodeId node) const {
    NodeId at = tree_.node(node).parent;
    while (at != kNoNode && at != tree_.root()) {
      if (tree_.is(at, "for_statement") || tree_.is(at, "while_statement") ||
          tree_.is(at, "do_statement") || tree_.is(at, "switch_statement")) {
        return at;
      }
      at = tree_.node(at).parent;
    }
    return kNoNode;
  }

  [[nodiscard]] bool is_all_threads(NodeId step) const {
    const std::string text = without_casts(tree_.plain_text(tree_.bare(step)));
    return text == "blockDim.x * gridDim.x" || text == "gridDim.x * blockDim.x";
  }

  /// The value of a local that nothing changes, or the expression itself.
  [[nodiscard]] NodeId set_once(NodeId expression) const {
    const NodeId bare = tree_.bare(expression);
    const Local* local = tree_.is(bare, "identifier") ? found_.body->local_of(bare) : nullptr;
    const bool is_set_once = local != nullptr && local->value != kNoNode &&
                             !found_.body->identifier_written_in(bare, found_.function->body);
    return is_set_once ? local->value : bare;
  }

  /// Nothing by which threads meet, and nothing that a member function could not hold.
  Result<void> check_code() const {
    static constexpr std::array<std::string_view, 8> kKinds{
        "lambda_expression", "gnu_asm_expression", "asm_statement", "goto_statement",
        "labeled_statement", "new_expression",     "preproc_if",    "preproc_ifdef"};
    static constexpr std::array<std::string_view, 3> kNames{"warpSize", "__shared__", "this"};
    for (const NodeId at : tree_.descendants(found_.function->body)) {
      const auto& node = tree_.node(at);
      if (std::find(kKinds.begin(), kKinds.end(), node.kind) != kKinds.end()) {
        return dependent("it holds a " + std::string(node.kind));
      }
      const bool is_word = node.first_child == kNoNode;
      if (is_word && std::find(kNames.begin(), kNames.end(), tree_.text(at)) != kNames.end()) {
        return dependent("it uses " + std::string(tree_.text(at)));
      }
      if (node.kind == "storage_class_specifier") {
        return dependent("it declares something " + std::string(tree_.text(at)));
      }
      if (node.kind == "call_expression") {
        auto why = obstacle_in(scene_.source(), at);
        // Thread numbers as arguments are the caller's.
        if (!why.empty() && !why.starts_with("it reads ")) return dependent(std::move(why));
      }
    }
    for (const auto name : {"threadIdx", "blockIdx", "blockDim"}) {
      for (const NodeId use : tree_.uses(found_.function->body, name)) {
        if (!tree_.is(tree_.node(use).parent, "field_expression")) {
          return dependent(quoted(name) + " is read as a whole");
        }
      }
    }
    return {};
  }

  Result<void> read_accesses() {
    for (const auto& access : found_.body->accesses()) {
      if (access.is_private) continue;
      if (access.root.empty()) {
        return dependent("where '" + tree_.plain_text(access.node) + "' points cannot be told");
      }
      (access.is_store ? stores_ : loads_).push_back(&access);
      if (access.is_store && access.is_load) loads_.push_back(&access);
    }
    if (stores_.empty()) return dependent("it stores nothing");
    return {};
  }

  [[nodiscard]] static std::string buffer_of(const SceneLaunch& launch, const std::string& root) {
    const auto bound = launch.buffers.find(root);
    return bound == launch.buffers.end() ? root : bound->second;
  }

  /// What is written is read by nobody, or only by the thread that writes it there.
  Result<void> check_dependences() const {
    for (const auto& prober : probers_) {
      for (const auto* store : stores_) {
        for (const auto* load : loads_) {
          const auto& launch = prober.launch();
          if (buffer_of(launch, store->root) != buffer_of(launch, load->root)) continue;
          if (!same_element(prober, *store, *load)) {
            return dependent(quoted(load->root) + " is written and read by the same launch");
          }
        }
      }
    }
    return {};
  }

  [[nodiscard]] bool same_element(const KernelProber& prober, const MemoryAccess& store,
                                  const MemoryAccess& load) const {
    for (const NodeId node : {store.node, load.node}) {
      for (const NodeId loop : loops_around(scene_.source(), *found_.function, node)) {
        if (loop != found_.stride_loop) return false;
      }
    }
    int seen = 0;
    for (const auto& thread : probe_threads(prober, store.node, kRandomThreads)) {
      const auto to = prober.access(store.node, thread);
      const auto from = prober.access(load.node, thread);
      if (!to || !from) continue;
      ++seen;
      if (to->element != from->element) return false;
    }
    return seen > 0;
  }

  /// False: no numbers of outputs can be told.
  bool find_axes(const UniformExpressions& expressions) {
    for (const NodeId place : places()) {
      auto axes = find_output_axes(probers_, expressions, place);
      if (!axes || axes->axes.empty()) continue;
      found_.outputs = std::move(*axes);
      return true;
    }
    return false;
  }

  void say_extents(const UniformExpressions& expressions) {
    for (const std::size_t axis : found_.order) {
      auto text = plan_extent(scene_, found_.launch, expressions, found_.outputs.axes[axis]);
      if (!text) {
        found_.plan_extents.clear();
        return;
      }
      found_.plan_extents.push_back(std::move(*text));
    }
  }

  /// An axis for each dimension of the grid, as wide as the grid is.
  Result<void> take_whole_grid() {
    found_.is_whole_grid = true;
    found_.outputs = {};
    found_.order.clear();
    found_.steps.clear();
    const Launch& launch = scene_.plan().launches[found_.launch];
    std::vector<std::string> texts;
    for (std::size_t d = 0; d < kLetters.size(); ++d) {
      OutputAxis axis;
      axis.dimension = d;
      axis.extent = std::string("wm_threads_") + kLetters.at(d);
      bool is_single = true;
      for (const auto& one : *found_.launches) {
        axis.extents.push_back(found_.outputs.mapping.extent(one, d));
        is_single = is_single && axis.extents.back() == 1;
      }
      if (is_single) continue;
      std::string blocks = launch.grid.at(d);
      for (std::size_t other = 0; other < kLetters.size(); ++other) {
        blocks = replace_text(std::move(blocks), std::string("block_") + kLetters.at(other),
                              "(" + launch.block.at(other) + ")");
      }
      texts.push_back("(" + blocks + ") * (" + launch.block.at(d) + ")");
      found_.outputs.axes.push_back(std::move(axis));
    }
    if (texts.empty()) return dependent("there is one thread");
    WARPMIND_CHECK(order_axes());
    for (const std::size_t axis : found_.order) found_.plan_extents.push_back(texts[axis]);
    return {};
  }

  /// Statements that exactly the threads with an output get to: the first one that touches memory,
  /// and the one with all stores.
  [[nodiscard]] std::vector<NodeId> places() const {
    std::vector<NodeId> all;
    for (const auto* list : {&loads_, &stores_}) {
      for (const auto* access : *list) all.push_back(access->node);
    }
    std::vector<NodeId> written;
    for (const auto* store : stores_) written.push_back(store->node);
    std::vector<NodeId> found{first_statement(all)};
    if (const NodeId other = first_statement(written); other != found.front()) {
      found.push_back(other);
    }
    return found;
  }

  [[nodiscard]] bool holds_all(NodeId outer, const std::vector<NodeId>& nodes) const {
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](NodeId node) { return tree_.contains(outer, node); });
  }

  /// The first of the innermost block around `nodes` that holds one of them.
  [[nodiscard]] NodeId first_statement(const std::vector<NodeId>& nodes) const {
    NodeId block = found_.function->body;
    for (;;) {
      NodeId first = kNoNode;
      for (const NodeId child : tree_.children(block)) {
        const bool holds = std::any_of(nodes.begin(), nodes.end(),
                                       [&](NodeId node) { return tree_.contains(child, node); });
        if (!holds) continue;
        first = child;
        break;
      }
      if (first == kNoNode) return block;
      NodeId inside = kNoNode;
      if (tree_.is(first, "if_statement") && tree_.field(first, "alternative") == kNoNode) {
        inside = tree_.field(first, "consequence");
      }
      if (tree_.is(first, "compound_statement")) inside = first;
      if (first == found_.stride_loop) inside = tree_.field(first, "body");
      if (inside == kNoNode || !holds_all(inside, nodes)) return first;
      if (!tree_.is(inside, "compound_statement")) return inside;
      block = inside;
    }
  }

  /// By the distance of neighbouring outputs in memory.
  Result<void> order_axes() {
    for (const auto* store : stores_) {
      const auto here = probers_.front().access(store->node, middle_of({}));
      if (!here) continue;
      found_.store = store->node;
      std::vector<std::int64_t> steps;
      for (std::size_t axis = 0; axis < found_.outputs.axes.size(); ++axis) {
        std::vector<std::int64_t> moved(found_.outputs.axes.size());
        moved[axis] = found_.outputs.axes[axis].extents.front() > 1 ? 1 : 0;
        const auto there = probers_.front().access(store->node, middle_of(moved));
        if (!there) break;
        steps.push_back(moved[axis] == 0 ? kMostThreads : std::abs(there->element - here->element));
      }
      if (steps.size() != found_.outputs.axes.size()) continue;
      for (std::size_t axis = 0; axis < steps.size(); ++axis) found_.order.push_back(axis);
      std::stable_sort(found_.order.begin(), found_.order.end(),
                       [&](std::size_t a, std::size_t b) { return steps[a] < steps[b]; });
      for (const std::size_t axis : found_.order) found_.steps.push_back(steps[axis]);
      return {};
    }
    return dependent("where its outputs are stored depends on data");
  }

  /// By position in OutputAxes::axes; the order is not known yet.
  [[nodiscard]] ThreadPosition middle_of(const std::vector<std::int64_t>& moved) const {
    std::vector<std::int64_t> digits;
    for (std::size_t axis = 0; axis < found_.outputs.axes.size(); ++axis) {
      const std::int64_t extent = found_.outputs.axes[axis].extents.front();
      digits.push_back((extent - 1) / 2 + (moved.empty() ? 0 : moved[axis]));
    }
    return found_.outputs.mapping.position(found_.launches->front(),
                                           found_.outputs.coordinates(digits, 0));
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  IndependentOutputs found_;
  std::vector<KernelProber> probers_;
  std::vector<const MemoryAccess*> loads_, stores_;
};

}  // namespace

std::optional<std::size_t> coordinate_of(const SyntaxTree& tree, NodeId expression,
                                         const GridMapping& mapping, const SceneLaunch& launch) {
  const std::string text = without_casts(tree.plain_text(expression));
  const auto& block = launch.shape.block;
  for (std::size_t d = 0; d < block.size(); ++d) {
    const std::string thread = "threadIdx." + std::string(1, kLetters.at(d));
    const std::string size = "blockDim." + std::string(1, kLetters.at(d));
    const std::string place = "blockIdx." + std::string(1, kLetters.at(mapping.blocks.at(d)));
    const std::array<std::string, 2> products{place + " * " + size, size + " * " + place};
    for (const auto& product : products) {
      for (const auto& first : {product, "(" + product + ")"}) {
        if (text == first + " + " + thread || text == thread + " + " + first) return d;
      }
    }
    if (block.at(d) == 1 && text == place) return d;
  }
  return std::nullopt;
}

std::vector<std::size_t> IndependentOutputs::axes_of(std::size_t coordinate) const {
  const std::size_t end = coordinate < kNamedAxes ? coordinate + 1 : order.size();
  std::vector<std::size_t> axes;
  for (std::size_t i = coordinate; i < end && i < order.size(); ++i) axes.push_back(order[i]);
  return axes;
}

std::int64_t IndependentOutputs::extent(std::size_t coordinate, std::size_t at) const {
  std::int64_t product = 1;
  for (const std::size_t axis : axes_of(coordinate)) product *= outputs.axes[axis].extents[at];
  return product;
}

ThreadPosition IndependentOutputs::middle(std::size_t at,
                                          const std::vector<std::int64_t>& moved) const {
  std::vector<std::int64_t> digits(outputs.axes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    digits[order[i]] = (outputs.axes[order[i]].extents[at] - 1) / 2;
    if (i < moved.size()) digits[order[i]] += moved[i];
  }
  return outputs.mapping.position((*launches)[at], outputs.coordinates(digits, at));
}

bool IndependentOutputs::is_unaliased(const Parameter& parameter) const {
  for (const auto& one : *launches) {
    const auto own = one.buffers.find(parameter.name);
    if (own == one.buffers.end()) return false;
    for (const auto& other : function->parameters) {
      if (!other.is_pointer || other.name == parameter.name) continue;
      const auto bound = one.buffers.find(other.name);
      if (bound == one.buffers.end()) return false;
      const bool is_written = !other.is_const || !parameter.is_const;
      if (bound->second == own->second && is_written) return false;
    }
  }
  return true;
}

Result<IndependentOutputs> find_independent_outputs(const Scene& scene, std::size_t launch) {
  return scene.remembered<Result<IndependentOutputs>>(
      launch, [&] { return OutputFinder(scene, launch).find(); });
}

}  // namespace warpmind::agents::builtin
