#include "knowledge_base/embedding/http_client.h"

#include "base/guarded.h"

#include <array>
#include <exception>
#include <utility>
#include <vector>

#include <curl/curl.h>

namespace warpmind::knowledge_base {
namespace {

/// Longest time between two looks at a request that nothing happens to.
constexpr int kPollMs = 1000;

struct CloseEasy {
  void operator()(CURL* handle) const { ::curl_easy_cleanup(handle); }
};
struct CloseMulti {
  void operator()(CURLM* handle) const { ::curl_multi_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};

/// One request at a time. A multi handle, for it can be woken, and it owns the connection.
struct Channel {
  std::unique_ptr<CURLM, CloseMulti> multi;
  std::unique_ptr<CURL, CloseEasy> easy;
};

/// Where an answer is collected.
struct Sink {
  std::string body;
  std::size_t most = 0;
  bool too_long = false;
};

/// Anything but `count` ends the transfer. Called from C: nothing may be thrown.
std::size_t collect(const char* bytes, std::size_t size, std::size_t items, void* into) noexcept {
  auto& sink = *static_cast<Sink*>(into);
  const std::size_t count = size * items;
  if (count > sink.most - sink.body.size()) {
    sink.too_long = true;
    return 0;
  }
  try {
    sink.body.append(bytes, count);
  } catch (const std::exception&) {
    return 0;
  }
  return count;
}

/// An easy handle that is in a multi handle as long as this lives.
class Attached {
 public:
  explicit Attached(const Channel& channel) : channel_(channel) {
    added_ = ::curl_multi_add_handle(channel.multi.get(), channel.easy.get()) == CURLM_OK;
  }
  ~Attached() {
    if (added_) ::curl_multi_remove_handle(channel_.multi.get(), channel_.easy.get());
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  [[nodiscard]] bool added() const { return added_; }

 private:
  const Channel& channel_;
  bool added_ = false;
};

/// How the transfer ended. Errors: cancelled.
Result<CURLcode> transfer(const Channel& channel, const std::stop_token& stop) {
  CURLM* const multi = channel.multi.get();
  const Attached attached(channel);
  if (!attached.added()) return CURLE_FAILED_INIT;
  const std::stop_callback wake(stop, [multi] { (void)::curl_multi_wakeup(multi); });
  for (int running = 1; running > 0;) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "the request was given up");
    if (::curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
    if (running > 0 && ::curl_multi_poll(multi, nullptr, 0, kPollMs, nullptr) != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
  }
  int left = 0;
  while (const CURLMsg* message = ::curl_multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) return message->data.result;
  }
  return CURLE_FAILED_INIT;
}

}  // namespace

struct HttpClient::Content {
  std::string url;
  std::unique_ptr<curl_slist, FreeList> headers;
  Guarded<std::vector<Channel>> idle;

  Channel take() {
    auto found = idle.with([](auto& channels) {
      if (channels.empty()) return Channel{};
      Channel last = std::move(channels.back());
      channels.pop_back();
      return last;
    });
    if (found.multi) return found;
    // In this order: making the first easy handle sets the library up.
    Channel made;
    made.easy.reset(::curl_easy_init());
    made.multi.reset(::curl_multi_init());
    return made;
  }
  void give_back(Channel channel) {
    ::curl_easy_reset(channel.easy.get());  // keeps its connection
    idle.with([&](auto& channels) { channels.push_back(std::move(channel)); });
  }
  void add_header(const std::string& line) {
    auto* longer = ::curl_slist_append(headers.get(), line.c_str());
    if (longer == nullptr) return;
    (void)headers.release();
    headers.reset(longer);
  }
  void prepare(CURL* easy, const std::string& body, const HttpLimits& limits) const;
};

void HttpClient::Content::prepare(CURL* easy, const std::string& body,
                                  const HttpLimits& limits) const {
  const auto set = [easy](CURLoption option, auto value) {
    (void)::curl_easy_setopt(easy, option, value);
  };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PROXY, "");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // a name that is being looked up holds nobody up
  set(CURLOPT_USERAGENT, "warpmind");
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(CURLOPT_POSTFIELDS, body.c_str());
  set(CURLOPT_CONNECTTIMEOUT_MS, long{limits.connect.count()});
  set(CURLOPT_TIMEOUT_MS, long{limits.total.count()});
  set(CURLOPT_WRITEFUNCTION, &collect);
}

HttpClient::HttpClient(std::string url, const std::string& key)
    : content_(std::make_unique<Content>()) {
  content_->url = std::move(url);
  content_->add_header("Content-Type: application/json");
  content_->add_header("Accept: application/json");
  content_->add_header("Expect:");
  if (!key.empty()) content_->add_header("Authorization: Bearer " + key);
}

HttpClient::~HttpClient() = default;

Result<HttpAnswer> HttpClient::post(const std::string& body, const HttpLimits& limits,
                                    const std::stop_token& stop) const {
  Channel channel = content_->take();
  if (!channel.easy || !channel.multi) {
    return fail(Errc::external_failure, "libcurl cannot be set up");
  }
  CURL* const easy = channel.easy.get();
  Sink sink;
  sink.most = limits.body_bytes;
  std::array<char, CURL_ERROR_SIZE> reason{};
  content_->prepare(easy, body, limits);
  (void)::curl_easy_setopt(easy, CURLOPT_WRITEDATA, &sink);
  (void)::curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason.data());
  WARPMIND_TRY(const CURLcode code, transfer(channel, stop));
  HttpAnswer answer;
  curl_off_t retry_after = 0;
  (void)::curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
  (void)::curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
  answer.retry_after = std::chrono::seconds(retry_after);
  if (code == CURLE_OK) {
    content_->give_back(std::move(channel));
    answer.body = std::move(sink.body);
    return answer;
  }
  if (sink.too_long) {
    return fail(Errc::corrupt_data,
                "the answer is longer than " + std::to_string(sink.most) + " bytes");
  }
  const bool late = code == CURLE_OPERATION_TIMEDOUT;
  const std::string said = reason.front() == '\0' ? ::curl_easy_strerror(code) : reason.data();
  return fail(late ? Errc::timeout : Errc::unavailable, said);
}

}  // namespace warpmind::knowledge_base
