#include "profilers/simulator/profile/report_seal.h"

#include "base/hash.h"

namespace warpmind::simulator {

void ReportSeal::add(std::string_view line) {
  chain_ = to_hex(sha256(hash_input({"line", key_, chain_, line})));
  ++lines_;
}

std::string ReportSeal::value() const {
  if (spoilt_) return {};
  return to_hex(sha256(hash_input({"end", key_, chain_, std::to_string(lines_)})));
}

}  // namespace warpmind::simulator
