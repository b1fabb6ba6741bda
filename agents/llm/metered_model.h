#pragma once
/// \file
/// A model that says what its attempts cost, those that gave no answer too.

#include "agents/llm/language_model.h"

#include <stop_token>

namespace warpmind::agents::llm {

/// What the caller of one request learns while it runs. Called on the caller's thread.
class CallMeter {
 public:
  virtual ~CallMeter() = default;
  /// Before every attempt; an error ends the request with it.
  [[nodiscard]] virtual Result<void> begin_attempt() = 0;
  /// After an attempt that gave no answer but may be billed: what is known of it.
  virtual void lost(const Usage& usage) = 0;
};

class MeteredModel : public LanguageModel {
 public:
  /// As complete(); the usage of the reply is that of the attempt that answered, alone.
  [[nodiscard]] virtual Result<ModelReply> complete_metered(const ModelRequest& request,
                                                            std::stop_token stop,
                                                            CallMeter& meter) = 0;
};

}  // namespace warpmind::agents::llm
