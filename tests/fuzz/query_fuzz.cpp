// A fuzzer for what a client may ask: one line of the wire, up to the query that is searched.

#include "base/part.h"
#include "daemon/protocol/envelope.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/method_table.h"
#include "knowledge_base/retrieval/query_check.h"
#include "knowledge_base/retrieval/text_analysis.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace warpmind;
using namespace warpmind::daemon::protocol;

void read_query(const Document& params) {
  const auto asked = decode<KbSearchParams>(params);
  if (!asked) return;
  knowledge_base::InsightQuery query;
  part<SearchTerms>(query) = part<SearchTerms>(*asked);
  if (asked->limit) query.limit = *asked->limit;
  const auto checked = knowledge_base::check_query(query);
  if (!checked && checked.error().message.empty()) std::abort();
  if (checked) (void)knowledge_base::analyse(query.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto message = parse_message(line);
  if (message.kind == MessageKind::invalid) {
    if (!message.error) std::abort();
    return 0;
  }
  const auto* method = find_method(message.method);
  if (method == nullptr) {
    if (unknown_method_message(message.method).empty()) std::abort();
    return 0;
  }
  const auto params = check_params(*method, message.params);
  if (params && message.method == "kb.search") read_query(message.params);
  return 0;
}
