#include "daemon/lsp/job_board.h"

#include "base/codec/json_guard.h"
#include "daemon/lsp/wording.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;

bool has_ended(JobState state) {
  return state == JobState::done || state == JobState::failed || state == JobState::cancelled;
}

std::string ending_of(const OpenFile& file, const protocol::ProgressParams& progress) {
  const auto& last = file.knowledge.last;
  if (progress.state != JobState::done || !last || last->job_id != progress.job_id) {
    return progress.job_id + " is " + std::string(name_of(progress.state)) + ": " + progress.line;
  }
  const Episode& episode = last->episode;
  std::string text = file.knowledge.task + ": " + std::string(name_of(episode.outcome));
  if (better_step(file) == nullptr) return text + ". " + episode.summary;
  return text + ", " + gain_text(episode.best_against_baseline->ratio) +
         (episode.provider == Provider::sim ? " (predicted)" : "");
}

}  // namespace

void JobBoard::optimize(const OpenFile& file, const protocol::RequestId& id) {
  if (!file.job.empty()) {
    return link_.refuse(id, kRequestFailed, file.job + " optimises this file already");
  }
  if (file.unsaved) {
    return link_.refuse(id, kRequestFailed, "save the file first: the daemon reads it from disk");
  }
  if (file.knowledge.directory.empty()) {
    return refuse_without_task(file, id);
  }
  protocol::TaskSubmitParams params = wishes_.params;
  params.directory = file.knowledge.directory;
  params.watch = true;
  ask_("task.submit", protocol::encode(params),
       [this, uri = file.uri, id](const Result<protocol::Document>& reply) {
         if (!reply) return link_.refuse(id, kRequestFailed, reply.error().message);
         const auto submitted = protocol::decode<protocol::TaskSubmitResult>(*reply);
         if (!submitted) return link_.refuse(id, kRequestFailed, submitted.error().message);
         start(uri, submitted->job_id);
         link_.answer(id, {{"job_id", submitted->job_id}});
       });
}

void JobBoard::refuse_without_task(const OpenFile& file, const protocol::RequestId& id) {
  if (!defines_main(file.document.text())) {
    return link_.refuse(id, kRequestFailed, file.knowledge.note);
  }
  const std::string name = file.path.filename().string();
  link_.refuse(id, kRequestFailed,
               name + " is a whole program, which the daemon never runs: `warpmind optimize " +
                   name +
                   " --run ./a.out` in a terminal builds it, runs it and makes its kernels faster",
               codec::dump_json(json{{"program", file.path.string()}}));
}

void JobBoard::start(const std::string& uri, const std::string& job) {
  const std::string token = "warpmind/" + job;
  watched_[job] = {.uri = uri, .token = token};
  std::string title = "Optimizing";
  if (OpenFile* file = files_.find(uri); file != nullptr) {
    file->job = job;
    file->activity = "queued";
    title += " " + file->knowledge.task;
    news_(*file);
  }
  if (!profile_.shows_progress) return;
  link_.request("window/workDoneProgress/create", {{"token", token}}, [this, job, token, title] {
    const auto watched = watched_.find(job);
    if (watched == watched_.end()) return;  // it was quicker than the editor
    watched->second.begun = true;
    link_.notify(
        "$/progress",
        {{"token", token},
         {"value",
          {{"kind", "begin"}, {"title", title}, {"cancellable", true}, {"percentage", 0}}}});
  });
}

void JobBoard::cancel(const std::string& job, const protocol::RequestId& id) {
  const json params{{"job_id", job}};
  ask_("task.cancel", codec::dump_json(params),
       [this, id](const Result<protocol::Document>& reply) {
         const bool expected = !std::holds_alternative<std::monostate>(id);
         if (!reply && !expected) return link_.say(Urgency::log, reply.error().message);
         if (!expected) return;
         if (!reply) return link_.refuse(id, kRequestFailed, reply.error().message);
         link_.answer(id, reply->json());
       });
}

void JobBoard::cancel_token(const std::string& token) {
  const auto found = std::find_if(watched_.begin(), watched_.end(),
                                  [&](const auto& one) { return one.second.token == token; });
  if (found != watched_.end()) cancel(found->first, {});
}

void JobBoard::on_progress(const protocol::ProgressParams& progress) {
  const auto found = watched_.find(progress.job_id);
  if (found == watched_.end()) return;
  if (has_ended(progress.state)) {
    const Watched watched = std::move(found->second);
    watched_.erase(found);
    return end(watched, progress);
  }
  if (OpenFile* file = files_.find(found->second.uri); file != nullptr) {
    const std::string activity =
        progress.state == JobState::queued
            ? "queued"
            : std::to_string(progress.step) + " of " + std::to_string(progress.steps) + " judged";
    // Lenses are asked for anew only when they change, not at every line of a lively job.
    if (std::exchange(file->activity, activity) != activity) news_(*file);
  }
  report(found->second, progress);
}

void JobBoard::report(const Watched& watched, const protocol::ProgressParams& progress) {
  if (!watched.begun) return;
  constexpr std::int64_t kWhole = 100;
  json value{{"kind", "report"}, {"message", progress.line}};
  if (progress.steps > 0) {
    value["percentage"] = std::min(kWhole, kWhole * progress.step / progress.steps);
  }
  link_.notify("$/progress", {{"token", watched.token}, {"value", value}});
}

void JobBoard::end(const Watched& watched, const protocol::ProgressParams& progress) {
  if (watched.begun) {
    link_.notify("$/progress", {{"token", watched.token},
                                {"value", {{"kind", "end"}, {"message", progress.line}}}});
  }
  // Lists of episodes are shown by few editors; the others may ignore what begins with `$/`.
  link_.notify("$/warpmind/episodes", {{"job_id", progress.job_id}});
  OpenFile* file = files_.find(watched.uri);
  if (file == nullptr) return;
  file->job.clear();
  file->activity.clear();
  files_.load(watched.uri, [this, progress](OpenFile& loaded) { tell_ending(loaded, progress); });
}

void JobBoard::tell_ending(const OpenFile& file, const protocol::ProgressParams& progress) {
  const bool went_wrong = progress.state == JobState::failed;
  const bool applies = progress.state == JobState::done && why_not_applied(file).empty();
  std::string text = ending_of(file, progress);
  if (profile_.shows_endings) {
    return link_.notify("$/warpmind/ended", {{"job_id", progress.job_id},
                                             {"uri", file.uri},
                                             {"message", text},
                                             {"failed", went_wrong},
                                             {"applies", applies}});
  }
  if (applies) text += "; the code action on the kernel applies it";
  link_.say(went_wrong ? Urgency::warning : Urgency::information, text);
}

}  // namespace warpmind::daemon::lsp
