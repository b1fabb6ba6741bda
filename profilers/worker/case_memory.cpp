#include "profilers/worker/case_memory.h"

#include <algorithm>
#include <cstring>

namespace warpmind::profilers {
namespace {

/// Inputs are compared through the host in pieces, to bound the memory of the runner.
constexpr std::size_t kComparePieceBytes = std::size_t{32} << 20U;

std::size_t as_size(std::int64_t bytes) {
  return static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0));
}

Result<void> copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes,
                            cudaStream_t stream) {
  if (bytes == 0) return {};
  return cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
                    "copying a case");
}

/// Bytes to turn an input by: whole elements, and of sixteen bytes where the buffer has them, so
/// that the copies stay aligned.
std::size_t turn_of(const BufferSpec& spec, std::mt19937_64& random) {
  constexpr std::size_t kAligned = 16;
  const std::size_t bytes = as_size(spec.bytes);
  const std::size_t element = std::max<std::size_t>(1, as_size(spec.element_bytes));
  const std::size_t step = bytes % kAligned == 0 && bytes > 8 * kAligned ? kAligned : element;
  return bytes < 2 * step ? 0 : random() % (bytes / step) * step;
}

}  // namespace

Result<CaseInputs> CaseInputs::open(const RunCase& run_case) {
  CaseInputs inputs;
  for (const BufferSpec& spec : run_case.buffers) {
    MappedFile file;
    if (!spec.input_file.empty()) {
      WARPMIND_TRY(file, MappedFile::open(spec.input_file, as_size(spec.bytes)));
    }
    inputs.files_.push_back(std::move(file));
  }
  return inputs;
}

Result<void> CaseMemory::size(GuardedBuffer& buffer, const std::string& name,
                              std::int64_t bytes) const {
  if (bare_) return buffer.resize_bare(name, as_size(bytes));
  return buffer.resize(*patterns_, name, as_size(bytes), stream_);
}

Result<void> CaseMemory::lay_out(const RunCase& run_case) {
  specs_ = run_case.buffers;
  if (buffers_.size() < specs_.size()) buffers_.resize(specs_.size());
  pristine_.clear();
  pristine_.resize(specs_.size());
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    WARPMIND_CHECK(size(buffers_[i], specs_[i].name, specs_[i].bytes));
    if (is_inout(i)) {
      WARPMIND_TRY(pristine_[i],
                   allocate_device(std::max<std::size_t>(buffers_[i].bytes(), 1), specs_[i].name));
    }
  }
  candidate_scratch_.clear();
  incumbent_scratch_.clear();
  std::vector<const ScratchSpec*> wanted;
  for (const ScratchSpec& spec : run_case.candidate.scratch) {
    candidate_scratch_.push_back(spec.name);
    wanted.push_back(&spec);
  }
  for (const ScratchSpec& spec : run_case.incumbent.scratch) {
    incumbent_scratch_.push_back(spec.name);
    wanted.push_back(&spec);
  }
  if (scratch_.size() < wanted.size()) scratch_.resize(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    WARPMIND_CHECK(size(scratch_[i], wanted[i]->name, wanted[i]->bytes));
  }
  return {};
}

Result<void> CaseMemory::upload(const CaseInputs& inputs) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const MappedFile* const file = inputs.find(i);
    if (file == nullptr) continue;
    std::byte* const to = is_inout(i) ? pristine_[i].get() : buffers_[i].data();
    WARPMIND_CHECK(cuda_check(
        cudaMemcpyAsync(to, file->data(), file->bytes(), cudaMemcpyHostToDevice, stream_),
        "uploading " + specs_[i].name));
  }
  return cuda_check(cudaStreamSynchronize(stream_), "uploading inputs");
}

Result<void> CaseMemory::copy_scratch(const CaseMemory& other) {
  for (std::size_t i = 0; i < candidate_scratch_.size() + incumbent_scratch_.size(); ++i) {
    WARPMIND_CHECK(
        copy_on_device(scratch_[i].data(), other.scratch_[i].data(), scratch_[i].bytes(), stream_));
  }
  return {};
}

Result<void> CaseMemory::copy(const CaseMemory& other) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    WARPMIND_CHECK(
        copy_on_device(buffers_[i].data(), other.buffers_[i].data(), buffers_[i].bytes(), stream_));
  }
  return copy_scratch(other);
}

Result<void> CaseMemory::copy_turned(const CaseMemory& other, std::mt19937_64& random) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    std::byte* const to = buffers_[i].data();
    const std::byte* const from = other.buffers_[i].data();
    const std::size_t bytes = buffers_[i].bytes();
    const std::size_t by = specs_[i].input_file.empty() ? 0 : turn_of(specs_[i], random);
    WARPMIND_CHECK(copy_on_device(to, from + by, bytes - by, stream_));
    WARPMIND_CHECK(copy_on_device(to + (bytes - by), from, by, stream_));
  }
  return copy_scratch(other);
}

Result<void> CaseMemory::reset(int round) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const GuardedBuffer& buffer = buffers_[i];
    if (is_inout(i)) {
      WARPMIND_CHECK(copy_on_device(buffer.data(), pristine_[i].get(), buffer.bytes(), stream_));
    } else if (specs_[i].input_file.empty() && !bare_) {
      // Always the same word, so that an unwritten element is "unwritten", which the judge sees,
      // and not "nondeterministic".
      WARPMIND_CHECK(patterns_->poison(buffer.data(), buffer.bytes(), 0, stream_));
    }
  }
  if (bare_) return {};
  // Another word in the second run: a result that depends on unwritten scratch shows up as a
  // difference.
  for (std::size_t i = 0; i < candidate_scratch_.size() + incumbent_scratch_.size(); ++i) {
    WARPMIND_CHECK(patterns_->poison(scratch_[i].data(), scratch_[i].bytes(), round, stream_));
  }
  return {};
}

Result<std::optional<std::string>> CaseMemory::find_damage() const {
  if (bare_) return std::optional<std::string>();
  std::vector<const GuardedBuffer*> all;
  for (std::size_t i = 0; i < specs_.size(); ++i) all.push_back(&buffers_[i]);
  for (std::size_t i = 0; i < candidate_scratch_.size() + incumbent_scratch_.size(); ++i) {
    all.push_back(&scratch_[i]);
  }
  return warpmind::profilers::find_damage(*patterns_, all, stream_);
}

Result<std::optional<std::string>> CaseMemory::find_modified_input(const CaseInputs& inputs) const {
  std::vector<std::byte> piece;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const MappedFile* const file = inputs.find(i);
    if (file == nullptr || is_inout(i)) continue;
    for (std::size_t at = 0; at < file->bytes(); at += kComparePieceBytes) {
      const std::size_t count = std::min(kComparePieceBytes, file->bytes() - at);
      piece.resize(count);
      WARPMIND_CHECK(cuda_check(cudaMemcpyAsync(piece.data(), buffers_[i].data() + at, count,
                                                cudaMemcpyDeviceToHost, stream_),
                                "reading back " + specs_[i].name));
      WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(stream_), "reading back " + specs_[i].name));
      if (std::memcmp(piece.data(), file->data() + at, count) == 0) continue;
      const auto differ = std::mismatch(piece.begin(), piece.end(), file->data() + at);
      const auto first = at + static_cast<std::size_t>(differ.first - piece.begin());
      return std::optional<std::string>("the kernel modified its input " + specs_[i].name +
                                        ", first at byte " + std::to_string(first));
    }
  }
  return std::optional<std::string>();
}

Result<std::vector<std::byte>> CaseMemory::read(std::size_t index) const {
  std::vector<std::byte> content(buffers_[index].bytes());
  WARPMIND_CHECK(cuda_check(cudaMemcpyAsync(content.data(), buffers_[index].data(), content.size(),
                                            cudaMemcpyDeviceToHost, stream_),
                            "reading " + specs_[index].name));
  WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(stream_), "reading " + specs_[index].name));
  return content;
}

Addresses CaseMemory::addresses(Side side) const {
  Addresses addresses;
  for (std::size_t i = 0; i < specs_.size(); ++i) addresses[specs_[i].name] = buffers_[i].data();
  const auto& names = side == Side::candidate ? candidate_scratch_ : incumbent_scratch_;
  const std::size_t first = side == Side::candidate ? 0 : candidate_scratch_.size();
  for (std::size_t i = 0; i < names.size(); ++i) addresses[names[i]] = scratch_[first + i].data();
  return addresses;
}

std::size_t footprint_bytes(const RunCase& run_case) {
  std::size_t total = 0;
  for (const BufferSpec& spec : run_case.buffers) total += as_size(spec.bytes);
  for (const ScratchSpec& spec : run_case.candidate.scratch) total += as_size(spec.bytes);
  for (const ScratchSpec& spec : run_case.incumbent.scratch) total += as_size(spec.bytes);
  return total;
}

}  // namespace warpmind::profilers
