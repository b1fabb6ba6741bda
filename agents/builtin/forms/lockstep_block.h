#pragma once
/// \file
/// The threads of one block, run side by side over the code in which they combine their sums. One
/// statement after the other for all of them: a legal order for code without races.

#include "agents/builtin/forms/lane_totals.h"
#include "agents/builtin/probe/integer_interpreter.h"
#include "agents/builtin/probe/kernel_prober.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// What one thread holds in one place.
struct LaneSum {
  enum class Kind : std::uint8_t {
    other,    ///< has nothing to do with the sums
    literal,  ///< a number as it is written
    sum,      ///< of the lanes
    broken    ///< of lanes that came in twice, or of two variables
  };
  Kind kind = Kind::other;
  const Reduction* reduction = nullptr;  ///< of a sum
  std::bitset<1024> lanes;
  std::string literal;
  bool operator==(const LaneSum&) const = default;
};

/// One for each thread of the block.
using LaneSums = std::vector<LaneSum>;
using LaneMask = std::vector<bool>;

class LockstepBlock {
 public:
  /// Everything must outlive it.
  LockstepBlock(const Scene& scene, const KernelBody& body, const LoopFacts& loop,
                const LaneGroup& group, const SceneLaunch& launch);

  /// From behind the loop to the end of the kernel. Of a launch in which no thread of the first
  /// block gets there, nothing.
  [[nodiscard]] std::optional<LaneTotals> run();

 private:
  struct Frame {
    std::map<std::string, LaneSums, std::less<>> sums;
    std::map<std::string, std::string, std::less<>> arrays;  ///< parameter → shared array
    std::set<std::string, std::less<>> shared_numbers;       ///< `__shared__ float total;`
    LaneSums returned;
  };

  [[nodiscard]] const SyntaxTree& tree() const { return body_.tree(); }
  [[nodiscard]] bool failed() const { return !found_.refusal.empty(); }
  void refuse(std::string why);
  [[nodiscard]] bool any(const LaneMask& active) const;

  bool arrive();
  void declare_known(std::size_t thread, const ThreadPosition& position);
  void run_behind(NodeId statement);

  void execute(NodeId statement, LaneMask& active);
  void run_block(NodeId statement, LaneMask& active);
  void run_declaration(NodeId statement, const LaneMask& active);
  void run_expression(NodeId statement, const LaneMask& active);
  void run_assignment(NodeId statement, NodeId assignment, const LaneMask& active);
  void run_call(NodeId statement, NodeId call, const LaneMask& active);
  void run_if(NodeId statement, LaneMask& active);
  void run_loop(NodeId statement, LaneMask& active);
  void run_return(NodeId statement, LaneMask& active);
  void store_shared(const std::string& array, NodeId index, const LaneSums& values,
                    const LaneMask& active);
  void add_shared(NodeId target, NodeId value, std::string_view name, const LaneMask& active);
  void hold(NodeId statement, NodeId expression, const std::string& name, LaneSums values,
            const LaneMask& active);
  void keep_output(NodeId expression, const LaneMask& active, bool is_atomic);

  [[nodiscard]] LaneSums evaluate(NodeId expression, const LaneMask& active);
  [[nodiscard]] LaneSums of_shared(const std::string& array, NodeId index, const LaneMask& active);
  [[nodiscard]] LaneSums of_choice(NodeId expression, const LaneMask& active);
  [[nodiscard]] LaneSums made_of_parts(NodeId expression, const LaneMask& active);
  [[nodiscard]] LaneSums of_call(NodeId expression, const LaneMask& active);
  [[nodiscard]] LaneSums of_shuffle(std::string_view name, const std::vector<NodeId>& arguments,
                                    const LaneMask& active);
  [[nodiscard]] LaneSums of_warp_sum(std::string_view name, const std::vector<NodeId>& arguments,
                                     const LaneMask& active);
  [[nodiscard]] LaneSums of_function(const Function& function, const std::vector<NodeId>& arguments,
                                     const LaneMask& active);
  [[nodiscard]] LaneSums combined(const LaneSums& left, const LaneSums& right, Combining how) const;
  [[nodiscard]] LaneSum combined(const LaneSum& left, const LaneSum& right, Combining how) const;
  [[nodiscard]] bool is_neutral(const LaneSum& literal, const Reduction& reduction) const;

  [[nodiscard]] std::string shared_array(NodeId pointer) const;
  [[nodiscard]] std::optional<std::int64_t> number(NodeId expression, std::size_t thread);
  [[nodiscard]] bool is_leader(std::size_t thread) const;
  /// Whether those first threads of groups hold the sum of all of their lanes.
  [[nodiscard]] const Local* total_of(const LaneSums& sums, const LaneMask& active) const;
  /// Adds the totals that stand in the expression; whether nothing else of the sums does.
  bool collect_totals(NodeId expression, const LaneMask& active);

  const Scene& scene_;
  const KernelBody& body_;
  const LoopFacts& loop_;
  const LaneGroup& group_;
  const SceneLaunch& launch_;
  std::size_t threads_ = 0;
  ProbeProgram program_;
  std::vector<IntegerInterpreter> numbers_;  ///< integers of each thread
  std::vector<Frame> frames_;
  std::map<std::string, std::map<std::int64_t, LaneSum>, std::less<>> shared_;
  LaneMask alive_;
  LaneTotals found_;
  bool is_unsure_ = false;  ///< below a condition whose value is not known
  int in_loop_ = 0;
  int steps_ = 0;
};

}  // namespace warpmind::agents::builtin
