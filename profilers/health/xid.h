#pragma once
/// \file
/// What the NVIDIA driver says in the kernel log when a GPU or a program on it fails.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::profilers {

/// What an Xid asks for.
enum class XidRemedy {
  program,  ///< the program was at fault, or is gone: the device goes on
  watch,    ///< the device corrected something by itself: the probe decides
  reset,    ///< the device must be reset, or the machine restarted
};

struct XidMeaning {
  std::int64_t number = 0;
  const char* text = "";
  XidRemedy remedy = XidRemedy::watch;
};

/// The table's row; a number that is not in it is "unknown" and to be watched.
[[nodiscard]] XidMeaning meaning_of(std::int64_t xid);

struct Xid {
  std::int64_t number = 0;
  std::string pci;       ///< "0000:1b:00"
  std::int64_t pid = 0;  ///< of the program, as the kernel sees it; 0 = not said
  bool operator==(const Xid&) const = default;
};

/// Of one line of the kernel log, with or without its prefix; nullopt for any other line.
[[nodiscard]] std::optional<Xid> parse_xid(std::string_view line);

/// "Xid 31 (memory page fault of a kernel)".
[[nodiscard]] std::string describe(const Xid& xid);

}  // namespace warpmind::profilers
