#include "daemon/rpc/dispatcher.h"

#include "daemon/protocol/method_table.h"

namespace warpmind::daemon {

const Dispatcher::Entry* Dispatcher::find(std::string_view method) const {
  const auto found = entries_.find(method);
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<std::string> Dispatcher::unserved() const {
  std::vector<std::string> names;
  for (const auto& spec : protocol::methods()) {
    if (spec.kind == protocol::MethodKind::request && find(spec.name) == nullptr) {
      names.emplace_back(spec.name);
    }
  }
  return names;
}

}  // namespace warpmind::daemon
