#include "agents/builtin/contraction/separable_terms.h"

#include "agents/builtin/contraction/named_axes.h"
#include "agents/builtin/contraction/term_points.h"
#include "agents/builtin/contraction/wide_tail.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr int kDraws = 1500;
constexpr int kEnoughSeen = 16;  ///< of the draws that say something

tl::unexpected<Error> not_separable(std::string why) {
  return fail(Errc::not_found, std::move(why));
}

/// `position op bound` as it must be for the term to count.
struct Bound {
  NodeId position = kNoNode;
  std::string op;
  std::string bound;
};

std::string turned(std::string_view op) {
  if (op == "<") return ">";
  if (op == ">") return "<";
  return op == "<=" ? ">=" : "<=";
}
std::string opposite(std::string_view op) {
  if (op == "<") return ">=";
  if (op == ">=") return "<";
  return op == ">" ? "<=" : ">";
}

class SeparableFinder {
 public:
  SeparableFinder(const Scene& scene, const Contraction& contraction)
      : scene_(scene),
        tree_(scene.tree()),
        expressions_(scene, *contraction.function, contraction.launches) {
    found_.contraction = contraction;
  }

  Result<SeparableTerms> find() {
    turn_to_outputs();
    WARPMIND_CHECK(sort_conditions());
    points_.emplace(scene_, found_.contraction);
    WARPMIND_CHECK(find_phases());
    join_halves();
    if (found_.windows.size() > kMostWindows) {
      return not_separable("elements must lie in more than " + std::to_string(kMostWindows) +
                           " windows");
    }
    for (const auto& window : found_.windows) {
      if (divides_unsigned(window.position)) {
        return not_separable("'" + tree_.plain_text(window.position) +
                             "' divides numbers that wrap around below zero");
      }
      WARPMIND_CHECK(check_sum("'" + tree_.plain_text(window.position) + "'", 1,
                               [&](const TermPoint& point, std::size_t launch) {
                                 return position(window, point, launch);
                               }));
    }
    WARPMIND_CHECK(check_windows());
    for (std::size_t side = 0; side < 2; ++side) {
      WARPMIND_CHECK(find_base(side));
      const NodeId access = what().sides.at(side).operand.access;
      WARPMIND_CHECK(check_sum("'" + tree_.plain_text(access) + "'", side,
                               [&](const TermPoint& point, std::size_t launch) {
                                 return element(access, point, launch);
                               }));
    }
    find_channels();
    found_.has_places = are_outputs_placed();
    WARPMIND_CHECK(split_phases());
    return std::move(found_);
  }

 private:
  [[nodiscard]] const Contraction& what() const { return found_.contraction; }

  [[nodiscard]] std::vector<NestItem> conditions() const {
    std::vector<NestItem> all;
    for (const auto& level : what().nest.levels) {
      for (const auto& item : level.items) {
        if (item.is_guard) all.push_back(item);
      }
    }
    for (const auto& side : what().sides) {
      all.insert(all.end(), side.operand.guards.begin(), side.operand.guards.end());
    }
    return all;
  }

  [[nodiscard]] std::set<std::size_t> axes_of(NodeId node) const {
    return named_axes(tree_, *what().function, what().outputs, what().nest.top, node);
  }
  [[nodiscard]] bool touches(const std::set<std::size_t>& axes, std::size_t side) const {
    const auto& own = what().sides.at(side).axes;
    return std::any_of(own.begin(), own.end(), [&](auto axis) { return axes.contains(axis); });
  }

  /// Columns are the side that conditions speak of, or else the one whose outputs lie side by side.
  void turn_to_outputs() {
    bool rows = false;
    bool columns = false;
    for (const auto& item : conditions()) {
      const auto axes = axes_of(item.node);
      rows = rows || touches(axes, 0);
      columns = columns || touches(axes, 1);
    }
    if (columns || (!rows && !lie_along_rows())) return;
    Contraction& turned = found_.contraction;
    std::swap(turned.sides[0], turned.sides[1]);
    std::swap(turned.rows, turned.columns);
    std::swap(turned.plan_rows, turned.plan_columns);
  }

  /// Whether neighbouring rows, and not columns, are written side by side.
  [[nodiscard]] bool lie_along_rows() const {
    const KernelProber prober(scene_.source(), *what().function, what().launches.front());
    const auto step = [&](NodeId store, std::size_t axis) -> std::int64_t {
      std::vector<std::int64_t> digits(what().outputs.axes.size(), 0);
      const auto thread = [&] {
        return what().outputs.mapping.position(what().launches.front(),
                                               what().outputs.coordinates(digits, 0));
      };
      const auto before = prober.access(store, thread());
      if (what().outputs.axes[axis].extents.front() < 2) return 0;
      digits[axis] = 1;
      const auto after = prober.access(store, thread());
      return before && after ? after->element - before->element : 0;
    };
    for (const NodeId node : tree_.descendants(what().function->body, "assignment_expression")) {
      const NodeId left = tree_.bare(tree_.field(node, "left"));
      if (!tree_.is(left, "subscript_expression") || tree_.contains(what().nest.top, node)) {
        continue;
      }
      if (step(left, what().sides[1].axes.front()) == 1) return false;
      if (step(left, what().sides[0].axes.front()) == 1) return true;
    }
    return false;
  }

  /// The comparison of something with a bound that all threads share.
  [[nodiscard]] std::optional<Bound> bound_of(const NestItem& item) const {
    const NodeId at = tree_.bare(item.node);
    const auto op = tree_.operator_of(at);
    if (!tree_.is(at, "binary_expression") ||
        (op != "<" && op != "<=" && op != ">" && op != ">=")) {
      return std::nullopt;
    }
    const NodeId left = tree_.field(at, "left");
    const NodeId right = tree_.field(at, "right");
    Bound bound;
    if (const auto text = expressions_.closed_text(right)) {
      bound = {tree_.bare(left), std::string(op), *text};
    } else if (const auto other = expressions_.closed_text(left)) {
      bound = {tree_.bare(right), turned(op), *other};
    } else {
      return std::nullopt;
    }
    if (!item.wanted) bound.op = opposite(bound.op);
    return bound;
  }

  /// Windows, and the conditions that only tell terms from each other.
  Result<void> sort_conditions() {
    for (const auto& item : conditions()) {
      const auto axes = axes_of(item.node);
      if (touches(axes, 0)) {
        return not_separable("'" + tree_.plain_text(item.node) + "' depends on both sides");
      }
      const auto bound = bound_of(item);
      if (!bound || !touches(axes, 1) || tree_.operator_of(bound->position) == "%") {
        found_.live.insert(item.node);
        live_items_.push_back(item);
        continue;
      }
      add_bound(*bound);
      window_items_.push_back(item);
    }
    return {};
  }

  /// `t >= 0` is a lower bound of `t / s`, too, where that is exact.
  void join_halves() {
    for (std::size_t i = 0; i < found_.windows.size(); ++i) {
      const TermWindow lower = found_.windows[i];
      if (lower.first != "0" || !lower.end.empty()) continue;
      for (auto& upper : found_.windows) {
        if (!upper.first.empty() || upper.is_unsigned || !are_proportional(lower, upper)) continue;
        upper.first = "0";
        found_.windows.erase(found_.windows.begin() + static_cast<std::ptrdiff_t>(i--));
        break;
      }
    }
  }

  /// Whether `a` is a positive multiple of `b` at every term that counts.
  bool are_proportional(const TermWindow& a, const TermWindow& b) {
    for (std::size_t launch = 0; launch < what().launches.size(); ++launch) {
      std::optional<std::int64_t> factor;
      int seen = 0;
      for (int i = 0; i < kDraws && seen < 2 * kEnoughSeen; ++i) {
        const TermPoint point = points_->draw_point(launch);
        if (!is_live(point, launch)) continue;
        const auto first = position(a, point, launch);
        const auto second = position(b, point, launch);
        if (!first || !second) continue;
        ++seen;
        if (*second == 0 && *first != 0) return false;
        if (*second == 0) continue;
        if (!factor) factor = *first / *second;
        if (*factor < 1 || *first != *factor * *second) return false;
      }
    }
    return true;
  }

  void add_bound(const Bound& bound) {
    const bool is_lower = bound.op == ">" || bound.op == ">=";
    std::string value = bound.bound;
    if (bound.op == ">" || bound.op == "<=") value = "(" + value + " + 1)";
    for (auto& window : found_.windows) {
      if (tree_.plain_text(window.position) != tree_.plain_text(bound.position)) continue;
      std::string& end = is_lower ? window.first : window.end;
      if (!end.empty() && end != value) continue;
      end = value;
      return;
    }
    TermWindow window;
    window.position = bound.position;
    (is_lower ? window.first : window.end) = value;
    window.is_unsigned = is_unsigned(bound.position);
    found_.windows.push_back(std::move(window));
  }

  [[nodiscard]] bool is_unsigned(NodeId position) const {
    const auto is_one = [](const std::string& type) {
      return type.find("unsigned") != std::string::npos || type.find("size_t") == 0 ||
             type.find("uint") == 0;
    };
    if (tree_.is(position, "cast_expression")) {
      return is_one(tree_.plain_text(tree_.field(position, "type")));
    }
    if (const Parameter* parameter = what().function->parameter(tree_.text(position))) {
      return !parameter->is_pointer && is_one(parameter->base_type);
    }
    for (const NodeId part : tree_.descendants(what().function->body, "init_declarator")) {
      if (tree_.text(tree_.declared(part)) != tree_.text(position)) continue;
      return is_one(tree_.plain_text(tree_.field(tree_.node(part).parent, "type")));
    }
    return false;
  }

  /// The expression and the values of the variables that it is made of, the nearest first; where
  /// `names` is given, their names, too. Numbers of outputs are not taken apart.
  std::vector<NodeId> made_of(NodeId node, std::set<std::string_view>* names = nullptr) const {
    std::vector<NodeId> open{node};
    std::set<std::string_view> seen;
    for (const auto& axis : what().outputs.axes) seen.insert(axis.variable);
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const NodeId use : tree_.descendants(open[i], "identifier")) {
        if (!seen.insert(tree_.text(use)).second) continue;
        for (const NodeId part : tree_.descendants(what().function->body, "init_declarator")) {
          if (tree_.text(tree_.declared(part)) == tree_.text(use)) {
            open.push_back(tree_.field(part, "value"));
          }
        }
      }
    }
    if (names != nullptr) names->insert(seen.begin(), seen.end());
    return open;
  }

  [[nodiscard]] std::vector<std::string> divisors_in(NodeId node) const {
    std::vector<std::string> found;
    for (const NodeId value : made_of(node)) {
      for (const NodeId part : tree_.descendants(value, "binary_expression")) {
        const auto op = tree_.operator_of(part);
        if (op != "%" && op != "/") continue;
        auto text = expressions_.closed_text(tree_.field(part, "right"));
        if (text && !contains(found, *text)) found.push_back(std::move(*text));
      }
    }
    return found;
  }

  /// Whether `item` says the same of outputs that lie `divisors` apart along `axis`.
  bool repeats(const NestItem& item, std::size_t axis, const std::vector<std::int64_t>& divisors) {
    for (std::size_t launch = 0; launch < what().launches.size(); ++launch) {
      const std::int64_t extent = what().outputs.axes[axis].extents[launch];
      const std::int64_t divisor = divisors[launch];
      if (divisor < 1 || extent <= divisor) continue;
      int seen = 0;
      for (int i = 0; i < kDraws && seen < kEnoughSeen; ++i) {
        TermPoint point = points_->draw_point(launch);
        const Probe before = points_->probe(item.node, point, launch);
        std::int64_t& digit = point.digits[axis];
        digit = (digit + divisor * (1 + points_->draw(3))) % extent / divisor * divisor +
                digit % divisor;
        if (digit >= extent || before.state != ProbeState::found) continue;
        const Probe after = points_->probe(item.node, point, launch);
        if (after.state != ProbeState::found) continue;
        ++seen;
        if ((before.value != 0) != (after.value != 0)) return false;
      }
      if (seen == 0) return false;
    }
    return true;
  }

  Result<void> find_phases() {
    for (const auto& item : live_items_) {
      for (const std::size_t axis : axes_of(item.node)) {
        if (!contains(what().sides[1].axes, axis)) continue;
        WARPMIND_CHECK(find_phase(item, axis));
      }
    }
    return {};
  }

  /// Whether it asks if a difference is zero, which says the same of numbers below zero: outputs of
  /// a phase speak for each other even where other conditions keep one of them away.
  [[nodiscard]] bool asks_for_zero(NodeId node) const {
    const NodeId at = tree_.bare(node);
    const auto op = tree_.operator_of(at);
    if (!tree_.is(at, "binary_expression") || (op != "==" && op != "!=")) {
      return tree_.is(at, "binary_expression") && (op == "%" || op == "-");
    }
    for (const auto& [one, other] : {std::pair{"left", "right"}, {"right", "left"}}) {
      const NodeId side = tree_.bare(tree_.field(at, one));
      if (tree_.operator_of(side) != "%") continue;
      return tree_.text(tree_.bare(tree_.field(at, other))) == "0";
    }
    return true;
  }

  /// Whether the value of `node` divides numbers that wrap around below zero.
  [[nodiscard]] bool divides_unsigned(NodeId node) const {
    bool divides = false;
    bool wraps = false;
    for (const NodeId part : made_of(node)) {
      for (const NodeId one : tree_.descendants(part)) {
        const auto op = tree_.operator_of(one);
        if (tree_.is(one, "binary_expression")) divides = divides || op == "/" || op == "%";
        if (tree_.is(one, "identifier") || tree_.is(one, "cast_expression")) {
          wraps = wraps || is_unsigned(one);
        }
      }
    }
    return divides && wraps;
  }

  Result<void> find_phase(const NestItem& item, std::size_t axis) {
    if (!asks_for_zero(item.node) || divides_unsigned(item.node)) {
      return not_separable("'" + tree_.plain_text(item.node) +
                           "' is no bound and no test for zero of signed numbers");
    }
    const auto known = phases_.find(axis);
    if (known != phases_.end() && repeats(item, axis, *expressions_.values(known->second))) {
      return {};
    }
    for (const auto& text : divisors_in(item.node)) {
      const auto values = expressions_.values(text);
      if (!values || known != phases_.end() || !repeats(item, axis, *values)) continue;
      if (what().outputs.axes[axis].grid_dimension || !expressions_.plan_text(text)) continue;
      phases_[axis] = text;
      return {};
    }
    return not_separable("'" + tree_.plain_text(item.node) +
                         "' is no bound and does not repeat along '" +
                         what().outputs.axes[axis].variable + "'");
  }

  [[nodiscard]] std::optional<std::int64_t> position(const TermWindow& window,
                                                     const TermPoint& point,
                                                     std::size_t launch) const {
    const Probe probe = points_->probe(window.position, point, launch);
    if (probe.state != ProbeState::found) return std::nullopt;
    return probe.value;
  }
  [[nodiscard]] std::optional<std::int64_t> element(NodeId access, const TermPoint& point,
                                                    std::size_t launch) const {
    const auto touched = points_->access(access, point, launch);
    if (!touched) return std::nullopt;
    return touched->element;
  }

  /// Whether all conditions that tell terms from each other hold there.
  [[nodiscard]] bool is_live(const TermPoint& point, std::size_t launch) const {
    return std::all_of(live_items_.begin(), live_items_.end(), [&](const NestItem& item) {
      const Probe probe = points_->probe(item.node, point, launch);
      return probe.state == ProbeState::found && (probe.value != 0) == item.wanted;
    });
  }

  /// Another output of the same phase and another term.
  TermPoint moved(const TermPoint& from, std::size_t side, std::size_t launch) {
    TermPoint to = from;
    for (const std::size_t axis : what().sides.at(side).axes) {
      const std::int64_t extent = what().outputs.axes[axis].extents[launch];
      const auto phase = side == 1 ? phases_.find(axis) : phases_.end();
      std::int64_t divisor = 1;
      if (phase != phases_.end()) divisor = (*expressions_.values(phase->second))[launch];
      const std::int64_t first = from.digits[axis] % divisor;
      to.digits[axis] = first + points_->draw((extent - first + divisor - 1) / divisor) * divisor;
    }
    return to;
  }

  /// `from` with another term that counts.
  std::optional<TermPoint> with_other_term(const TermPoint& from, std::size_t launch) {
    constexpr int kTries = 60;
    for (int i = 0; i < kTries; ++i) {
      TermPoint other = from;
      other.terms = points_->draw_point(launch).terms;
      if (is_live(other, launch)) return other;
    }
    return std::nullopt;
  }

  /// Whether `value` is a number of the output plus one of the term, in 32 bits: over four corners.
  template <class Value>
  Result<void> check_sum(const std::string& name, std::size_t side, Value value) {
    int all = 0;
    for (std::size_t launch = 0; launch < what().launches.size(); ++launch) {
      int seen = 0;
      for (int i = 0; i < kDraws && seen < kEnoughSeen; ++i) {
        const TermPoint first = points_->draw_point(launch);
        if (!is_live(first, launch)) continue;
        const auto terms = with_other_term(first, launch);
        if (!terms) continue;
        const TermPoint output = moved(first, side, launch);
        TermPoint both = output;
        both.terms = terms->terms;
        const auto corners = std::array{value(first, launch), value(*terms, launch),
                                        value(output, launch), value(both, launch)};
        if (std::any_of(corners.begin(), corners.end(), [](auto& one) { return !one; })) continue;
        ++seen;
        const auto rest = *corners[0] + *corners[3] - *corners[1] - *corners[2];
        if (static_cast<std::uint32_t>(rest) != 0) {
          return not_separable(name + " is no sum of a number of the output and one of the term");
        }
      }
      all += seen;
    }
    if (all == 0) return not_separable("nothing is seen of " + name);
    return {};
  }

  /// Whether the windows say of each element what the conditions say.
  Result<void> check_windows() {
    std::vector<std::array<std::vector<std::int64_t>, 2>> bounds;
    for (const auto& window : found_.windows) {
      auto& both = bounds.emplace_back();
      for (const auto& [text, to] : {std::pair{&window.first, &both[0]}, {&window.end, &both[1]}}) {
        if (text->empty()) continue;
        const auto values = expressions_.values(*text);
        if (!values) return not_separable("'" + *text + "' is not known");
        *to = *values;
      }
    }
    for (std::size_t launch = 0; launch < what().launches.size(); ++launch) {
      for (int i = 0; i < kEnoughSeen; ++i) {
        const TermPoint point = points_->draw_point(launch);
        for (std::size_t w = 0; w < bounds.size(); ++w) {
          if (!is_window_right(w, bounds[w], point, launch)) {
            return not_separable("'" + tree_.plain_text(found_.windows[w].position) +
                                 "' wraps around its bounds");
          }
        }
      }
    }
    return {};
  }

  [[nodiscard]] bool is_window_right(std::size_t which,
                                     const std::array<std::vector<std::int64_t>, 2>& bounds,
                                     const TermPoint& point, std::size_t launch) const {
    const TermWindow& window = found_.windows[which];
    const auto at = position(window, point, launch);
    if (!at || !is_live(point, launch)) return true;
    bool says = true;
    if (!bounds[0].empty()) says = says && *at >= bounds[0][launch];
    if (!bounds[1].empty()) says = says && *at < bounds[1][launch];
    bool holds = true;
    for (const auto& item : window_items_) {
      const auto bound = bound_of(item);
      if (tree_.plain_text(bound->position) != tree_.plain_text(window.position)) continue;
      const Probe probe = points_->probe(item.node, point, launch);
      if (probe.state == ProbeState::absent) return true;
      holds = holds && probe.state == ProbeState::found && (probe.value != 0) == item.wanted;
      if (!holds) break;
    }
    return says == holds;
  }

  Result<void> find_base(std::size_t side) {
    const NodeId access = what().sides.at(side).operand.access;
    for (int i = 0; i < kDraws; ++i) {
      const auto touched = points_->access(access, points_->draw_point(0, i == 0), 0);
      if (!touched) continue;
      const Parameter* parameter = what().function->parameter(touched->buffer);
      if (parameter == nullptr || !parameter->is_pointer) break;
      found_.bases.at(side) = touched->buffer;
      return {};
    }
    return not_separable("'" + tree_.plain_text(access) + "' has no pointer of its own");
  }

  /// Levels that no window and no condition speaks of, if elements lie at a number of those plus
  /// one of the other levels, and if outputs are evenly spaced along the first two axes.
  void find_channels() {
    std::set<std::string_view> names;
    for (const auto& window : found_.windows) made_of(window.position, &names);
    for (const auto& item : live_items_) made_of(item.node, &names);
    for (std::size_t l = 0; l < what().nest.levels.size(); ++l) {
      if (!names.contains(what().nest.levels[l].variable)) found_.channels.insert(l);
    }
    if (found_.windows.empty() || found_.channels.size() == what().nest.levels.size()) {
      found_.channels.clear();
    }
    for (const auto& side : what().sides) {
      if (!are_channels_apart(side.operand.access)) found_.channels.clear();
    }
    const NodeId access = what().sides[1].operand.access;
    const auto& axes = what().sides[1].axes;
    for (std::size_t i = 0; i < std::min<std::size_t>(axes.size(), 2); ++i) {
      bool even = is_even_along(axes[i], [&](const TermPoint& point, std::size_t launch) {
        return element(access, point, launch);
      });
      for (const auto& window : found_.windows) {
        even = even && is_even_along(axes[i], [&](const TermPoint& point, std::size_t launch) {
                 return position(window, point, launch);
               });
      }
      if (!even) found_.channels.clear();
    }
  }

  bool are_channels_apart(NodeId access) {
    for (std::size_t launch = 0; launch < what().launches.size(); ++launch) {
      int seen = 0;
      for (int i = 0; i < kDraws && seen < kEnoughSeen; ++i) {
        const TermPoint first = points_->draw_point(launch);
        const TermPoint other = points_->draw_point(launch);
        TermPoint channel = first;
        TermPoint tap = first;
        for (std::size_t l = 0; l < first.terms.size(); ++l) {
          (found_.channels.contains(l) ? channel : tap).terms[l] = other.terms[l];
        }
        TermPoint both = first;
        both.terms = other.terms;
        const auto a = element(access, first, launch);
        const auto b = element(access, channel, launch);
        const auto c = element(access, tap, launch);
        const auto d = element(access, both, launch);
        if (!a || !b || !c || !d) continue;
        ++seen;
        if (*a + *d != *b + *c) return false;
      }
    }
    return true;
  }

  /// Whether `value` grows by as much from each output of a phase to the next along `axis`.
  template <class Value>
  bool is_even_along(std::size_t axis, Value value) {
    for (std::size_t launch = 0; launch < what().launches.size(); ++launch) {
      int seen = 0;
      for (int i = 0; i < kDraws && seen < kEnoughSeen; ++i) {
        const TermPoint first = points_->draw_point(launch);
        TermPoint second = first;
        TermPoint third = first;
        second.digits[axis] = moved(first, 1, launch).digits[axis];
        third.digits[axis] = moved(first, 1, launch).digits[axis];
        const auto a = value(first, launch);
        const auto b = value(second, launch);
        const auto c = value(third, launch);
        if (!is_live(first, launch) || !a || !b || !c) continue;
        ++seen;
        if ((*b - *a) * (third.digits[axis] - first.digits[axis]) !=
            (*c - *a) * (second.digits[axis] - first.digits[axis])) {
          return false;
        }
      }
    }
    return true;
  }

  /// Whether the one store stands where every thread that sums gets to it, and nothing else reads
  /// or writes its buffer.
  [[nodiscard]] bool is_always_written(NodeId place) const {
    const NodeId body = what().function->body;
    for (NodeId at = place; at != body && at != kNoNode; at = tree_.node(at).parent) {
      const bool chooses = tree_.is(at, "if_statement") || tree_.is(at, "conditional_expression");
      if (chooses && !tree_.contains(at, what().nest.top)) return false;
    }
    for (const NodeId leave : tree_.descendants(body, "return_statement")) {
      if (leave > what().nest.top) return false;
    }
    const auto names = tree_.descendants(place, "identifier");
    return !names.empty() && tree_.uses(body, tree_.text(names.front())).size() == 1;
  }

  /// Whether outputs lie at a number of the row plus one of the column: over four corners.
  bool are_outputs_placed() {
    const auto tail = find_wide_tail(scene_.source(), *what().function, what().nest.top);
    if (!tail || !is_always_written(tail->place)) return false;
    for (std::size_t launch = 0; launch < what().launches.size(); ++launch) {
      const auto element = [&](const TermPoint& point) {
        const auto touched =
            points_->probers()[launch].access(tail->place, points_->thread_of(point, launch));
        return touched ? std::optional(touched->element) : std::nullopt;
      };
      for (int i = 0; i < kEnoughSeen; ++i) {
        const TermPoint first = points_->draw_point(launch);
        const TermPoint row = moved(first, 0, launch);
        const TermPoint column = moved(first, 1, launch);
        const auto a = element(first);
        const auto b = element(row);
        const auto c = element(column);
        const auto d = element(moved_to(row, column));
        if (!a || !b || !c || !d || *a + *d != *b + *c) return false;
      }
    }
    return true;
  }

  /// `row` at the column of `column`.
  [[nodiscard]] TermPoint moved_to(const TermPoint& row, const TermPoint& column) const {
    TermPoint both = row;
    for (const std::size_t axis : what().sides[1].axes) both.digits[axis] = column.digits[axis];
    return both;
  }

  /// The phases become batches, from the last axis on, so that numbers stay what they are.
  Result<void> split_phases() {
    Contraction& to = found_.contraction;
    for (auto phase = phases_.rbegin(); phase != phases_.rend(); ++phase) {
      const std::size_t axis = phase->first;
      to.outputs.split(axis, phase->second, *expressions_.values(phase->second));
      const auto move = [&](std::vector<std::size_t>& axes) {
        for (auto& one : axes) {
          if (one > axis) ++one;
        }
      };
      move(to.batch);
      for (auto& side : to.sides) move(side.axes);
      for (auto& one : to.sides[1].axes) {
        if (one == axis) one = axis + 1;
      }
      to.batch.push_back(axis);
    }
    std::sort(to.batch.begin(), to.batch.end());
    return plan_extents(scene_, expressions_, to);
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  UniformExpressions expressions_;
  SeparableTerms found_;
  std::optional<TermPoints> points_;
  std::vector<NestItem> live_items_, window_items_;
  std::map<std::size_t, std::string> phases_;  ///< divisor of each axis that has them
};

}  // namespace

Result<SeparableTerms> find_separable_terms(const Scene& scene, const Contraction& contraction) {
  return scene.remembered<Result<SeparableTerms>>(
      contraction.launch, [&] { return SeparableFinder(scene, contraction).find(); });
}

}  // namespace warpmind::agents::builtin
