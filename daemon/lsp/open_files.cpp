#include "daemon/lsp/open_files.h"

#include "base/codec/json_guard.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;

const json& json_member(const json& value, const char* name) {
  static const json null;
  if (!value.is_object()) return null;
  const auto found = value.find(name);
  return found == value.end() ? null : *found;
}

std::string text_member(const json& value, const char* name) {
  const json& found = json_member(value, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::int64_t number_member(const json& value, const char* name) {
  const json& found = json_member(value, name);
  return found.is_number_integer() ? found.get<std::int64_t>() : 0;
}

bool is_cuda(const std::string& language, const std::string& path) {
  return language == "cuda-cpp" || language == "cuda" || path.ends_with(".cu") ||
         path.ends_with(".cuh");
}

void apply_change(const json& change, TextDocument& document) {
  const json& range = json_member(change, "range");
  if (!range.is_object()) return document.set(text_member(change, "text"));
  document.replace(position_in(json_member(range, "start")), position_in(json_member(range, "end")),
                   text_member(change, "text"));
}

}  // namespace

std::string uri_in(const json& params) {
  return text_member(json_member(params, "textDocument"), "uri");
}

Position position_in(const json& value) {
  return {.line = number_member(value, "line"), .character = number_member(value, "character")};
}

OpenFile* OpenFiles::find(const std::string& uri) {
  const auto found = files_.find(uri);
  return found == files_.end() ? nullptr : &found->second;
}

std::string OpenFiles::uri_of(const EpisodeId& episode) const {
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const auto& one) {
    const auto& last = one.second.knowledge.last;
    return last && last->episode.id == episode;
  });
  return found == files_.end() ? std::string() : found->first;
}

OpenFile* OpenFiles::marked(const std::string& uri) {
  OpenFile* file = find(uri);
  if (file != nullptr && std::exchange(file->marks_are_old, false)) {
    file->marks = find_kernels(file->document.text());
  }
  return file;
}

void OpenFiles::open(const json& params) {
  const json& document = json_member(params, "textDocument");
  const std::string uri = text_member(document, "uri");
  const std::string path = path_of_uri(uri);
  if (path.empty() || !is_cuda(text_member(document, "languageId"), path)) return;
  files_.erase(uri);
  files_.emplace(uri, OpenFile{.uri = uri,
                               .path = path,
                               .document = {text_member(document, "text"), profile_.encoding},
                               .version = number_member(document, "version")});
  load(uri);
}

void OpenFiles::change(const json& params) {
  OpenFile* file = find(uri_in(params));
  const json& changes = json_member(params, "contentChanges");
  if (file == nullptr || !changes.is_array()) return;
  for (const auto& change : changes) apply_change(change, file->document);
  file->version = number_member(json_member(params, "textDocument"), "version");
  file->unsaved = true;
  file->marks_are_old = true;
  news_(*file);
}

void OpenFiles::save(const json& params) {
  OpenFile* file = find(uri_in(params));
  if (file == nullptr) return;
  file->unsaved = false;
  load(file->uri);
}

void OpenFiles::close(const json& params) {
  const std::string uri = uri_in(params);
  files_.erase(uri);
  const auto waiting = waiting_.extract(uri);
  if (waiting.empty()) return;
  for (const auto& then : waiting.mapped()) then(nullptr);
}

void OpenFiles::when_loaded(const std::string& uri, std::function<void(OpenFile*)> then) {
  OpenFile* file = marked(uri);
  if (file == nullptr || file->loaded) return then(file);
  waiting_[uri].push_back(std::move(then));
}

void OpenFiles::load(const std::string& uri, std::function<void(OpenFile&)> then) {
  const OpenFile* file = find(uri);
  if (file == nullptr) return;
  const json params{{"file", file->path.string()}};
  ask_("episode.list", codec::dump_json(params),
       [this, uri, then = std::move(then)](const Result<protocol::Document>& reply) {
         take_list(uri, reply, then);
       });
}

void OpenFiles::take_list(const std::string& uri, const Result<protocol::Document>& reply,
                          const std::function<void(OpenFile&)>& then) {
  OpenFile* file = find(uri);
  if (file == nullptr) return;
  auto list = reply ? protocol::decode<protocol::EpisodeListResult>(*reply)
                    : Result<protocol::EpisodeListResult>(fail(reply.error()));
  if (!list) {
    file->knowledge.note = list.error().message;
    return finish_load(*file, then);
  }
  file->knowledge.directory = list->directory;
  file->knowledge.task = list->task;
  file->knowledge.note = list->note;
  const auto last = std::find_if(list->episodes.begin(), list->episodes.end(),
                                 [](const auto& one) { return !one.episode_id.empty(); });
  if (last == list->episodes.end()) {
    file->knowledge.last.reset();
    return finish_load(*file, then);
  }
  const json params{{"id", last->job_id}};
  ask_("episode.explain", codec::dump_json(params),
       [this, uri, then](const Result<protocol::Document>& explained) {
         take_episode(uri, explained, then);
       });
}

void OpenFiles::take_episode(const std::string& uri, const Result<protocol::Document>& reply,
                             const std::function<void(OpenFile&)>& then) {
  OpenFile* file = find(uri);
  if (file == nullptr) return;
  if (reply) {
    auto explained = protocol::decode<protocol::EpisodeExplainResult>(*reply);
    if (explained) file->knowledge.last = std::move(*explained);
  }
  finish_load(*file, then);
}

void OpenFiles::finish_load(OpenFile& file, const std::function<void(OpenFile&)>& then) {
  file.loaded = true;
  (void)marked(file.uri);
  const auto waiting = waiting_.extract(file.uri);
  if (!waiting.empty()) {
    for (const auto& one : waiting.mapped()) one(&file);
  }
  news_(file);
  if (then) then(file);
  analyse(file);
}

void OpenFiles::analyse(const OpenFile& file) {
  if (file.knowledge.analysis && file.knowledge.analysed_text == file.document.text()) return;
  if (file.marks.kernels.empty()) return;
  if (!analysed_now_.insert(file.uri).second) {
    analyse_again_.insert(file.uri);
    return;
  }
  const std::string& text = file.document.text();
  json params{{"path", file.path.string()}, {"source", text}, {"predict", wishes_.predict}};
  if (!file.knowledge.directory.empty()) params["directory"] = file.knowledge.directory;
  if (!wishes_.params.device.empty()) params["device"] = wishes_.params.device;
  ask_("kernel.analyze", codec::dump_json(params),
       [this, uri = file.uri, text](const Result<protocol::Document>& reply) {
         take_analysis(uri, text, reply);
       });
}

void OpenFiles::take_analysis(const std::string& uri, const std::string& text,
                              const Result<protocol::Document>& reply) {
  analysed_now_.erase(uri);
  const bool again = analyse_again_.erase(uri) > 0;
  OpenFile* file = marked(uri);
  if (file == nullptr) return;
  auto analysis = reply ? protocol::decode<KernelAnalysis>(*reply)
                        : Result<KernelAnalysis>(fail(reply.error()));
  if (!analysis) {
    link_.say(Urgency::log,
              file->path.filename().string() + " was not analysed: " + analysis.error().message);
  } else if (analysis->built || !file->knowledge.analysis) {
    // A half-written text does not build; what was known before stays, as stale.
    file->knowledge.analysis = std::move(*analysis);
    file->knowledge.analysed_text = text;
    news_(*file);
  }
  if (again) analyse(*file);
}

}  // namespace warpmind::daemon::lsp
