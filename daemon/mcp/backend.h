#pragma once
/// \file
/// The daemon's own methods as tools see them: by name, JSON in and out, the handlers that every
/// client gets.

#include "daemon/protocol/document.h"
#include "daemon/rpc/dispatcher.h"
#include "daemon/rpc/request_context.h"

#include <string_view>

namespace warpmind::daemon::mcp {

/// One request's view. Calls run on the calling thread, whatever their own Execution is: a tool
/// runs where the strictest of its methods must.
class Backend {
 public:
  /// References must outlive it.
  Backend(const Dispatcher& dispatcher, RequestContext& context)
      : dispatcher_(dispatcher), context_(context) {}

  /// `params` null members are left out. Errors: invalid_argument naming the parameter, not_found
  /// for the method; the handler's.
  [[nodiscard]] Result<protocol::Document> ask(std::string_view method,
                                               const nlohmann::json& params) const;
  [[nodiscard]] bool is_cancelled() const { return context_.stop.stop_requested(); }
  /// Whether the last ask() failed: its error may quote a compiler, or somebody's file.
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  [[nodiscard]] Result<protocol::Document> answer_to(std::string_view method,
                                                     const nlohmann::json& params) const;

  const Dispatcher& dispatcher_;
  RequestContext& context_;
  mutable bool refused_ = false;
};

}  // namespace warpmind::daemon::mcp
