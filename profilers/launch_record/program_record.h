#pragma once
/// \file
/// What a program asked of the CUDA runtime, in order, with pointers resolved to the allocations
/// that they lie in.

#include "profilers/launch_record/buffer_contents.h"
#include "profilers/launch_record/cuda_call.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warpmind::profilers {

enum class AllocationUse : std::uint8_t { device, managed, pinned };

struct RecordedAllocation {
  std::uint64_t address = 0;  ///< in the recorded process
  std::uint64_t bytes = 0;
  AllocationUse use = AllocationUse::device;
  std::size_t allocated = 0;            ///< position of the call
  std::optional<std::size_t> released;  ///< likewise; nullopt: never
  bool operator==(const RecordedAllocation&) const = default;
};

/// Somewhere in an allocation that was live at that time.
struct RecordedPlace {
  std::size_t allocation = 0;  ///< position in ProgramRecord::allocations
  std::uint64_t offset = 0;    ///< bytes
  bool operator==(const RecordedPlace&) const = default;
};

struct RecordedArgument {
  std::string bytes;  ///< as the kernel gets them
  /// Of 8 bytes that lie in a live allocation. A number may look like an address: the kernel's
  /// source says what it is.
  std::optional<RecordedPlace> place;
  bool operator==(const RecordedArgument&) const = default;
};

/// What an allocation held before a launch.
struct RecordedContents {
  std::size_t allocation = 0;  ///< position in ProgramRecord::allocations
  std::string file;            ///< in contents_folder() of the record
  /// kContentsPieceBytes each, evenly over the allocation; 0 = the file has all of it.
  std::size_t pieces = 0;
  bool operator==(const RecordedContents&) const = default;
};

/// Something that a program gave a stream to do.
struct RecordedWork {
  std::uint64_t stream = 0;  ///< 0 = the default stream
  std::size_t position = 0;  ///< of the call
  bool operator==(const RecordedWork&) const = default;
};

struct RecordedLaunch : LaunchShape, RecordedWork {
  std::string kernel;  ///< as the linker knows it: "_Z3addPKfPfi"
  std::vector<RecordedArgument> arguments;
  bool cooperative = false;
  std::vector<RecordedContents> contents = {};  ///< of buffers that it gets, where they were kept
  bool operator==(const RecordedLaunch&) const = default;
};

/// A copy or a fill. A place that is absent is memory of the host.
struct RecordedTransfer : RecordedWork {
  std::optional<RecordedPlace> to;
  std::optional<RecordedPlace> from;
  std::uint64_t bytes = 0;
  std::optional<int> value = {};  ///< of a fill
  bool async = false;
  bool operator==(const RecordedTransfer&) const = default;
};

struct RecordedWait : RecordedWork {
  std::string what;  ///< device, stream, event
  bool operator==(const RecordedWait&) const = default;
};

/// Something that went wrong while the program ran, whatever exit code it had.
struct RecordedTrouble {
  std::string kernel;  ///< as the linker knows it, or the function that reported it
  std::string what;    ///< a clause: "its grid has 70000 blocks along y, and CUDA allows 65535"
  bool operator==(const RecordedTrouble&) const = default;
};

struct ProgramRecord {
  std::string recorder;  ///< "simulator", "cuda"
  std::vector<RecordedAllocation> allocations;
  std::vector<RecordedLaunch> launches;
  std::vector<RecordedTransfer> transfers;
  std::vector<RecordedWait> waits;
  std::vector<RecordedTrouble> refused;   ///< launches that did not happen, each clause once
  std::vector<RecordedTrouble> faults;    ///< after the first one nothing ran
  std::vector<RecordedTrouble> findings;  ///< of the simulator's checks, each clause once
  std::vector<std::string> unseen;  ///< functions whose work the record does not show, each once
  bool is_cut = false;              ///< there were more than kMostCalls calls
  std::filesystem::path contents = {};  ///< folder of the files of RecordedContents
  bool operator==(const ProgramRecord&) const = default;
};

/// Most bytes of a record that are read.
inline constexpr std::size_t kMostRecordBytes = std::size_t{256} << 20U;

/// From the lines that a CallTrace wrote. Errors: corrupt_data as "line 3: …"; invalid_argument
/// when several processes wrote to it, or there is no call at all.
[[nodiscard]] Result<ProgramRecord> parse_program_record(std::string_view lines);
/// Errors: also those of read_file.
[[nodiscard]] Result<ProgramRecord> read_program_record(const std::filesystem::path& file);

}  // namespace warpmind::profilers
