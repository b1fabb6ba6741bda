#include "agents/llm/scripted/recorded_call.h"

#include "agents/llm/scripted/model_call_json.h"
#include "agents/llm/scripted/request_hash.h"
#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"

namespace warpmind::agents::llm {

std::string encode_call(const RecordedCall& call) {
  nlohmann::json line{{"hash", hash_of(call.request)}, {"request", call.request}};
  if (const auto* reply = std::get_if<ModelReply>(&call.outcome)) {
    line["reply"] = *reply;
  } else {
    const auto& error = std::get<Error>(call.outcome);
    line["error"] = {{"code", static_cast<int>(error.code)}, {"message", error.message}};
  }
  return codec::dump_json(line);
}

Result<RecordedCall> decode_call(std::string_view line) {
  WARPMIND_TRY(const nlohmann::json value, codec::parse_json(line));
  try {
    RecordedCall call;
    call.request = value.at("request").get<ModelRequest>();
    if (value.at("hash").get_ref<const std::string&>() != hash_of(call.request)) {
      return fail(Errc::corrupt_data, "the hash is not that of the request: the line was changed");
    }
    if (const auto error = value.find("error"); error != value.end()) {
      const int code = error->at("code").get<int>();
      if (code < static_cast<int>(Errc::invalid_argument) ||
          code > static_cast<int>(Errc::external_failure)) {
        return fail(Errc::corrupt_data, "error code " + std::to_string(code) + " is unknown");
      }
      call.outcome = Error{static_cast<Errc>(code), error->at("message").get<std::string>()};
    } else {
      call.outcome = value.at("reply").get<ModelReply>();
    }
    return call;
  } catch (const std::exception& e) {
    return fail(Errc::corrupt_data,
                std::string("not a recorded call: ") + codec::misfit_of({}, e).what());
  }
}

}  // namespace warpmind::agents::llm
