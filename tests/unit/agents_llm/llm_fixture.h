#pragma once
// A model over a server of the test. Waits between attempts are written down and not waited.

#include "agents/llm/http_model.h"
#include "tests/fakes/llm_server.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::agents::llm {

inline constexpr const char* kTestKey = "sk-test-0123456789abcdef";

inline fakes::LlmWire wire_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::chat: return fakes::LlmWire::chat;
    case Dialect::responses: return fakes::LlmWire::responses;
    case Dialect::messages: return fakes::LlmWire::messages;
  }
  return fakes::LlmWire::chat;
}

inline std::string dialect_text(Dialect dialect) {
  return std::string(make_dialect(dialect)->name());
}

inline ModelRequest sample_request() {
  ModelRequest request;
  request.purpose = "proposal";
  request.system = "You write CUDA.";
  request.messages = {{Speaker::user, "Make it faster."}};
  request.max_output_tokens = 1000;
  return request;
}

inline constexpr const char* kTestPrices = R"(
version = "test"
[[price]]
model = "served-model"
input = 1000000
cached = 100000
cache_write = 1250000
output = 4000000
as_of = "2026-01-01"
)";

/// What fakes::LlmTokens costs by kTestPrices: 30 + 6 + 12.5 + 80, rounded up.
inline constexpr std::int64_t kSampleMicroUsd = 129;

class LlmFixture {
 public:
  [[nodiscard]] EndpointOptions options(Dialect dialect) const {
    EndpointOptions options;
    options.url = server_.url();
    options.dialect = dialect;
    options.model = "served-model";
    options.key = kTestKey;
    options.stall_timeout = std::chrono::hours(1);
    return options;
  }
  [[nodiscard]] HttpModelParts parts() {
    HttpModelParts parts;
    parts.prices = PriceTable::parse(kTestPrices, "test").value();
    parts.hooks.wait = [this](std::chrono::milliseconds time, const std::stop_token& stop) {
      const std::lock_guard held(mutex_);
      waits_.push_back(time.count());
      return !stop.stop_requested();
    };
    parts.hooks.random = [] { return 0.0; };
    return parts;
  }
  [[nodiscard]] std::unique_ptr<HttpModel> model(const EndpointOptions& options) {
    return HttpModel::create(options, parts()).value();
  }
  [[nodiscard]] std::unique_ptr<HttpModel> model(Dialect dialect) {
    return model(options(dialect));
  }
  [[nodiscard]] std::vector<std::int64_t> waits() const {
    const std::lock_guard held(mutex_);
    return waits_;
  }

  fakes::LlmServer server_;

 private:
  mutable std::mutex mutex_;
  std::vector<std::int64_t> waits_;
};

}  // namespace warpmind::agents::llm
