#include "agents/builtin/forms/normalization_form.h"

#include "agents/builtin/forms/launch_chain.h"
#include "agents/builtin/forms/normalization_text.h"
#include "agents/builtin/forms/row_numbers.h"
#include "agents/builtin/forms/value_writer.h"
#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/scene_loops.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

/// Why the file cannot be read as expressions, or empty.
std::string obstacle_in_file(const SyntaxTree& tree, const Function& function) {
  if (auto why = obstacle_to_positions(tree, function); !why.empty()) return why;
  for (const NodeId node : tree.children(tree.root())) {
    if (!tree.is(node, "declaration")) continue;
    const auto text = tree.text(node);
    if (text.find("__device__") != std::string_view::npos &&
        text.find('(') == std::string_view::npos) {
      return "the file holds variables of the device";
    }
  }
  return {};
}

/// One kernel, or several that follow each other. Every step returns a clause where it finds that
/// it is no normalization.
class NormalizationReader {
 public:
  NormalizationReader(const Scene& scene, LaunchChain chain)
      : scene_(scene),
        tree_(scene.tree()),
        chain_(std::move(chain)),
        buffer_(buffer_names(chain_)) {
    for (const Function* function : chain_.functions) {
      bodies_.push_back(std::make_unique<KernelBody>(scene.source(), *function));
    }
    for (const SceneLaunch& shape : chain_.shapes) launches_.push_back(&shape);
  }

  /// Errors: not_found with a clause.
  Result<NormalForm> read() {
    std::string why = read_launch();
    if (why.empty()) why = read_program();
    if (why.empty()) why = obstacle_in_memory();
    if (why.empty()) why = obstacle_in_places();
    if (!why.empty()) return fail(Errc::not_found, shown_names(chain_) + ": " + why);
    order_axes();
    NormalForm form = made_form();
    if (form.problem.empty()) {
      return fail(Errc::not_found, shown_names(chain_) + ": its terms are too long to write");
    }
    return form;
  }

  static std::string shown_names(const LaunchChain& chain) {
    const auto names = join_text(chain.functions, " and ", [](const Function* function) {
      return "'" + function->name + "'";
    });
    return chain.functions.size() > 1 ? names + " together" : names;
  }

 private:
  [[nodiscard]] bool is_chain() const { return chain_.functions.size() > 1; }

  std::string read_launch() {
    lanes_.block = chain_.launches.front().block;
    lanes_.grid = chain_.launches.front().grid;
    if (launches_.empty()) return "it is never launched";
    for (const OnlyLaunch& one : chain_.launches) {
      for (const auto& extent : scene_.plan().launches[one.launch].block) {
        for (const auto& [size, value] : scene_.context().task.workloads.front().sizes) {
          if (contains_word(extent, size)) return "its blocks are as large as '" + size + "' says";
        }
      }
    }
    for (const Function* function : chain_.functions) {
      for (const Parameter& parameter : function->parameters) {
        if (parameter.type.find("volatile") != std::string::npos) return "it reads volatile memory";
      }
      if (auto why = obstacle_in_file(tree_, *function); !why.empty()) return why;
    }
    return obstacle_in_loops();
  }

  /// A kernel without two loops over its data need not be run.
  [[nodiscard]] std::string obstacle_in_loops() const {
    std::size_t loops = 0;
    for (const auto& body : bodies_) {
      for (const NodeId loop : tree_.descendants(body->function().body, "for_statement")) {
        const bool reads = std::any_of(
            body->accesses().begin(), body->accesses().end(), [&](const MemoryAccess& access) {
              return tree_.contains(loop, access.node) && !access.is_private && !access.is_shared;
            });
        loops += reads ? 1 : 0;
      }
    }
    return loops < 2 ? "it does not pass over its data several times" : "";
  }

  /// How many threads may share a row, the likeliest first.
  [[nodiscard]] std::vector<std::int64_t> possible_lanes() const {
    bool meets = false;
    bool has_warps = false;
    for (const auto& body : bodies_) {
      meets = meets || std::any_of(body->locals().begin(), body->locals().end(),
                                   [](const Local& local) { return local.is_shared; });
      for (const Call& call : body->calls()) {
        meets = meets || call.kind != CallKind::pure;
        has_warps = has_warps || call.kind == CallKind::warp || call.kind == CallKind::unknown;
      }
    }
    if (!meets) return {1};
    std::vector<std::int64_t> all{lanes_.threads()};
    if (is_chain()) return all;
    if (lanes_.block[0] > 1) append_unique(all, std::int64_t{lanes_.block[0]});
    if (lanes_.block[1] * lanes_.block[2] > 1 || !has_warps) return all;
    for (const std::int64_t lanes : {32, 16, 8, 4}) {
      if (lanes < lanes_.block[0] && lanes_.block[0] % lanes == 0) append_unique(all, lanes);
    }
    return all;
  }

  std::string read_program() {
    std::string refusal;
    std::unique_ptr<ProbeProgram> own;
    const ProbeProgram* program = launches_.front()->program.get();
    if (program == nullptr) {
      own = std::make_unique<ProbeProgram>(scene_.source(), launches_.front()->constants);
      program = own.get();
    }
    const MayReorder may = [&](const std::string& type, Combining how) {
      return may_reorder(scene_, type, how);
    };
    for (const std::int64_t lanes : possible_lanes()) {
      what_ = {};
      values_ = std::make_unique<RowValues>();
      lanes_.lanes = lanes;
      what_.lanes = lanes_;
      what_.kernel = chain_.functions.front()->name;
      what_.parameters = chain_.parameters;
      const auto kernels = kernels_with(lanes);
      if (kernels.empty()) {
        if (refusal.empty()) refusal = "its launches share rows among other threads";
        continue;
      }
      RowMachine machine(kernels, *program, buffer_, *values_);
      auto found = machine.run(may);
      std::string why;
      if (found) {
        what_.program = std::move(*found);
        why = arrange(*values_, what_);
        if (why.empty()) return {};
      } else {
        why = found.error().message;
      }
      if (refusal.empty()) refusal = why;
    }
    return refusal;
  }

  /// Blocks that take a row each may differ in size; empty: others do.
  [[nodiscard]] std::vector<RowKernel> kernels_with(std::int64_t lanes) const {
    std::vector<RowKernel> kernels;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      RowLanes shape = lanes_;
      shape.block = chain_.launches[i].block;
      if (shape.block != lanes_.block && lanes != lanes_.threads()) return {};
      shape.lanes = lanes == lanes_.threads() ? shape.threads() : lanes;
      kernels.push_back({bodies_[i].get(), shape, chain_.names[i]});
    }
    return kernels;
  }

  // --- memory ---

  [[nodiscard]] std::set<RowValueId> everything() const {
    std::vector<RowValueId> roots = what_.program.guards;
    for (const TermLevel& level : what_.program.terms) {
      roots.push_back(level.start);
      roots.push_back(level.bound);
    }
    for (const RowTotal& total : what_.program.totals) {
      roots.push_back(total.identity);
      roots.push_back(total.update);
    }
    for (const auto* list : {&what_.program.stores, &what_.program.finals}) {
      for (const RowStore& one : *list) {
        const auto own = roots_of(one);
        roots.insert(roots.end(), own.begin(), own.end());
      }
    }
    return all_below(*values_, roots);
  }

  /// What is stored may only be read at the same place, for the same term.
  [[nodiscard]] std::string obstacle_in_memory() const {
    const auto used = everything();
    for (const auto* list : {&what_.program.stores, &what_.program.finals}) {
      for (const RowStore& store : *list) {
        const std::string written = buffer_(store.root);
        for (const auto& root : what_.program.read_by_functions) {
          if (buffer_(root) == written) return "a function reads '" + store.root + "', too";
        }
        for (const RowValueId id : used) {
          const RowValue& load = values_->at(id);
          if (load.kind != Kind::load || buffer_(load.text) != written) continue;
          // Between launches all rows wait for each other; in one kernel they would not.
          if (is_chain()) return "'" + load.text + "' is read and written";
          const bool is_plain = values_->at(load.parts[0]).kind == Kind::name &&
                                values_->at(store.base).kind == Kind::name;
          const bool is_same = (is_plain || load.parts[0] == store.base) &&
                               load.parts[1] == store.index && load.type == store.type;
          if (list == &what_.program.finals || !is_same || !contains(what_.elements, id)) {
            return "'" + load.text + "' is read elsewhere than it is written";
          }
        }
      }
    }
    return {};
  }

  /// Terms must be stored at places of their own, in whichever order they come.
  [[nodiscard]] std::string obstacle_in_places() const {
    const auto& stores = what_.program.stores;
    for (std::size_t i = 0; i < stores.size(); ++i) {
      for (const RowStore& last : what_.program.finals) {
        if (buffer_(stores[i].root) == buffer_(last.root)) {
          return "terms and a result are stored in '" + last.root + "'";
        }
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (buffer_(stores[i].root) != buffer_(stores[j].root)) continue;
        const auto apart = values_->distance(stores[j].index, stores[i].index);
        const bool is_apart = stores[i].base == stores[j].base && apart && *apart != 0 &&
                              std::abs(*apart) < what_.program.terms.back().step;
        if (!is_apart) return "it stores twice to '" + stores[i].root + "'";
      }
      for (std::size_t level = 0; level < what_.program.terms.size(); ++level) {
        if (!values_->is_even(stores[i].index, static_cast<std::int64_t>(level))) {
          return "terms are not stored evenly in '" + stores[i].root + "'";
        }
      }
      for (const SceneLaunch* launch : launches_) {
        if (!stores_apart(stores[i], *launch)) {
          return "several terms are stored at one place of '" + stores[i].root + "'";
        }
      }
    }
    return {};
  }

  /// Whether the steps of the loops cannot come to one place in two ways.
  [[nodiscard]] bool stores_apart(const RowStore& store, const SceneLaunch& launch) const {
    RowPoint point = first_row(launch);
    const auto counts = counts_of(launch);
    if (!counts) return what_.program.terms.size() == 1;
    point.terms.assign(counts->size(), 0);
    const auto here = number_of(*values_, store.index, point);
    if (!here) return what_.program.terms.size() == 1;
    std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // and iterations
    for (std::size_t level = 0; level < counts->size(); ++level) {
      if ((*counts)[level] < 2) continue;
      point.terms[level] = 1;
      const auto next = number_of(*values_, store.index, point);
      point.terms[level] = 0;
      if (!next) return false;
      steps.emplace_back(std::abs(*next - *here), (*counts)[level]);
    }
    std::sort(steps.begin(), steps.end());
    std::int64_t reach = 0;
    for (const auto& [step, count] : steps) {
      if (step <= reach) return false;
      reach += step * (count - 1);
    }
    return true;
  }

  // --- numbers ---

  [[nodiscard]] RowPoint first_row(const SceneLaunch& launch) const {
    RowPoint point;
    point.scalars = &launch.scalars;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string name(1, "xyz"[axis]);
      point.indices["grid_" + name] = launch.shape.grid.at(axis);
      point.indices["block_" + name] = 0;
      point.indices["thread_" + name] = 0;
    }
    point.indices["group"] = 0;
    return point;
  }

  /// Iterations of each loop; nullopt: data say.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> counts_of(
      const SceneLaunch& launch) const {
    const RowPoint point = first_row(launch);
    std::vector<std::int64_t> counts;
    for (const TermLevel& level : what_.program.terms) {
      const auto start = number_of(*values_, level.start, point);
      const auto bound = number_of(*values_, level.bound, point);
      if (!start || !bound) return std::nullopt;
      const std::int64_t distance = *bound - *start + (level.is_inclusive ? 1 : 0);
      counts.push_back(std::max<std::int64_t>(0, (distance + level.step - 1) / level.step));
    }
    return counts;
  }

  /// How far apart the first element of a row and of its neighbour along an index are.
  [[nodiscard]] std::optional<std::int64_t> step_along(const SceneLaunch& launch,
                                                       const std::string& index) const {
    RowPoint point = first_row(launch);
    point.terms.assign(what_.program.terms.size(), 0);
    const RowValueId place = values_->at(what_.elements.front()).parts[1];
    const auto here = number_of(*values_, place, point);
    point.indices[index] = 1;
    const auto next = number_of(*values_, place, point);
    if (!here || !next) return std::nullopt;
    return *next - *here;
  }

  /// The axis of the grid along which rows lie side by side comes first.
  void order_axes() {
    if (what_.lanes.rows_a_block() > 1) return;
    for (std::size_t axis = 1; axis < 3; ++axis) {
      if (lanes_.grid.at(axis) == "1") continue;
      const std::string name = std::string("block_") + "xyz"[axis];
      const auto step = step_along(*launches_.front(), name);
      if (step != 1) continue;
      what_.axes = {axis, axis == 1 ? std::size_t{0} : std::size_t{1},
                    axis == 2 ? std::size_t{0} : std::size_t{2}};
      std::sort(what_.axes.begin() + 1, what_.axes.end(), std::greater<>());
    }
  }

  [[nodiscard]] bool is_across() const {
    const SceneLaunch& launch = *launches_.front();
    std::string fastest = std::string("block_") + "xyz"[what_.axes[0]];
    if (what_.lanes.lanes == 1) fastest = "thread_x";
    if (what_.lanes.lanes > 1 && what_.lanes.rows_a_block() > 1) {
      fastest = what_.lanes.lanes == what_.lanes.block[0] ? "thread_y" : "group";
    }
    return step_along(launch, fastest) == 1;
  }

  [[nodiscard]] bool is_contiguous() const {
    const RowValueId place = values_->at(what_.elements.front()).parts[1];
    const auto inner = static_cast<std::int64_t>(what_.program.terms.size()) - 1;
    return values_->step(place, inner) == what_.program.terms.back().step ||
           values_->step(place, inner) == 1;
  }

  // --- the form ---

  [[nodiscard]] NormalForm made_form() const {
    NormalForm form;
    form.kind = FormKind::normalization;
    for (const OnlyLaunch& one : chain_.launches) form.launches.push_back(one.launch);
    form.kernel = what_.kernel;
    for (const SceneLaunch* launch : launches_) {
      form.workloads.push_back(launch->workload);
      form.timed += launch->timed ? 1 : 0;
    }
    for (const Parameter& parameter : chain_.parameters) {
      form.parameters.push_back(parameter.type + " " + parameter.name);
    }
    form.arguments = chain_.arguments;
    for (const std::size_t axis : grid_members(what_)) {
      form.parameters.push_back(std::string("unsigned wm_grid_") + "xyz"[axis]);
      form.arguments.push_back("u32:" + lanes_.grid.at(axis));
    }
    form.problem = problem_text(*values_, what_);
    form.types["element"] = values_->at(what_.elements.front()).type;
    add_facts(form);
    form.given_ns = nanoseconds_one_by_one(scene_, form, {"rows", "length"});
    form.summary = summary(form);
    return form;
  }

  void add_facts(NormalForm& form) const {
    FormFact rows{"rows", rows_plan(), {}};
    FormFact length{"length", "", {}};
    FormFact bytes{"bytes", "", {}};
    for (const SceneLaunch* launch : launches_) {
      const auto& grid = launch->shape.grid;
      const std::int64_t count =
          std::int64_t{grid[0]} * grid[1] * grid[2] * what_.lanes.rows_a_block();
      rows.values.push_back(count);
      std::int64_t terms = 1;
      if (const auto counts = counts_of(*launch)) {
        for (const std::int64_t one : *counts) terms *= one;
      } else {
        terms = std::max<std::int64_t>(1, largest(*launch) / std::max<std::int64_t>(1, count));
      }
      length.values.push_back(terms);
      bytes.values.push_back(moved_bytes(*launch));
    }
    form.facts = {std::move(rows), std::move(length), std::move(bytes)};
    const auto same = [&](const std::string& name, std::int64_t value) {
      form.facts.push_back(
          {name, std::to_string(value), std::vector<std::int64_t>(launches_.size(), value)});
    };
    std::int64_t words = 1;
    for (std::size_t pass = 0; pass < what_.passes.size(); ++pass) {
      words = std::max(words, what_.state_words(pass));
    }
    std::int64_t element_bytes = 0;
    for (const RowValueId id : what_.elements) {
      element_bytes += bytes_of_element(values_->at(id).type);
    }
    same("along", what_.along);
    same("passes", static_cast<std::int64_t>(what_.passes.size()));
    same("is_contiguous", is_contiguous() ? 1 : 0);
    same("is_across", is_across() ? 1 : 0);
    same("element_bytes", element_bytes);
    same("state_words", words);
    same("has_stores", what_.program.stores.empty() ? 0 : 1);
    same("given_lanes", what_.lanes.lanes);
  }

  [[nodiscard]] std::string rows_plan() const {
    return rows_of_grid(what_.lanes.rows_a_block(), lanes_.grid);
  }

  [[nodiscard]] std::int64_t largest(const SceneLaunch& launch) const {
    std::int64_t most = 1;
    for (const RowValueId id : what_.elements) {
      const auto extent = launch.extents.find(values_->at(id).text);
      if (extent != launch.extents.end()) most = std::max(most, extent->second);
    }
    return most;
  }

  /// Of buffers that terms come from and go to, once each way.
  [[nodiscard]] std::int64_t moved_bytes(const SceneLaunch& launch) const {
    std::map<std::string, std::int64_t> read;
    std::int64_t sum = 0;
    const auto bytes = [&](const std::string& root) {
      const auto extent = launch.extents.find(root);
      const auto parameter = std::find_if(chain_.parameters.begin(), chain_.parameters.end(),
                                          [&](const Parameter& one) { return one.name == root; });
      if (extent == launch.extents.end() || parameter == chain_.parameters.end()) {
        return std::int64_t{0};
      }
      return extent->second * std::max(1, size_of_type(plain_type(parameter->base_type)));
    };
    for (const RowValueId id : everything()) {
      const RowValue& value = values_->at(id);
      if (value.kind == Kind::load && value.has_term) read[buffer_(value.text)] = bytes(value.text);
    }
    std::map<std::string, std::int64_t> written;
    for (const RowStore& store : what_.program.stores) {
      written[buffer_(store.root)] = bytes(store.root);
    }
    for (const auto* side : {&read, &written}) {
      for (const auto& [buffer, size] : *side) sum += size;
    }
    return sum;
  }

  [[nodiscard]] std::string summary(const NormalForm& form) const {
    std::string text;
    for (const auto& pass : what_.passes) {
      std::string sums;
      for (const std::size_t i : pass) {
        const RowTotal& total = what_.program.totals[i];
        sums += joined({sums.empty() ? "" : " and ", name_of(total.how), " of ", total.type});
      }
      text += (text.empty() ? "" : ", then ") + sums;
    }
    text += what_.program.stores.empty() ? "" : ", then terms";
    return joined({text, "; rows=", std::to_string(form.fact("rows")->values.front()),
                   ", length=", std::to_string(form.fact("length")->values.front())});
  }

  static std::string_view name_of(Combining how) {
    switch (how) {
      case Combining::sum: return "sum";
      case Combining::product: return "product";
      case Combining::minimum: return "minimum";
      case Combining::maximum: return "maximum";
      default: return "bits";
    }
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  const LaunchChain chain_;
  std::vector<std::unique_ptr<KernelBody>> bodies_;
  std::vector<const SceneLaunch*> launches_;
  const BufferNames buffer_;
  RowLanes lanes_;
  std::unique_ptr<RowValues> values_;
  Normalization what_;
};

constexpr std::size_t kMostLaunches = 3;

/// Whether a kernel that is refused for that reason may be one of a normalization's passes.
bool may_be_a_part(const std::string& refusal) {
  constexpr std::array<std::string_view, 3> kReasons{
      "it does not pass over its data several times",
      "it makes one value of each row and nothing else", "its passes read nothing twice"};
  return std::any_of(kReasons.begin(), kReasons.end(), [&](std::string_view reason) {
    return refusal.find(reason) != std::string::npos;
  });
}

/// The form of the kernel alone or, where it has none, with those that are launched behind it.
/// Errors: not_found with a clause.
Result<NormalForm> form_from(const Scene& scene, const Function& function, std::size_t launch) {
  auto alone = launch_chain(scene, launch, 1);
  if (!alone) return fail(Errc::not_found, "'" + function.name + "': " + alone.error().message);
  auto form = NormalizationReader(scene, std::move(*alone)).read();
  if (form || !may_be_a_part(form.error().message)) return form;
  bool is_longest = true;
  const std::size_t left = scene.plan().launches.size() - launch;
  for (std::size_t count = std::min(kMostLaunches, left); count > 1; --count) {
    auto chain = launch_chain(scene, launch, count);
    if (!chain) continue;
    auto together = NormalizationReader(scene, std::move(*chain)).read();
    if (together) return together;
    if (std::exchange(is_longest, false)) form = fail(Errc::not_found, together.error().message);
  }
  return form;
}

}  // namespace

Result<std::vector<NormalForm>> find_normalization_forms(const Scene& scene) {
  std::vector<NormalForm> forms;
  auto refusal = for_each_kernel(scene, [&](const Function& function, std::size_t launch) {
    const bool is_covered = std::any_of(forms.begin(), forms.end(), [&](const NormalForm& one) {
      return contains(one.launches, launch);
    });
    if (is_covered) return std::string();
    auto form = form_from(scene, function, launch);
    if (!form) return form.error().message;
    forms.push_back(std::move(*form));
    return std::string();
  });
  if (forms.empty()) return fail(Errc::not_found, std::move(refusal));
  return forms;
}

}  // namespace warpmind::agents::builtin
