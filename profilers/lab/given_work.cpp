#include "profilers/lab/given_work.h"

#include "base/file.h"
#include "profilers/flops/code_count.h"
#include "profilers/flops/plan_count.h"
#include "profilers/simulator/ptx/parser.h"

#include <span>
#include <string>
#include <vector>

namespace warpmind::profilers {
namespace {

Result<std::vector<LaunchCount>> count_launches(const Task& task, const Workload& workload,
                                                const std::filesystem::path& binary) {
  if (task.kernel.tier != Tier::a) {
    return fail(Errc::invalid_argument, "the device code of a host function is not known");
  }
  WARPMIND_TRY(const std::string text, read_file(binary, kMostCodeBytes));
  WARPMIND_TRY(const auto ptx, ptx_of_fatbin(std::as_bytes(std::span<const char>(text))));
  WARPMIND_TRY(const auto module, simulator::ptx::parse_ptx(ptx));
  return count_plan(task, task.kernel, workload, module);
}

}  // namespace

CountedWork count_given_work(const Task& task, const Workload& workload,
                             const std::filesystem::path& binary) {
  CountedWork work;
  const auto launches = count_launches(task, workload, binary);
  if (!launches) {
    work.unknown = launches.error().message;
    return work;
  }
  bool all_moves_known = true;
  for (const LaunchCount& launch : *launches) {
    if (!launch.undecided.empty()) {
      work.unknown = "'" + launch.kernel + "': " + launch.undecided;
      return work;
    }
    work.flops += launch.counts.all_flops();
    work.moved_bytes += launch.moved_bytes.value_or(0);
    all_moves_known = all_moves_known && launch.moved_bytes;
  }
  if (!all_moves_known) work.moved_bytes = 0;
  return work;
}

}  // namespace warpmind::profilers
