#include "agents/builtin/forms/sort_pass_launch.h"

#include "agents/builtin/loops/scan_loop.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/pointwise/guarded_body.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/probe/integer_interpreter.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "base/text.h"

#include <algorithm>
#include <bit>
#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr std::int64_t kMostDigits = 256;
constexpr std::int64_t kMostThreads = 4096;  ///< of a launch with one thread a digit

tl::unexpected<Error> refuse(std::string why) { return fail(Errc::not_found, std::move(why)); }

bool is_unsigned(std::string_view type) {
  return type.starts_with("unsigned") || type.starts_with("uint") || type == "size_t";
}

/// Reads one launch; the first thing that does not fit becomes the refusal.
class SortPassReader {
 public:
  SortPassReader(const Scene& scene, std::size_t launch) : scene_(scene), tree_(scene.tree()) {
    found_.launch = launch;
  }

  Result<SortPassLaunch> read() {
    found_.function = scene_.function_of(found_.launch);
    if (found_.function == nullptr) return refuse("its kernel is not defined exactly once");
    if (auto why = reason_not_to_edit(scene_.source(), *found_.function); !why.empty()) {
      return refuse(why);
    }
    found_.body = std::make_shared<const KernelBody>(scene_.source(), *found_.function);
    auto why = read_loop();
    if (why.empty()) why = read_statements();
    if (why.empty()) why = read_digit();
    if (why.empty()) why = read_stores();
    if (why.empty()) why = check_threads();
    if (why.empty()) why = check_rest();
    if (!why.empty()) return refuse(why + " in '" + found_.function->name + "'");
    return std::move(found_);
  }

 private:
  [[nodiscard]] const KernelBody& body() const { return *found_.body; }

  std::string read_loop() {
    const auto loops = tree_.descendants(found_.function->body, "for_statement");
    if (loops.size() != 1 || !tree_.descendants(found_.function->body, "while_statement").empty()) {
      return "there is not one loop over the keys";
    }
    auto loop = counted_loop(body(), loops.front());
    if (!loop) return loop.error().message;
    found_.loop = *loop;
    if (integer_literal(tree_, loop->start) != 0 || loop->step != kNoNode || loop->is_inclusive) {
      return "the loop does not go over the keys one by one";
    }
    return {};
  }

  /// Splits the loop's body: `if (digit == own) { stores }`, or stores for every key.
  std::string read_statements() {
    for (const NodeId statement : body_statements(tree_, found_.loop.body)) {
      if (tree_.is(statement, "declaration")) {
        read_declaration(statement);
        continue;
      }
      if (tree_.is(statement, "if_statement") && choice_ == kNoNode) {
        if (tree_.field(statement, "alternative") != kNoNode) return "the choice has an else";
        choice_ = tree_.bare(tree_.field(statement, "condition"));
        for (const NodeId inner : statements_of(tree_, tree_.field(statement, "consequence"))) {
          if (tree_.is(inner, "declaration")) {
            read_declaration(inner);
          } else {
            effects_.push_back(inner);
          }
        }
        continue;
      }
      effects_.push_back(statement);
      is_always_ = true;
    }
    if (effects_.empty()) return "nothing is stored";
    if (choice_ != kNoNode && is_always_) return "some stores are for chosen keys only";
    return {};
  }

  /// `unsigned at = starts[digit]++;` as a position.
  void read_declaration(NodeId declaration) {
    const NodeId declarator = only_declarator(tree_, declaration);
    if (declarator == kNoNode) return;
    const NodeId value = tree_.bare(tree_.field(declarator, "value"));
    if (!tree_.is(value, "update_expression") && !tree_.is(value, "subscript_expression")) return;
    for (const Local& local : body().locals()) {
      if (local.identifier == tree_.declared(declarator)) positions_[&local] = value;
    }
  }

  [[nodiscard]] bool depends_on_key(NodeId expression) const {
    for (const NodeId name : tree_.descendants(expression, "identifier")) {
      const Local* local = body().local_of(name);
      if (local == found_.loop.variable) return true;
      if (local != nullptr && body().declared_in(*local, found_.loop.node) &&
          local->value != kNoNode && depends_on_key(local->value)) {
        return true;
      }
    }
    return false;
  }

  /// The digit of a key: a side of the choice, or the index of the starts.
  std::string read_digit() {
    if (choice_ != kNoNode) {
      if (!tree_.is(choice_, "binary_expression") || tree_.operator_of(choice_) != "==") {
        return "the choice does not compare a digit";
      }
      const NodeId left = tree_.field(choice_, "left");
      const NodeId right = tree_.field(choice_, "right");
      const bool is_left = depends_on_key(left);
      if (is_left == depends_on_key(right)) return "the choice does not compare a digit";
      digit_ = is_left ? left : right;
      own_ = is_left ? right : left;
    }
    return {};
  }

  /// What names the place that a position stands for: `at`, `at++`, `starts[d]++`.
  struct Position {
    const Local* counter = nullptr;  ///< of the thread
    NodeId element = kNoNode;        ///< of the starts
    bool advances = false;
  };

  [[nodiscard]] Position position_of(NodeId expression) const {
    NodeId at = tree_.bare(expression);
    Position position;
    if (tree_.is(at, "identifier")) {
      const auto known = positions_.find(body().local_of(at));
      if (known != positions_.end()) at = tree_.bare(known->second);
    }
    if (tree_.is(at, "update_expression")) {
      // `at++`: the place is the value before.
      const NodeId argument = tree_.bare(tree_.field(at, "argument"));
      const bool is_after = tree_.node(argument).range.begin == tree_.node(at).range.begin;
      if (!is_after || tree_.operator_of(at) != "++") return position;
      position.advances = true;
      at = argument;
    }
    if (tree_.is(at, "identifier")) position.counter = body().local_of(at);
    if (tree_.is(at, "subscript_expression")) position.element = at;
    return position;
  }

  std::string read_stores() {
    const std::string odd = "a statement of the loop is no store of a key and no step of its place";
    for (const NodeId statement : effects_) {
      if (!tree_.is(statement, "expression_statement")) return odd;
      const NodeId effect = tree_.bare(tree_.children(statement).front());
      if (auto why = read_effect(effect); !why.empty()) return why;
    }
    if (stores_.empty()) return "no key is stored";
    if (advances_ != 1 || has_stray_step()) return "the place does not advance by one for each key";
    if (auto why = read_starts(); !why.empty()) return why;
    if (auto why = read_keys(); !why.empty()) return why;
    return read_values();
  }

  /// `out[place] = value`, or a step of the place.
  std::string read_effect(NodeId effect) {
    const std::string odd = "a statement of the loop is no store of a key and no step of its place";
    if (tree_.is(effect, "update_expression") && tree_.operator_of(effect) == "++") {
      return take_place(tree_.field(effect, "argument"), true) ? std::string() : odd;
    }
    if (!tree_.is(effect, "assignment_expression")) return odd;
    const NodeId left = tree_.bare(tree_.field(effect, "left"));
    const NodeId right = tree_.bare(tree_.field(effect, "right"));
    const auto op = tree_.operator_of(effect);
    if (op == "+=" && integer_literal(tree_, right) == 1) {
      return take_place(left, true) ? std::string() : odd;
    }
    if (op != "=" || !tree_.is(left, "subscript_expression")) return odd;
    const bool adds_one = tree_.is(right, "binary_expression") && tree_.operator_of(right) == "+" &&
                          integer_literal(tree_, tree_.field(right, "right")) == 1;
    if (adds_one && take_place(tree_.field(right, "left"), true)) {
      // `starts[digit] = at + 1`: the same element again.
      return tree_.plain_text(left) == tree_.plain_text(place_.element) ? std::string() : odd;
    }
    const auto indices = tree_.children(tree_.field(left, "indices"));
    const NodeId array = tree_.bare(tree_.field(left, "argument"));
    if (indices.size() != 1 || !tree_.is(array, "identifier")) return odd;
    const bool is_advanced = advances_ > 0;
    if (!take_place(indices.front(), false)) return "a store goes to another place";
    if (is_advanced && !is_kept_before_step(indices.front())) {
      return "a key is stored behind its place";
    }
    stores_.push_back({std::string(tree_.text(array)), right});
    return {};
  }

  /// Whether `expression` is the place of the key; all are the same.
  bool take_place(NodeId expression, bool is_step) {
    const Position position = position_of(expression);
    if (position.counter == nullptr && position.element == kNoNode) return false;
    if (place_.counter == nullptr && place_.element == kNoNode) {
      place_ = position;
    } else if (position.counter != place_.counter ||
               tree_.plain_text(position.element) != tree_.plain_text(place_.element)) {
      return false;
    }
    // A position that is kept in a variable advances once, where that is declared.
    const Local* kept = kept_position(expression);
    const bool steps_here = position.advances && (kept == nullptr || kept_.insert(kept).second);
    if (is_step || steps_here) {
      ++advances_;
      step_ = kept == nullptr ? expression : kept->identifier;
    }
    return true;
  }

  /// The variable that holds a position, or nullptr.
  [[nodiscard]] const Local* kept_position(NodeId expression) const {
    const NodeId at = tree_.bare(expression);
    const Local* local = tree_.is(at, "identifier") ? body().local_of(at) : nullptr;
    return positions_.contains(local) ? local : nullptr;
  }

  /// Whether a store behind the step still goes to the place in front of it.
  [[nodiscard]] bool is_kept_before_step(NodeId expression) const {
    const Local* kept = kept_position(expression);
    return kept != nullptr && kept->identifier <= step_;
  }

  /// Whether a declaration steps a place that no store goes to.
  [[nodiscard]] bool has_stray_step() const {
    return std::any_of(positions_.begin(), positions_.end(), [&](const auto& position) {
      return tree_.is(position.second, "update_expression") && !kept_.contains(position.first);
    });
  }

  /// Where digits begin: the start of the thread's counter, or what the walking thread advances.
  std::string read_starts() {
    NodeId element = place_.element;
    if (place_.counter != nullptr) {
      if (place_.counter->value == kNoNode || choice_ == kNoNode ||
          body().declared_in(*place_.counter, found_.loop.node)) {
        return "'" + place_.counter->name + "' does not start at the place of a digit";
      }
      element = tree_.bare(place_.counter->value);
    } else if (choice_ != kNoNode) {
      return "the threads share the places of their digits";
    }
    const NodeId array = tree_.bare(tree_.field(element, "argument"));
    const auto indices = tree_.children(tree_.field(element, "indices"));
    if (!tree_.is(element, "subscript_expression") || indices.size() != 1 ||
        !tree_.is(array, "identifier")) {
      return "a place does not start at an element of an array";
    }
    found_.starts = tree_.text(array);
    start_index_ = indices.front();
    const Parameter* parameter = found_.function->parameter(found_.starts);
    if (parameter == nullptr || !parameter->is_pointer) {
      return "'" + found_.starts + "' is no parameter";
    }
    if (choice_ == kNoNode) digit_ = start_index_;
    return {};
  }

  /// The array whose element at the loop's variable gives the digit.
  std::string read_keys() {
    std::set<std::string> roots;
    const auto add = [&](NodeId expression, const auto& again) -> void {
      for (const MemoryAccess& access : body().accesses()) {
        if (tree_.contains(expression, access.node) && !access.is_private) {
          roots.insert(access.root);
        }
      }
      for (const NodeId name : tree_.descendants(expression, "identifier")) {
        const Local* local = body().local_of(name);
        if (local == nullptr || local->value == kNoNode) continue;
        if (body().declared_in(*local, found_.loop.node) && local != found_.loop.variable) {
          again(local->value, again);
        }
      }
    };
    add(digit_, add);
    if (roots.size() != 1 || roots.begin()->empty()) return "the digit is not that of one key";
    found_.keys = *roots.begin();
    const Parameter* parameter = found_.function->parameter(found_.keys);
    if (parameter == nullptr || !parameter->is_pointer) return "the keys are no parameter";
    found_.key_type = parameter->base_type;
    const int bytes = size_of_type(found_.key_type);
    if (bytes == 0 || bytes > 8) return "the keys have a type that is not known";
    texts_ = key_texts(body(), found_.keys, found_.loop.variable->name, found_.loop.node);
    const auto digit = closed_value(body(), digit_, texts_);
    if (!digit || contains_word(*digit, "wm_i") || !contains_word(*digit, "wm_key")) {
      return "the digit is not that of one key";
    }
    if (auto why = obstacle_in(scene_.source(), digit_); !why.empty()) return why;
    const auto digits = digits_of(scene_, body(), digit_, is_unsigned(found_.key_type));
    if (!digits) return "it is not known how many digits there are";
    if (*digits < 2 || *digits > kMostDigits) {
      return "there are " + std::to_string(*digits) + " digits, not 2 to 256";
    }
    found_.digit = *digit;
    found_.digits = *digits;
    return {};
  }

  std::string read_values() {
    for (const auto& [array, value] : stores_) {
      const Parameter* parameter = found_.function->parameter(array);
      if (parameter == nullptr || !parameter->is_pointer) return "'" + array + "' is no parameter";
      if (auto why = obstacle_in(scene_.source(), value); !why.empty()) return why;
      auto text = closed_value(body(), value, texts_);
      if (!text) return "what is stored to '" + array + "' is carried from one key to the next";
      const bool is_of_key = !contains_word(*text, "wm_i");
      auto& list = is_of_key ? found_.key_stores : found_.carried;
      list.push_back({array, parameter->base_type, std::move(*text)});
    }
    if (found_.carried.size() > 1) return "more than one value goes along with a key";
    if (!found_.carried.empty() && size_of_type(found_.carried.front().type) == 0) {
      return "a value of type " + found_.carried.front().type + " goes along";
    }
    return {};
  }

  /// One thread for each digit, or only one at all.
  std::string check_threads() {
    for (const SceneLaunch* launch : scene_.launches_of(*found_.function)) {
      const KernelProber prober(scene_.source(), *found_.function, *launch);
      if (prober.threads() > kMostThreads) return "it has too many threads to have one a digit";
      std::set<std::int64_t> digits;
      std::int64_t walkers = 0;
      for (std::int64_t thread = 0; thread < prober.threads(); ++thread) {
        const auto at = prober.position(thread);
        const auto reaches = prober.reaches(found_.loop.node, at);
        if (!reaches) return "it is not known which threads look at the keys";
        if (!*reaches) continue;
        ++walkers;
        if (choice_ == kNoNode) continue;
        const auto own = prober.value(own_, at);
        const auto start = prober.value(start_index_, at);
        if (!own || own != start) return "a thread does not start at the place of its digit";
        if (!digits.insert(*own).second) return "two threads have one digit";
      }
      if (choice_ == kNoNode) {
        if (walkers != 1) return "more than one thread walks along the keys";
        continue;
      }
      for (std::int64_t digit = 0; digit < found_.digits; ++digit) {
        if (!digits.contains(digit)) return "a digit has no thread";
      }
    }
    return {};
  }

  /// Nothing else happens in the kernel, and no array is in two roles.
  std::string check_rest() {
    std::set<std::string> stored;
    for (const auto* list : {&found_.key_stores, &found_.carried}) {
      for (const SortedStore& store : *list) stored.insert(store.array);
    }
    if (stored.size() != stores_.size()) return "an array gets two values for a key";
    const auto buffer = buffer_names(scene_, *found_.function);
    std::set<std::string> written;
    for (const auto& array : stored) written.insert(buffer(array));
    if (written.size() != stored.size() || written.contains(buffer(found_.starts))) {
      return "two outputs are one buffer";
    }
    for (const MemoryAccess& access : body().accesses()) {
      if (access.is_private) continue;
      if (access.root.empty()) return "it is not known where an access points";
      const bool is_start = access.root == found_.starts;
      if (access.is_store) {
        const bool in_loop = tree_.contains(found_.loop.node, access.node);
        if (!in_loop || (!is_start && !stored.contains(access.root))) {
          return "'" + access.root + "' is stored, too";
        }
      } else if (written.contains(buffer(access.root))) {
        return "'" + access.root + "' is read while it is stored";
      }
    }
    for (const Call& call : body().calls()) {
      if (call.kind != CallKind::pure) return "it calls " + call.name;
    }
    for (const Write& write : body().writes()) {
      if (write.local == nullptr) {
        return "it changes the parameter '" + std::string(tree_.text(write.identifier)) + "'";
      }
      const bool is_step = write.local == place_.counter || write.local == found_.loop.variable;
      if (!is_step) return "'" + write.local->name + "' is carried from one key to the next";
      if (!tree_.contains(found_.loop.node, write.node)) return "a place changes outside the loop";
    }
    return {};
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  SortPassLaunch found_;
  NodeId choice_ = kNoNode, digit_ = kNoNode, own_ = kNoNode, start_index_ = kNoNode;
  std::vector<NodeId> effects_;
  bool is_always_ = false;  ///< an effect stands outside of the choice
  std::map<const Local*, NodeId> positions_;
  std::set<const Local*> kept_;
  Position place_;
  int advances_ = 0;
  NodeId step_ = kNoNode;  ///< where the place advances
  std::vector<std::pair<std::string, NodeId>> stores_;
  NodeTexts texts_;
};

/// The value of an expression that names nothing but literals and constants.
std::optional<std::int64_t> constant_value(const Scene& scene, NodeId expression) {
  const ProbeProgram program(scene.source(), scene.plan().constants);
  IntegerInterpreter interpreter(program);
  const Value value = interpreter.evaluate(expression);
  return value.known ? std::optional(value.number) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> digits_of(const Scene& scene, const KernelBody& body, NodeId expression,
                                      bool is_unsigned) {
  const SyntaxTree& tree = body.tree();
  const NodeId at = tree.bare(expression);
  if (tree.is(at, "cast_expression")) {
    return is_integer_type(tree.plain_text(tree.field(at, "type")))
               ? digits_of(scene, body, tree.field(at, "value"), is_unsigned)
               : std::nullopt;
  }
  if (tree.is(at, "identifier")) {
    const Local* local = body.local_of(at);
    const bool is_set_once = local != nullptr && local->value != kNoNode && !local->is_array &&
                             !local->is_pointer && size_of_type(local->type) > 0 &&
                             is_integer_type(local->type) &&
                             !body.written_in(*local, body.function().body);
    if (!is_set_once) return std::nullopt;
    const auto digits = digits_of(scene, body, local->value, is_unsigned);
    // A signed char holds 128 digits.
    return digits && (*digits <= 128 || size_of_type(local->type) > 1) ? digits : std::nullopt;
  }
  if (!tree.is(at, "binary_expression")) return std::nullopt;
  const auto op = tree.operator_of(at);
  const auto right = constant_value(scene, tree.field(at, "right"));
  // The rest of a negative number would be negative.
  const bool may_be_negative = !is_unsigned ||
                               tree.text(at).find_first_of("-~") != std::string_view::npos ||
                               !tree.descendants(at, "cast_expression").empty() ||
                               !tree.descendants(at, "call_expression").empty();
  if (op == "%") return may_be_negative ? std::nullopt : right;
  const auto left = constant_value(scene, tree.field(at, "left"));
  for (const auto& mask : {right, left}) {
    if (op == "&" && mask && *mask > 0 &&
        std::has_single_bit(static_cast<std::uint64_t>(*mask + 1))) {
      return *mask + 1;
    }
  }
  return std::nullopt;
}

NodeTexts key_texts(const KernelBody& body, const std::string& keys, std::string_view variable,
                    NodeId inside) {
  const SyntaxTree& tree = body.tree();
  NodeTexts texts;
  for (const MemoryAccess& access : body.accesses()) {
    if (access.root != keys || access.index == kNoNode || access.is_store) continue;
    const bool is_element = tree.is(access.node, "subscript_expression") ||
                            tree.text(tree.field(access.node, "function")) == "__ldg";
    if (is_element && tree.is(tree.bare(access.pointer), "identifier") &&
        tree.text(tree.bare(access.index)) == variable && tree.contains(inside, access.node)) {
      texts[access.node] = "wm_key";
    }
  }
  for (const NodeId use : tree.uses(inside, variable)) texts[use] = "wm_i";
  return texts;
}

Result<SortPassLaunch> find_sort_pass_launch(const Scene& scene, std::size_t index) {
  return SortPassReader(scene, index).read();
}

}  // namespace warpmind::agents::builtin
