#include "daemon/hosts/evaluation_order.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/hash.h"
#include "base/text.h"

#include <cctype>

namespace warpmind::daemon::hosts {

using nlohmann::json;

void to_json(json& j, const LaneName& lane) {
  j = {{"architecture", lane.architecture}, {"model", lane.model}, {"harness", lane.harness}};
}
void from_json(const json& j, LaneName& lane) {
  lane = {j.at("architecture"), j.at("model"), j.at("harness")};
}

void to_json(json& j, const EvaluationOrder& order) {
  Task task = order.task;
  task.directory.clear();  // a place on the asker's disk: no part of the question
  for (Argument& argument : task.arguments) {
    if (argument.recorded) argument.recorded->values.clear();  // contents do not leave the machine
  }
  j = {{"question", order.question},
       {"lane", order.lane},
       {"asker", order.asker},
       {"repetition", order.repetition},
       {"device", order.device},
       {"effort", order.effort},
       {"baseline_error", order.baseline_error},
       {"refuse_new_spills", order.refuse_new_spills},
       {"task", task},
       {"kernel", order.kernel},
       {"incumbent", order.incumbent}};
}
void from_json(const json& j, EvaluationOrder& order) {
  j.at("question").get_to(order.question);
  j.at("lane").get_to(order.lane);
  j.at("asker").get_to(order.asker);
  j.at("repetition").get_to(order.repetition);
  j.at("device").get_to(order.device);
  j.at("effort").get_to(order.effort);
  j.at("baseline_error").get_to(order.baseline_error);
  j.at("refuse_new_spills").get_to(order.refuse_new_spills);
  j.at("task").get_to(order.task);
  j.at("kernel").get_to(order.kernel);
  j.at("incumbent").get_to(order.incumbent);
}

void to_json(json& j, const EvaluationResult& result) {
  j = {{"order", result.order},
       {"worker", result.stamp.worker},
       {"host", result.stamp.host},
       {"version", result.stamp.version}};
  if (const auto* verdict = std::get_if<Verdict>(&result.answer)) j["verdict"] = *verdict;
  if (const auto* compared = std::get_if<Comparison>(&result.answer)) j["comparison"] = *compared;
  if (const auto* error = std::get_if<Error>(&result.answer)) {
    j["error"] = {{"code", static_cast<int>(error->code)}, {"message", error->message}};
  }
}

namespace {

/// Codes of another build that this one does not know are failures all the same.
Errc code_of(int number) {
  const bool known = number >= static_cast<int>(Errc::invalid_argument) &&
                     number <= static_cast<int>(Errc::external_failure);
  return known ? static_cast<Errc>(number) : Errc::external_failure;
}

}  // namespace

void from_json(const json& j, EvaluationResult& result) {
  j.at("order").get_to(result.order);
  j.at("worker").get_to(result.stamp.worker);
  j.at("host").get_to(result.stamp.host);
  j.at("version").get_to(result.stamp.version);
  if (j.contains("verdict")) {
    result.answer = j.at("verdict").get<Verdict>();
  } else if (j.contains("comparison")) {
    result.answer = j.at("comparison").get<Comparison>();
  } else {
    const auto& error = j.at("error");
    result.answer = Error{code_of(error.at("code").get<int>()), error.at("message")};
  }
}

void to_json(json& j, const WorkerNotice& notice) {
  j = {{"worker", notice.worker},
       {"host", notice.host},
       {"lane", notice.lane},
       {"device", notice.device}};
}
void from_json(const json& j, WorkerNotice& notice) {
  j.at("worker").get_to(notice.worker);
  j.at("host").get_to(notice.host);
  j.at("lane").get_to(notice.lane);
  j.at("device").get_to(notice.device);
}

namespace {

constexpr char kInline = '=';
constexpr char kBlob = '@';

template <class T>
Result<T> decode(std::string_view bytes, std::string_view what) {
  WARPMIND_TRY(const auto parsed, codec::parse_json(bytes));
  return codec::from_json<T>(parsed, what);
}

}  // namespace

std::string token_of(std::string_view text) {
  std::string token;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = std::isalnum(byte) != 0 || c == '-' || c == '_';
    token += kept ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return token;
}

bool is_order_id(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && is_hex(text);
}

std::string encode(const EvaluationOrder& order) { return codec::dump_json(json(order)); }
std::string id_of_order(std::string_view encoded) { return to_hex(sha256(encoded)); }
Result<EvaluationOrder> decode_order(std::string_view bytes) {
  return decode<EvaluationOrder>(bytes, "evaluation order");
}

std::string encode(const EvaluationResult& result) { return codec::dump_json(json(result)); }
Result<EvaluationResult> decode_result(std::string_view bytes) {
  return decode<EvaluationResult>(bytes, "evaluation result");
}

std::string encode(const WorkerNotice& notice) { return codec::dump_json(json(notice)); }
Result<WorkerNotice> decode_notice(std::string_view bytes) {
  return decode<WorkerNotice>(bytes, "announcement of a worker");
}

Result<std::string> pack_body(EvaluationBus& bus, const std::string& body) {
  if (body.size() < bus.most_bytes()) return kInline + body;
  WARPMIND_TRY(const auto name, bus.put_blob(body));
  return kBlob + name;
}

Result<std::string> unpack_body(EvaluationBus& bus, const std::string& packed) {
  if (packed.starts_with(kInline)) return packed.substr(1);
  if (packed.starts_with(kBlob) && is_order_id(std::string_view(packed).substr(1))) {
    return bus.get_blob(packed.substr(1));
  }
  return fail(Errc::corrupt_data, "a message between hosts begins with no known mark");
}

}  // namespace warpmind::daemon::hosts
