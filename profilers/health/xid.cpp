#include "profilers/health/xid.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace warpmind::profilers {
namespace {

constexpr std::array kMeanings = {
    XidMeaning{8, "a kernel ran into the driver's time limit", XidRemedy::program},
    XidMeaning{11, "invalid or corrupted push buffer", XidRemedy::program},
    XidMeaning{13, "exception in a kernel", XidRemedy::program},
    XidMeaning{31, "memory page fault of a kernel", XidRemedy::program},
    XidMeaning{32, "invalid or corrupted push buffer", XidRemedy::program},
    XidMeaning{38, "driver firmware error", XidRemedy::watch},
    XidMeaning{43, "the device stopped working for one program", XidRemedy::program},
    XidMeaning{45, "a program was ended before its work was done", XidRemedy::program},
    XidMeaning{46, "the device stopped processing", XidRemedy::reset},
    XidMeaning{48, "memory error of two bits", XidRemedy::reset},
    XidMeaning{61, "internal micro-controller breakpoint", XidRemedy::reset},
    XidMeaning{62, "internal micro-controller halt", XidRemedy::reset},
    XidMeaning{63, "a memory page or row was retired", XidRemedy::watch},
    XidMeaning{64, "retiring a memory page or row failed", XidRemedy::reset},
    XidMeaning{69, "graphics engine class error", XidRemedy::program},
    XidMeaning{74, "NVLink error", XidRemedy::reset},
    XidMeaning{79, "the device has fallen off the bus", XidRemedy::reset},
    XidMeaning{92, "many corrected memory errors", XidRemedy::watch},
    XidMeaning{94, "contained memory error", XidRemedy::program},
    XidMeaning{95, "uncontained memory error", XidRemedy::reset},
    XidMeaning{109, "a context switch took too long", XidRemedy::watch},
    XidMeaning{119, "the device's system processor does not answer", XidRemedy::reset},
    XidMeaning{120, "the device's system processor failed", XidRemedy::reset},
    XidMeaning{140, "memory error that was not recovered", XidRemedy::reset},
    XidMeaning{143, "initialisation of the device failed", XidRemedy::reset},
    XidMeaning{154, "the driver asks for a recovery of the device", XidRemedy::reset}};

/// The number at the front of `text` after blanks; nullopt when there is none.
std::optional<std::int64_t> number_at(std::string_view text) {
  text = trim_left(text, " ");
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

XidMeaning meaning_of(std::int64_t xid) {
  const auto* const row = std::find_if(kMeanings.begin(), kMeanings.end(),
                                       [xid](const auto& one) { return one.number == xid; });
  if (row == kMeanings.end()) return {xid, "not in this program's table", XidRemedy::watch};
  return *row;
}

std::optional<Xid> parse_xid(std::string_view line) {
  // "NVRM: Xid (PCI:0000:1b:00): 31, pid=1234, name=warpmind-worker, Ch 00000008, …"
  constexpr std::string_view kMark = "NVRM: Xid (";
  const std::size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  line.remove_prefix(mark + kMark.size());
  const std::size_t close = line.find("):");
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view place = line.substr(0, close);
  if (place.starts_with("PCI:")) place.remove_prefix(4);
  const auto number = number_at(line.substr(close + 2));
  if (!number) return std::nullopt;
  Xid xid{*number, std::string(place), 0};
  constexpr std::string_view kPid = "pid=";
  const std::size_t pid = line.find(kPid);
  if (pid != std::string_view::npos) {
    std::string_view value = line.substr(pid + kPid.size());
    if (value.starts_with("'")) value.remove_prefix(1);
    xid.pid = number_at(value).value_or(0);
  }
  return xid;
}

std::string describe(const Xid& xid) {
  return "Xid " + std::to_string(xid.number) + " (" + meaning_of(xid.number).text + ")";
}

}  // namespace warpmind::profilers
