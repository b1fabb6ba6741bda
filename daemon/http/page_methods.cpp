#include "daemon/http/page_methods.h"

#include "base/sequence.h"

#include <array>
#include <string>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::http {
namespace {

constexpr std::array<std::string_view, 19> kReads{
    "status",          "queue.list",      "queue.why",        "queue.report",  "episode.list",
    "episode.explain", "episode.profile", "episode.roofline", "task.result",   "kb.stats",
    "kb.search",       "kb.show",         "kb.why",           "kb.history",    "kb.sources",
    "kb.techniques",   "kb.graph",        "kb.clusters",      "kb.calibration"};
constexpr std::array<std::string_view, 8> kOrders{"queue.pause", "queue.resume", "queue.cancel",
                                                  "queue.move",  "queue.retry",  "queue.rules",
                                                  "kb.change",   "kb.undo"};
/// Of kb.change.
constexpr std::array<std::string_view, 4> kCommands{"retire", "pin", "unpin", "reinstate"};

/// A path of the daemon's machine is none of a page's business.
bool names_a_file(std::string_view method, const nlohmann::json& params) {
  return method == "episode.list" && params.is_object() && params.contains("file");
}

}  // namespace

Result<void> check_page_method(std::string_view method, const protocol::Document& params) {
  const nlohmann::json& json = params.json();
  const auto refuse = [method](std::string_view what) {
    return fail(Errc::not_found, "the dashboard may not ask for " + std::string(what) + " ('" +
                                     std::string(method.substr(0, 64)) +
                                     "'); use the program warpmind");
  };
  if (!contains(kReads, method) && !contains(kOrders, method)) return refuse("that");
  if (names_a_file(method, json)) return refuse("files");
  if (method != "kb.change") return {};
  const auto command = json.is_object() ? json.find("command") : json.end();
  const bool is_known = json.is_object() && command != json.end() && command->is_string() &&
                        contains(kCommands, command->get_ref<const std::string&>());
  if (!is_known) return refuse("that change");
  return {};
}

}  // namespace warpmind::daemon::http
