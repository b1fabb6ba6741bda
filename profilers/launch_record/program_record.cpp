#include "profilers/launch_record/program_record.h"

#include "base/file.h"
#include "base/sequence.h"

#include <cstring>
#include <map>
#include <utility>

namespace warpmind::profilers {
namespace {

// CUDA C++ programming guide, "Technical Specifications per Compute Capability".
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint32_t kMostBlocksYz = 65535;

/// What no device takes, from the numbers of a launch; empty: something else.
std::string beyond_limits(const CudaCall& call) {
  const std::uint64_t threads =
      std::uint64_t{call.block[0]} * call.block[1] * std::uint64_t{call.block[2]};
  for (const std::size_t axis : {0U, 1U, 2U}) {
    if (call.grid[axis] == 0) return "its grid is empty";
    if (axis > 0 && call.grid[axis] > kMostBlocksYz) {
      return "its grid has " + std::to_string(call.grid[axis]) + " blocks along " +
             (axis == 1 ? "y" : "z") + ", and CUDA allows " + std::to_string(kMostBlocksYz);
    }
  }
  if (threads == 0) return "its blocks have no threads";
  if (threads > kMostThreads) {
    return "its blocks have " + std::to_string(threads) + " threads, and CUDA allows " +
           std::to_string(kMostThreads);
  }
  return {};
}

void add_once(std::vector<RecordedTrouble>& all, RecordedTrouble one) {
  if (!contains(all, one)) all.push_back(std::move(one));
}

/// Follows allocations from line to line.
class RecordReader {
 public:
  Result<void> read(const CudaCall& call) {
    const std::size_t here = position_++;
    switch (call.kind) {
      case CallKind::begin: return begin(call, here);
      case CallKind::allocate: return allocate(call, here);
      case CallKind::release: return release(call, here);
      case CallKind::copy:
        record_.transfers.push_back({{call.stream, here},
                                     place(call.address),
                                     place(call.from),
                                     call.bytes,
                                     std::nullopt,
                                     call.async});
        return {};
      case CallKind::fill:
        record_.transfers.push_back({{call.stream, here},
                                     place(call.address),
                                     std::nullopt,
                                     call.bytes,
                                     call.value,
                                     call.async});
        return {};
      case CallKind::contents: return contents(call);
      case CallKind::launch: return launch(call, here);
      case CallKind::refused: return refused(call);
      case CallKind::fault: add_once(record_.faults, trouble(call)); return {};
      case CallKind::finding: add_once(record_.findings, trouble(call)); return {};
      case CallKind::wait: record_.waits.push_back({{call.stream, here}, call.name}); return {};
      case CallKind::other: see_not(call.name); return {};
      case CallKind::cut: record_.is_cut = true; return {};
    }
    return {};
  }
  ProgramRecord take() { return std::move(record_); }

 private:
  Result<void> begin(const CudaCall& call, std::size_t here) {
    if (here > 0) {
      return fail(Errc::invalid_argument,
                  "a second program begins: give each process a record of its own");
    }
    record_.recorder = call.name;
    return {};
  }

  Result<void> allocate(const CudaCall& call, std::size_t here) {
    RecordedAllocation allocation{call.address, call.bytes, AllocationUse::device, here, {}};
    if (call.name == "managed") allocation.use = AllocationUse::managed;
    if (call.name == "pinned") allocation.use = AllocationUse::pinned;
    if (call.bytes > UINT64_MAX - call.address || (call.address == 0 && call.bytes > 0)) {
      return fail(Errc::corrupt_data, "an allocation that no address space holds");
    }
    live_[call.address] = record_.allocations.size();
    record_.allocations.push_back(allocation);
    return {};
  }

  Result<void> release(const CudaCall& call, std::size_t here) {
    const auto at = live_.find(call.address);
    if (at == live_.end()) {
      see_not("the allocation of memory that is given back");
      return {};
    }
    record_.allocations[at->second].released = here;
    live_.erase(at);
    return {};
  }

  Result<void> contents(const CudaCall& call) {
    const auto at = live_.find(call.address);
    const bool is_name =
        !call.name.empty() && call.name.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (at == live_.end() || !is_name || call.value < 0) {
      return fail(Errc::corrupt_data, "contents of no allocation, or in no file");
    }
    contents_.push_back({at->second, call.name, static_cast<std::size_t>(call.value)});
    return {};
  }

  Result<void> launch(const CudaCall& call, std::size_t here) {
    for (std::size_t axis = 0; axis < call.grid.size(); ++axis) {
      if (call.grid[axis] == 0 || call.block[axis] == 0) {
        return fail(Errc::corrupt_data, "a launch without a grid or a block");
      }
    }
    if (call.name.empty()) return fail(Errc::corrupt_data, "a launch without a kernel");
    RecordedLaunch launch{call.shape(), {call.stream, here}, call.name,
                          {},           call.cooperative,    std::exchange(contents_, {})};
    for (const auto& bytes : call.arguments) {
      RecordedArgument argument{bytes, std::nullopt};
      std::uint64_t address = 0;
      if (bytes.size() == sizeof address) {
        std::memcpy(&address, bytes.data(), sizeof address);
        argument.place = place(address);
      }
      launch.arguments.push_back(std::move(argument));
    }
    record_.launches.push_back(std::move(launch));
    return {};
  }

  static RecordedTrouble trouble(const CudaCall& call) {
    return {call.name,
            call.reason.empty() ? "CUDA error " + std::to_string(call.value) : call.reason};
  }

  Result<void> refused(const CudaCall& call) {
    RecordedTrouble one = trouble(call);
    if (const auto limit = beyond_limits(call); !limit.empty()) one.what = limit;
    add_once(record_.refused, std::move(one));
    // On a GPU a launch is on record before CUDA has answered.
    auto& launches = record_.launches;
    const bool is_last = !launches.empty() && launches.back().kernel == call.name &&
                         launches.back().grid == call.grid && launches.back().block == call.block;
    if (is_last && record_.recorder == "cuda") launches.pop_back();
    return {};
  }

  [[nodiscard]] std::optional<RecordedPlace> place(std::uint64_t address) const {
    auto at = live_.upper_bound(address);
    if (at == live_.begin()) return std::nullopt;
    --at;
    const std::uint64_t offset = address - at->first;
    if (offset >= record_.allocations[at->second].bytes) return std::nullopt;
    return RecordedPlace{at->second, offset};
  }

  void see_not(const std::string& name) {
    auto& unseen = record_.unseen;
    append_unique(unseen, name);
  }

  ProgramRecord record_;
  std::vector<RecordedContents> contents_;     ///< of the launch that comes next
  std::map<std::uint64_t, std::size_t> live_;  ///< by address: position in record_.allocations
  std::size_t position_ = 0;
};

}  // namespace

Result<ProgramRecord> parse_program_record(std::string_view lines) {
  RecordReader reader;
  std::size_t number = 0;
  while (!lines.empty()) {
    const std::string where = "line " + std::to_string(++number);
    const auto end = lines.find('\n');
    if (end == std::string_view::npos) {
      return fail(Errc::corrupt_data, where +
                                          " is cut short: the disk is full, or the program "
                                          "still runs");
    }
    auto call = decode_cuda_call(lines.substr(0, end));
    if (!call) return fail(std::move(call).error().while_doing(where));
    if (number == 1 && call->kind != CallKind::begin) {
      return fail(Errc::corrupt_data, "line 1 is not the beginning of a launch record");
    }
    if (auto read = reader.read(*call); !read) {
      return fail(std::move(read).error().while_doing(where));
    }
    lines.remove_prefix(end + 1);
  }
  if (number == 0) {
    return fail(Errc::invalid_argument,
                "the record is empty: the program made no call of the CUDA runtime");
  }
  return reader.take();
}

Result<ProgramRecord> read_program_record(const std::filesystem::path& file) {
  WARPMIND_TRY(const auto text, read_file(file, kMostRecordBytes));
  WARPMIND_TRY(auto record, parse_program_record(text));
  record.contents = contents_folder(file);
  return record;
}

}  // namespace warpmind::profilers
