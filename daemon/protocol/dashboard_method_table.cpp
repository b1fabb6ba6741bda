#include "daemon/protocol/dashboard_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kOpenResult{
    FieldSpec{"url", string, true, "address on the loopback interface, good for one browser, once"},
    FieldSpec{"expires_s", integer, true, "seconds in which it must be used"},
};
constexpr std::array kRooflineParams{
    FieldSpec{"id", string, true, "as for `episode.explain`"},
};
constexpr std::array kRooflineResult{
    FieldSpec{"task", string, true, "its name"},
    FieldSpec{"device", string, true, "whose peaks these are"},
    FieldSpec{"workload", string, true, "that the steps were timed on"},
    FieldSpec{"provider", string, true, "of the times; those of `sim` are predictions"},
    FieldSpec{"peak", string, true,
              "whose peak it is: `FP64`, `FP32`, or the tensor cores that the contract allows"},
    FieldSpec{"peak_gflops", number, true, "Gflop/s"},
    FieldSpec{"bandwidth_gb_s", number, true, "GB/s"},
    FieldSpec{"steps", objects, true,
              "those that were timed: `step`, `accepted`, `intensity` (flop a byte of the "
              "limit; 0 = it counts no arithmetic), `gflops` (Gflop/s), `time_ns`, `share` "
              "(of the limit; 0 = not known)"},
};

constexpr std::array kMethods{
    MethodSpec{
        "dashboard.open",
        MethodKind::request,
        "An address that lets one browser in (docs/dashboard.md). Where HTTP is off, opens a "
        "free port of the loopback interface for the page alone, until the daemon ends.",
        {},
        kOpenResult},
    MethodSpec{"episode.roofline", MethodKind::request,
               "The timed steps of an episode and the roofline of their device. Error `not_found` "
               "when nothing was timed, or the limit is not known; the message says why.",
               kRooflineParams, kRooflineResult},
};

}  // namespace

std::span<const MethodSpec> dashboard_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
