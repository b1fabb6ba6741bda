#include "daemon/mcp/backend.h"

#include "base/codec/json_guard.h"
#include "daemon/protocol/method_table.h"

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

/// Our own handlers' answers: whole episodes, nested as deep as they are.
constexpr codec::JsonLimits kOwnAnswers{128, 20'000'000};

}  // namespace

Result<protocol::Document> Backend::ask(std::string_view method,
                                        const nlohmann::json& params) const {
  auto answer = answer_to(method, params);
  refused_ = !answer;
  return answer;
}

Result<protocol::Document> Backend::answer_to(std::string_view method,
                                              const nlohmann::json& params) const {
  const auto* spec = protocol::find_method(method);
  const auto* entry = dispatcher_.find(method);
  if (spec == nullptr || entry == nullptr) {
    return fail(Errc::not_found, "this daemon has no method '" + std::string(method) + "'");
  }
  nlohmann::json given = nlohmann::json::object();
  for (const auto& [name, value] : params.items()) {
    if (!value.is_null()) given[name] = value;
  }
  const protocol::Document document(std::move(given));
  WARPMIND_CHECK(protocol::check_params(*spec, document));
  WARPMIND_TRY(const std::string text, entry->call(document, context_));
  WARPMIND_TRY(auto answer, codec::parse_json(text, kOwnAnswers));
  return protocol::Document(std::move(answer));
}

}  // namespace warpmind::daemon::mcp
