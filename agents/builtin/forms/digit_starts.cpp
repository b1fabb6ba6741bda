#include "agents/builtin/forms/digit_starts.h"

#include "agents/builtin/forms/scatter_launch.h"
#include "agents/builtin/loops/scan_loop.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

tl::unexpected<Error> refuse(std::string why) { return fail(Errc::not_found, std::move(why)); }

/// Text with words replaced, each by `word(text)`; nullopt leaves it.
template <class Word>
std::string with_words(std::string_view text, const Word& word) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end == at) {
      if (kBlanks.find(text[at]) == std::string_view::npos) result += text[at];
      ++at;
      continue;
    }
    result += word(text.substr(at, end - at));
    at = end;
  }
  return result;
}

/// The expression with what launch `index` gives for parameters, without blanks, outer parentheses
/// and casts, and the `u` of literals: equal texts of digits and counts are equal values.
std::string as_given(const Scene& scene, std::size_t index, const Function& function,
                     std::string_view text) {
  const auto& arguments = scene.plan().launches[index].arguments;
  std::string given = with_words(text, [&](std::string_view word) {
    for (std::size_t i = 0; i < function.parameters.size() && i < arguments.size(); ++i) {
      if (function.parameters[i].name == word) return "{" + arguments[i] + "}";
    }
    const bool is_number = word.front() >= '0' && word.front() <= '9';
    while (is_number && (word.back() == 'u' || word.back() == 'U')) word.remove_suffix(1);
    return std::string(word);
  });
  for (;;) {
    std::string_view inner = given;
    for (const std::string_view cast : {"static_cast<int>", "static_cast<unsigned>",
                                        "static_cast<unsignedint>", "(int)", "(unsigned)"}) {
      if (inner.starts_with(cast)) inner.remove_prefix(cast.size());
    }
    if (!inner.starts_with('(') || !inner.ends_with(')')) break;
    int depth = 0;
    std::size_t closes = 0;
    while (closes < inner.size()) {
      if (inner[closes] == '(') ++depth;
      if (inner[closes] == ')' && --depth == 0) break;
      ++closes;
    }
    if (closes + 1 != inner.size()) break;
    given = std::string(inner.substr(1, inner.size() - 2));
  }
  return given;
}

class StartsReader {
 public:
  StartsReader(const Scene& scene, const SortPassLaunch& pass)
      : scene_(scene), tree_(scene.tree()), pass_(pass) {}

  Result<std::vector<std::size_t>> read() {
    if (pass_.launch < 2) return refuse("there are no two launches before it");
    scan_ = pass_.launch - 1;
    count_ = pass_.launch - 2;
    const auto& arguments = scene_.plan().launches[pass_.launch].arguments;
    starts_ = argument_of(*pass_.function, arguments, pass_.starts);
    WARPMIND_CHECK(read_scan());
    WARPMIND_CHECK(check_buffers());
    WARPMIND_CHECK(read_count());
    return std::vector<std::size_t>{count_, scan_};
  }

 private:
  static std::string argument_of(const Function& function,
                                 const std::vector<std::string>& arguments,
                                 std::string_view parameter) {
    for (std::size_t i = 0; i < function.parameters.size() && i < arguments.size(); ++i) {
      if (function.parameters[i].name == parameter) return arguments[i];
    }
    return {};
  }

  /// One thread: `starts[d] = sum; sum += counts[d];` for every digit.
  Result<void> read_scan() {
    const Function* function = scene_.function_of(scan_);
    const std::string odd = "the launch before it does not sum counts to starts";
    if (function == nullptr || !reason_not_to_edit(scene_.source(), *function).empty()) {
      return refuse(odd);
    }
    const KernelBody body(scene_.source(), *function);
    const auto loops = tree_.descendants(function->body, "for_statement");
    if (loops.size() != 1) return refuse(odd);
    const auto loop = counted_loop(body, loops.front());
    if (!loop || integer_literal(tree_, loop->start) != 0 || loop->step != kNoNode ||
        loop->is_inclusive) {
      return refuse(odd);
    }
    const MemoryAccess* store = nullptr;
    const MemoryAccess* load = nullptr;
    for (const MemoryAccess& access : body.accesses()) {
      auto& role = access.is_store ? store : load;
      if (role != nullptr || (access.is_store && access.is_load)) return refuse(odd);
      role = &access;
    }
    if (store == nullptr || load == nullptr || !body.calls().empty()) return refuse(odd);
    for (const MemoryAccess* access : {store, load}) {
      const bool is_digit = access->index != kNoNode && tree_.contains(loop->body, access->node) &&
                            tree_.text(tree_.bare(access->index)) == loop->variable->name &&
                            tree_.is(tree_.bare(access->pointer), "identifier") &&
                            body.local_of(tree_.bare(access->pointer)) == nullptr;
      if (!is_digit) return refuse(odd);
    }
    if (!sums_before(body, *loop, *store, *load)) return refuse(odd);
    for (const SceneLaunch* launch : scene_.launches_of(*function)) {
      const KernelProber prober(scene_.source(), *function, *launch);
      std::int64_t summing = 0;
      for (std::int64_t thread = 0; thread < std::min<std::int64_t>(prober.threads(), 4096);
           ++thread) {
        const auto reaches = prober.reaches(loop->node, prober.position(thread));
        if (!reaches) return refuse(odd);
        if (!*reaches) continue;
        ++summing;
        if (prober.value(loop->bound, prober.position(thread)) != pass_.digits) {
          return refuse("other digits are summed than distributed");
        }
      }
      if (summing != 1 || prober.threads() > 4096) return refuse(odd);
    }
    const auto& arguments = scene_.plan().launches[scan_].arguments;
    counts_ = argument_of(*function, arguments, load->root);
    if (argument_of(*function, arguments, store->root) != starts_) return refuse(odd);
    return {};
  }

  /// The sum of the counts before this digit is stored, then the digit's count is added.
  [[nodiscard]] bool sums_before(const KernelBody& body, const CountedLoop& loop,
                                 const MemoryAccess& store, const MemoryAccess& load) const {
    const NodeId assignment = tree_.node(store.node).parent;
    const NodeId stored = tree_.bare(tree_.field(assignment, "right"));
    const Local* sum = tree_.is(stored, "identifier") ? body.local_of(stored) : nullptr;
    if (sum == nullptr || tree_.operator_of(assignment) != "=" || sum->value == kNoNode ||
        integer_literal(tree_, sum->value) != 0 || body.declared_in(*sum, loop.node)) {
      return false;
    }
    int updates = 0;
    for (const Write& write : body.writes()) {
      if (write.local == loop.variable) continue;
      const NodeId taken = tree_.bare(tree_.field(write.node, "right"));
      const Local* kept = tree_.is(taken, "identifier") ? body.local_of(taken) : nullptr;
      const bool takes = taken == load.node || (kept != nullptr && kept->value != kNoNode &&
                                                tree_.bare(kept->value) == load.node);
      if (write.local != sum || tree_.operator_of(write.node) != "+=" || !takes ||
          write.node < assignment || !is_statement_of(loop, write.node)) {
        return false;
      }
      ++updates;
    }
    // In place: the count must be read before its start is written.
    const bool is_in_place = load.root == store.root;
    return updates == 1 && is_statement_of(loop, assignment) &&
           (!is_in_place || load.node < assignment);
  }

  [[nodiscard]] bool is_statement_of(const CountedLoop& loop, NodeId expression) const {
    return contains(body_statements(tree_, loop.body), tree_.node(expression).parent);
  }

  /// Counts and starts are memory of the plan that nothing else uses; counts begin at zero.
  Result<void> check_buffers() {
    const auto& plan = scene_.plan();
    for (const auto& name : {counts_, starts_}) {
      const auto scratch = std::find_if(plan.scratch.begin(), plan.scratch.end(),
                                        [&](const ScratchBuffer& one) { return one.name == name; });
      if (scratch == plan.scratch.end()) return refuse("'" + name + "' is no scratch buffer");
      if (name == counts_ && !scratch->zeroed) return refuse("'" + name + "' is not zeroed");
      for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        const bool is_its = i == pass_.launch || i == scan_ || i == count_;
        if (!is_its && contains(plan.launches[i].arguments, name)) {
          return refuse("another launch uses '" + name + "'");
        }
      }
    }
    return {};
  }

  Result<void> read_count() {
    WARPMIND_TRY(const auto count, find_scatter_launch(scene_, count_));
    const auto& arguments = scene_.plan().launches[count_].arguments;
    const auto keys =
        argument_of(*pass_.function, scene_.plan().launches[pass_.launch].arguments, pass_.keys);
    const std::string odd = "the digits are not counted as they are distributed";
    if (count.adds.size() != 1 || count.streams.size() != 1 || !count.leaves.empty() ||
        argument_of(*count.function, arguments, count.counters) != counts_ ||
        argument_of(*count.function, arguments, count.streams.front().parameter) != keys ||
        count.streams.front().type != pass_.key_type) {
      return refuse(odd);
    }
    const ScatterAdd& add = count.adds.front();
    if (add.value != kNoNode && integer_literal(tree_, add.value) != 1) return refuse(odd);
    if (!contains(count.elements.work, tree_.node(add.node).parent)) {
      return refuse("not every key is counted");
    }
    NodeTexts texts;
    for (const NodeId node : count.streams.front().nodes) texts[node] = "wm_key";
    const auto bin = closed_value(*count.body, add.bin, texts);
    const auto counted = closed_value(*count.body, count.elements.bound, {});
    const auto distributed = closed_value(*pass_.body, pass_.loop.bound, {});
    if (!bin || !counted || !distributed) return refuse(odd);
    const auto given = [&](std::size_t index, const Function& function, const std::string& text) {
      return as_given(scene_, index, function, text);
    };
    if (given(count_, *count.function, *bin) != given(pass_.launch, *pass_.function, pass_.digit) ||
        given(count_, *count.function, *counted) !=
            given(pass_.launch, *pass_.function, *distributed)) {
      return refuse(odd);
    }
    return {};
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  const SortPassLaunch& pass_;
  std::size_t scan_ = 0, count_ = 0;
  std::string starts_, counts_;
};

}  // namespace

Result<std::vector<std::size_t>> launches_for_starts(const Scene& scene,
                                                     const SortPassLaunch& pass) {
  return StartsReader(scene, pass).read();
}

}  // namespace warpmind::agents::builtin
