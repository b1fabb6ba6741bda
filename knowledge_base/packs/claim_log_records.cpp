#include "knowledge_base/packs/claim_log_records.h"

#include "knowledge_base/sealed_json.h"

namespace warpmind::knowledge_base {

Result<std::string> encode_heard(const HeardMark& mark) {
  return seal({{"era", mark.era}, {"upto", mark.upto}}, "mark of a base that was heard");
}

Result<HeardMark> decode_heard(std::string_view bytes) {
  WARPMIND_TRY(const auto record, open_json(bytes, "mark of a base that was heard"));
  HeardMark mark;
  WARPMIND_TRY(mark.era, member(record, "era", mark.era));
  WARPMIND_TRY(mark.upto, member(record, "upto", mark.upto));
  return mark;
}

}  // namespace warpmind::knowledge_base
