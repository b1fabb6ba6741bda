#pragma once
/// \file
/// Owners of what libnats hands out, and its errors as ours. For nats_*.cpp only.

#include "base/result.h"

#include <memory>
#include <nats/nats.h>
#include <string>

namespace warpmind::daemon::hosts {

template <auto Destroy>
struct NatsDeleter {
  template <class T>
  void operator()(T* handle) const noexcept {
    static_cast<void>(Destroy(handle));
  }
};
template <class T, auto Destroy>
using NatsHandle = std::unique_ptr<T, NatsDeleter<Destroy>>;

using UniqueOptions = NatsHandle<natsOptions, natsOptions_Destroy>;
using UniqueConnection = NatsHandle<natsConnection, natsConnection_Destroy>;
using UniqueContext = NatsHandle<jsCtx, jsCtx_Destroy>;
using UniqueSubscription = NatsHandle<natsSubscription, natsSubscription_Destroy>;
using UniqueMessage = NatsHandle<natsMsg, natsMsg_Destroy>;
using UniqueAck = NatsHandle<jsPubAck, jsPubAck_Destroy>;
using UniqueStreamInfo = NatsHandle<jsStreamInfo, jsStreamInfo_Destroy>;
using UniqueConsumerInfo = NatsHandle<jsConsumerInfo, jsConsumerInfo_Destroy>;
using UniqueBucket = NatsHandle<kvStore, kvStore_Destroy>;
using UniqueEntry = NatsHandle<kvEntry, kvEntry_Destroy>;

/// Most calls answer with a status and, in `reason`, what JetStream said.
struct NatsOutcome {
  natsStatus status = NATS_OK;
  jsErrCode reason = static_cast<jsErrCode>(0);

  explicit operator bool() const { return status == NATS_OK; }
  /// A message or key that is not there. A stream that is not there has another reason.
  [[nodiscard]] bool is_absent() const {
    return reason == JSNoMessageFoundErr || (status == NATS_NOT_FOUND && reason == 0);
  }
  [[nodiscard]] bool is_conflict() const { return reason == JSStreamWrongLastSequenceErr; }
};

/// Errc::conflict for a stale position, else Errc::unavailable.
[[nodiscard]] Error error_of(const NatsOutcome& outcome, const std::string& what);

[[nodiscard]] inline std::string text_of(const natsMsg* message) {
  const int length = natsMsg_GetDataLength(message);
  return length > 0 ? std::string(natsMsg_GetData(message), static_cast<std::size_t>(length))
                    : std::string();
}

}  // namespace warpmind::daemon::hosts
