#include "agents/builtin/lifting/recorded_buffers.h"

#include "base/file.h"
#include "profilers/judge/recorded_figures.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace warpmind::agents::builtin {
namespace {

using profilers::AllocationUse;
using profilers::ProgramRecord;
using profilers::RecordedTransfer;

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

/// Everything known of one allocation that lifted launches use.
struct BufferUse {
  std::size_t allocation = 0;
  std::string parameter;  ///< that it is first bound to
  std::uint64_t offset = 0;
  Dtype dtype = Dtype::f32;
  PointerUse first;  ///< by the first launch that touches it
  bool is_written = false;
  std::size_t first_position = kNever;  ///< of that launch's call
  /// What was in it then, where the record has that.
  const profilers::RecordedContents* contents = nullptr;
};

const profilers::RecordedContents* contents_of(const profilers::RecordedLaunch& launch,
                                               std::size_t allocation) {
  for (const auto& one : launch.contents) {
    if (one.allocation == allocation) return &one;
  }
  return nullptr;
}

/// In the order in which launches first use them.
std::vector<BufferUse> uses_of(const MatchedProgram& program, const ProgramRecord& record) {
  std::vector<BufferUse> uses;
  for (const auto& launch : program.launches) {
    const std::size_t position = record.launches[launch.launch].position;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const MatchedArgument& argument = launch.arguments[i];
      if (!argument.place) continue;
      auto at = std::find_if(uses.begin(), uses.end(), [&](const BufferUse& use) {
        return use.allocation == argument.place->allocation;
      });
      if (at == uses.end()) {
        uses.push_back({argument.place->allocation,
                        launch.kernel->parameters[i].name,
                        argument.place->offset,
                        argument.dtype,
                        {},
                        false,
                        position,
                        contents_of(record.launches[launch.launch], argument.place->allocation)});
        at = std::prev(uses.end());
      }
      at->offset = std::min(at->offset, argument.place->offset);
      at->is_written = at->is_written || argument.use.writes;
      if (at->first_position != position) continue;
      at->first.reads = at->first.reads || argument.use.reads;
      at->first.writes = at->first.writes || argument.use.writes;
    }
  }
  return uses;
}

/// The last transfer into the allocation before `position`.
const RecordedTransfer* content_before(const ProgramRecord& record, std::size_t allocation,
                                       std::size_t position) {
  const RecordedTransfer* last = nullptr;
  for (const auto& transfer : record.transfers) {
    if (transfer.position < position && transfer.to && transfer.to->allocation == allocation) {
      last = &transfer;
    }
  }
  return last;
}

bool comes_from(const RecordedTransfer& transfer, std::size_t allocation) {
  return transfer.from && transfer.from->allocation == allocation;
}

/// Nobody but the lifted kernels sees it: neither copies nor launches that were left out.
bool is_private(const ProgramRecord& record, const MatchedProgram& program, const BufferUse& use) {
  if (record.allocations[use.allocation].use != AllocationUse::device) return false;
  for (const auto& transfer : record.transfers) {
    if (comes_from(transfer, use.allocation)) return false;
    const bool fills = transfer.to && transfer.to->allocation == use.allocation;
    if (fills && transfer.value != std::optional<int>(0)) return false;
  }
  for (const auto& skipped : program.skipped) {
    for (const auto& argument : record.launches[skipped.launch].arguments) {
      if (argument.place && argument.place->allocation == use.allocation) return false;
    }
  }
  return true;
}

bool is_zeroed(const ProgramRecord& record, const BufferUse& use) {
  const auto* const content = content_before(record, use.allocation, use.first_position);
  return content != nullptr && content->value == std::optional<int>(0);
}

std::int64_t elements_of(const ProgramRecord& record, const BufferUse& use) {
  const std::uint64_t bytes = record.allocations[use.allocation].bytes - use.offset;
  return std::max<std::int64_t>(static_cast<std::int64_t>(bytes / size_in_bytes(use.dtype)), 1);
}

std::string free_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int i = 2; !taken.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

/// What the record says about the input; nullopt where it says nothing that could be read.
std::optional<RecordedInput> recorded_input(const ProgramRecord& record, const BufferUse& use) {
  if (use.contents == nullptr) return std::nullopt;
  const auto bytes = read_file(record.contents / use.contents->file, profilers::kMostContentsBytes);
  const bool is_whole = use.contents->pieces == 0;
  const std::uint64_t before = is_whole ? use.offset : 0;
  if (!bytes || bytes->size() <= before) return std::nullopt;
  RecordedInput recorded =
      profilers::figures_of(std::string_view(*bytes).substr(before), use.dtype);
  if (!is_floating(use.dtype) && is_whole) {
    recorded.values = use.contents->file;
    recorded.offset = static_cast<std::int64_t>(before);
  }
  return recorded;
}

Argument argument_of(const ProgramRecord& record, const BufferUse& use, const std::string& name) {
  Argument argument;
  argument.name = name;
  argument.dtype = use.dtype;
  argument.shape = {std::to_string(elements_of(record, use))};
  argument.kind = !use.is_written   ? ArgumentKind::in
                  : use.first.reads ? ArgumentKind::inout
                                    : ArgumentKind::out;
  if (argument.kind == ArgumentKind::out) return argument;
  argument.recorded = recorded_input(record, use);
  if (is_floating(use.dtype)) return argument;
  argument.distributions = {Distribution::recorded};
  if (argument.recorded) return argument;
  argument.distributions = {Distribution::index_range};
  argument.high = 1;
  return argument;
}

/// Copies and fills between the first and the last launch, of buffers that a kernel has used.
void note_transfers(const ProgramRecord& record, const MatchedProgram& program,
                    const std::vector<BufferUse>& uses, std::vector<std::string>& notes) {
  const std::size_t last = record.launches[program.launches.back().launch].position;
  std::size_t between = 0;
  for (const auto& transfer : record.transfers) {
    for (const auto& use : uses) {
      const bool touches = transfer.to && transfer.to->allocation == use.allocation;
      if (touches && transfer.position > use.first_position && transfer.position < last) ++between;
    }
  }
  if (between > 0) {
    notes.push_back(std::to_string(between) +
                    (between == 1 ? " copy or fill between launches is left out"
                                  : " copies or fills between launches are left out"));
  }
}

}  // namespace

RecordedBuffers buffers_of(const MatchedProgram& program, const ProgramRecord& record) {
  RecordedBuffers buffers;
  const auto uses = uses_of(program, record);
  // A program that reads nothing back only measures: then every buffer may be its result.
  const bool has_results =
      std::any_of(record.transfers.begin(), record.transfers.end(),
                  [](const RecordedTransfer& t) { return t.from.has_value() && !t.to; });
  std::set<std::string> taken;
  for (const auto& use : uses) {
    const std::string name = free_name(use.parameter, taken);
    buffers.names[use.allocation] = name;
    const bool zeroed = is_zeroed(record, use);
    if (has_results && use.is_written && is_private(record, program, use) &&
        (zeroed || !use.first.reads)) {
      buffers.scratch.push_back(
          {name, use.dtype, std::to_string(elements_of(record, use)), zeroed});
    } else {
      buffers.arguments.push_back(argument_of(record, use, name));
    }
  }
  if (!program.launches.empty()) note_transfers(record, program, uses, buffers.notes);
  return buffers;
}

}  // namespace warpmind::agents::builtin
