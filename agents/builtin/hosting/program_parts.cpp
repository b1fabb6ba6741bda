#include "agents/builtin/hosting/program_parts.h"

#include "agents/builtin/hosting/local_buffers.h"
#include "agents/builtin/lifting/launch_matching.h"
#include "base/hash.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

using profilers::ProgramRecord;
using profilers::RecordedLaunch;

/// Positions of launches that are one part each time they come.
using Instance = std::vector<std::size_t>;

struct Candidate {
  std::vector<std::string> kernels;
  const LaunchRun* run = nullptr;  ///< of several launches
  std::vector<Instance> instances;
};

double threads_of(const RecordedLaunch& launch) {
  double threads = 1;
  for (const auto extent : launch.grid) threads *= extent;
  for (const auto extent : launch.block) threads *= extent;
  return threads;
}

/// Equal but for addresses.
bool is_same_size(const RecordedLaunch& a, const RecordedLaunch& b) {
  if (a.kernel != b.kernel || a.grid != b.grid || a.block != b.block ||
      a.shared_bytes != b.shared_bytes || a.arguments.size() != b.arguments.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    const bool pointers = a.arguments[i].place && b.arguments[i].place;
    if (!pointers && a.arguments[i].bytes != b.arguments[i].bytes) return false;
  }
  return true;
}

bool share_a_buffer(const RecordedLaunch& a, const RecordedLaunch& b) {
  for (const auto& left : a.arguments) {
    for (const auto& right : b.arguments) {
      if (left.place && right.place && left.place->allocation == right.place->allocation) {
        return true;
      }
    }
  }
  return false;
}

/// Nothing is copied or filled between the first and the last of them.
bool is_undisturbed(const ProgramRecord& record, std::size_t first, std::size_t last) {
  const auto from = record.launches[first].position;
  const auto to = record.launches[last].position;
  return std::none_of(record.transfers.begin(), record.transfers.end(),
                      [&](const auto& t) { return t.position > from && t.position < to; });
}

bool matches(const ProgramRecord& record, std::size_t at, const std::vector<std::string>& kernels,
             const std::vector<bool>& taken) {
  if (at + kernels.size() > record.launches.size()) return false;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const RecordedLaunch& launch = record.launches[at + i];
    if (taken[at + i] || source_name(launch.kernel) != kernels[i]) return false;
    if (launch.stream != record.launches[at].stream) return false;
    const auto earlier = [&](std::size_t j) {
      return share_a_buffer(launch, record.launches[at + j]);
    };
    bool depends = i == 0;
    for (std::size_t j = 0; j < i; ++j) depends = depends || earlier(j);
    if (!depends) return false;
  }
  return is_undisturbed(record, at, at + kernels.size() - 1);
}

/// Runs of several launches first, then what is left by kernel.
std::vector<Candidate> candidates_of(const std::vector<LaunchRun>& runs,
                                     const ProgramRecord& record) {
  std::vector<Candidate> found;
  std::vector<bool> taken(record.launches.size(), false);
  for (const auto& run : runs) {
    Candidate candidate{run.kernels(), &run, {}};
    if (candidate.kernels.size() < 2) continue;
    for (std::size_t at = 0; at < record.launches.size(); ++at) {
      if (!matches(record, at, candidate.kernels, taken)) continue;
      Instance instance(candidate.kernels.size());
      std::iota(instance.begin(), instance.end(), at);
      for (const auto launch : instance) taken[launch] = true;
      candidate.instances.push_back(std::move(instance));
    }
    if (!candidate.instances.empty()) found.push_back(std::move(candidate));
  }
  for (std::size_t at = 0; at < record.launches.size(); ++at) {
    if (taken[at]) continue;
    const std::vector<std::string> kernels{source_name(record.launches[at].kernel)};
    auto same = std::find_if(found.begin(), found.end(),
                             [&](const Candidate& c) { return c.kernels == kernels; });
    if (same == found.end()) same = found.insert(found.end(), Candidate{kernels, nullptr, {}});
    same->instances.push_back({at});
  }
  return found;
}

struct Choice {
  Instance instance;
  std::int64_t times = 0;
  std::size_t other_sizes = 0;
  double threads = 0;
};

/// The size that ran the most threads in all.
Choice most_work(const ProgramRecord& record, const Candidate& candidate) {
  std::vector<Choice> sizes;
  for (const auto& instance : candidate.instances) {
    double threads = 0;
    for (const auto launch : instance) threads += threads_of(record.launches[launch]);
    auto same = std::find_if(sizes.begin(), sizes.end(), [&](const Choice& choice) {
      for (std::size_t i = 0; i < instance.size(); ++i) {
        if (!is_same_size(record.launches[choice.instance[i]], record.launches[instance[i]])) {
          return false;
        }
      }
      return true;
    });
    if (same == sizes.end()) same = sizes.insert(sizes.end(), Choice{instance, 0, 0, 0});
    same->times += 1;
    same->threads += threads;
  }
  auto best = std::max_element(sizes.begin(), sizes.end(), [](const Choice& a, const Choice& b) {
    return a.threads < b.threads;
  });
  best->other_sizes = sizes.size() - 1;
  return *best;
}

/// The record as if only those launches were made; what they write is read back, so that buffers
/// stay arguments, but for those of `locals`.
ProgramRecord part_of(const ProgramRecord& record, const Instance& instance,
                      const std::set<std::size_t>& locals) {
  ProgramRecord part = record;
  part.launches.clear();
  std::set<std::size_t> read;
  for (const auto at : instance) {
    part.launches.push_back(record.launches[at]);
    for (const auto& argument : record.launches[at].arguments) {
      if (!argument.place || locals.contains(argument.place->allocation)) continue;
      if (!read.insert(argument.place->allocation).second) continue;
      part.transfers.push_back({{0, std::numeric_limits<std::size_t>::max() - 1},
                                std::nullopt,
                                profilers::RecordedPlace{argument.place->allocation},
                                1});
    }
  }
  return part;
}

/// Allocations that only the part's launches can see, by the text of the program.
std::set<std::size_t> local_allocations(const CudaSource& program, const ProgramRecord& record,
                                        const Candidate& candidate, const Instance& instance) {
  std::set<std::size_t> locals;
  if (candidate.run == nullptr) return locals;
  for (const auto& [launch, argument] : local_buffers(program, *candidate.run)) {
    const auto& arguments = record.launches[instance[launch]].arguments;
    if (argument < arguments.size() && arguments[argument].place) {
      locals.insert(arguments[argument].place->allocation);
    }
  }
  return locals;
}

/// "kernel 'k': why" as "why".
Error without_kernel(Error error) {
  const auto end = error.message.find("': ");
  if (error.message.starts_with("kernel '") && end != std::string::npos) {
    error.message.erase(0, end + 3);
  }
  if (error.message == "the source does not define it") {
    error.message += "; kernels in headers and other files are not looked at";
  }
  return error;
}

Result<ProgramPart> lift_part(const std::string& name, const CudaSource& program,
                              const ProgramRecord& record, const Candidate& candidate) {
  const Choice choice = most_work(record, candidate);
  ProgramPart part;
  part.kernels = candidate.kernels;
  part.launches = choice.instance;
  part.times = choice.times;
  for (const auto& kernel : part.kernels) part.name += (part.name.empty() ? "" : "_") + kernel;
  const auto locals = local_allocations(program, record, candidate, choice.instance);
  auto lifted =
      recorded_task(name + "_" + part.name, program, part_of(record, choice.instance, locals));
  if (!lifted) return fail(without_kernel(std::move(lifted).error()));
  if (lifted->launches.size() != choice.instance.size()) {
    return fail(Errc::invalid_argument, lifted->skipped.empty() ? "its launches repeat themselves"
                                                                : lifted->skipped.front().reason);
  }
  part.task = std::move(lifted->task);
  const auto& arguments = part.task.arguments;
  if (std::none_of(arguments.begin(), arguments.end(), is_output)) {
    return fail(Errc::invalid_argument,
                "it writes to no buffer among its arguments, so that there is no result to compare "
                "(device variables are not looked at)");
  }
  for (std::size_t i = 0; i < part.kernels.size() && part.refusal.empty(); ++i) {
    part.refusal = reason_not_to_host(program, part.kernels[i]);
    if (!part.refusal.empty()) part.refusal = "'" + part.kernels[i] + "': " + part.refusal;
  }
  if (choice.other_sizes > 0) {
    part.notes.push_back(std::to_string(choice.other_sizes) +
                         (choice.other_sizes == 1 ? " other size of this launch keeps"
                                                  : " other sizes of this launch keep") +
                         " the given kernel");
  }
  return part;
}

double threads_of(const ProgramPart& part, const ProgramRecord& record) {
  double threads = 0;
  for (const auto launch : part.launches) threads += threads_of(record.launches[launch]);
  return threads * static_cast<double>(part.times);
}

void skip(LiftedProgram& lifted, const std::string& kernel, const std::string& reason) {
  const bool known = std::any_of(lifted.skipped.begin(), lifted.skipped.end(),
                                 [&](const LeftOut& one) { return one.name == kernel; });
  if (!known) lifted.skipped.push_back({kernel, reason});
}

/// What does not work as one part is tried by kernel.
void lift_candidate(LiftedProgram& lifted, const std::string& name, const CudaSource& program,
                    const ProgramRecord& record, const Candidate& candidate) {
  auto part = lift_part(name, program, record, candidate);
  if (part) {
    lifted.parts.push_back(std::move(*part));
    return;
  }
  if (candidate.kernels.size() == 1) {
    skip(lifted, candidate.kernels.front(), part.error().message);
    return;
  }
  for (std::size_t i = 0; i < candidate.kernels.size(); ++i) {
    Candidate single{{candidate.kernels[i]}, nullptr, {}};
    for (const auto& instance : candidate.instances) single.instances.push_back({instance[i]});
    const bool known = std::any_of(
        lifted.parts.begin(), lifted.parts.end(),
        [&](const ProgramPart& known_part) { return known_part.kernels == single.kernels; });
    if (!known) lift_candidate(lifted, name, program, record, single);
  }
}

void name_apart(std::vector<ProgramPart>& parts) {
  std::set<std::string> taken;
  for (auto& part : parts) {
    const std::string wish = part.name;
    for (int i = 2; !taken.insert(part.name).second; ++i) part.name = wish + std::to_string(i);
  }
}

void tell_troubles(const ProgramRecord& record, LiftedProgram& lifted) {
  const auto named = [](const std::string& name) { return "'" + source_name(name) + "'"; };
  for (const auto& fault : record.faults) {
    lifted.faults.push_back(named(fault.kernel) + " failed while the program ran: " + fault.what);
  }
  for (const auto& refused : record.refused) {
    lifted.findings.push_back("a launch of " + named(refused.kernel) +
                              " did not happen: " + refused.what);
  }
  for (const auto& finding : record.findings) {
    lifted.findings.push_back(named(finding.kernel) + " in the recorded run: " + finding.what);
  }
}

}  // namespace

std::string launch_digest(const ProgramRecord& record) {
  std::string text;
  const auto add = [&](const std::string& part) {
    text += std::to_string(part.size()) + ":" + part;
  };
  for (const auto& launch : record.launches) {
    add(launch.kernel);
    for (const auto extent : launch.grid) add(std::to_string(extent));
    for (const auto extent : launch.block) add(std::to_string(extent));
    add(std::to_string(launch.shared_bytes));
    for (const auto& argument : launch.arguments) {
      add(argument.place ? "at " + std::to_string(argument.place->offset) : argument.bytes);
    }
  }
  return std::to_string(record.launches.size()) + " launches, " + short_hash(text);
}

Result<LiftedProgram> lift_program(const std::string& name, const CudaSource& program,
                                   const ProgramRecord& record) {
  LiftedProgram lifted;
  lifted.launches = launch_digest(record);
  tell_troubles(record, lifted);
  if (!lifted.faults.empty()) return lifted;
  const auto runs = launch_runs(program);
  for (const auto& candidate : candidates_of(runs, record)) {
    lift_candidate(lifted, name, program, record, candidate);
  }
  if (lifted.parts.empty() && record.findings.empty()) {
    if (!lifted.skipped.empty()) {
      return fail(Errc::invalid_argument,
                  "kernel '" + lifted.skipped.front().name + "': " + lifted.skipped.front().reason);
    }
    if (!record.refused.empty()) return fail(Errc::invalid_argument, lifted.findings.front());
    return fail(Errc::invalid_argument, record.unseen.empty()
                                            ? "the program launched no kernel"
                                            : "the record does not show " + record.unseen.front());
  }
  std::stable_sort(lifted.parts.begin(), lifted.parts.end(),
                   [&](const ProgramPart& a, const ProgramPart& b) {
                     return threads_of(a, record) > threads_of(b, record);
                   });
  name_apart(lifted.parts);
  for (const auto& unseen : record.unseen) {
    lifted.notes.push_back("the record does not show " + unseen);
  }
  if (record.is_cut) lifted.notes.emplace_back("the program made more calls than a record holds");
  return lifted;
}

}  // namespace warpmind::agents::builtin
