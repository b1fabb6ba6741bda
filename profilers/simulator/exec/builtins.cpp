#include "profilers/simulator/exec/builtins.h"

#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/exec/device_printf.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

/// A lane's copy of the caller's .param variables.
std::byte* parameters_of(const Warp& warp, int lane) {
  return warp.local + static_cast<std::size_t>(lane) * warp.local_stride +
         warp.frames.back().local_base;
}

/// Argument `number` of the call, zero-extended; 0 when the call has fewer.
std::uint64_t argument(const Warp& warp, const CallSite& site, std::size_t number, int lane) {
  if (number >= site.arguments.size()) return 0;
  const CallSite::Copy& copy = site.arguments[number];
  std::uint64_t value = 0;
  std::memcpy(&value, parameters_of(warp, lane) + copy.caller,
              std::min<std::size_t>(copy.bytes, sizeof value));
  return value;
}

void set_result(const Warp& warp, const CallSite& site, int lane, std::int64_t value) {
  if (site.results.empty()) return;
  const CallSite::Copy& copy = site.results.front();
  std::memcpy(parameters_of(warp, lane) + copy.caller, &value,
              std::min<std::size_t>(copy.bytes, sizeof value));
}

void print(Warp& warp, const CallSite& site, Mask active) {
  for (Mask rest = active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto formatted = format_device_text(warp, lane, argument(warp, site, 0, lane),
                                              argument(warp, site, 1, lane));
    if (!formatted) {
      stop_launch(warp, LaunchEnd::fault,
                  formatted.error().message + ", in " + warp.program().name);
      return;
    }
    std::fwrite(formatted->text.data(), 1, formatted->text.size(), stdout);
    set_result(warp, site, lane, formatted->conversions);
  }
}

void fail_assertion(Warp& warp, const Instruction& instruction, const CallSite& site, Mask active) {
  const int lane = std::countr_zero(active);
  const auto text = [&](std::size_t number) {
    return text_at(warp, lane, argument(warp, site, number, lane)).value_or("?");
  };
  const std::string what = "assertion \"" + text(0) + "\" failed in " + text(3) + ", " + text(1) +
                           ":" + std::to_string(argument(warp, site, 2, lane));
  for (Mask rest = active; rest != 0; rest &= rest - 1) {
    warp.launch->checks->report(CheckKind::device_assert, warp, instruction, std::countr_zero(rest),
                                0, [&]() -> std::string { return std::string(what); });
  }
  stop_launch(warp, LaunchEnd::fault, what);
}

}  // namespace

void run_builtin(Warp& warp, const Instruction& instruction, const CallSite& site, Mask active) {
  if (site.builtin == "vprintf") return print(warp, site, active);
  if (site.builtin == "__assertfail") return fail_assertion(warp, instruction, site, active);
  const bool is_heap = site.builtin == "malloc" || site.builtin == "free";
  stop_launch(warp, LaunchEnd::unsupported,
              site.builtin +
                  (is_heap ? " in device code is not supported by the simulator"
                           : " is no function that the simulator provides") +
                  " (kernel " + warp.launch->program->name + ")");
}

}  // namespace warpmind::simulator
