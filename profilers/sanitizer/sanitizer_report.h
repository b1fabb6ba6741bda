#pragma once
/// \file
/// What compute-sanitizer wrote, as values. Reads the text of its releases from 2020 to 2025.

#include "base/enum_names.h"
#include "base/model/verdict.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

enum class SanitizerTool {
  memcheck,   ///< accesses out of bounds or misaligned
  racecheck,  ///< unordered accesses to shared memory
  initcheck,  ///< global memory read before it was written
  synccheck,  ///< barriers that some threads never reach
};

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::SanitizerTool, {profilers::SanitizerTool::memcheck, "memcheck"},
                    {profilers::SanitizerTool::racecheck, "racecheck"},
                    {profilers::SanitizerTool::initcheck, "initcheck"},
                    {profilers::SanitizerTool::synccheck, "synccheck"});
}  // namespace warpmind

namespace warpmind::profilers {

/// A place in device code: "f(int *)+0x60 in k.cu:6", or the older "0x60 in k.cu:6:f(int *)".
struct SanitizerPlace {
  std::string function;  ///< without return type, template arguments and parameters
  std::string file;      ///< as compiled; empty without line information
  int line = 0;          ///< 0 = not known
};

/// Reports of one kind, kernel and line, taken together.
/// `kind` is the tool's headline ("Invalid __global__ write of size 4 bytes"), `kernel` the
/// outermost device function, `where` thread, block, address and the other access of the first
/// report; no `defect` is what the tool itself calls a warning.
struct SanitizerFinding : SimulatorFinding {
  SanitizerPlace place;
};

struct SanitizerReport {
  bool finished = false;  ///< the summary is there
  std::vector<SanitizerFinding> findings;
  std::string trouble;  ///< the tool's own first complaint, where it could not work
};

/// Trusts nothing of `text`: any bytes, ended anywhere. Lines that do not begin with the tool's
/// mark are the program's. Failed calls of the host, leaks and reads by copies are no findings: the
/// kernel did not do them.
[[nodiscard]] SanitizerReport parse_sanitizer_log(std::string_view text);

/// Either form of a place. Nothing recognised: an empty function.
[[nodiscard]] SanitizerPlace parse_sanitizer_place(std::string_view text);

}  // namespace warpmind::profilers
