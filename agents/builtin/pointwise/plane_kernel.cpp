#include "agents/builtin/pointwise/plane_kernel.h"

#include "agents/builtin/pointwise/guarded_body.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

using Point = std::array<std::int64_t, 2>;

ThreadPosition thread_at(const SceneLaunch& launch, const Point& point) {
  ThreadPosition position;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t extent = launch.shape.block[axis];
    position.block[axis] = point[axis] / extent;
    position.thread[axis] = point[axis] % extent;
  }
  return position;
}

std::int64_t points_along(const SceneLaunch& launch, std::size_t axis) {
  return std::int64_t{launch.shape.grid[axis]} * launch.shape.block[axis];
}

/// Whether the value is the number of the point along `axis`, in corners and in between.
bool is_point_index(const KernelProber& prober, NodeId value, std::size_t axis) {
  const SceneLaunch& launch = prober.launch();
  const std::int64_t wide = points_along(launch, 0);
  const std::int64_t high = points_along(launch, 1);
  for (const std::int64_t x :
       {std::int64_t{0}, std::min<std::int64_t>(1, wide - 1), wide / 2, wide - 1}) {
    for (const std::int64_t y :
         {std::int64_t{0}, std::min<std::int64_t>(1, high - 1), high / 2, high - 1}) {
      const Point point{x, y};
      if (prober.value(value, thread_at(launch, point)) != point[axis]) return false;
    }
  }
  return true;
}

class PlaneReader {
 public:
  PlaneReader(const Scene& scene, std::size_t launch)
      : scene_(scene), tree_(scene.tree()), launch_(launch) {}

  PlaneFinding read_kernel() {
    found_.function = scene_.function_of(launch_);
    if (found_.function == nullptr) return refused("its kernel is not defined exactly once");
    refusal_ = reason_not_to_edit(scene_.source(), *found_.function);
    if (!refusal_.empty()) return {std::nullopt, refusal_};
    launches_ = scene_.launches_of(*found_.function);
    if (launches_.empty()) return refused("no launch");
    if (!read_body() || !check_bounds() || !check_code() || !read_accesses()) {
      return refused(refusal_);
    }
    return {std::move(found_), {}};
  }

 private:
  [[nodiscard]] PlaneFinding refused(const std::string& why) const {
    return {std::nullopt, why + " in '" + scene_.plan().launches[launch_].kernel + "'"};
  }
  bool fail_with(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

  bool read_body() {
    if (!std::all_of(launches_.begin(), launches_.end(),
                     [](const auto* launch) { return launch->shape.block[2] == 1; })) {
      return fail_with("blocks with a third dimension");
    }
    const auto statements = tree_.children(found_.function->body);
    for (std::size_t at = 0; at < statements.size(); ++at) {
      if (tree_.is(statements[at], "declaration")) {
        read_declaration(statements[at]);
        continue;
      }
      if (!tree_.is(statements[at], "if_statement")) break;
      if (found_.x.name.empty() || found_.y.name.empty()) break;
      return read_guard(statements[at], {statements.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                         statements.end()});
    }
    return fail_with("no guarded pair of an index from x and one from y");
  }

  void read_declaration(NodeId declaration) {
    PlaneIndex index;
    index.declaration = declaration;
    if (const NodeId declarator = only_declarator(tree_, declaration); declarator != kNoNode) {
      index.value = tree_.field(declarator, "value");
      index.name = tree_.text(tree_.declared(declarator));
      index.type = tree_.plain_text(tree_.field(declaration, "type"));
    }
    const bool is_number =
        index.value != kNoNode && index.type != "auto" && type_bytes(index.type).value_or(0) >= 4;
    if (is_number && found_.x.name.empty() && is_index(index.value, 0)) {
      found_.x = std::move(index);
    } else if (is_number && found_.y.name.empty() && is_index(index.value, 1)) {
      found_.y = std::move(index);
    } else {
      others_.push_back(declaration);
    }
  }

  [[nodiscard]] bool is_index(NodeId value, std::size_t axis) const {
    // Where one axis has a single point, both would do: it must hold by the name of the axis, too.
    const std::string field = axis == 0 ? ".x" : ".y";
    const std::string other = axis == 0 ? ".y" : ".x";
    const auto text = tree_.plain_text(value);
    if (text.find(field) == std::string::npos || text.find(other) != std::string::npos)
      return false;
    return std::all_of(launches_.begin(), launches_.end(), [&](const SceneLaunch* launch) {
      const KernelProber prober(scene_.source(), *found_.function, *launch);
      return is_point_index(prober, value, axis);
    });
  }

  bool read_guard(NodeId statement, std::vector<NodeId> rest) {
    auto guarded = guarded_work(tree_, statement, std::move(rest), refusal_);
    if (!guarded) return false;
    if (!tree_.descendants(guarded->condition, "subscript_expression").empty()) {
      return fail_with("a guard that reads memory");
    }
    found_.guard = statement;
    found_.work = std::move(guarded->work);
    const std::string text(tree_.text(guarded->condition));
    found_.condition = guarded->leaves ? "!(" + text + ")" : text;
    if (guarded->leaves) {
      read_bounds(guarded->condition, "||", ">=", "<=");
    } else {
      read_bounds(guarded->condition, "&&", "<", ">");
    }
    return !found_.work.empty() || fail_with("an empty guard");
  }

  /// Bounds of both indices among the terms of the guard.
  void read_bounds(NodeId condition, std::string_view joint, std::string_view less,
                   std::string_view greater) {
    condition = tree_.bare(condition);
    if (!tree_.is(condition, "binary_expression")) return;
    const NodeId left = tree_.bare(tree_.field(condition, "left"));
    const NodeId right = tree_.bare(tree_.field(condition, "right"));
    const auto sign = tree_.operator_of(condition);
    if (sign == joint) {
      read_bounds(left, joint, less, greater);
      read_bounds(right, joint, less, greater);
    }
    if (sign != less && sign != greater) return;
    const NodeId index = sign == less ? left : right;
    const NodeId bound = sign == less ? right : left;
    if (tree_.text(index) == found_.x.name) bound_x_ = bound;
    if (tree_.text(index) == found_.y.name) bound_y_ = bound;
  }

  [[nodiscard]] bool mentions_index(NodeId node) const {
    return !tree_.uses(node, found_.x.name).empty() || !tree_.uses(node, found_.y.name).empty();
  }

  /// More threads may start than before: the guard must stop all that the launch did not have.
  bool check_bounds() {
    if (bound_x_ == kNoNode || bound_y_ == kNoNode || mentions_index(bound_x_) ||
        mentions_index(bound_y_)) {
      return fail_with("a guard that does not bound both indices");
    }
    for (const auto* launch : launches_) {
      const KernelProber prober(scene_.source(), *found_.function, *launch);
      const auto wide = prober.value(bound_x_, prober.position(0));
      const auto high = prober.value(bound_y_, prober.position(0));
      if (!wide || *wide > points_along(*launch, 0)) {
        return fail_with("a bound of '" + found_.x.name + "' that the grid does not cover");
      }
      // The second of two terms is not reached where the first one fails.
      if (!high || *high > points_along(*launch, 1)) {
        return fail_with("a bound of '" + found_.y.name + "' that the grid does not cover");
      }
    }
    return true;
  }

  bool check_code() {
    if (std::string(tree_.text(found_.function->body)).find("__shared__") != std::string::npos) {
      return fail_with("shared memory is used");
    }
    for (const NodeId declaration : others_) {
      if (mentions_index(declaration)) return fail_with("work before the guard");
      if (!tree_.descendants(declaration, "subscript_expression").empty()) {
        return fail_with("memory is read before the guard");
      }
      for (const NodeId field : tree_.descendants(declaration, "field_expression")) {
        const auto text = tree_.text(field);
        if (text != "blockIdx.z" && text != "gridDim.z") {
          return fail_with("'" + std::string(text) + "' is read apart from the indices");
        }
      }
    }
    for (const NodeId statement : found_.work) {
      if (auto why = obstacle_in(scene_.source(), statement); !why.empty()) return fail_with(why);
      if (writes_variable(tree_, statement, found_.x.name) ||
          writes_variable(tree_, statement, found_.y.name)) {
        return fail_with("an index is changed");
      }
      for (const NodeId declaration : others_) {
        for (const NodeId part : tree_.all_children(declaration)) {
          if (tree_.node(part).field != "declarator") continue;
          const auto name = tree_.text(tree_.declared(part));
          if (writes_variable(tree_, statement, name)) {
            return fail_with("the work of a point writes '" + std::string(name) + "'");
          }
        }
      }
      for (const auto& parameter : found_.function->parameters) {
        if (!parameter.is_pointer && writes_variable(tree_, statement, parameter.name)) {
          return fail_with("the work of a point writes '" + parameter.name + "'");
        }
      }
    }
    return true;
  }

  bool read_accesses() {
    for (const auto& parameter : found_.function->parameters) {
      if (!parameter.is_pointer) continue;
      for (const NodeId use : tree_.uses(found_.function->body, parameter.name)) {
        if (!read_access(parameter, use)) return false;
      }
    }
    for (const auto* launch : launches_) {
      for (const auto& one : found_.accesses) {
        for (const auto& other : found_.accesses) {
          if (one.parameter == other.parameter || !one.is_store) continue;
          const auto a = launch->buffers.find(one.parameter);
          const auto b = launch->buffers.find(other.parameter);
          if (a == launch->buffers.end() || b == launch->buffers.end() || a->second == b->second) {
            return fail_with("two pointers to one buffer");
          }
        }
      }
    }
    const bool any = std::any_of(found_.accesses.begin(), found_.accesses.end(),
                                 [](const PlaneAccess& access) { return access.is_store; });
    return any || fail_with("nothing is stored");
  }

  bool read_access(const Parameter& parameter, NodeId use) {
    const auto indexed = indexed_use(tree_, parameter.name, use, refusal_);
    if (!indexed) return false;
    const NodeId subscript = indexed->subscript;
    PlaneAccess access;
    access.parameter = parameter.name;
    access.node = subscript;
    access.is_load = true;
    const NodeId up = tree_.node(subscript).parent;
    if (tree_.is(up, "assignment_expression") && tree_.field(up, "left") == subscript) {
      access.is_store = true;
      access.is_load = tree_.operator_of(up) != "=";
    } else if (tree_.is(up, "update_expression") || tree_.is(up, "pointer_expression") ||
               tree_.is(up, "field_expression")) {
      return fail_with("an element of '" + parameter.name + "' is not just read or written");
    }
    access.is_certain = is_certain(subscript);
    access.is_direct = is_direct(indexed->index);
    if (!read_strides(indexed->index, access)) {
      return fail_with("the index of '" + parameter.name + "' does not step evenly");
    }
    found_.accesses.push_back(std::move(access));
    return true;
  }

  [[nodiscard]] bool is_certain(NodeId node) const {
    for (NodeId at = tree_.node(node).parent; at != tree_.root(); at = tree_.node(at).parent) {
      if (contains(found_.work, at)) {
        return tree_.is(at, "expression_statement") || tree_.is(at, "declaration");
      }
      const auto sign = tree_.operator_of(at);
      if (tree_.is(at, "conditional_expression") || sign == "&&" || sign == "||") return false;
    }
    return false;
  }

  [[nodiscard]] bool is_direct(NodeId index) const {
    const auto names = tree_.descendants(index, "identifier");
    if (!tree_.descendants(index, "subscript_expression").empty()) return false;
    return std::none_of(names.begin(), names.end(), [&](NodeId name) {
      return std::any_of(found_.work.begin(), found_.work.end(), [&](NodeId statement) {
        return declares(tree_, statement, tree_.text(name)) ||
               writes_variable(tree_, statement, tree_.text(name));
      });
    });
  }

  /// At the largest launch, from several points that the guard lets through.
  bool read_strides(NodeId index, PlaneAccess& access) const {
    const SceneLaunch& launch = *launches_.front();
    const KernelProber prober(scene_.source(), *found_.function, launch);
    const auto wide = prober.value(bound_x_, prober.position(0));
    const auto high = prober.value(bound_y_, prober.position(0));
    if (!wide || !high || *wide < 2 || *high < 2) return false;
    bool is_first = true;
    for (const Point& point :
         {Point{0, 0}, Point{*wide - 2, *high - 2}, Point{*wide / 3, *high / 2 - 1}}) {
      const auto here = prober.value(index, thread_at(launch, point));
      const auto right = prober.value(index, thread_at(launch, {point[0] + 1, point[1]}));
      const auto below = prober.value(index, thread_at(launch, {point[0], point[1] + 1}));
      if (!here || !right || !below) return false;
      if (!is_first && (access.stride_x != *right - *here || access.stride_y != *below - *here)) {
        return false;
      }
      access.stride_x = *right - *here;
      access.stride_y = *below - *here;
      is_first = false;
    }
    return true;
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  std::size_t launch_;
  std::vector<const SceneLaunch*> launches_;
  PlaneKernel found_;
  NodeId bound_x_ = kNoNode;
  NodeId bound_y_ = kNoNode;
  std::vector<NodeId> others_;
  std::string refusal_;
};

/// nullopt: not a plain number.
std::optional<std::int64_t> parse_block_extent(const std::string& text) {
  if (text.empty() || text.size() > 4 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoll(text);
}

}  // namespace

bool PlaneKernel::loads(std::string_view parameter) const {
  return std::any_of(accesses.begin(), accesses.end(), [&](const PlaneAccess& access) {
    return access.parameter == parameter && access.is_load;
  });
}

PlaneFinding find_plane(const Scene& scene, std::size_t index) {
  return scene.remembered<PlaneFinding>(index,
                                        [&] { return PlaneReader(scene, index).read_kernel(); });
}

std::string grid_of_tiles(const Launch& launch, std::size_t axis, std::int64_t side) {
  static constexpr std::array<const char*, 3> kNames{"block_x", "block_y", "block_z"};
  const std::string tail = ", " + std::string(kNames[axis]) + ")";
  const std::string& grid = launch.grid[axis];
  constexpr std::string_view kHead = "ceil_div(";
  const auto number = parse_block_extent(launch.block[axis]);
  if (number && side % *number == 0 && grid.starts_with(kHead) && grid.ends_with(tail)) {
    const auto points = grid.substr(kHead.size(), grid.size() - kHead.size() - tail.size());
    if (points.find("block_") == std::string::npos && points.find(',') == std::string::npos) {
      return std::string(kHead) + points + ", " + std::to_string(side) + ")";
    }
  }
  std::string blocks = grid;
  for (std::size_t other = 0; other < 3; ++other) {
    blocks = replace_text(std::move(blocks), kNames[other], "(" + launch.block[other] + ")");
  }
  return "ceil_div((" + blocks + ") * (" + launch.block[axis] + "), " + std::to_string(side) + ")";
}

}  // namespace warpmind::agents::builtin
