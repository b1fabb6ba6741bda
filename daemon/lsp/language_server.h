#pragma once
/// \file
/// One editor: the Language Server Protocol as a state machine over values. Speaks to the editor
/// through one outlet and to the daemon's own methods through another.

#include "base/result.h"
#include "daemon/protocol/envelope.h"
#include "daemon/protocol/messages.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace warpmind::daemon::lsp {

using DaemonReply = std::function<void(Result<protocol::Document>)>;

struct Outlets {
  std::function<void(std::string_view line)> to_editor;  ///< with its `\n`
  /// A method of docs/protocol.md with its parameters as JSON text; the reply comes later, on the
  /// same thread, or never when the connection closes before.
  std::function<void(std::string_view method, const std::string& params, DaemonReply)> ask;
  std::function<void()> close;
};

/// Does:      lifecycle, open files, lenses, hovers, hints, diagnostics, actions, jobs with
///            progress (docs/editors.md).
/// Does not:  anything for other languages than CUDA C++; C++ itself is clangd's.
/// Threads:   one.
class LanguageServer {
 public:
  LanguageServer(Outlets outlets, std::string version);
  ~LanguageServer();
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  void on_message(const protocol::Message& message);
  void on_progress(const protocol::ProgressParams& progress);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace warpmind::daemon::lsp
