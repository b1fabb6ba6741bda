#pragma once
/// \file
/// One block of a kernel, run on numbers of a field (untiling/field_value.h): all of its threads,
/// one statement after the other. A legal order for code without races, and races are found. What
/// two kernels write for the same outputs tells whether they compute the same.

#include "agents/builtin/probe/integer_interpreter.h"
#include "agents/builtin/scene.h"
#include "agents/builtin/untiling/lane_memory.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

struct BlockRun {
  BlockStores stores;
  std::string refusal;    ///< why it means nothing, one clause, or empty
  std::int64_t work = 0;  ///< expressions times threads
};

class BlockMachine {
 public:
  /// Everything must outlive it. `most_work` ends a run.
  BlockMachine(const CudaSource& source, const Function& function, const SceneLaunch& launch,
               std::int64_t most_work);

  [[nodiscard]] BlockRun run(const std::array<std::int64_t, 3>& block);

 private:
  struct Variable {
    std::string_view name;
    LaneVector value;
    bool is_array = false;
    bool is_place = false;  ///< a shared number: the value is its address
  };
  /// Of a loop: lanes that left it, and those that skip the rest of its body.
  struct Jumps {
    LaneMask broken, continued;
  };
  /// Of a call.
  struct Frame {
    std::size_t first_variable = 0;
    LaneVector returned;
  };

  [[nodiscard]] const SyntaxTree& tree() const { return program_.tree(); }
  [[nodiscard]] bool failed() const { return !refusal_.empty() || !memory_.refusal().empty(); }
  void refuse(std::string why);
  [[nodiscard]] static bool any(const LaneMask& active);
  [[nodiscard]] LaneVector nothing() const { return {{}, lanes_}; }
  [[nodiscard]] LaneVector number(std::int64_t value, LaneType type) const;

  void bind_parameters();
  Variable* find(std::string_view name);
  void declare(std::string_view name, LaneVector value, bool is_array = false);
  /// The extents of a declarator's arrays, the outermost first.
  std::vector<std::int64_t> extents_of(NodeId declarator, NodeId identifier);
  void declare_array(std::string_view name, const LaneType& element,
                     const std::vector<std::int64_t>& extents, bool is_shared);
  void fill_array(std::string_view name, NodeId list, const LaneMask& active);

  void execute(NodeId statement, LaneMask& active);
  void run_block(NodeId statement, LaneMask& active);
  void run_declaration(NodeId statement, const LaneMask& active);
  void declare_from(NodeId part, NodeId declaration, const LaneMask& active);
  void run_if(NodeId statement, LaneMask& active);
  void run_loop(NodeId statement, LaneMask& active);
  void run_return(NodeId statement, LaneMask& active);
  /// Lanes of `active` for which the condition holds.
  LaneMask holds(NodeId condition, const LaneMask& active);

  LaneVector evaluate(NodeId expression, const LaneMask& active);
  LaneVector of_identifier(NodeId expression, const LaneMask& active);
  LaneVector of_literal(NodeId expression);
  LaneVector of_field(NodeId expression, const LaneMask& active);
  LaneVector of_binary(NodeId expression, const LaneMask& active);
  LaneVector of_unary(NodeId expression, const LaneMask& active);
  LaneVector of_conditional(NodeId expression, const LaneMask& active);
  LaneVector of_assignment(NodeId expression, const LaneMask& active);
  LaneVector of_update(NodeId expression, const LaneMask& active);
  LaneVector of_call(NodeId expression, const LaneMask& active);
  LaneVector of_known_call(const std::string& name, const std::vector<LaneVector>& arguments,
                           const LaneMask& active);
  LaneVector of_function(const Function& function, const std::vector<LaneVector>& arguments,
                         const LaneMask& active);
  LaneVector image(const std::string& name, const std::vector<LaneVector>& arguments);
  /// Of a subscript or a dereference.
  LaneVector address(NodeId access, const LaneMask& active);
  LaneVector loaded(const LaneVector& pointer, const LaneMask& active);
  void assign(NodeId target, const LaneVector& value, const LaneMask& active);
  void keep(LaneVector& variable, const LaneVector& value, const LaneMask& active);

  const Function& function_;
  const SceneLaunch& launch_;
  std::int64_t most_work_;
  ProbeProgram program_;
  std::size_t lanes_ = 0;
  LaneMemory memory_;
  std::vector<Variable> variables_;
  std::vector<Frame> frames_;
  std::vector<Jumps> jumps_;
  LaneMask alive_;
  std::array<std::int64_t, 3> block_{};
  std::int64_t work_ = 0;
  std::string refusal_;
};

}  // namespace warpmind::agents::builtin
