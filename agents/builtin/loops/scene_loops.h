#pragma once
/// \file
/// Loops of a kernel with the numbers of its launches.

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/technique.h"

#include <functional>
#include <optional>
#include <string>

namespace warpmind::agents::builtin {

/// Two parameters get one name when any launch of that function binds them to one buffer.
[[nodiscard]] BufferNames buffer_names(const Scene& scene, const Function& function);

/// Asks the prober at every launch of the function.
[[nodiscard]] Injective injective_by_probing(const Scene& scene, const Function& function);

/// Iterations of the loop in the first thread of the function's largest timed launch.
[[nodiscard]] std::optional<std::int64_t> typical_trips(const Scene& scene,
                                                        const Function& function, NodeId loop);
/// Threads of that launch; 1 when there is none.
[[nodiscard]] std::int64_t typical_threads(const Scene& scene, const Function& function);
/// Value of an integer expression in the first thread of that launch.
[[nodiscard]] std::optional<std::int64_t> typical_value(const Scene& scene,
                                                        const Function& function,
                                                        NodeId expression);
/// Elements from what one thread accesses in that launch to what its neighbour in x does; nullopt:
/// not the same everywhere, or not known.
[[nodiscard]] std::optional<std::int64_t> typical_thread_stride(const Scene& scene,
                                                                const Function& function,
                                                                const MemoryAccess& access);

/// Calls `look` for each kernel that the plan runs, with the first launch that runs it; it answers
/// why nothing can be done there, or nothing. Returns the first such reason, or that there is no
/// kernel.
std::string for_each_kernel(
    const Scene& scene,
    const std::function<std::string(const Function& function, std::size_t launch)>& look);
/// The kernel of that name, without a name the only one; nullptr: the plan does not run it.
[[nodiscard]] const Function* kernel_called(const Scene& scene,
                                            const std::optional<std::string>& name);
/// The moves by their gain, or the refusal where there is none.
[[nodiscard]] Offer best_first(std::vector<Move> moves, std::string refusal);
/// The plan's launches that run the function.
[[nodiscard]] std::vector<std::size_t> launches_running(const Scene& scene,
                                                        const Function& function);
/// Threads of a block, if it is the same in every launch of every workload.
[[nodiscard]] std::optional<std::array<std::uint32_t, 3>> fixed_block(const Scene& scene,
                                                                      const Function& function);
/// A number for `name` as a whole word in an expression of the plan.
[[nodiscard]] std::string with_number(std::string_view expression, std::string_view name,
                                      std::int64_t number);
/// Errors: as evaluate_launch() and evaluate_scratch_elements(), of the first workload that has
/// one.
[[nodiscard]] Result<void> check_plan(const Scene& scene, const LaunchPlan& plan);
/// Whether every launch of the plan can be evaluated for every workload.
[[nodiscard]] bool plan_fits(const Scene& scene, const LaunchPlan& plan);
/// Whether sums of this type may be taken in another order on this task.
[[nodiscard]] bool may_reorder(const Scene& scene, const std::string& type, Combining how);

}  // namespace warpmind::agents::builtin
