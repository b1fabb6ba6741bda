#pragma once
/// \file
/// One call of the CUDA runtime that a program made, as a line of JSON: what recorders write.

#include "base/enum_names.h"
#include "base/model/launch_shape.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

enum class CallKind : std::uint8_t {
  begin,     ///< first line of a record: `name` is the recorder
  allocate,  ///< `address`, `bytes`, `name` = device, managed or pinned
  release,   ///< `address`
  copy,      ///< `address` = to, `from`, `bytes`; device variables count as host memory
  fill,      ///< `address`, `bytes`, `value`
  contents,  ///< of the `bytes` at `address`, before the launch that is the next line but for
             ///< others of this kind: in the file `name`, whole, or `value` pieces spread over them
  launch,    ///< `name` = kernel as the linker knows it
  refused,   ///< a launch that did not happen: as `launch`; `value` = CUDA's error, `reason`
  fault,     ///< work that failed, after which no other is done: `name` = kernel or function,
             ///< `value`, `reason`
  finding,   ///< what a check of the simulator found in the kernel `name`: `reason`
  wait,      ///< the host waits: `name` = device, stream or event
  other,     ///< `name` = a function that does work which the record does not show
  cut,       ///< there were more calls than a record holds
};

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::CallKind, {profilers::CallKind::begin, "begin"},
                    {profilers::CallKind::allocate, "allocate"},
                    {profilers::CallKind::release, "release"}, {profilers::CallKind::copy, "copy"},
                    {profilers::CallKind::fill, "fill"},
                    {profilers::CallKind::contents, "contents"},
                    {profilers::CallKind::launch, "launch"},
                    {profilers::CallKind::refused, "refused"},
                    {profilers::CallKind::fault, "fault"},
                    {profilers::CallKind::finding, "finding"}, {profilers::CallKind::wait, "wait"},
                    {profilers::CallKind::other, "other"}, {profilers::CallKind::cut, "cut"});
}  // namespace warpmind

namespace warpmind::profilers {

/// Members that a kind does not name keep their defaults; those of a launch's shape are 0.
struct CudaCall : LaunchShape {
  CudaCall() : LaunchShape{{}, {}, 0} {}

  CallKind kind = CallKind::other;
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
  int value = 0;
  std::uint64_t stream = 0;            ///< handle; 0 = the default stream
  bool async = false;                  ///< returned before the work was done
  std::vector<std::string> arguments;  ///< of a launch: the bytes of each parameter
  std::string reason = {};             ///< a clause; empty where only `value` is known
  bool cooperative = false;            ///< of a launch
  bool operator==(const CudaCall&) const = default;
};

/// Most calls of a record; a recorder writes one of kind `cut` instead of the next.
inline constexpr std::size_t kMostCalls = 100'000;

/// One line without its end.
[[nodiscard]] std::string encode(const CudaCall& call);
/// `line` is what a user's process wrote: any bytes. Errors: corrupt_data with what does not fit.
[[nodiscard]] Result<CudaCall> decode_cuda_call(std::string_view line);

}  // namespace warpmind::profilers
