#pragma once
/// \file
/// How many operations a kernel does (`flops.count`), as values. Names on the wire are the field
/// names.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct FlopsCountParams {
  std::string file;       ///< absolute path of a .cu, .ptx, .cubin or .fatbin file
  std::string directory;  ///< absolute path of a task folder: its launches and sizes
  std::string workload;   ///< only this one; "" = all
  std::string device;     ///< key of the device table, to build for; "" = lab.target
  /// Absolute path of a record of the program `file`: the launches that it made are counted.
  std::string record;
};

/// What one thread does in one pass of a loop, inner loops left out.
struct CountedRegion {
  std::int64_t parent = -1;  ///< index of the region around it; -1: not in a loop
  std::int64_t first_line = 0;
  std::int64_t last_line = 0;
  std::map<std::string, double> operations;
  std::map<std::string, double> flops;
};

struct CountedKernel {
  std::string kernel;
  std::string source;  ///< "ptx" or "sass"
  std::vector<CountedRegion> regions;
  std::vector<std::string> notes;
};

struct CountedLaunch {
  std::string workload;
  std::string kernel;
  std::map<std::string, double> operations;  ///< of all threads
  std::map<std::string, double> flops;
  double total_flops = 0;
  bool sampled = false;
  bool simulated = false;
  std::string undecided;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::int64_t times = 1;  ///< a program made it that often; counts are of one
};

struct CountedWorkload {
  std::string workload;
  double total_flops = 0;  ///< of the launches that were decided
  bool complete = true;    ///< all were
  double model_flops = 0;  ///< by the task's [cost]
};

struct FlopsCountResult {
  std::string name;
  std::string architecture;
  std::vector<CountedKernel> kernels;
  std::vector<CountedLaunch> launches;
  std::vector<CountedWorkload> workloads;
  std::string note;
};

}  // namespace warpmind::daemon::protocol
