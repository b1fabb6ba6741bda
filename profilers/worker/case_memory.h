#pragma once
/// \file
/// The device memory of one case: its buffers, the scratch of both programs, and their contents.

#include "profilers/job/runner_job.h"
#include "profilers/worker/guarded_buffer.h"
#include "profilers/worker/mapped_file.h"

#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace warpmind::profilers {

enum class Side { candidate, incumbent };

/// Argument or scratch name -> device address.
using Addresses = std::map<std::string, std::byte*, std::less<>>;

/// The input files of a case, mapped once and shared by all its memories (ring slots).
class CaseInputs {
 public:
  /// Errors: not_found, invalid_argument when a file is missing or has another size.
  [[nodiscard]] static Result<CaseInputs> open(const RunCase& run_case);

  /// Null for a pure output.
  [[nodiscard]] const MappedFile* find(std::size_t buffer) const {
    return files_[buffer].data() == nullptr ? nullptr : &files_[buffer];
  }

 private:
  std::vector<MappedFile> files_;  ///< one a buffer, unmapped for pure outputs
};

/// Red-zoned buffers of one case. Allocations are kept from case to case and grow when needed.
///
///     memory.lay_out(run_case); memory.upload(inputs); memory.reset(0);
///     … run …; memory.find_damage(); memory.find_modified_input(inputs); memory.read(i);
class CaseMemory {
 public:
  CaseMemory(const FillPatterns& patterns, cudaStream_t stream)
      : patterns_(&patterns), stream_(stream) {}

  /// Sizes every buffer and scratch and refills the red zones.
  [[nodiscard]] Result<void> lay_out(const RunCase& run_case);
  /// From the next lay_out() on: RunnerJob::bare. There is no damage to find then.
  void set_bare(bool bare) { bare_ = bare; }

  [[nodiscard]] Result<void> upload(const CaseInputs& inputs);
  /// Takes over what another memory of the same case holds, on the device. Asynchronous.
  [[nodiscard]] Result<void> copy(const CaseMemory& other);
  /// The same, with each input turned round by a number of elements that `random` draws: as good
  /// a draw of it, and other content. Asynchronous.
  [[nodiscard]] Result<void> copy_turned(const CaseMemory& other, std::mt19937_64& random);

  /// Before a run: pure outputs and scratch are poisoned, inouts get their input back.
  [[nodiscard]] Result<void> reset(int round);

  [[nodiscard]] Result<std::optional<std::string>> find_damage() const;
  /// Compares pure inputs with their files. Returns "x was modified, first at byte 64", or nullopt.
  [[nodiscard]] Result<std::optional<std::string>> find_modified_input(
      const CaseInputs& inputs) const;

  /// The content of buffer `index`. Waits for the stream.
  [[nodiscard]] Result<std::vector<std::byte>> read(std::size_t index) const;

  [[nodiscard]] Addresses addresses(Side side) const;
  [[nodiscard]] const std::vector<BufferSpec>& specs() const { return specs_; }

 private:
  [[nodiscard]] bool is_inout(std::size_t index) const {
    return !specs_[index].input_file.empty() && !specs_[index].output_file.empty();
  }

  [[nodiscard]] Result<void> size(GuardedBuffer& buffer, const std::string& name,
                                  std::int64_t bytes) const;
  [[nodiscard]] Result<void> copy_scratch(const CaseMemory& other);

  const FillPatterns* patterns_;
  cudaStream_t stream_;
  bool bare_ = false;
  std::vector<BufferSpec> specs_;
  std::vector<GuardedBuffer> buffers_;          ///< at least as many as specs_
  std::vector<UniqueDeviceMemory> pristine_;    ///< inout only: the input, to restore from
  std::vector<GuardedBuffer> scratch_;          ///< candidate's, then incumbent's
  std::vector<std::string> candidate_scratch_;  ///< names, in the order of scratch_
  std::vector<std::string> incumbent_scratch_;
};

/// Bytes of all buffers and scratch of a case: one slot of the input ring.
[[nodiscard]] std::size_t footprint_bytes(const RunCase& run_case);

}  // namespace warpmind::profilers
