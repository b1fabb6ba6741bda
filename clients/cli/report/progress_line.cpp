#include "clients/cli/report/progress_line.h"

#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace warpmind::clients {
namespace {

using daemon::protocol::ProgressParams;

constexpr std::size_t kLogColumns = 120;
/// Of a candidate's name with its parameters, in a log.
constexpr std::size_t kNameColumns = 56;
constexpr std::size_t kLeastLeft = 12;

std::string counter(const ProgressParams& progress, std::int64_t number) {
  if (progress.steps <= 0) return {};
  return "[" + std::to_string(std::min(number, progress.steps)) + "/" +
         std::to_string(progress.steps) + "] ";
}

std::string best_text(const ProgressParams& progress) {
  return progress.best_ratio == 1 ? std::string() : "   best " + format_ratio(progress.best_ratio);
}

/// "0:21", "1:02:03".
std::string clock_text(std::chrono::seconds elapsed) {
  const auto seconds = std::max<std::int64_t>(elapsed.count(), 0);
  const auto two = [](std::int64_t n) { return (n < 10 ? ":0" : ":") + std::to_string(n); };
  if (seconds < 3600) return std::to_string(seconds / 60) + two(seconds % 60);
  return std::to_string(seconds / 3600) + two(seconds / 60 % 60) + two(seconds % 60);
}

std::string activity(const ProgressParams& progress, std::chrono::seconds stage) {
  if (progress.state == JobState::queued) {
    return progress.line.empty() ? "queued" : clean_line(progress.line);
  }
  if (progress.stage.empty()) {
    return counter(progress, progress.step) + (progress.line.empty()
                                                   ? std::string(name_of(progress.state))
                                                   : clean_line(progress.line));
  }
  std::string text = counter(progress, progress.candidate);
  text += progress.technique.empty() ? "given kernel" : clean_line(progress.technique);
  text += ": " + clean_line(progress.stage);
  if (stage.count() > 0) text += " " + std::to_string(stage.count()) + " s";
  return text;
}

bool is_same_work(const ProgressParams& a, const ProgressParams& b) {
  return a.candidate == b.candidate && a.technique == b.technique && a.stage == b.stage;
}

}  // namespace

std::string render_progress(const ProgressParams& progress, ProgressTimes times,
                            std::size_t columns) {
  const std::string left = activity(progress, times.stage);
  const std::string right = best_text(progress) + "   " + clock_text(times.job);
  const std::size_t width = columns_of(right);
  if (columns < width + kLeastLeft) return clip(left, columns);
  return clip(left, columns - width) + right;
}

std::string render_milestone(const ProgressParams& progress) {
  const std::string line = clean_line(progress.line);
  const std::size_t name = std::min(line.find(": "), line.size());
  const std::string right = best_text(progress);
  const std::string left = counter(progress, progress.step) +
                           clip(std::string_view(line).substr(0, name), kNameColumns) +
                           line.substr(name);
  return clip(left, kLogColumns - columns_of(right)) + right;
}

void ProgressDisplay::show(const ProgressParams& progress) {
  if (style_ == ProgressStyle::silent) return;
  const bool is_new = last_.job_id != progress.job_id;
  // Who asked knows what the job waits for; the daemon says only that it waits.
  const bool says_less = !is_new && progress.state == JobState::queued &&
                         last_.state == JobState::queued && progress.line == "queued";
  if (says_less) return;
  const auto now = now_();
  if (is_new) job_since_ = now;
  if (is_new || !is_same_work(last_, progress)) stage_since_ = now;
  const bool is_line = is_new || progress.milestone;
  last_ = progress;
  if (style_ == ProgressStyle::rewritten) return rewrite();
  if (is_line) write_line(progress);
}

void ProgressDisplay::tick() {
  if (style_ == ProgressStyle::rewritten && shown_) rewrite();
}

void ProgressDisplay::rewrite() {
  const auto since = [now = now_()](auto then) {
    return std::chrono::duration_cast<std::chrono::seconds>(now - then);
  };
  // The last column stays free: some terminals wrap as soon as it is written.
  const std::size_t columns = columns_ > 1 ? columns_ - 1 : 1;
  std::string line = render_progress(last_, {since(job_since_), since(stage_since_)}, columns);
  if (shown_ && line == written_) return;
  out_ << "\r\x1b[K" << line << std::flush;
  written_ = std::move(line);
  shown_ = true;
}

void ProgressDisplay::write_line(const ProgressParams& progress) {
  std::string line =
      progress.milestone
          ? render_milestone(progress)
          : clip(clean_line(progress.job_id) + ": " + activity(progress, std::chrono::seconds(0)),
                 kLogColumns);
  if (line == written_) return;
  out_ << line << '\n' << std::flush;
  written_ = std::move(line);
}

void ProgressDisplay::note(const std::string& sentence) {
  const bool was_shown = shown_;
  clear();
  out_ << sentence << '\n' << std::flush;
  if (was_shown) rewrite();
}

void ProgressDisplay::clear() {
  if (shown_) out_ << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace warpmind::clients
