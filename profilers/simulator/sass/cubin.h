#pragma once
/// \file
/// Kernels of a cubin (ELF64, as ptxas writes it): code, registers, parameters.

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::simulator {

struct CubinKernel {
  std::string name;             ///< mangled, as in PTX
  std::vector<std::byte> code;  ///< 16 bytes an instruction
  int registers = 0;            ///< a thread; 0 = the file does not say
  int parameter_bytes = 0;
};

struct Cubin {
  int architecture = 0;  ///< 90 for sm_90 and sm_90a
  std::vector<CubinKernel> kernels;

  [[nodiscard]] const CubinKernel* find(std::string_view kernel) const;
};

/// Trusts no offset of the file. Errors: corrupt_data with what is wrong and where.
[[nodiscard]] Result<Cubin> read_cubin(std::span<const std::byte> bytes);

/// What a device makes of the file, to be hashed: code, registers, constants, shared memory,
/// attributes of kernels. Left out are line tables, embedded PTX, notes, and bounds on launches,
/// which decide nothing once the code is made. Errors: as read_cubin().
[[nodiscard]] Result<std::string> machine_code_content(std::span<const std::byte> bytes);

}  // namespace warpmind::simulator
