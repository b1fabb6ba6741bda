#pragma once
/// \file
/// Which source lines the warps of a plan wait in, and for what: CUPTI's PC sampling.

#include "base/model/profile.h"
#include "base/result.h"
#include "profilers/worker/cupti_handles.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Samples of one instruction, by stall reason as CUPTI names it.
struct PcSamples {
  std::uint64_t offset = 0;  ///< in the function's code, bytes
  std::map<std::string, double> reasons;
};

/// By the function's linker name.
using FunctionSamples = std::map<std::string, std::vector<PcSamples>>;

/// Worked sequence: load_cupti_sampling(); PcSampling::enable(cupti, run_ns, …); collect(…). Needs
/// a current context that nothing else profiles.
class PcSampling {
 public:
  /// Samples as often as a run of `run_ns` needs. Errors: unavailable where sampling is not
  /// permitted (`permission_refused`); external_failure with CUPTI's words.
  [[nodiscard]] static Result<std::unique_ptr<PcSampling>> enable(const CuptiSampling& cupti,
                                                                  double run_ns,
                                                                  bool& permission_refused);
  ~PcSampling();
  PcSampling(const PcSampling&) = delete;
  PcSampling& operator=(const PcSampling&) = delete;

  /// Samples while `run` works. Errors: those of `run`; external_failure with CUPTI's words.
  [[nodiscard]] Result<FunctionSamples> collect(const std::function<Result<void>()>& run);

 private:
  /// Records with room for every reason.
  struct Buffer {
    void reserve(std::size_t records, std::size_t reasons);
    std::vector<CUpti_PCSamplingPCData> records;
    std::vector<CUpti_PCSamplingStallReason> reasons;
    CUpti_PCSamplingData data{};
  };

  explicit PcSampling(const CuptiSampling& cupti) : cupti_(cupti) {}
  Result<void> check(CUptiResult code, std::string_view where, bool& permission_refused) const;
  Result<void> read_reasons(bool& permission_refused);
  Result<void> configure(double run_ns, bool& permission_refused);
  /// Names of functions stay CUPTI's: records may share them.
  void take(const Buffer& buffer, FunctionSamples& samples) const;

  const CuptiSampling& cupti_;
  CUcontext context_ = nullptr;
  bool enabled_ = false;
  std::vector<std::uint32_t> indices_;
  std::map<std::uint32_t, std::string> names_;
  Buffer kept_;  ///< that CUPTI wants for itself; read_ gets the same records, seen on an H200
  Buffer read_;
};

/// Samples by source line, the most first, of the functions in `kernels`. Code that was inlined
/// from another file counts for the line of the kernel's own file that came before it.
///   warpmind__line_samples_pct  (percent of the samples of all kernels)
///   smsp__pcsamp_…              (count, by reason: the largest few)
[[nodiscard]] std::vector<LineProfile> lines_of(const CuptiSampling& cupti,
                                                const FunctionSamples& samples,
                                                std::span<const std::byte> cubin,
                                                const std::set<std::string>& kernels);

}  // namespace warpmind::profilers
