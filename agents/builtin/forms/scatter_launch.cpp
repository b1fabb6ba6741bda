#include "agents/builtin/forms/scatter_launch.h"

#include "agents/builtin/forms/block_counts.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

tl::unexpected<Error> refuse(std::string why) { return fail(Errc::not_found, std::move(why)); }

bool is_loop(const SyntaxTree& tree, NodeId node) {
  return tree.is(node, "for_statement") || tree.is(node, "while_statement") ||
         tree.is(node, "do_statement");
}

/// Reads one launch; the first thing that does not fit becomes the refusal.
class ScatterReader {
 public:
  ScatterReader(const Scene& scene, std::size_t launch) : scene_(scene), tree_(scene.tree()) {
    found_.launch = launch;
  }

  Result<ScatterLaunch> read() {
    found_.function = scene_.function_of(found_.launch);
    if (found_.function == nullptr) return refuse("its kernel is not defined exactly once");
    if (auto why = reason_not_to_edit(scene_.source(), *found_.function); !why.empty()) {
      return refuse(why);
    }
    found_.body = std::make_shared<const KernelBody>(scene_.source(), *found_.function);
    auto why = read_parts();
    if (why.empty()) why = read_elements();
    if (why.empty()) why = read_adds();
    if (why.empty()) why = read_jumps();
    if (why.empty()) why = check_work();
    if (why.empty()) why = check_stages();
    if (!why.empty()) return refuse(why + " in '" + found_.function->name + "'");
    find_streams();
    return std::move(found_);
  }

 private:
  [[nodiscard]] const KernelBody& body() const { return *found_.body; }

  /// Cuts the body at its barriers: without a shared array there is one part, else clearing,
  /// counting and merging.
  std::string read_parts() {
    for (const Local& local : body().locals()) {
      if (!local.is_shared) continue;
      if (shared_ != nullptr) return "there are several shared arrays";
      shared_ = &local;
    }
    std::vector<std::vector<NodeId>> parts(1);
    for (const NodeId statement : tree_.children(found_.function->body)) {
      if (tree_.is(statement, "expression_statement") &&
          tree_.text(statement).starts_with("__syncthreads")) {
        parts.emplace_back();
      } else {
        parts.back().push_back(statement);
      }
    }
    if (shared_ == nullptr) {
      if (parts.size() != 1) return "the block waits for its threads without a shared array";
      counting_ = std::move(parts.front());
      return {};
    }
    if (parts.size() != 3) return "it does not clear, count and merge '" + shared_->name + "'";
    for (const NodeId statement : parts[0]) {
      const bool is_value = tree_.is(statement, "declaration");
      if (!is_value) {
        clearing_.push_back(statement);
      } else if (!tree_.contains(statement, shared_->identifier)) {
        counting_.push_back(statement);
      }
    }
    counting_.insert(counting_.end(), parts[1].begin(), parts[1].end());
    merging_ = std::move(parts[2]);
    return {};
  }

  std::string read_elements() {
    auto finding = find_elements(scene_, found_.launch, counting_);
    if (!finding.kernel) {
      auto why = std::move(finding.refusal);
      const auto in = why.rfind(" in '");
      return in == std::string::npos ? why : why.substr(0, in);
    }
    found_.elements = std::move(*finding.kernel);
    for (const auto& parameter : found_.function->parameters) {
      for (const Write& write : body().writes()) {
        if (write.local == nullptr && tree_.text(write.identifier) == parameter.name) {
          return "it changes the parameter '" + parameter.name + "'";
        }
      }
    }
    return {};
  }

  [[nodiscard]] bool in_work(NodeId node) const {
    return std::any_of(found_.elements.work.begin(), found_.elements.work.end(),
                       [&](NodeId statement) { return tree_.contains(statement, node); });
  }

  /// One thread does everything in every launch, so that plain adds are as good as atomic ones.
  [[nodiscard]] bool is_serial() const {
    const auto all = scene_.launches_of(*found_.function);
    return shared_ == nullptr && std::all_of(all.begin(), all.end(), [](const SceneLaunch* one) {
             return one->threads() == 1;
           });
  }

  /// `&p[bin]`, `p + bin`; the name of the array, or empty.
  std::string read_place(NodeId pointer, NodeId& bin) const {
    const NodeId at = tree_.bare(pointer);
    if (tree_.is(at, "pointer_expression") && tree_.operator_of(at) == "&") {
      return read_element(tree_.field(at, "argument"), bin);
    }
    if (tree_.is(at, "binary_expression") && tree_.operator_of(at) == "+") {
      const NodeId left = tree_.bare(tree_.field(at, "left"));
      bin = tree_.field(at, "right");
      return tree_.is(left, "identifier") ? std::string(tree_.text(left)) : std::string();
    }
    return {};
  }

  /// `p[bin]`.
  std::string read_element(NodeId node, NodeId& bin) const {
    const NodeId at = tree_.bare(node);
    if (!tree_.is(at, "subscript_expression")) return {};
    const auto indices = tree_.children(tree_.field(at, "indices"));
    const NodeId pointer = tree_.bare(tree_.field(at, "argument"));
    if (indices.size() != 1 || !tree_.is(pointer, "identifier")) return {};
    bin = indices.front();
    return std::string(tree_.text(pointer));
  }

  std::string take_in(ScatterAdd add, const std::string& array) {
    if (array.empty()) return "it adds to a place that is no element of an array";
    if (!tree_.is(tree_.node(add.node).parent, "expression_statement")) {
      return "the count before an add is used";
    }
    if (!target_.empty() && target_ != array) return "it adds to several arrays";
    target_ = array;
    found_.adds.push_back(add);
    return {};
  }

  std::string read_adds() {
    for (const Call& call : body().calls()) {
      if (!in_work(call.node) || call.kind != CallKind::atomic) continue;
      if (call.name != "atomicAdd") return "it calls " + call.name;
      const auto arguments = tree_.children(tree_.field(call.node, "arguments"));
      if (arguments.size() != 2) return "it calls atomicAdd in another way";
      ScatterAdd add{call.node, kNoNode, arguments[1]};
      const auto array = read_place(arguments[0], add.bin);
      if (auto why = take_in(add, array); !why.empty()) return why;
    }
    if (auto why = read_plain_adds(); !why.empty()) return why;
    if (found_.adds.empty()) return "no element adds to a counter";
    if (shared_ != nullptr && target_ != shared_->name) {
      return "the elements do not add to '" + shared_->name + "'";
    }
    if (shared_ == nullptr) {
      found_.counters = target_;
      const Parameter* parameter = found_.function->parameter(target_);
      if (parameter == nullptr || !parameter->is_pointer) {
        return "'" + target_ + "' is no parameter";
      }
    }
    return {};
  }

  /// `++p[bin]` and `p[bin] += value`.
  std::string read_plain_adds() {
    if (!is_serial()) return {};
    for (const MemoryAccess& access : body().accesses()) {
      if (!in_work(access.node) || !access.is_store || !access.is_load) continue;
      const NodeId whole = tree_.node(access.node).parent;
      ScatterAdd add{whole, kNoNode, tree_.field(whole, "right")};
      const bool adds = tree_.is(whole, "update_expression") ? tree_.operator_of(whole) == "++"
                                                             : tree_.operator_of(whole) == "+=";
      if (!adds) continue;
      const auto array = read_element(access.node, add.bin);
      if (auto why = take_in(add, array); !why.empty()) return why;
    }
    return {};
  }

  [[nodiscard]] bool in_inner_loop(NodeId node) const {
    for (NodeId up = tree_.node(node).parent; up != kNoNode; up = tree_.node(up).parent) {
      if (up == found_.elements.guard) return false;
      if (is_loop(tree_, up)) return true;
    }
    return false;
  }

  /// Statements that end an element early: the next one is begun as if nothing had been.
  std::string read_jumps() {
    for (const NodeId statement : found_.elements.work) {
      for (const NodeId jump : tree_.descendants(statement, "continue_statement")) {
        if (!in_inner_loop(jump)) found_.leaves.insert(jump);
      }
      for (const NodeId jump : tree_.descendants(statement, "return_statement")) {
        if (found_.elements.is_loop || shared_ != nullptr) return "it may leave its elements";
        found_.leaves.insert(jump);
      }
      for (const NodeId jump : tree_.descendants(statement, "break_statement")) {
        const bool in_switch = tree_.ancestor(jump, "switch_statement", statement) != kNoNode;
        if (!in_inner_loop(jump) && !in_switch) return "it may leave its elements";
      }
    }
    return {};
  }

  [[nodiscard]] bool is_add(NodeId node) const {
    return std::any_of(found_.adds.begin(), found_.adds.end(), [&](const ScatterAdd& add) {
      return add.node == node || tree_.node(node).parent == add.node;
    });
  }

  std::string check_work() {
    std::set<NodeId> understood = found_.leaves;
    for (const ScatterAdd& add : found_.adds) understood.insert(add.node);
    auto parts = found_.elements.derived;
    parts.insert(parts.end(), found_.elements.work.begin(), found_.elements.work.end());
    for (const NodeId statement : parts) {
      if (auto why = obstacle_in(scene_.source(), statement, understood); !why.empty()) return why;
    }
    const auto is_own = [&](const Local& local) {
      return std::any_of(parts.begin(), parts.end(),
                         [&](NodeId part) { return body().declared_in(local, part); });
    };
    for (const Write& write : body().writes()) {
      if (!in_work(write.node)) continue;
      if (write.local == nullptr || !is_own(*write.local)) {
        return "an element changes '" + std::string(tree_.text(write.identifier)) + "'";
      }
    }
    for (const MemoryAccess& access : body().accesses()) {
      if (!in_work(access.node) || access.is_private) continue;
      const bool adds = is_add(access.node);
      if (access.root.empty()) return "it is not known where an access points";
      if (access.is_store && !adds) return "an element stores to '" + access.root + "'";
      if (!adds && meets(access.root)) return "'" + access.root + "' is read while it is added to";
    }
    return {};
  }

  /// Whether that parameter may be the array that is added to.
  [[nodiscard]] bool meets(const std::string& root) const {
    if (root == target_ || root == found_.counters) return true;
    const auto buffer = buffer_names(scene_, *found_.function);
    return !found_.counters.empty() && buffer(root) == buffer(found_.counters);
  }

  /// The clearing and merging of counts in shared memory.
  std::string check_stages() {
    if (shared_ == nullptr) return {};
    auto merged = merged_counters(scene_, body(), *shared_, clearing_, merging_);
    if (!merged) return std::move(merged.error().message);
    found_.counters = std::move(*merged);
    for (const MemoryAccess& access : body().accesses()) {
      if (in_work(access.node) && !is_add(access.node) && meets(access.root)) {
        return "'" + access.root + "' is read while it is added to";
      }
    }
    return {};
  }

  /// The name of the array when `access` is its element at the element's number, or empty.
  [[nodiscard]] std::string stream_of(const MemoryAccess& access) const {
    const NodeId pointer = tree_.bare(access.pointer);
    NodeId index = access.index;
    NodeId array = pointer;
    if (tree_.is(access.node, "call_expression")) {
      if (tree_.text(tree_.field(access.node, "function")) != "__ldg") return {};
    } else if (!tree_.is(access.node, "subscript_expression")) {
      return {};
    }
    if (index == kNoNode || !tree_.is(array, "identifier") || body().local_of(array) != nullptr) {
      return {};
    }
    if (tree_.text(tree_.bare(index)) != found_.elements.index) return {};
    return std::string(tree_.text(array));
  }

  /// Whether every element gets there: a wide load reads what no element may have asked for.
  [[nodiscard]] bool is_certain(NodeId node) const {
    for (const NodeId leave : found_.leaves) {
      if (leave < node) return false;
    }
    for (NodeId at = node; !contains(found_.elements.work, at); at = tree_.node(at).parent) {
      const NodeId up = tree_.node(at).parent;
      const auto field = tree_.node(at).field;
      const auto op = tree_.operator_of(up);
      if (is_loop(tree_, up) || tree_.is(up, "switch_statement")) return false;
      if ((tree_.is(up, "if_statement") || tree_.is(up, "conditional_expression")) &&
          field != "condition") {
        return up == found_.elements.guard;
      }
      if (field == "right" && (op == "&&" || op == "||")) return false;
    }
    return !is_loop(tree_, node) && !tree_.is(node, "if_statement");
  }

  void find_streams() {
    std::set<std::string> certain;
    for (const MemoryAccess& access : body().accesses()) {
      if (!in_work(access.node) || !access.is_load || access.is_store) continue;
      const auto name = stream_of(access);
      if (name.empty()) continue;
      const Parameter* parameter = found_.function->parameter(name);
      const int bytes = parameter == nullptr ? 0 : size_of_type(parameter->base_type);
      if (bytes == 0 || bytes > 8) continue;
      auto stream = std::find_if(found_.streams.begin(), found_.streams.end(),
                                 [&](const ElementStream& one) { return one.parameter == name; });
      if (stream == found_.streams.end()) {
        stream = found_.streams.insert(stream, {name, parameter->base_type, {}});
      }
      stream->nodes.push_back(access.node);
      if (is_certain(access.node)) certain.insert(name);
    }
    std::erase_if(found_.streams,
                  [&](const ElementStream& one) { return !certain.contains(one.parameter); });
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  ScatterLaunch found_;
  const Local* shared_ = nullptr;
  std::vector<NodeId> clearing_, counting_, merging_;
  std::string target_;  ///< array that the elements add to
};

}  // namespace

Result<ScatterLaunch> find_scatter_launch(const Scene& scene, std::size_t index) {
  return ScatterReader(scene, index).read();
}

}  // namespace warpmind::agents::builtin
