// A fuzzer for every record of the base: family, key and value are the input's.
//   [family][bytes of the key][key][value]

#include "knowledge_base/column_families.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/maintenance/record_check.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace warpmind::knowledge_base;

/// What was read must mean the same after it was written and read again.
template <class Decode, class Encode>
void require_stable(std::string_view bytes, const Decode& decode, const Encode& encode) {
  const auto value = decode(bytes);
  if (!value) return;
  const auto written = encode(*value);
  if (!written) return;  // a number that is not finite
  const auto again = decode(*written);
  if (!again || !(*again == *value)) std::abort();
}

void read_alone(std::string_view value) {
  require_stable(value, decode_job, encode_job);
  require_stable(value, decode_log, encode_log);
  require_stable(value, decode_state, encode_state);
  require_stable(value, decode_measurement, encode_measurement);
  require_stable(value, decode_posterior, encode_posterior);
  require_stable(value, decode_best_kernel, encode_best_kernel);
  require_stable(value, decode_kernel, encode_kernel);
  require_stable(value, decode_stored_insight, encode_insight);
  require_stable(value, decode_event, encode_event);
  require_stable(value, decode_technique, encode_technique);
  require_stable(value, decode_fact, encode_fact);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto& spec = kColumnFamilies.at(data[0] % kColumnFamilies.size());
  const auto key = rest.substr(0, std::min<std::size_t>(data[1], rest.size()));
  const auto value = rest.substr(key.size());
  const auto checked = check_record(spec.family, key, value);
  if (!checked && checked.error().message.empty()) std::abort();
  read_alone(value);
  return 0;
}
