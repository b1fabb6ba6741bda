#pragma once
/// \file
/// Jobs that the editor's user started, shown as progress with a cancel button.

#include "daemon/lsp/open_files.h"

#include <map>
#include <string>

namespace warpmind::daemon::lsp {

class JobBoard {
 public:
  /// References must outlive it. `news` is told when what lenses say of a file has changed.
  JobBoard(OpenFiles::Ask ask, EditorLink& link, OpenFiles& files, const EditorProfile& profile,
           const JobWishes& wishes, std::function<void(OpenFile&)> news)
      : ask_(std::move(ask)),
        link_(link),
        files_(files),
        profile_(profile),
        wishes_(wishes),
        news_(std::move(news)) {}

  /// Queues the task of a file; answers `id` with the job, or with why there is none.
  void optimize(const OpenFile& file, const protocol::RequestId& id);
  /// Ends a job; answers `id` unless it is null (the editor's cancel button expects nothing).
  void cancel(const std::string& job, const protocol::RequestId& id);
  /// The cancel button of a progress.
  void cancel_token(const std::string& token);
  void on_progress(const protocol::ProgressParams& progress);

 private:
  struct Watched {
    std::string uri;
    std::string token;
    bool begun = false;  // the editor shows it
  };

  /// Says what takes the file instead; `data.program` is its path where it is a whole program.
  void refuse_without_task(const OpenFile& file, const protocol::RequestId& id);
  void start(const std::string& uri, const std::string& job);
  void report(const Watched& watched, const protocol::ProgressParams& progress);
  void end(const Watched& watched, const protocol::ProgressParams& progress);
  /// What became of the job, to the user: the editor itself shows it where it said that it does.
  void tell_ending(const OpenFile& file, const protocol::ProgressParams& progress);

  OpenFiles::Ask ask_;
  EditorLink& link_;
  OpenFiles& files_;
  const EditorProfile& profile_;
  const JobWishes& wishes_;
  std::function<void(OpenFile&)> news_;
  std::map<std::string, Watched> watched_;  // by job
};

}  // namespace warpmind::daemon::lsp
