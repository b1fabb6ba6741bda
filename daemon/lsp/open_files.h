#pragma once
/// \file
/// The files that the editor has open, kept as it sees them, and filled with what the daemon knows.

#include "daemon/lsp/editor_link.h"
#include "daemon/lsp/editor_profile.h"
#include "daemon/lsp/language_server.h"
#include "daemon/lsp/open_file.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpmind::daemon::lsp {

/// Does:      didOpen, didChange, didSave, didClose; loads the last episode, then the analysis.
/// Does not:  keep files that are not CUDA C++.
class OpenFiles {
 public:
  using Ask = std::function<void(std::string_view, const std::string&, DaemonReply)>;

  /// References must outlive it. `news` is told whenever more is known of a file.
  OpenFiles(Ask ask, EditorLink& link, const EditorProfile& profile, const JobWishes& wishes,
            std::function<void(OpenFile&)> news)
      : ask_(std::move(ask)),
        link_(link),
        profile_(profile),
        wishes_(wishes),
        news_(std::move(news)) {}

  void open(const nlohmann::json& params);
  void change(const nlohmann::json& params);
  void save(const nlohmann::json& params);
  void close(const nlohmann::json& params);

  /// Null when it is not open here.
  [[nodiscard]] OpenFile* find(const std::string& uri);
  /// Of an open file whose last episode that is; empty when there is none.
  [[nodiscard]] std::string uri_of(const EpisodeId& episode) const;
  /// With its marks brought up to date.
  [[nodiscard]] OpenFile* marked(const std::string& uri);
  /// Runs when the base's knowledge of the file is here; at once with null when it is not open.
  void when_loaded(const std::string& uri, std::function<void(OpenFile*)> then);
  /// Asks for the last episode again, then runs `then` if the file is still open.
  void load(const std::string& uri, std::function<void(OpenFile&)> then = {});

 private:
  void take_list(const std::string& uri, const Result<protocol::Document>& reply,
                 const std::function<void(OpenFile&)>& then);
  void take_episode(const std::string& uri, const Result<protocol::Document>& reply,
                    const std::function<void(OpenFile&)>& then);
  void finish_load(OpenFile& file, const std::function<void(OpenFile&)>& then);
  void analyse(const OpenFile& file);
  void take_analysis(const std::string& uri, const std::string& text,
                     const Result<protocol::Document>& reply);

  Ask ask_;
  EditorLink& link_;
  const EditorProfile& profile_;
  const JobWishes& wishes_;
  std::function<void(OpenFile&)> news_;
  std::map<std::string, OpenFile> files_;  // by uri
  std::map<std::string, std::vector<std::function<void(OpenFile*)>>> waiting_;
  std::set<std::string> analysed_now_;  // uris
  std::set<std::string> analyse_again_;
};

/// The member `uri` of `params.textDocument`; empty when it is not there.
[[nodiscard]] std::string uri_in(const nlohmann::json& params);
/// Position of an object with `line` and `character`; the beginning when it is none.
[[nodiscard]] Position position_in(const nlohmann::json& value);

}  // namespace warpmind::daemon::lsp
