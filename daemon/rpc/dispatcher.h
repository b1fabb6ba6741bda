#pragma once
/// \file
/// From the name of a method to its handler. Handlers never see JSON.

#include "base/result.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/rpc/request_context.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpmind::daemon {

/// Where a handler runs.
enum class Execution {
  inline_io,  ///< must not block: every client waits for it
  pool,       ///< may wait for the disk
  write,      ///< may wait until the base can be written: a rebuild holds it for minutes
  slow,       ///< may take minutes: one at a time, beside the pool
  programs,   ///< builds and runs a user's program: several at a time, minutes each
  guest,      ///< judges a candidate: waits for the device, and for others who do
};

/// Must be callable from several threads at the same time when it runs on the pool. A `Reply` that
/// is a string is JSON text already.
template <class Params, class Reply>
using Handler = std::function<Result<Reply>(const Params&, RequestContext&)>;

/// Threads: add() before the first look-up; then read-only.
class Dispatcher {
 public:
  /// Answers with the result as JSON text.
  using Call =
      std::function<Result<std::string>(const protocol::Document& params, RequestContext&)>;
  struct Entry {
    Execution execution = Execution::pool;
    Call call;
  };

  template <class Params, class Reply>
  void add(std::string_view method, Execution execution, Handler<Params, Reply> handler) {
    auto call = [handler = std::move(handler)](const protocol::Document& document,
                                               RequestContext& context) -> Result<std::string> {
      const auto params = protocol::decode<Params>(document);
      if (!params) return fail(Errc::invalid_argument, params.error().message);
      if constexpr (std::is_same_v<Reply, std::string>) {
        return handler(*params, context);
      } else {
        WARPMIND_TRY(const Reply reply, handler(*params, context));
        return protocol::encode(reply);
      }
    };
    entries_.insert_or_assign(std::string(method), Entry{execution, std::move(call)});
  }

  template <class Params, class Reply>
  void add(const protocol::Method<Params, Reply>& method, Execution execution,
           std::type_identity_t<Handler<Params, Reply>> handler) {
    add<Params, Reply>(method.name, execution, std::move(handler));
  }

  /// Null when nothing is registered under that name.
  [[nodiscard]] const Entry* find(std::string_view method) const;
  /// Requests of the method table without a handler: empty in a complete daemon.
  [[nodiscard]] std::vector<std::string> unserved() const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace warpmind::daemon
