#include "daemon/lsp/language_server.h"

#include "base/codec/json_guard.h"
#include "base/text.h"
#include "daemon/lsp/answers.h"
#include "daemon/lsp/job_board.h"
#include "daemon/lsp/kernel_marks.h"
#include "daemon/lsp/wording.h"
#include "daemon/protocol/message_codec.h"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;
using protocol::Message;
using protocol::MessageKind;
using protocol::RequestId;

const json& entry(const json& value, const char* name) {
  static const json null;
  if (!value.is_object()) return null;
  const auto found = value.find(name);
  return found == value.end() ? null : *found;
}

std::string text_entry(const json& value, const char* name) {
  const json& found = entry(value, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

/// First and last line of `params.range`.
std::pair<std::int64_t, std::int64_t> lines_in(const json& params) {
  const json& range = entry(params, "range");
  return {position_in(entry(range, "start")).line, position_in(entry(range, "end")).line};
}

}  // namespace

class LanguageServer::State {
 public:
  State(Outlets outlets, std::string version)
      : outlets_(std::move(outlets)),
        version_(std::move(version)),
        link_(outlets_.to_editor),
        files_(outlets_.ask, link_, profile_, wishes_, [this](OpenFile& file) { tell(file); }),
        jobs_(outlets_.ask, link_, files_, profile_, wishes_,
              [this](OpenFile& /*file*/) { refresh_lenses(); }) {
    add_requests();
    add_notifications();
  }

  void on_message(const Message& message) {
    switch (message.kind) {
      case MessageKind::request: return serve(message);
      case MessageKind::notification: return take(message);
      case MessageKind::response: return link_.on_response(message);
      case MessageKind::invalid:
        return link_.refuse(message.id, message.error->code, message.error->message);
    }
  }

  void on_progress(const protocol::ProgressParams& progress) { jobs_.on_progress(progress); }

 private:
  enum class Phase { fresh, serving, shut_down };
  using Serve = std::function<void(const RequestId&, const json&)>;
  using Take = std::function<void(const json&)>;

  void serve(const Message& message) {
    if (message.method == "initialize" && phase_ == Phase::fresh) {
      return initialize(message.id, message.params.json());
    }
    if (phase_ == Phase::fresh) {
      return link_.refuse(message.id, kServerNotInitialized, "the first request is initialize");
    }
    if (phase_ == Phase::shut_down) {
      return link_.refuse(message.id, protocol::kInvalidRequest, "the server is shut down");
    }
    const auto found = requests_.find(message.method);
    if (found == requests_.end()) {
      return link_.refuse(message.id, protocol::kMethodNotFound,
                          "warpmind does not serve " + message.method.substr(0, 64));
    }
    found->second(message.id, message.params.json());
  }

  void take(const Message& message) {
    if (message.method == "exit") return outlets_.close();
    if (phase_ != Phase::serving) return;
    const auto found = notifications_.find(message.method);
    if (found != notifications_.end()) found->second(message.params.json());
  }

  void initialize(const RequestId& id, const json& params) {
    phase_ = Phase::serving;
    profile_ = editor_profile(params);
    take_wishes(entry(params, "initializationOptions"), wishes_);
    link_.answer(id, {{"capabilities", server_capabilities(profile_)},
                      {"serverInfo", {{"name", "warpmind"}, {"version", version_}}}});
  }

  void add_requests() {
    requests_["shutdown"] = [this](const RequestId& id, const json&) {
      phase_ = Phase::shut_down;
      link_.answer(id, nullptr);
    };
    requests_["textDocument/codeLens"] = [this](const RequestId& id, const json& params) {
      about_file(id, params, json::array(), [](const OpenFile& file) { return code_lenses(file); });
    };
    requests_["textDocument/hover"] = [this](const RequestId& id, const json& params) {
      const Position at = position_in(entry(params, "position"));
      about_file(id, params, nullptr, [at](const OpenFile& file) { return hover(file, at); });
    };
    requests_["textDocument/inlayHint"] = [this](const RequestId& id, const json& params) {
      const auto lines = lines_in(params);
      about_file(id, params, json::array(), [lines](const OpenFile& file) {
        return inlay_hints(file, lines.first, lines.second);
      });
    };
    requests_["textDocument/codeAction"] = [this](const RequestId& id, const json& params) {
      const auto lines = lines_in(params);
      about_file(id, params, json::array(), [this, lines](const OpenFile& file) {
        return code_actions(file, lines.first, lines.second, profile_);
      });
    };
    requests_["workspace/executeCommand"] = [this](const RequestId& id, const json& params) {
      execute(id, params);
    };
  }

  void add_notifications() {
    notifications_["textDocument/didOpen"] = [this](const json& params) { files_.open(params); };
    notifications_["textDocument/didChange"] = [this](const json& params) {
      files_.change(params);
    };
    notifications_["textDocument/didSave"] = [this](const json& params) { files_.save(params); };
    notifications_["textDocument/didClose"] = [this](const json& params) {
      const std::string uri = uri_in(params);
      if (files_.find(uri) == nullptr) return;
      files_.close(params);
      publish(uri, json::array());
    };
    notifications_["workspace/didChangeConfiguration"] = [this](const json& params) {
      const json& settings = entry(params, "settings");
      take_wishes(settings.contains("warpmind") ? entry(settings, "warpmind") : settings, wishes_);
    };
    notifications_["window/workDoneProgress/cancel"] = [this](const json& params) {
      jobs_.cancel_token(text_entry(params, "token"));
    };
  }

  /// Answers when what the base knows of the file is here; `otherwise` for a file that is not ours.
  void about_file(const RequestId& id, const json& params, json otherwise,
                  std::function<json(const OpenFile&)> answer) {
    files_.when_loaded(uri_in(params), [this, id, otherwise = std::move(otherwise),
                                        answer = std::move(answer)](const OpenFile* file) {
      link_.answer(id, file == nullptr ? otherwise : answer(*file));
    });
  }

  void execute(const RequestId& id, const json& params) {
    const std::string command = text_entry(params, "command");
    const json& arguments = entry(params, "arguments");
    const json argument =
        arguments.is_array() && !arguments.empty() ? arguments.front() : json::object();
    const std::string job = text_entry(argument, "job_id");
    if (command == kCancel) return jobs_.cancel(job, id);
    if (command == kEpisodes) return pass_on(id, "episode.list", json::object());
    if (command == kSearch) return search(id, argument);
    if (command == kShowResult && !job.empty()) return show_result_of(id, job);
    files_.when_loaded(
        text_entry(argument, "uri"),
        [this, id, command, kernel = text_entry(argument, "kernel")](const OpenFile* file) {
          if (file == nullptr) {
            return link_.refuse(
                id, kRequestFailed,
                "the argument 'uri' names no CUDA file that is open in this editor");
          }
          execute_on(*file, kernel, command, id);
        });
  }

  void execute_on(const OpenFile& file, const std::string& kernel, const std::string& command,
                  const RequestId& id) {
    if (command == kOptimize) return jobs_.optimize(file, id);
    if (command == kExplain) {
      const std::string sentence = bottleneck_sentence(file, kernel);
      link_.say(Urgency::information, sentence);
      return link_.answer(
          id, {{"sentence", sentence}, {"markdown", bottleneck_markdown(file, kernel)}});
    }
    if (command == kInsights) {
      const auto claims = claims_of(file, kernel);
      link_.say(Urgency::information, count_noun(std::ssize(claims), "insight") + " for " + kernel +
                                          (claims.empty() ? std::string() : ": " + claims.front()));
      return link_.answer(id, {{"insights", claims}});
    }
    if (command == kShowResult) return show_result(file, id);
    if (command == kApply) return apply_best_kernel(file, id);
    link_.refuse(id, protocol::kInvalidParams, "there is no command " + command.substr(0, 64));
  }

  void show_result(const OpenFile& file, const RequestId& id) {
    const auto& last = file.knowledge.last;
    if (last) return answer_winner(id, last->episode);
    link_.refuse(id, kRequestFailed, "nothing was measured yet; optimize it once");
  }

  void apply_best_kernel(const OpenFile& file, const RequestId& id) {
    const json edit = variant_edit(file);
    if (edit.is_null()) return link_.refuse(id, kRequestFailed, why_not_applied(file));
    if (!profile_.applies_edits) {
      return link_.refuse(id, kRequestFailed,
                          "this editor takes no edits from a server; use the code action");
    }
    const std::string technique = better_step(file)->candidate.technique;
    link_.request("workspace/applyEdit", {{"label", "warpmind: " + technique}, {"edit", edit}});
    link_.answer(id, {{"technique", technique}});
  }

  void show_result_of(const RequestId& id, const std::string& job) {
    outlets_.ask("episode.explain", codec::dump_json(json{{"id", job}}),
                 [this, id](const Result<protocol::Document>& reply) {
                   if (!reply) return link_.refuse(id, kRequestFailed, reply.error().message);
                   const auto known = protocol::decode<protocol::EpisodeExplainResult>(*reply);
                   if (!known) return link_.refuse(id, kRequestFailed, known.error().message);
                   answer_winner(id, known->episode);
                 });
  }

  void answer_winner(const RequestId& id, const Episode& episode) {
    const Step* better = better_step(episode);
    if (better == nullptr) return link_.refuse(id, kRequestFailed, episode.summary);
    const std::string title = episode.task_name + ": " + better->candidate.technique + ", " +
                              gain_text(episode.best_against_baseline->ratio) +
                              (episode.provider == Provider::sim ? " (predicted)" : "");
    const std::string& given = episode.steps.front().candidate.kernel.source;
    const std::string text = applied_text(episode, *better);
    const std::string& kernel = better->before.kernel;
    link_.answer(id, {{"title", title},
                      {"summary", episode.summary},
                      {"given", given},
                      {"given_line", line_of_kernel(given, kernel)},
                      {"better", text},
                      {"better_line", line_of_kernel(text, kernel)},
                      {"uri", files_.uri_of(episode.id)}});
  }

  void search(const RequestId& id, const json& argument) {
    constexpr std::int64_t kMostInsights = 50;
    json params{{"limit", kMostInsights}};
    if (const auto text = text_entry(argument, "text"); !text.empty()) params["text"] = text;
    pass_on(id, "kb.search", params);
  }

  /// The daemon's own answer.
  void pass_on(const RequestId& id, const char* method, const json& params) {
    outlets_.ask(method, codec::dump_json(params),
                 [this, id](const Result<protocol::Document>& reply) {
                   if (!reply) return link_.refuse(id, kRequestFailed, reply.error().message);
                   link_.answer(id, reply->json());
                 });
  }

  void tell(OpenFile& file) {
    publish(file.uri, diagnostics(file), file.version);
    refresh_lenses();
    if (profile_.refreshes_hints) link_.request("workspace/inlayHint/refresh", json::object());
  }

  void refresh_lenses() {
    if (profile_.refreshes_lenses) link_.request("workspace/codeLens/refresh", json::object());
  }

  void publish(const std::string& uri, const json& list,
               std::optional<std::int64_t> version = std::nullopt) {
    json params{{"uri", uri}, {"diagnostics", list}};
    if (version) params["version"] = *version;
    link_.notify("textDocument/publishDiagnostics", params);
  }

  Outlets outlets_;
  std::string version_;
  Phase phase_ = Phase::fresh;
  EditorProfile profile_;
  JobWishes wishes_;
  EditorLink link_;
  OpenFiles files_;
  JobBoard jobs_;
  std::map<std::string, Serve> requests_;
  std::map<std::string, Take> notifications_;
};

LanguageServer::LanguageServer(Outlets outlets, std::string version)
    : state_(std::make_unique<State>(std::move(outlets), std::move(version))) {}
LanguageServer::~LanguageServer() = default;

void LanguageServer::on_message(const Message& message) { state_->on_message(message); }
void LanguageServer::on_progress(const protocol::ProgressParams& progress) {
  state_->on_progress(progress);
}

}  // namespace warpmind::daemon::lsp
