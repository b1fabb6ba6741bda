#pragma once
/// \file
/// An exchange that keeps what it is answered.

#include "daemon/http/exchange.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::daemon::http {

class FakeExchange final : public Exchange {
 public:
  explicit FakeExchange(HttpRequest request) : request_(std::move(request)) {}

  [[nodiscard]] const HttpRequest& request() const override { return request_; }
  void reply(HttpReply reply) override {
    if (!replied && !streaming) replied = std::move(reply);
  }
  void open_stream(std::vector<HttpHeader> headers) override {
    streaming = true;
    stream_headers = std::move(headers);
  }
  void send_event(std::string_view data) override { events.emplace_back(data); }
  void send_numbered_event(std::string_view id, std::string_view data) override {
    ids.emplace_back(id);
    events.emplace_back(data);
  }
  void end_stream() override { ended = true; }
  void on_gone(std::function<void()> gone) override { gone_ = std::move(gone); }

  /// The client leaves.
  void leave() {
    if (gone_) std::exchange(gone_, {})();
  }
  [[nodiscard]] int status() const { return replied ? replied->status : 0; }

  std::optional<HttpReply> replied;
  std::vector<HttpHeader> stream_headers;
  std::vector<std::string> events;
  std::vector<std::string> ids;
  bool streaming = false;
  bool ended = false;

 private:
  HttpRequest request_;
  std::function<void()> gone_;
};

}  // namespace warpmind::daemon::http
