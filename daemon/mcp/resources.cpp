#include "daemon/mcp/resources.h"

#include "base/codec/json_guard.h"
#include "daemon/mcp/job_tools.h"
#include "daemon/mcp/roofline_svg.h"
#include "daemon/mcp/tool_arguments.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;
using protocol::Document;

constexpr std::string_view kScheme = "warpmind://";
constexpr std::size_t kMostListed = 20;

struct Address {
  std::string kind;
  std::vector<std::string> parts;
};

Error unknown_resource(const std::string& uri) {
  return {Errc::not_found, "there is no resource '" + uri.substr(0, 200) + "'"};
}

Result<Address> address_of(const std::string& uri) {
  if (!uri.starts_with(kScheme) || uri.size() > 256) return fail(unknown_resource(uri));
  std::string_view rest = std::string_view(uri).substr(kScheme.size());
  Address address;
  while (true) {
    const auto slash = std::min(rest.find('/'), rest.size());
    const std::string part(rest.substr(0, slash));
    if (address.kind.empty()) {
      address.kind = part;
    } else {
      address.parts.push_back(part);
    }
    if (slash == rest.size()) break;
    rest.remove_prefix(slash + 1);
  }
  if (address.parts.empty() || address.parts.size() > 2) return fail(unknown_resource(uri));
  return address;
}

/// "running" of "j-0000000007 running row_sum step 3 of 24": the name is the task's, not ours.
std::string state_in(const std::string& line) {
  const auto begin = std::min(line.find(' '), line.size() - 1) + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

Document contents(const std::string& uri, const char* mime_type, std::string text) {
  json content{{"uri", uri}, {"mimeType", mime_type}, {"text", std::move(text)}};
  return Document(json{{"contents", json::array({std::move(content)})}});
}

Result<json> episode_of(const std::string& job, const Backend& backend) {
  WARPMIND_TRY(const auto explained, backend.ask("episode.explain", {{"id", job}}));
  return explained.json();
}

Result<Document> read_kernel(const std::string& uri, const Address& address,
                             const Backend& backend) {
  WARPMIND_TRY(const std::string job, job_id_of(address.parts[0]));
  json arguments{{"job", job}};
  if (address.parts.size() == 2) {
    const std::string& step = address.parts[1];
    const bool is_number =
        !step.empty() && step.size() < 8 &&
        std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return fail(unknown_resource(uri));
    arguments["step"] = std::stol(step);
  }
  WARPMIND_TRY(const auto explained, episode_of(job, backend));
  const json& episode = explained["episode"];
  const auto wanted = arguments.value("step", episode.value("best_step", std::int64_t{0}));
  for (const auto& step : episode["steps"]) {
    if (step.value("index", std::int64_t{-1}) != wanted) continue;
    return contents(uri, "text/x-cuda", text_of(step["candidate"]["kernel"], "source"));
  }
  return fail(unknown_resource(uri));
}

Result<Document> read_run(const std::string& uri, const Address& address, const Backend& backend) {
  WARPMIND_TRY(const std::string job, job_id_of(address.parts[0]));
  if (address.parts.size() == 2) {
    if (address.parts[1] != "roofline.svg") return fail(unknown_resource(uri));
    WARPMIND_TRY(const auto stored, backend.ask("task.result", {{"job_id", job}}));
    WARPMIND_TRY(auto picture, roofline_of(stored.json()["job"]));
    return contents(uri, "image/svg+xml", std::move(picture));
  }
  WARPMIND_TRY(const auto explained, episode_of(job, backend));
  return contents(uri, "application/json", codec::dump_json(explained));
}

}  // namespace

json resource_templates() {
  const auto row = [](const char* uri, const char* name, const char* description,
                      const char* type) {
    return json{
        {"uriTemplate", uri}, {"name", name}, {"description", description}, {"mimeType", type}};
  };
  return json::array({row("warpmind://kernel/{job}", "best kernel",
                          "CUDA source of a job's best kernel", "text/x-cuda"),
                      row("warpmind://kernel/{job}/{step}", "kernel of a step",
                          "CUDA source of one candidate", "text/x-cuda"),
                      row("warpmind://run/{job}", "run report",
                          "Every step of a job with its verdict", "application/json"),
                      row("warpmind://run/{job}/roofline.svg", "roofline",
                          "Given and best kernel under the device's roofline", "image/svg+xml"),
                      row("warpmind://insight/{id}", "insight",
                          "A claim with its scope and evidence", "application/json")});
}

Result<Document> resource_list(const Backend& backend) {
  WARPMIND_TRY(const auto status, backend.ask("status", json::object()));
  json resources = json::array();
  for (const auto& line : member(status.json(), "jobs")) {
    if (resources.size() == kMostListed) break;
    const auto& text = line.get_ref<const std::string&>();
    const std::string job = text.substr(0, text.find(' '));
    resources.push_back({{"uri", "warpmind://run/" + job},
                         {"name", "report of " + job},
                         {"description", state_in(text)},
                         {"mimeType", "application/json"}});
  }
  return Document(json{{"resources", std::move(resources)}});
}

Result<Document> read_resource(const std::string& uri, const Backend& backend) {
  WARPMIND_TRY(const Address address, address_of(uri));
  if (address.kind == "kernel") return read_kernel(uri, address, backend);
  if (address.kind == "run") return read_run(uri, address, backend);
  if (address.kind == "insight" && address.parts.size() == 1) {
    WARPMIND_TRY(const auto shown, backend.ask("kb.show", {{"id", address.parts[0]}}));
    if (shown.json()["insight"].is_object()) {
      return contents(uri, "application/json", codec::dump_json(shown.json()["insight"]));
    }
  }
  return fail(unknown_resource(uri));
}

std::string job_of_uri(const std::string& uri) {
  const auto address = address_of(uri);
  if (!address || address->kind != "run") return {};
  return job_id_of(address->parts[0]).value_or("");
}

}  // namespace warpmind::daemon::mcp
