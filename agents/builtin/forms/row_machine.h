#pragma once
/// \file
/// Runs a kernel for the threads that share a row, side by side, on expressions in place of
/// numbers: what depends on sizes or data stays an expression, thread numbers and what is made of
/// them are known. What comes out holds at every size. One statement after the other for all
/// threads: a legal order for code without races.

#include "agents/builtin/forms/row_values.h"
#include "agents/builtin/forms/term_comparison.h"
#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/probe/integer_interpreter.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmind::agents::builtin {

/// Loops around a term: `value = start + step * i`, up to `bound`.
struct TermLevel {
  RowValueId start = 0;
  RowValueId bound = 0;
  std::int64_t step = 1;
  bool is_inclusive = false;
  std::string type;  ///< of the variable
  bool operator==(const TermLevel&) const = default;
};

/// What a loop over the terms finds.
struct RowTotal {
  std::int64_t id = 0;  ///< number of its atoms
  std::string name;
  std::string type;
  Combining how = Combining::sum;
  RowValueId identity = 0;
  RowValueId update = 0;  ///< of what it has found so far, with one more term
  std::size_t walk = 0;   ///< the loop that has found it
};

struct RowStore {
  std::string root;  ///< parameter
  RowValueId base = 0;
  RowValueId index = 0;
  RowValueId value = 0;
  std::string type;
  std::vector<RowValueId> conditions;
  std::size_t walk = 0;  ///< the loop that stores it
  std::string terms;     ///< over which it walks
};

struct RowProgram {
  std::vector<RowValueId> guards;  ///< a row has work where all of them hold
  std::vector<TermLevel> terms;    ///< the outermost first
  std::vector<RowTotal> totals;    ///< in the order in which they are found
  std::vector<RowStore> stores;    ///< one for each term
  std::vector<RowStore> finals;    ///< one for each row
  /// Macros that were taken for numbers although conditions stand around them.
  std::map<std::string, std::int64_t, std::less<>> assumed;
  /// Parameters that functions read through pointers.
  std::set<std::string, std::less<>> read_by_functions;
};

/// How threads of a block share rows.
struct RowLanes {
  std::int64_t lanes = 1;                          ///< threads of a row, neighbours
  std::array<std::uint32_t, 3> block{1, 1, 1};     ///< as given
  std::array<std::string, 3> grid{"1", "1", "1"};  ///< in the language of plans
  [[nodiscard]] std::int64_t threads() const {
    return std::int64_t{block[0]} * block[1] * block[2];
  }
  [[nodiscard]] std::int64_t rows_a_block() const { return threads() / lanes; }
};

/// A kernel of those that run one after the other, on the same rows.
struct RowKernel {
  const KernelBody* body = nullptr;
  RowLanes shape;
  /// Parameters by what they are called here: those of several kernels that are given one thing
  /// have one name.
  std::map<std::string, Parameter, std::less<>> parameters;
};

/// Tells sums whose order the contract fixes.
using MayReorder = std::function<bool(const std::string& type, Combining how)>;

/// How a loop takes `update` into what it has found so far, `atom`; nullopt: in another way.
[[nodiscard]] std::optional<Combining> taken_in(const RowValues& values, RowValueId update,
                                                RowValueId atom);
/// `a > b ? a : b` and its like.
[[nodiscard]] std::optional<Combining> extreme_of(const RowValues& values, RowValueId choice);
/// Whether it changes nothing; extremes: `identity` is what they begin with.
[[nodiscard]] bool is_neutral(const RowValues& values, RowValueId value, Combining how,
                              RowValueId identity);
/// The parameter that a pointer points into; empty: an array.
[[nodiscard]] std::string root_of(const RowValues& values, RowValueId base);

class RowMachine {
 public:
  /// All must outlive it.
  RowMachine(const std::vector<RowKernel>& kernels, const ProbeProgram& program,
             const BufferNames& buffer, RowValues& values);

  /// Errors: not_found with a clause.
  Result<RowProgram> run(const MayReorder& may_reorder);

 private:
  using Lanes = std::vector<RowValueId>;
  using Mask = std::vector<bool>;
  struct Variable {
    std::string name;
    std::string type;
    Lanes values;
  };
  struct Frame {
    std::vector<Variable> variables;
    std::map<std::string, std::string, std::less<>> numbers;  ///< template parameters
    Lanes returned;
    std::string return_type;
  };
  /// What a condition may change.
  struct State {
    std::vector<Frame> frames;
    /// By array (or buffer) and element; of shared memory and buffers all lanes have one value.
    std::map<std::pair<std::string, RowValueId>, Lanes> memory;
    std::map<std::string, RowValueId, std::less<>> bases;  ///< elements of an array count from it
  };
  struct Carried {
    std::size_t variable = 0;
    Lanes before;
    RowValueId atom = 0;
  };
  struct Walk {
    std::size_t depth = 0;
    std::vector<TermLevel> levels;
    bool is_shared = false;  ///< by the lanes
    bool is_closed = false;  ///< the innermost loop has been run
    std::vector<Carried> carried;
    std::set<std::string, std::less<>> own_arrays;  ///< declared in it
    std::vector<RowValueId> closed;  ///< the carried values behind the innermost loop
    std::size_t path = 0;            ///< conditions in front of it
    std::size_t stores = 0;
    std::size_t closed_stores = 0;
  };

  /// A loop that may leave the last terms of a row to the next one.
  struct Stretch {
    TermLevel level;
    bool is_shared = false;
    bool must_go_on = false;  ///< by itself it walks over other terms than loops before
    bool is_first = false;
    std::size_t walk = 0;
  };

  [[nodiscard]] const KernelBody& body() const { return *kernel_->body; }
  [[nodiscard]] const RowLanes& shape() const { return kernel_->shape; }
  [[nodiscard]] const SyntaxTree& tree() const { return body().tree(); }
  [[nodiscard]] bool failed() const { return !refusal_.empty(); }
  void refuse(std::string why);
  [[nodiscard]] static bool any(const Mask& active);
  [[nodiscard]] std::size_t first(const Mask& active) const;

  void run_kernel(const RowKernel& kernel);
  [[nodiscard]] bool means_parameter(const std::string& name) const;

  // Statements.
  void execute(NodeId statement, Mask& active);
  void run_block(NodeId statement, Mask& active);
  void run_declaration(NodeId statement, const Mask& active);
  void declare_array(NodeId declarator, const std::string& type, bool is_shared);
  void run_if(NodeId statement, Mask& active);
  void run_under(RowValueId condition, NodeId taken, NodeId other, Mask& open);
  void merge(RowValueId condition, const State& yes, const Mask& active);
  void run_for(NodeId statement, Mask& active);
  bool run_known_loop(NodeId statement, const Mask& active);
  void run_return(NodeId statement, Mask& active);

  // Loops over terms.
  void run_walk(const CountedLoop& header, const Mask& active);
  [[nodiscard]] bool is_walk(const CountedLoop& header, const Mask& active);
  bool read_level(const CountedLoop& header, const Mask& active, TermLevel& level);
  bool share_level(const Lanes& starts, const Mask& active, TermLevel& level);
  void begin_walk(NodeId loop);
  bool enter_inner(NodeId loop);
  void run_terms(const CountedLoop& header, const TermLevel& level, std::int64_t first,
                 const Mask& active);
  void close_inner();
  void end_walk(const Mask& active);
  [[nodiscard]] bool has_work() const;
  /// What all lanes make of a carried value; nullopt: it is refused.
  std::optional<RowValueId> update_of(const Carried& carried, const Mask& active);
  void end_carried(const Carried& carried, const Mask& active);
  std::optional<RowValueId> identity_of(const Carried& carried, Combining how,
                                        const std::string& type, const Mask& active);
  [[nodiscard]] std::vector<RowValueId> carried_now() const;

  // Loops that share the terms of a row, row_stretches.cpp.
  [[nodiscard]] bool may_be_stretch() const;
  /// How many terms a step of the stretch takes, where this loop takes the rest of the row.
  [[nodiscard]] std::optional<std::int64_t> steps_continued(const Stretch& before) const;
  void join(const Stretch& before, std::int64_t width, const Mask& active);
  void join_carried(const Stretch& before, std::int64_t width, const Carried& carried,
                    const Mask& active);
  void join_stores(const Stretch& before, std::int64_t width, const std::string& terms);
  [[nodiscard]] bool same_store(const RowStore& first, const RowStore& second,
                                const LinearForm& place);
  [[nodiscard]] std::vector<RowStore> without_vectors_of(const RowStore& store);
  [[nodiscard]] LinearForm place_in_stretch(const Stretch& before, std::int64_t width,
                                            std::int64_t which);
  [[nodiscard]] RowValueId own_term() const;
  /// The value as a term of the whole row says it.
  std::optional<RowValueId> of_whole_row(RowValueId id);

  // Expressions, row_expressions.cpp.
  Lanes evaluate(NodeId expression, const Mask& active);
  Lanes each(const Mask& active, const std::function<RowValueId(std::size_t lane)>& make);
  [[nodiscard]] Lanes all(RowValueId value) const { return Lanes(lanes_, value); }
  Lanes loaded_name(NodeId expression, const Mask& active);
  Lanes of_identifier(NodeId expression);
  [[nodiscard]] std::optional<std::int64_t> assumed_number(const std::string& name) const;
  [[nodiscard]] std::string type_of_name(std::string_view name) const;
  Lanes of_literal(NodeId expression);
  Lanes of_binary(NodeId expression, const Mask& active);
  Lanes of_choice(NodeId expression, const Mask& active);
  Lanes of_field(NodeId expression, const Mask& active);
  Lanes of_assignment(NodeId expression, const Mask& active);
  Lanes of_update(NodeId expression, const Mask& active);
  Lanes of_cast(const std::string& type, NodeId value, const Mask& active);
  Lanes of_pointer(NodeId expression, const Mask& active);
  Lanes of_call(NodeId expression, const Mask& active);
  Lanes of_pure_call(const std::string& shown, const std::string& name,
                     const std::vector<NodeId>& arguments, const Mask& active);
  Lanes of_atomic(const std::string& name, const std::vector<NodeId>& arguments,
                  const Mask& active);
  Lanes of_shuffle(const std::string& name, const std::vector<NodeId>& arguments,
                   const Mask& active);
  Lanes of_warp_sum(const std::string& name, const std::vector<NodeId>& arguments,
                    const Mask& active);
  Lanes of_function(const Function& function, NodeId callee, const std::vector<NodeId>& arguments,
                    const Mask& active);
  bool bind_template(const Function& function, NodeId callee, Frame& frame);
  /// A pointer for each lane: `p + i`, `&p[i]`.
  Lanes place_of(NodeId access, const Mask& active);
  Lanes loaded(const Lanes& places, const Mask& active);
  [[nodiscard]] bool is_under_guards() const;
  [[nodiscard]] RowValueId under_path(RowValueId id);
  void store(const Lanes& places, const Lanes& values, const Mask& active);
  [[nodiscard]] bool keeps_terms_apart(RowValueId index, RowValueId element) const;
  void store_outside(const RowValue& place, RowValueId value);
  [[nodiscard]] std::string memory_of(RowValueId base) const;
  [[nodiscard]] static std::string name_of(const std::vector<TermLevel>& levels);
  [[nodiscard]] std::pair<std::string, RowValueId> key_of(RowValueId base, RowValueId index) const;
  void forget_other_walks(RowValueId base, const std::string& own);
  [[nodiscard]] std::size_t conditions_in_walk() const;
  void assign(NodeId target, const Lanes& values, const Mask& active);
  void assign_field(Variable& variable, std::size_t field, const Lanes& values, const Mask& active);
  RowValueId moved(RowValueId place, RowValueId by);
  RowValueId combined(std::string_view op, RowValueId left, RowValueId right);
  std::optional<RowValueId> combined_parts(Combining how, RowValueId left, RowValueId right);
  [[nodiscard]] RowValueId built_in(std::string_view variable, std::size_t axis, std::size_t lane);
  [[nodiscard]] std::string resolved(std::string_view type) const;
  [[nodiscard]] const RowTotal* total_called(std::int64_t id) const;
  [[nodiscard]] std::optional<RowValueId> element_of(const std::string& array, RowValueId index);
  Variable* find(std::string_view name);

  const std::vector<RowKernel>& kernels_;
  const ProbeProgram& program_;
  const RowKernel* kernel_ = nullptr;  ///< that is run
  const BufferNames& buffer_;
  RowValues& values_;
  const MayReorder* may_reorder_ = nullptr;
  std::size_t lanes_ = 1;
  State state_;
  RowProgram found_;
  std::vector<RowValueId> path_;                        ///< conditions under which the code runs
  std::vector<std::vector<RowValueId>> guards_before_;  ///< of earlier kernels
  std::size_t open_conditions_ = 0;
  bool has_guards_ = false;
  Walk walk_;
  std::optional<Stretch> stretch_;
  std::size_t walks_ = 0;
  std::map<std::string, std::string, std::less<>> staged_;  ///< arrays: by which loop
  std::int64_t next_carried_ = 0;
  std::size_t steps_ = 0;
  std::size_t work_ = 0;
  std::string refusal_;
};

}  // namespace warpmind::agents::builtin
