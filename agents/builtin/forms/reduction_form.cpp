#include "agents/builtin/forms/reduction_form.h"

#include "agents/builtin/forms/only_launch.h"
#include "agents/builtin/forms/reduction_text.h"
#include "agents/builtin/loops/keyed_extremes.h"
#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/loop_split.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "agents/builtin/templates/device_templates.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::builtin {
namespace {

/// One kernel as a reduction. Every step fills `refusal` where it finds that it is none.
class ReductionReader {
 public:
  ReductionReader(const Scene& scene, const Function& function)
      : scene_(scene),
        function_(function),
        body_(scene.source(), function),
        tree_(scene.tree()),
        launches_(scene.launches_of(function)) {}

  /// Errors: not_found with a clause.
  Result<NormalForm> read(const std::string& helpers) {
    what_.helpers = helpers;
    std::string why = read_launch();
    if (why.empty()) why = read_loop();
    if (why.empty()) why = read_group();
    if (why.empty()) why = obstacle_in_front();
    if (why.empty()) why = what_.group.lanes == 1 ? obstacle_behind() : read_totals();
    if (!why.empty()) return fail(Errc::not_found, "'" + function_.name + "': " + why);
    read_streams();
    keep_main_way();
    return form();
  }

 private:
  std::string read_launch() {
    const auto only = only_launch(scene_, function_);
    if (!only) return only.error().message;
    launch_ = only->launch;
    what_.block = only->block;
    what_.grid = only->grid;
    if (auto why = obstacle_to_positions(tree_, function_); !why.empty()) return why;
    for (const std::string_view name : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
      for (const NodeId use : tree_.uses(function_.body, name)) {
        if (!tree_.is(tree_.node(use).parent, "field_expression")) {
          return "it reads " + std::string(name) + " as a whole";
        }
      }
    }
    return {};
  }

  std::string read_loop() {
    std::string refusal;
    auto found = outer_reductions(scene_, body_, refusal);
    // Loops over shared memory belong to how lanes meet.
    std::erase_if(found, [](const LoopFacts& facts) {
      return std::all_of(facts.loads.begin(), facts.loads.end(),
                         [](const MemoryAccess* load) { return load->is_shared; });
    });
    if (found.empty()) return refusal.empty() ? "it has no loop that reduces" : refusal;
    if (found.size() > 1) return "it has several loops that reduce";
    what_.loop = std::move(found.front());
    if (!what_.loop.stores.empty()) return "the loop stores, too";
    const CountedLoop& loop = what_.loop.header;
    for (NodeId up = tree_.node(loop.node).parent; up != function_.body;
         up = tree_.node(up).parent) {
      const auto kind = tree_.node(up).kind;
      if (kind != "compound_statement" && kind != "if_statement" && kind != "else_clause") {
        return "the loop stands in a " + std::string(kind);
      }
    }
    if (!tree_.is(tree_.node(loop.node).parent, "compound_statement")) {
      return "the loop stands behind an if without braces";
    }
    for (const auto& reduction : what_.loop.reductions) {
      if (!may_reorder(scene_, reduction.variable->type, reduction.how)) {
        return "the contract asks for the exact sum '" + reduction.variable->name + "'";
      }
    }
    for (const NodeId part : {loop.start, loop.bound, loop.step}) {
      if (!is_whole_number(part))
        return "the loop over '" + loop.variable->name + "' does not end at a whole number";
    }
    what_.is_wide_index = size_of_type(loop.variable->type) > 4 ||
                          loop.variable->type.find("unsigned") != std::string::npos ||
                          loop.variable->type.starts_with("uint");
    return {};
  }

  /// Whether an expression is made of integers alone.
  [[nodiscard]] bool is_whole_number(NodeId expression) const {
    if (expression == kNoNode) return true;
    for (const NodeId number : tree_.descendants(expression, "number_literal")) {
      if (tree_.text(number).find('.') != std::string_view::npos) return false;
    }
    for (const NodeId name : tree_.descendants(expression, "identifier")) {
      if (const Local* local = body_.local_of(name)) {
        if (!is_integer_type(local->type) && local->type != "auto") return false;
      } else if (const Parameter* parameter = function_.parameter(tree_.text(name))) {
        if (!is_integer_type(parameter->base_type)) return false;
      }
    }
    return true;
  }

  /// The thread number `flat` of a block.
  [[nodiscard]] ThreadPosition position(std::int64_t block, std::int64_t flat,
                                        const SceneLaunch& launch) const {
    const auto& threads = what_.block;
    const auto& grid = launch.shape.grid;
    ThreadPosition at;
    at.thread = {flat % threads[0], flat / threads[0] % threads[1], flat / threads[0] / threads[1]};
    at.block = {block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]};
    return at;
  }
  static std::int64_t blocks(const SceneLaunch& launch) {
    return std::int64_t{launch.shape.grid[0]} * launch.shape.grid[1] * launch.shape.grid[2];
  }
  /// The first thread of a row's group.
  [[nodiscard]] ThreadPosition leader(std::int64_t row, const SceneLaunch& launch) const {
    const std::int64_t per = what_.rows_a_block();
    return position(row / per, row % per * what_.group.lanes, launch);
  }
  [[nodiscard]] std::int64_t rows(const SceneLaunch& launch) const {
    return what_.group.is_grid ? 1 : blocks(launch) * what_.rows_a_block();
  }

  std::string read_group() {
    const CountedLoop& loop = what_.loop.header;
    if (loop.step == kNoNode) return {};
    bool is_grid = true;
    bool several_blocks = false;
    std::int64_t step = 0;
    for (const SceneLaunch* launch : launches_) {
      const KernelProber prober(scene_.source(), function_, *launch);
      const auto value = prober.value(loop.step, position(0, 0, *launch));
      if (!value) continue;
      several_blocks = several_blocks || blocks(*launch) > 1;
      is_grid = is_grid && *value == blocks(*launch) * what_.threads();
      if (step != 0 && step != *value) step = -1;
      if (step == 0) step = *value;
    }
    if (step == 0) return "the step of the loop is not known";
    if (is_grid && several_blocks) {
      what_.group = {what_.threads(), true};
    } else if (step > 1 && what_.threads() % step == 0) {
      what_.group = {step, false};
    } else {
      return {};
    }
    if (what_.group.lanes == 1) return {};
    if (!lanes_start_side_by_side()) {
      what_.group = {};
      return {};
    }
    return obstacle_to_group();
  }

  [[nodiscard]] bool lanes_start_side_by_side() const {
    const CountedLoop& loop = what_.loop.header;
    for (const SceneLaunch* launch : launches_) {
      const KernelProber prober(scene_.source(), function_, *launch);
      for (const std::int64_t block : {std::int64_t{0}, blocks(*launch) / 2, blocks(*launch) - 1}) {
        for (std::int64_t t = 0; t < what_.threads(); ++t) {
          const std::int64_t lead =
              what_.group.is_grid ? 0 : t / what_.group.lanes * what_.group.lanes;
          const std::int64_t lead_block = what_.group.is_grid ? 0 : block;
          const Probe first =
              prober.probe(loop.variable->identifier, position(lead_block, lead, *launch));
          const Probe own = prober.probe(loop.variable->identifier, position(block, t, *launch));
          if (first.state == ProbeState::absent && own.state == ProbeState::absent) continue;
          if (first.state == ProbeState::unknown && own.state == ProbeState::unknown) {
            const auto strided = strided_loop(scene_, body_, loop);
            return strided && !strided->is_serial();
          }
          if (first.state != ProbeState::found || own.state != ProbeState::found) return false;
          const std::int64_t lane = what_.group.is_grid ? block * what_.threads() + t : t - lead;
          if (own.value - first.value != lane) return false;
        }
      }
    }
    return true;
  }

  /// What differs between the lanes of a group and must not.
  std::string obstacle_to_group() {
    const CountedLoop& loop = what_.loop.header;
    for (const NodeId part : {loop.bound, loop.step, loop.body}) {
      for (const NodeId name : tree_.descendants(part, "identifier")) {
        if (tree_.text(name) == "threadIdx") return "the loop reads threadIdx";
        if (what_.group.is_grid && tree_.text(name) == "blockIdx") return "the loop reads blockIdx";
        const Local* local = body_.local_of(name);
        if (local == nullptr || body_.declared_in(*local, loop.node) || is_sum(*local)) continue;
        if (!is_same_in_group(*local, 0)) {
          return "'" + local->name + "' differs among the threads that share a row";
        }
      }
    }
    for (const Reduction& one : what_.loop.reductions) {
      const Local& sum = *one.variable;
      for (const Write& write : body_.writes()) {
        if (write.local == &sum && write.node < loop.node) {
          return "'" + sum.name + "' is written in front of the loop";
        }
      }
      const auto neutral = neutral_of(one.how, sum.type);
      if (neutral.empty() || one.how == Combining::bit_and) continue;
      const std::string first = sum.value == kNoNode ? "" : tree_.plain_text(sum.value);
      const bool is_zero =
          !first.empty() && first.find_first_not_of("0.fFuUlL") == std::string::npos;
      const bool is_one = first == "1" || first == "1.0f" || first == "1.0" || first == "1.f";
      if (one.how == Combining::product ? !is_one : !is_zero) {
        return "every lane starts '" + sum.name + "' at " + first;
      }
    }
    return {};
  }

  [[nodiscard]] bool is_sum(const Local& local) const {
    return std::any_of(what_.loop.reductions.begin(), what_.loop.reductions.end(),
                       [&](const Reduction& one) { return one.variable == &local; });
  }

  /// By probing integers; other values by what they are computed from.
  [[nodiscard]] bool is_same_in_group(const Local& local, int depth) const {
    if (depth > 8 || local.is_shared || local.is_array || local.is_reference) return false;
    bool is_known = is_integer_type(local.type) && !local.is_pointer &&
                    !body_.written_in(local, function_.body);
    for (const SceneLaunch* launch : launches_) {
      const KernelProber prober(scene_.source(), function_, *launch);
      for (const std::int64_t block : {std::int64_t{0}, blocks(*launch) - 1}) {
        for (std::int64_t t = 0; is_known && t < what_.threads(); ++t) {
          const std::int64_t lead =
              what_.group.is_grid ? 0 : t / what_.group.lanes * what_.group.lanes;
          const auto first = prober.probe(local.identifier,
                                          position(what_.group.is_grid ? 0 : block, lead, *launch));
          const auto own = prober.probe(local.identifier, position(block, t, *launch));
          if (first.state == ProbeState::unknown || own.state == ProbeState::unknown) {
            is_known = false;
          } else if (first.state != own.state || first.value != own.value) {
            return false;
          }
        }
      }
    }
    if (is_known) return true;
    if (local.value == kNoNode || body_.written_in(local, function_.body)) return false;
    return is_same_in_group(local.value, depth + 1);
  }

  [[nodiscard]] bool is_same_in_group(NodeId expression, int depth) const {
    for (const NodeId name : tree_.descendants(expression, "identifier")) {
      if (tree_.text(name) == "threadIdx") return false;
      if (what_.group.is_grid && tree_.text(name) == "blockIdx") return false;
      const Local* local = body_.local_of(name);
      if (local != nullptr && !is_same_in_group(*local, depth)) return false;
    }
    return true;
  }

  [[nodiscard]] std::string obstacle_in_front() const {
    const NodeId loop = what_.loop.header.node;
    for (const Local& local : body_.locals()) {
      if (local.is_reference) return "it holds the reference '" + local.name + "'";
    }
    for (const Call& call : body_.calls()) {
      if (call.node < loop && call.kind != CallKind::pure)
        return "it calls " + call.name + " in front of the loop";
    }
    for (const MemoryAccess& access : body_.accesses()) {
      if (access.node < loop && access.is_store && !access.is_private) {
        return "it stores '" + tree_.plain_text(access.node) + "' in front of the loop";
      }
      if (access.node < loop && access.is_shared)
        return "it reads shared memory in front of the loop";
    }
    if (what_.group.lanes == 1) return {};
    for (const NodeId leave : tree_.descendants(function_.body, "return_statement")) {
      if (leave > loop) continue;
      for (NodeId up = leave; up != function_.body; up = tree_.node(up).parent) {
        const NodeId condition = tree_.field(up, "condition");
        if (condition != kNoNode && !is_same_in_group(condition, 0)) {
          return "some threads of a row return in front of the loop";
        }
      }
    }
    for (NodeId up = tree_.node(loop).parent; up != function_.body; up = tree_.node(up).parent) {
      const NodeId condition = tree_.field(up, "condition");
      if (condition != kNoNode && !is_same_in_group(condition, 0)) {
        return "some threads of a row pass over the loop";
      }
    }
    return {};
  }

  /// Behind a loop that one thread runs alone.
  [[nodiscard]] std::string obstacle_behind() const {
    for (const Local& local : body_.locals()) {
      if (local.is_shared) return "it keeps '" + local.name + "' in shared memory";
    }
    for (const Call& call : body_.calls()) {
      const bool late_atomic = call.kind == CallKind::atomic && call.node > what_.loop.header.node;
      if (call.kind != CallKind::pure && !late_atomic) return "it calls " + call.name;
    }
    return {};
  }

  std::string read_totals() {
    const NodeId loop = what_.loop.header.node;
    what_.totals = find_lane_totals(scene_, body_, what_.loop, what_.group);
    if (!what_.totals.refusal.empty()) return what_.totals.refusal;
    const auto is_covered = [&](NodeId node) {
      for (const NodeId statement : what_.totals.dropped) {
        if (tree_.contains(statement, node)) return true;
      }
      for (const auto& [total, variable] : what_.totals.totals) {
        if (tree_.contains(total, node)) return true;
      }
      return false;
    };
    for (const auto& [total, variable] : what_.totals.totals) {
      if (!tree_.contains(tree_.node(loop).parent, total))
        return "the sum is used outside of the block of the loop";
    }
    for (const MemoryAccess& access : body_.accesses()) {
      if (access.node > loop && access.is_shared && !is_covered(access.node) &&
          !tree_.contains(loop, access.node)) {
        return "'" + tree_.plain_text(access.node) + "' is more than the sum";
      }
    }
    for (const Call& call : body_.calls()) {
      if (call.node < loop || call.kind == CallKind::pure || call.kind == CallKind::atomic)
        continue;
      if (!is_covered(call.node)) return "it calls " + call.name + " behind the loop";
    }
    return {};
  }

  // --- loads ---

  /// Whether the text moves by a fixed step with the loop's variable.
  [[nodiscard]] bool is_affine(NodeId expression, int depth) const {
    const CountedLoop& loop = what_.loop.header;
    const NodeId at = tree_.bare(expression);
    if (depth > 16) return false;
    if (is_fixed(at)) return true;
    if (tree_.is(at, "identifier")) {
      const Local* local = body_.local_of(at);
      if (local == loop.variable) return true;
      const bool single = local != nullptr && local->value != kNoNode && !local->is_array &&
                          !body_.written_in(*local, function_.body) && is_integer_type(local->type);
      return single && is_affine(local->value, depth + 1);
    }
    if (tree_.is(at, "cast_expression")) return is_affine(tree_.field(at, "value"), depth + 1);
    if (!tree_.is(at, "binary_expression")) return false;
    const NodeId left = tree_.field(at, "left");
    const NodeId right = tree_.field(at, "right");
    const auto op = tree_.operator_of(at);
    if (op == "+" || op == "-") return is_affine(left, depth + 1) && is_affine(right, depth + 1);
    if (op != "*") return false;
    return (is_fixed(left) && is_affine(right, depth + 1)) ||
           (is_fixed(right) && is_affine(left, depth + 1));
  }

  /// Whether it is the same in every iteration.
  [[nodiscard]] bool is_fixed(NodeId expression) const {
    const CountedLoop& loop = what_.loop.header;
    for (const NodeId name : tree_.descendants(expression, "identifier")) {
      const Local* local = body_.local_of(name);
      if (local == loop.variable || body_.identifier_written_in(name, loop.node)) return false;
      if (local != nullptr && body_.declared_in(*local, loop.node)) return false;
    }
    return true;
  }

  void read_streams() {
    const CountedLoop& loop = what_.loop.header;
    if (!tree_.descendants(loop.node, "continue_statement").empty()) return;
    std::vector<std::string> texts;
    for (const MemoryAccess* access : what_.loop.loads) {
      if (access->index == kNoNode || access->is_shared || access->is_private ||
          access->root.empty())
        continue;
      if (!tree_.is(access->node, "subscript_expression") &&
          !tree_.is(access->node, "call_expression"))
        continue;
      const std::string type = body_.element_type(access->pointer);
      const int bytes = size_of_type(type);
      if (bytes == 0 || bytes > 8 || !is_fixed(access->pointer) || !is_affine(access->index, 0))
        continue;
      if (!is_met_each_time(tree_, access->node, loop.node)) continue;
      const std::string index =
          body_.expanded(access->index, loop.node, *loop.variable, loop.variable->name);
      if (index.empty()) continue;
      const std::string text = tree_.plain_text(access->pointer) + "[" + index + "]";
      const auto known = std::find(texts.begin(), texts.end(), text);
      if (known == texts.end()) {
        ReductionStream stream{access->root, type,  {access->node}, access->pointer,
                               index,        false, false};
        find_strides(*access, stream);
        texts.push_back(text);
        what_.streams.push_back(std::move(stream));
      } else {
        what_.streams[static_cast<std::size_t>(known - texts.begin())].nodes.push_back(
            access->node);
      }
    }
  }

  /// The loads of the largest buffer decide how rows are read; what moves otherwise is read one
  /// element at a time.
  void keep_main_way() {
    const SceneLaunch& launch = *launches_.front();
    const ReductionStream* main = nullptr;
    std::int64_t most = -1;
    for (const auto& stream : what_.streams) {
      const auto extent = launch.extents.find(stream.root);
      const std::int64_t elements = extent == launch.extents.end() ? 0 : extent->second;
      if (elements > most) main = &stream;
      most = std::max(most, elements);
    }
    if (main == nullptr) return;
    const bool is_along = main->is_along;
    const bool is_beside = main->is_beside;
    for (auto& stream : what_.streams) {
      stream.is_along = stream.is_along && is_along;
      stream.is_beside = stream.is_beside && is_beside;
    }
  }

  void find_strides(const MemoryAccess& access, ReductionStream& stream) const {
    const CountedLoop& loop = what_.loop.header;
    const SceneLaunch& launch = *launches_.front();
    const KernelProber prober(scene_.source(), function_, launch);
    NodeId place = access.node;
    if (tree_.is(place, "call_expression")) {
      const auto arguments = tree_.children(tree_.field(place, "arguments"));
      if (arguments.size() != 1) return;
      place = arguments.front();
    }
    const auto here = prober.access(place, leader(0, launch), {{loop.node, 0}});
    const auto next_term = prober.access(place, leader(0, launch), {{loop.node, 1}});
    if (here && next_term) {
      stream.is_along = next_term->element - here->element == what_.group.lanes;
    } else {
      stream.is_along = what_.group.lanes == 1 && loop.step == kNoNode &&
                        coefficient(body_, access.index, *loop.variable, loop.node) == 1;
    }
    if (rows(launch) < 2) return;
    const auto next_row = prober.access(place, leader(1, launch), {{loop.node, 0}});
    stream.is_beside = here && next_row && next_row->element - here->element == 1;
  }

  // --- the form ---

  [[nodiscard]] NormalForm form() const {
    NormalForm form;
    form.kind = FormKind::reduction;
    form.launches = {launch_};
    form.kernel = function_.name;
    for (const SceneLaunch* launch : launches_) {
      form.workloads.push_back(launch->workload);
      form.timed += launch->timed ? 1 : 0;
    }
    const Launch& given = scene_.plan().launches[launch_];
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const Parameter& parameter = function_.parameters[i];
      form.parameters.push_back(parameter.type + " " + parameter.name);
      form.arguments.push_back(i < given.arguments.size() ? given.arguments[i] : "");
    }
    for (const std::size_t axis : grid_members(body_, what_)) {
      form.parameters.push_back(std::string("unsigned wm_grid_") + "xyz"[axis]);
      form.arguments.push_back("u32:" + what_.grid.at(axis));
    }
    form.problem = problem_text(body_, what_);
    form.types["state"] = what_.loop.reductions.front().variable->type;
    add_facts(form);
    form.given_ns = nanoseconds_one_by_one(scene_, form, {"rows", "length"});
    form.summary = summary(form);
    return form;
  }

  /// Terms of a row; nullopt: data say.
  [[nodiscard]] std::optional<std::int64_t> length(const SceneLaunch& launch,
                                                   std::int64_t row) const {
    const KernelProber prober(scene_.source(), function_, launch);
    const auto trips = prober.trips(what_.loop.header.node, leader(row, launch));
    if (!trips) return std::nullopt;
    if (!what_.group.is_grid) return *trips * what_.group.lanes;
    return *trips * blocks(launch) * what_.group.lanes;
  }

  /// Bytes of all buffers that the loop reads.
  [[nodiscard]] std::int64_t bytes(const SceneLaunch& launch) const {
    std::set<std::string> seen;
    std::int64_t sum = 0;
    for (const MemoryAccess* access : what_.loop.loads) {
      const auto extent = launch.extents.find(access->root);
      const auto buffer = launch.buffers.find(access->root);
      if (extent == launch.extents.end() || access->root.empty()) continue;
      if (!seen.insert(buffer == launch.buffers.end() ? access->root : buffer->second).second)
        continue;
      sum += extent->second * std::max(1, size_of_type(body_.element_type(access->pointer)));
    }
    return sum;
  }

  /// Rows up to the last whose threads get to the loop, at least 1: a grid is rounded up.
  [[nodiscard]] std::int64_t working_rows(const SceneLaunch& launch) const {
    const KernelProber prober(scene_.source(), function_, launch);
    const NodeId loop = what_.loop.header.node;
    std::int64_t low = 1;
    std::int64_t high = rows(launch);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const bool works = prober.reaches(loop, leader(middle, launch)) != std::optional(false);
      (works ? low : high) = works ? middle + 1 : middle;
    }
    return low;
  }

  /// Elements of the largest buffer that the loop reads.
  [[nodiscard]] std::int64_t longest(const SceneLaunch& launch) const {
    std::int64_t most = 0;
    for (const MemoryAccess* access : what_.loop.loads) {
      const auto extent = launch.extents.find(access->root);
      if (extent != launch.extents.end()) most = std::max(most, extent->second);
    }
    return most;
  }

  void add_facts(NormalForm& form) const {
    FormFact rows_fact{"rows", rows_plan(), {}};
    FormFact length_fact{"length", "", {}};
    FormFact bytes_fact{"bytes", "", {}};
    FormFact ragged{"is_ragged", "", {}};
    FormFact reuse{"reuse", "", {}};
    for (const SceneLaunch* launch : launches_) {
      const std::int64_t working = working_rows(*launch);
      const std::int64_t elements = std::max<std::int64_t>(1, longest(*launch));
      const auto first = length(*launch, 0);
      const auto middle = length(*launch, working / 2);
      const std::int64_t terms = first ? std::max(*first, middle.value_or(0))
                                       : std::max<std::int64_t>(1, elements / working);
      rows_fact.values.push_back(rows(*launch));
      bytes_fact.values.push_back(bytes(*launch));
      length_fact.values.push_back(terms);
      ragged.values.push_back(first && middle == first ? 0 : 1);
      reuse.values.push_back(working * terms / elements);
    }
    form.facts = {std::move(rows_fact), std::move(length_fact), std::move(bytes_fact),
                  std::move(ragged), std::move(reuse)};
    const auto same = [&](const std::string& name, std::int64_t value) {
      form.facts.push_back(
          {name, std::to_string(value), std::vector<std::int64_t>(launches_.size(), value)});
    };
    same("along", what_.along());
    same("beside", what_.beside());
    same("is_contiguous", is_any(&ReductionStream::is_along) ? 1 : 0);
    same("is_across", is_any(&ReductionStream::is_beside) ? 1 : 0);
    same("term_bytes", element_bytes());
    same("state_words", state_words());
    same("loads", loads());
    same("given_lanes", what_.group.lanes);
  }

  [[nodiscard]] std::string rows_plan() const {
    if (what_.group.is_grid) return "1";
    return rows_of_grid(what_.rows_a_block(), what_.grid);
  }

  /// Of the stream that is not shared by all rows.
  [[nodiscard]] bool is_any(bool ReductionStream::*property) const {
    return std::any_of(what_.streams.begin(), what_.streams.end(),
                       [&](const ReductionStream& stream) { return stream.*property; });
  }

  /// Buffers that a term reads.
  [[nodiscard]] std::int64_t loads() const {
    std::set<std::string> seen;
    for (const MemoryAccess* access : what_.loop.loads) seen.insert(access->root);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(seen.size()));
  }

  [[nodiscard]] std::int64_t element_bytes() const {
    std::int64_t sum = 0;
    std::set<std::string> seen;
    for (const MemoryAccess* access : what_.loop.loads) {
      if (seen.insert(access->root).second)
        sum += size_of_type(body_.element_type(access->pointer));
    }
    return std::max<std::int64_t>(1, sum);
  }

  /// Words of 32 bits, as the compiler lays the state out.
  [[nodiscard]] std::int64_t state_words() const {
    std::int64_t bytes = 0;
    std::int64_t alignment = 4;
    for (const Reduction& one : what_.loop.reductions) {
      const std::int64_t size = size_of_type(one.variable->type);
      bytes = (bytes + size - 1) / size * size + size;
      alignment = std::max(alignment, size);
    }
    return (bytes + alignment - 1) / alignment * alignment / 4;
  }

  [[nodiscard]] std::string summary(const NormalForm& form) const {
    std::string sums;
    for (const Reduction& one : what_.loop.reductions) {
      sums +=
          (sums.empty() ? "" : ", ") + std::string(name_of(one.how)) + " of " + one.variable->type;
    }
    return joined({sums, "; rows=", std::to_string(form.fact("rows")->values.front()),
                   ", length=", std::to_string(form.fact("length")->values.front())});
  }

  static std::string_view name_of(Combining how) {
    switch (how) {
      case Combining::sum: return "sum";
      case Combining::product: return "product";
      case Combining::minimum: return "minimum";
      case Combining::maximum: return "maximum";
      case Combining::bit_and: return "bitwise and";
      case Combining::bit_or: return "bitwise or";
      case Combining::bit_xor: return "bitwise exclusive or";
    }
    return {};
  }

  const Scene& scene_;
  const Function& function_;
  const KernelBody body_;
  const SyntaxTree& tree_;
  std::vector<const SceneLaunch*> launches_;
  std::size_t launch_ = 0;
  Reductions what_;
};

std::string find_in(const Scene& scene, const std::string& helpers,
                    std::vector<NormalForm>& forms) {
  return for_each_kernel(scene, [&](const Function& function, std::size_t /*launch*/) {
    auto form = ReductionReader(scene, function).read(helpers);
    if (!form) return form.error().message;
    forms.push_back(std::move(*form));
    return std::string();
  });
}

/// Extremes with their places are reductions of one key.
void find_keyed(const Scene& scene, std::vector<NormalForm>& forms) {
  const auto kernel = with_keyed_extremes(scene);
  if (!kernel) return;
  const ProposalContext context = with_kernel(scene.context(), *kernel);
  const auto keyed = Scene::read(context);
  if (!keyed) return;
  for (const EmbeddedFile& file : device_template_files()) {
    if (file.name == "templates/keyed_extremes.cuh")
      find_in(*keyed, std::string(file.content), forms);
  }
  std::erase_if(forms, [](const NormalForm& form) {
    return form.problem.find("wm_key_1;") == std::string::npos;
  });
}

}  // namespace

Result<std::vector<NormalForm>> find_reduction_forms(const Scene& scene) {
  std::vector<NormalForm> forms;
  auto refusal = find_in(scene, {}, forms);
  std::vector<NormalForm> keyed;
  find_keyed(scene, keyed);
  for (auto& form : keyed) {
    const bool known = std::any_of(forms.begin(), forms.end(), [&](const NormalForm& one) {
      return one.kernel == form.kernel;
    });
    if (!known) forms.push_back(std::move(form));
  }
  if (forms.empty()) return fail(Errc::not_found, std::move(refusal));
  return forms;
}

}  // namespace warpmind::agents::builtin
