#include "agents/builtin/untiling/output_tiles.h"

#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "agents/builtin/untiling/index_forms.h"
#include "agents/builtin/untiling/staged_reads.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

using Table = std::vector<std::int64_t>;

constexpr std::int64_t kMostOutputs = 16384;  // of a block
constexpr std::int64_t kMostOfThread = 256;
constexpr std::int64_t kSide = 16;  // threads of a new block along each axis

tl::unexpected<Error> in_the_way(std::string why) { return fail(Errc::not_found, std::move(why)); }

/// A loop over outputs of a thread.
struct OutputLoop {
  NodeId loop = kNoNode;
  std::string variable;  ///< its spelling in index forms
  std::int64_t trips = 0;
};

/// A use of the array that holds the outputs, and its loops.
struct OutputPlace {
  NodeId access = kNoNode;
  NodeId statement = kNoNode;
  bool is_store = false;
  bool is_load = false;
  std::vector<IndexForm> indices;
  std::vector<OutputLoop> loops;  ///< in the order of the sum's loops
};

/// `x` as text where the table is a sum of digits of x; nullopt: it is none.
std::optional<std::string> digits_text(const Table& table, const std::string& x) {
  if (table.empty() || table.front() != 0) return std::nullopt;
  Table rest = table;
  std::string text;
  std::size_t from = 1;
  while (true) {
    std::size_t at = from;
    while (at < rest.size() && rest[at] == 0) ++at;
    if (at == rest.size()) break;
    const std::int64_t step = rest[at];
    std::size_t count = 1;
    while (count * at < rest.size() &&
           rest[count * at] == step * static_cast<std::int64_t>(count)) {
      ++count;
    }
    std::string digit = x;
    if (at > 1) digit += " / " + std::to_string(at);
    if (count * at < rest.size()) digit += " % " + std::to_string(count);
    if (step != 1) digit += " * " + std::to_string(step);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      rest[i] -= static_cast<std::int64_t>(i / at % count) * step;
    }
    text += (text.empty() ? "" : " + ") + digit;
    if (count * at <= from && at < from) return std::nullopt;
    from = at * count;
    if (from >= rest.size()) break;
  }
  if (std::any_of(rest.begin(), rest.end(), [](auto left) { return left != 0; })) {
    return std::nullopt;
  }
  return text.empty() ? "0" : text;
}

class OutputSplitter {
 public:
  OutputSplitter(const CudaSource& source, const Function& function, const SceneLaunch& launch)
      : tree_(source.tree),
        body_(source, function),
        launch_(launch),
        forms_(body_, launch, true),
        prober_(source, function, launch) {}

  Result<SingleOutputs> split() {
    WARPMIND_CHECK(find_array());
    WARPMIND_CHECK(find_places());
    WARPMIND_CHECK(find_elements());
    WARPMIND_CHECK(number_outputs());
    WARPMIND_CHECK(find_grid());
    return written();
  }

 private:
  Result<void> find_array() {
    for (const auto& access : body_.accesses()) {
      if (!access.is_private || !access.is_store) continue;
      const Local* array = array_of(access.node);
      if (array == nullptr) return in_the_way("a thread's own array is not understood");
      if (array_ != nullptr && array != array_) {
        return in_the_way("threads keep outputs in '" + array_->name + "' and '" + array->name +
                          "'");
      }
      array_ = array;
    }
    if (array_ == nullptr) WARPMIND_CHECK(find_only_sum());
    if (!tree_.uses(body_.function().body, "gridDim").empty()) {
      return in_the_way("its threads depend on the size of the grid");
    }
    return {};
  }

  /// Threads in one row that compute a rectangle of outputs, one each.
  Result<void> find_only_sum() {
    const auto& block = launch_.shape.block;
    for (const Write& write : body_.writes()) {
      const bool adds =
          tree_.is(write.node, "assignment_expression") && tree_.operator_of(write.node) == "+=" &&
          write.local != nullptr && !is_integer_type(write.local->type) &&
          !write.local->is_pointer &&
          tree_.ancestor(write.node, "for_statement", body_.function().body) != kNoNode;
      if (!adds) continue;
      if (!places_.empty()) return in_the_way("a thread keeps several sums");
      OutputPlace place;
      place.statement = tree_.node(write.node).parent;
      places_.push_back(std::move(place));
    }
    if (places_.empty() || block[0] < 2 || block[1] > 1 || block[2] > 1) {
      return in_the_way("threads have no array of outputs");
    }
    sum_ = places_.data();
    return {};
  }

  [[nodiscard]] const Local* array_of(NodeId access) const {
    NodeId at = access;
    while (tree_.is(at, "subscript_expression")) at = tree_.bare(tree_.field(at, "argument"));
    return tree_.is(at, "identifier") ? body_.local_of(at) : nullptr;
  }

  [[nodiscard]] std::vector<IndexForm> indices_of(NodeId access) const {
    std::vector<IndexForm> forms;
    for (NodeId at = access; tree_.is(at, "subscript_expression");
         at = tree_.bare(tree_.field(at, "argument"))) {
      const auto indices = tree_.children(tree_.field(at, "indices"));
      if (indices.size() == 1) forms.insert(forms.begin(), forms_.form(indices.front()));
    }
    return forms;
  }

  Result<void> find_places() {
    if (array_ == nullptr) return {};
    for (const auto& access : body_.accesses()) {
      if (!access.is_private || array_of(access.node) != array_) continue;
      OutputPlace place;
      place.access = access.node;
      place.is_store = access.is_store;
      place.is_load = access.is_load;
      place.indices = indices_of(access.node);
      place.statement = access.node;
      while (!tree_.is(place.statement, "expression_statement") &&
             !tree_.is(place.statement, "declaration") && place.statement != kNoNode) {
        place.statement = tree_.node(place.statement).parent;
      }
      WARPMIND_CHECK(find_loops(place));
      places_.push_back(std::move(place));
    }
    for (const OutputPlace& place : places_) {
      if (!place.is_store || (!place.is_load && is_start(place))) continue;
      if (sum_ != nullptr && sum_->statement != place.statement) {
        return in_the_way("'" + array_->name + "' is added to in several places");
      }
      sum_ = &place;
    }
    if (sum_ == nullptr) return in_the_way("nothing is added to '" + array_->name + "'");
    std::int64_t of_thread = 1;
    for (const OutputLoop& loop : sum_->loops) of_thread *= loop.trips;
    if (of_thread > kMostOfThread) return in_the_way("a thread has too many outputs");
    for (OutputPlace& place : places_) WARPMIND_CHECK(align(place));
    return {};
  }

  /// `acc[i] = 0;`
  [[nodiscard]] bool is_start(const OutputPlace& place) const {
    const auto assignments = tree_.descendants(place.statement, "assignment_expression");
    if (assignments.size() != 1) return false;
    const auto text = tree_.text(tree_.bare(tree_.field(assignments.front(), "right")));
    return text == "0" || text == "0.0f" || text == "0.f" || text == "0.0" || text == "0.0F";
  }

  Result<void> find_loops(OutputPlace& place) const {
    for (NodeId at = tree_.node(place.access).parent; at != body_.function().body;
         at = tree_.node(at).parent) {
      if (!tree_.is(at, "for_statement")) continue;
      const auto declarators = tree_.descendants(tree_.field(at, "initializer"), "init_declarator");
      if (declarators.size() != 1) continue;
      const NodeId name = tree_.declared(declarators.front());
      const Local* local = body_.local_of(name);
      if (local == nullptr) continue;
      OutputLoop loop{at, local->name + "#" + std::to_string(local->identifier), 0};
      const bool is_used =
          std::any_of(place.indices.begin(), place.indices.end(),
                      [&](const IndexForm& form) { return form.terms.contains(loop.variable); });
      if (!is_used) continue;
      const NodeId condition = tree_.bare(tree_.field(at, "condition"));
      const auto bound = forms_.constant(tree_.field(condition, "right"));
      const NodeId update = tree_.bare(tree_.field(at, "update"));
      if (!bound || tree_.operator_of(condition) != "<" || tree_.operator_of(update) != "++" ||
          forms_.constant(tree_.field(declarators.front(), "value")) != 0) {
        return in_the_way("a loop over outputs of a thread is not understood");
      }
      loop.trips = *bound;
      place.loops.insert(place.loops.begin(), std::move(loop));
    }
    for (const IndexForm& form : place.indices) {
      for (const auto& [name, term] : form.terms) {
        const bool is_loop = std::any_of(place.loops.begin(), place.loops.end(),
                                         [&, &n = name](const auto& l) { return l.variable == n; });
        if (!is_loop) return in_the_way("which output of a thread is meant depends on more");
      }
    }
    return {};
  }

  /// Puts the loops in the order of the sum's: those that number an index alike.
  Result<void> align(OutputPlace& place) const {
    std::vector<OutputLoop> ordered;
    for (const OutputLoop& wanted : sum_->loops) {
      const auto same = std::find_if(place.loops.begin(), place.loops.end(), [&](const auto& own) {
        return own.trips == wanted.trips && numbers_alike(place, own, wanted);
      });
      if (same == place.loops.end()) {
        return in_the_way("'" + array_->name + "' is not used by the same loops everywhere");
      }
      ordered.push_back(*same);
    }
    if (ordered.size() != place.loops.size() || place.indices.size() != sum_->indices.size()) {
      return in_the_way("'" + array_->name + "' is not used by the same loops everywhere");
    }
    place.loops = std::move(ordered);
    return {};
  }

  [[nodiscard]] bool numbers_alike(const OutputPlace& place, const OutputLoop& own,
                                   const OutputLoop& wanted) const {
    for (std::size_t d = 0; d < std::min(place.indices.size(), sum_->indices.size()); ++d) {
      const auto mine = place.indices[d].terms.find(own.variable);
      const auto other = sum_->indices[d].terms.find(wanted.variable);
      const std::int64_t a = mine == place.indices[d].terms.end() ? 0 : mine->second.factor;
      const std::int64_t b = other == sum_->indices[d].terms.end() ? 0 : other->second.factor;
      if (a != b || place.indices[d].constant != sum_->indices[d].constant) return false;
    }
    return true;
  }

  /// The two elements that are multiplied, through locals.
  Result<void> find_elements() {
    collect_elements(sum_->statement, 0);
    if (elements_.size() != 2) {
      return in_the_way("a term is not a product of two elements");
    }
    return {};
  }

  void collect_elements(NodeId node, int depth) {
    for (const auto& access : body_.accesses()) {
      if (access.is_private || access.is_shared || !access.is_load) continue;
      if (tree_.contains(node, access.node)) append_unique(elements_, access.node);
    }
    for (const NodeId name : tree_.descendants(node, "identifier")) {
      const Local* local = forms_.set_once(name);
      if (local != nullptr && depth < 4 && tree_.contains(outer_loop(), local->identifier)) {
        collect_elements(local->value, depth + 1);
      }
    }
  }

  [[nodiscard]] NodeId outer_loop() const {
    NodeId found = sum_->statement;
    for (NodeId at = found; at != body_.function().body; at = tree_.node(at).parent) {
      if (tree_.is(at, "for_statement")) found = at;
    }
    return found;
  }

  [[nodiscard]] std::optional<std::int64_t> element(std::size_t which, std::size_t thread,
                                                    const std::array<std::int64_t, 3>& block,
                                                    std::int64_t output) const {
    ThreadPosition position;
    const auto& shape = launch_.shape.block;
    position.block = block;
    position.thread = {static_cast<std::int64_t>(thread) % shape[0],
                       static_cast<std::int64_t>(thread) / shape[0] % shape[1],
                       static_cast<std::int64_t>(thread) / shape[0] / shape[1]};
    Iterations iterations;
    for (auto loop = sum_->loops.rbegin(); loop != sum_->loops.rend(); ++loop) {
      iterations[loop->loop] = output % loop->trips;
      output /= loop->trips;
    }
    const auto access = prober_.access(elements_[which], position, iterations);
    if (!access) return std::nullopt;
    return access->element;
  }

  /// The rank of each value, where they are evenly spaced.
  static std::optional<Table> ranks(const Table& values, std::int64_t& count) {
    Table sorted = values;
    sort_unique(sorted);
    count = static_cast<std::int64_t>(sorted.size());
    for (std::size_t i = 2; i < sorted.size(); ++i) {
      if (sorted[i] - sorted[i - 1] != sorted[1] - sorted[0]) return std::nullopt;
    }
    Table result;
    result.reserve(values.size());
    for (const std::int64_t value : values) {
      result.push_back(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
    }
    return result;
  }

  /// Rows and columns of the block's outputs: by the elements that they use.
  Result<void> number_outputs() {
    std::int64_t of_thread = 1;
    for (const OutputLoop& loop : sum_->loops) of_thread *= loop.trips;
    const std::int64_t threads = static_cast<std::int64_t>(launch_.shape.block[0]) *
                                 launch_.shape.block[1] * launch_.shape.block[2];
    outputs_ = threads * of_thread;
    if (outputs_ > kMostOutputs) return in_the_way("a block has too many outputs");
    std::array<Table, 2> numbers;
    for (std::size_t o = 0; o < 2; ++o) {
      Table values;
      for (std::int64_t i = 0; i < outputs_; ++i) {
        const auto value =
            element(o, static_cast<std::size_t>(i / of_thread), {0, 0, 0}, i % of_thread);
        if (!value) return in_the_way("where a thread reads hangs on more than its number");
        values.push_back(*value);
      }
      auto found = ranks(values, extents_.at(o));
      if (!found) return in_the_way("the elements of a block's outputs are not evenly spaced");
      numbers.at(o) = std::move(*found);
    }
    if (extents_[0] * extents_[1] != outputs_) {
      return in_the_way("the outputs of a block are no rectangle");
    }
    place_.assign(static_cast<std::size_t>(outputs_), -1);
    for (std::int64_t i = 0; i < outputs_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int64_t where = numbers[0][at] * extents_[1] + numbers[1][at];
      if (place_[static_cast<std::size_t>(where)] >= 0) {
        return in_the_way("two threads of a block compute the same output");
      }
      place_[static_cast<std::size_t>(where)] = i;
    }
    of_thread_ = of_thread;
    return {};
  }

  /// Which dimension of the grid each operand follows, and which of them is along columns.
  Result<void> find_grid() {
    for (std::size_t o = 0; o < 2; ++o) {
      std::optional<std::size_t> follows;
      const auto first = element(o, 0, {0, 0, 0}, 0);
      for (std::size_t d = 0; d < 3; ++d) {
        std::array<std::int64_t, 3> block{};
        block.at(d) = 1;
        if (launch_.shape.grid.at(d) < 2 && follows) continue;
        if (element(o, 0, block, 0) == first || d == 2) continue;
        if (follows) return in_the_way("tiles are numbered in a way that is not understood");
        follows = d;
      }
      if (!follows) return in_the_way("tiles are numbered in a way that is not understood");
      dimensions_.at(o) = *follows;
    }
    if (dimensions_[0] == dimensions_[1]) {
      return in_the_way("tiles are numbered in a way that is not understood");
    }
    // Neighbours in memory become neighbouring threads: outputs that share the first operand.
    columns_ = is_along_columns(1) ? 1 : 0;
    return {};
  }

  /// Whether stores of outputs along that operand lie side by side.
  [[nodiscard]] bool is_along_columns(std::size_t operand) const {
    const std::int64_t second =
        operand == 1 ? place_[1] : place_[static_cast<std::size_t>(extents_[1])];
    for (const auto& access : body_.accesses()) {
      if (access.is_private || !access.is_store) continue;
      const auto a = stored(access.node, place_[0]);
      const auto b = stored(access.node, second);
      if (a && b) return *b - *a == 1;
    }
    return operand == 1;
  }

  [[nodiscard]] std::optional<std::int64_t> stored(NodeId access, std::int64_t output) const {
    ThreadPosition position;
    const std::int64_t thread = output / of_thread_;
    const auto& shape = launch_.shape.block;
    position.thread = {thread % shape[0], thread / shape[0] % shape[1],
                       thread / shape[0] / shape[1]};
    std::int64_t rest = output % of_thread_;
    Iterations iterations;
    for (const OutputPlace& place : places_) {
      std::int64_t left = rest;
      for (auto loop = place.loops.rbegin(); loop != place.loops.rend(); ++loop) {
        iterations[loop->loop] = left % loop->trips;
        left /= loop->trips;
      }
    }
    const auto found = prober_.access(access, position, iterations);
    if (!found) return std::nullopt;
    return found->element;
  }

  /// A number of the given thread or loop for each output, as text of row and column.
  Result<std::string> text_of(const std::vector<std::int64_t>& numbers) const {
    // By operand: the other one's number is 0.
    Table first;
    Table second;
    for (std::int64_t i = 0; i < extents_[0]; ++i) {
      first.push_back(numbers[static_cast<std::size_t>(i * extents_[1])]);
    }
    for (std::int64_t i = 0; i < extents_[1]; ++i)
      second.push_back(numbers[static_cast<std::size_t>(i)]);
    for (std::int64_t i = 0; i < outputs_; ++i) {
      const auto r = static_cast<std::size_t>(i / extents_[1]);
      const auto c = static_cast<std::size_t>(i % extents_[1]);
      if (numbers[static_cast<std::size_t>(i)] != first[r] + second[c]) {
        return in_the_way("how threads share a tile of outputs is not understood");
      }
    }
    const auto a = digits_text(first, in_tile(0));
    const auto b = digits_text(second, in_tile(1));
    if (!a || !b) return in_the_way("how threads share a tile of outputs is not understood");
    if (*a == "0") return "(" + *b + ")";
    return *b == "0" ? "(" + *a + ")" : "(" + *a + " + " + *b + ")";
  }

  [[nodiscard]] std::string name_of(std::size_t operand) const {
    return free_name(operand == columns_ ? "output_column" : "output_row");
  }
  [[nodiscard]] std::string in_tile(std::size_t operand) const {
    return "(" + name_of(operand) + " % " + std::to_string(extents_.at(operand)) + ")";
  }

  Result<SingleOutputs> written() {
    SingleOutputs result;
    if (array_ != nullptr) result.array = array_->name;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t operand = side == 0 ? columns_ : 1 - columns_;
      const std::int64_t extent = extents_.at(operand);
      std::int64_t width = kSide;
      while (extent % width != 0) width /= 2;
      result.grid.block.at(side) = width;
      result.grid.blocks.at(side) = extent / width;
      result.grid.dimensions.at(side) = dimensions_.at(operand);
    }
    std::vector<TextEdit> edits;
    WARPMIND_CHECK(replace_threads(edits));
    std::vector<NodeId> gone;
    WARPMIND_CHECK(replace_outputs(edits, gone));
    const std::size_t start = tree_.node(body_.function().body).range.begin + 1;
    edits.push_back({{start, start},
                     "\n  const int " + name_of(columns_) +
                         " = blockIdx.x * blockDim.x + threadIdx.x;\n  const int " +
                         name_of(1 - columns_) + " = blockIdx.y * blockDim.y + threadIdx.y;"});
    if (array_ != nullptr) {
      edits.push_back({{start, start}, "\n  " + array_->type + " " + sum_name() + " = 0;"});
    }
    result.source = without_dead_code(body_, gone, std::move(edits));
    return result;
  }

  [[nodiscard]] std::string sum_name() const { return free_name(array_->name + "_sum"); }

  [[nodiscard]] std::string free_name(std::string name) const {
    while (tree_.source().find(name) != std::string::npos) name += "_";
    return name;
  }

  Result<void> replace_threads(std::vector<TextEdit>& edits) const {
    static constexpr std::array<char, 3> kAxisLetters{'x', 'y', 'z'};
    for (const NodeId node : tree_.descendants(body_.function().body, "field_expression")) {
      const std::string text = tree_.plain_text(node);
      for (std::size_t d = 0; d < 3; ++d) {
        if (text == std::string("blockDim.") + kAxisLetters.at(d)) {
          edits.push_back({tree_.node(node).range, std::to_string(launch_.shape.block.at(d))});
        }
        if (text == std::string("blockIdx.") + kAxisLetters.at(d) && d < 2) {
          const std::size_t operand = dimensions_[0] == d ? 0 : 1;
          edits.push_back({tree_.node(node).range, "(" + name_of(operand) + " / " +
                                                       std::to_string(extents_.at(operand)) + ")"});
        }
        if (text != std::string("threadIdx.") + kAxisLetters.at(d)) continue;
        Table numbers;
        for (const std::int64_t output : place_) {
          const std::int64_t thread = output / of_thread_;
          const auto& shape = launch_.shape.block;
          const std::array<std::int64_t, 3> at{thread % shape[0], thread / shape[0] % shape[1],
                                               thread / shape[0] / shape[1]};
          numbers.push_back(at.at(d));
        }
        WARPMIND_TRY(auto formula, text_of(numbers));
        edits.push_back({tree_.node(node).range, std::move(formula)});
      }
    }
    return {};
  }

  Result<void> replace_outputs(std::vector<TextEdit>& edits, std::vector<NodeId>& gone) const {
    std::vector<std::string> numbers;
    std::int64_t inner = of_thread_;
    for (const OutputLoop& loop : sum_->loops) {
      inner /= loop.trips;
      Table of_loop;
      for (const std::int64_t output : place_) {
        of_loop.push_back(output % of_thread_ / inner % loop.trips);
      }
      WARPMIND_TRY(auto text, text_of(of_loop));
      numbers.push_back(std::move(text));
    }
    std::vector<NodeId> done;
    for (const OutputPlace& place : places_) {
      if (array_ == nullptr) break;
      if (place.is_store && !place.is_load && is_start(place)) {
        gone.push_back(place.statement);
        continue;
      }
      edits.push_back({tree_.node(place.access).range, sum_name()});
      for (std::size_t l = 0; l < place.loops.size(); ++l) {
        const NodeId loop = place.loops[l].loop;
        if (contains(done, loop)) continue;
        done.push_back(loop);
        drop_header(loop, edits, gone);
        const NodeId variable = tree_.declared(
            tree_.descendants(tree_.field(loop, "initializer"), "init_declarator").front());
        const Local* local = body_.local_of(variable);
        for (const NodeId use : body_.uses_of(*local, tree_.field(loop, "body"))) {
          const bool is_replaced =
              std::any_of(places_.begin(), places_.end(),
                          [&](const OutputPlace& p) { return tree_.contains(p.access, use); });
          if (!is_replaced) edits.push_back({tree_.node(use).range, numbers[l]});
        }
      }
    }
    return {};
  }

  /// `#pragma unroll` and `for (…)` in front of the body.
  void drop_header(NodeId loop, std::vector<TextEdit>& edits, std::vector<NodeId>& gone) const {
    const std::size_t begin = tree_.node(loop).range.begin;
    edits.push_back({{begin, tree_.node(tree_.field(loop, "body")).range.begin}, ""});
    NodeId before = kNoNode;
    for (const NodeId child : tree_.children(tree_.node(loop).parent)) {
      if (child == loop) break;
      before = child;
    }
    if (tree_.is(before, "preproc_call")) gone.push_back(before);
  }

  const SyntaxTree& tree_;
  KernelBody body_;
  const SceneLaunch& launch_;
  IndexForms forms_;
  KernelProber prober_;
  const Local* array_ = nullptr;
  std::vector<OutputPlace> places_;
  const OutputPlace* sum_ = nullptr;
  std::vector<NodeId> elements_;
  std::array<std::int64_t, 2> extents_{0, 0};  ///< of a tile, along each operand
  std::array<std::size_t, 2> dimensions_{0, 0};
  std::size_t columns_ = 1;  ///< the operand that follows the columns
  std::int64_t outputs_ = 0;
  std::int64_t of_thread_ = 1;
  /// Which output of which thread stands at each place of the tile: thread * of_thread + number.
  Table place_;
};

}  // namespace

Result<SingleOutputs> with_single_outputs(const std::string& source, const std::string& kernel,
                                          const SceneLaunch& launch) {
  WARPMIND_TRY(const auto read, CudaSource::read(source));
  const Function* function = read.kernel(kernel);
  if (function == nullptr || function->has_error) return in_the_way("it cannot be read");
  return OutputSplitter(read, *function, launch).split();
}

SceneLaunch on_finer_grid(const SceneLaunch& launch, const FinerGrid& grid) {
  SceneLaunch finer = launch;
  finer.program = nullptr;
  for (std::size_t side = 0; side < 2; ++side) {
    finer.shape.block.at(side) = static_cast<std::uint32_t>(grid.block.at(side));
    finer.shape.grid.at(side) = static_cast<std::uint32_t>(
        launch.shape.grid.at(grid.dimensions.at(side)) * grid.blocks.at(side));
  }
  finer.shape.block[2] = 1;
  return finer;
}

Launch on_finer_grid(Launch launch, const std::array<std::uint32_t, 3>& block,
                     const FinerGrid& grid) {
  const std::array<std::string, 3> given = launch.grid;
  static constexpr std::array<const char*, 3> kBlockNames{"block_x", "block_y", "block_z"};
  for (std::size_t side = 0; side < 2; ++side) {
    std::string text = given.at(grid.dimensions.at(side));
    for (std::size_t d = 0; d < 3; ++d) text = with_number(text, kBlockNames.at(d), block.at(d));
    launch.grid.at(side) = "(" + text + ") * " + std::to_string(grid.blocks.at(side));
    launch.block.at(side) = std::to_string(grid.block.at(side));
  }
  for (std::size_t d = 0; d < 3; ++d) {
    launch.grid[2] = with_number(launch.grid[2], kBlockNames.at(d), block.at(d));
  }
  launch.block[2] = "1";
  launch.shared_bytes = "0";
  return launch;
}

}  // namespace warpmind::agents::builtin
