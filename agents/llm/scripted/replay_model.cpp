#include "agents/llm/scripted/replay_model.h"

#include "agents/llm/scripted/request_hash.h"
#include "base/file.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace warpmind::agents::llm {
namespace {

constexpr std::size_t kExcerptBytes = 60;

std::string excerpt(std::string_view text, std::size_t at) {
  std::string part(text.substr(std::min(at, text.size()), kExcerptBytes));
  std::replace_if(
      part.begin(), part.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return "'" + part + "'";
}

std::string differing(const std::string& what, std::string_view recorded, std::string_view asked) {
  if (recorded == asked) return {};
  const auto [ours, theirs] =
      std::mismatch(recorded.begin(), recorded.end(), asked.begin(), asked.end());
  const auto at = static_cast<std::size_t>(ours - recorded.begin());
  return what + " differs at byte " + std::to_string(at) + ": recorded " + excerpt(recorded, at) +
         ", asked " + excerpt(asked, at);
}

}  // namespace

std::string first_difference(const ModelRequest& recorded, const ModelRequest& asked) {
  auto found = differing("purpose", recorded.purpose, asked.purpose);
  if (found.empty()) found = differing("system", recorded.system, asked.system);
  const std::size_t both = std::min(recorded.messages.size(), asked.messages.size());
  for (std::size_t i = 0; i < both && found.empty(); ++i) {
    const std::string what = "messages[" + std::to_string(i) + "]";
    if (recorded.messages[i].speaker != asked.messages[i].speaker)
      return what + " has another speaker";
    found = differing(what, recorded.messages[i].text, asked.messages[i].text);
  }
  if (!found.empty()) return found;
  if (recorded.messages.size() != asked.messages.size()) {
    return "recorded with " + std::to_string(recorded.messages.size()) + " messages, asked with " +
           std::to_string(asked.messages.size());
  }
  found = differing("schema_name", recorded.schema_name, asked.schema_name);
  if (found.empty()) found = differing("schema", recorded.schema, asked.schema);
  if (found.empty() && recorded.max_output_tokens != asked.max_output_tokens) {
    found = "max_output_tokens: recorded " + std::to_string(recorded.max_output_tokens) +
            ", asked " + std::to_string(asked.max_output_tokens);
  }
  return found;
}

ReplayModel::ReplayModel(std::string name, std::vector<RecordedCall> calls)
    : name_(std::move(name)), calls_(std::move(calls)), used_(calls_.size(), false) {
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    waiting_[hash_of(calls_[i].request)].push_back(i);
  }
}

Result<std::unique_ptr<ReplayModel>> ReplayModel::open(const std::filesystem::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kRecordingBytesLimit));
  std::vector<RecordedCall> calls;
  std::string_view rest = text;
  std::size_t number = 0;
  while (!rest.empty()) {
    ++number;
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // a crash while it was written
    auto call = decode_call(rest.substr(0, end));
    if (!call) {
      return fail(Errc::corrupt_data,
                  file.string() + ":" + std::to_string(number) + ": " + call.error().message);
    }
    calls.push_back(*std::move(call));
    rest.remove_prefix(end + 1);
  }
  return std::unique_ptr<ReplayModel>(new ReplayModel("replay:" + file.string(), std::move(calls)));
}

Result<ModelReply> ReplayModel::complete(const ModelRequest& request, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the request was cancelled");
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(hash_of(request));
  if (found == waiting_.end() || found->second.empty()) {
    const auto next = std::find(used_.begin(), used_.end(), false);
    if (next == used_.end()) {
      return fail(Errc::not_found, name_ + ": all " + std::to_string(calls_.size()) +
                                       " recorded answers were given; nothing is left for a " +
                                       request.purpose + " request");
    }
    const auto at = static_cast<std::size_t>(next - used_.begin());
    const std::string why = first_difference(calls_[at].request, request);
    return fail(Errc::not_found, name_ + ": this request was not recorded; against call " +
                                     std::to_string(at + 1) +
                                     ", which was next: " + (why.empty() ? "no difference" : why));
  }
  const std::size_t at = found->second.front();
  found->second.pop_front();
  used_[at] = true;
  if (const auto* error = std::get_if<Error>(&calls_[at].outcome)) return fail(*error);
  return std::get<ModelReply>(calls_[at].outcome);
}

std::size_t ReplayModel::left() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count(used_.begin(), used_.end(), false));
}

}  // namespace warpmind::agents::llm
