#pragma once
/// \file
/// Tasks, a proposer and a lab without compiler, for the tests of the memory experiment: a kernel
/// is what was defined in it, and how long it takes follows from that.

#include "agents/benchmark/evaluation_table.h"
#include "agents/proposer.h"
#include "base/model/task.h"
#include "tests/fakes/scripted_kernel_lab.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::benchmark {

/// A task whose kernel is `name`'s; families are what is left out.
[[nodiscard]] Task planted_task(const std::string& name, const std::string& family);

/// Twelve techniques, each of which defines one word in the source, once; all look alike.
class PlantedProposer final : public Proposer {
 public:
  [[nodiscard]] std::string name() const override { return "planted"; }
  [[nodiscard]] std::vector<std::string> techniques() const override;
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& context) const override;
  [[nodiscard]] Result<Writing> write(const Move& move, const ProposalContext& context,
                                      std::stop_token stop) override;
};

/// "technique_07"
[[nodiscard]] std::string planted_technique(int number);

/// Gain of each technique by its number, as a factor; what is not named gains nothing, 0 makes the
/// kernel wrong.
using PlantedGains = std::map<int, double>;

/// 100 us, divided by the gains of what the source defines.
[[nodiscard]] std::optional<double> planted_time(const Kernel& kernel, const PlantedGains& gains);

/// A table of `families` x `tasks_each` planted tasks, recorded from a scripted lab.
[[nodiscard]] EvaluationTable planted_table(
    int families, int tasks_each, const std::function<PlantedGains(int family)>& gains_of);

}  // namespace warpmind::agents::benchmark
