#include "base/http/http_exchange.h"

#include "base/guarded.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <exception>
#include <optional>
#include <utility>

#include <curl/curl.h>

namespace warpmind {
namespace {

using std::chrono::steady_clock;

/// After the end mark the end of the transfer is near; if it comes, the connection can be used
/// again. It is not worth a longer wait.
constexpr std::chrono::milliseconds kGrace{200};
/// Longest time between two looks at a transfer that nothing happens to.
constexpr std::chrono::milliseconds kLongestPoll{1000};

struct CloseEasy {
  void operator()(CURL* handle) const { ::curl_easy_cleanup(handle); }
};
struct CloseMulti {
  void operator()(CURLM* handle) const { ::curl_multi_cleanup(handle); }
};
struct FreeLines {
  void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};

/// One transfer at a time. The multi handle can be woken, and owns the connection.
struct Channel {
  std::unique_ptr<CURLM, CloseMulti> multi;
  std::unique_ptr<CURL, CloseEasy> easy;
};

struct Transfer {
  Transfer(HttpBody& body, HttpHead& answer, const HttpLimits& most)
      : into(body), head(answer), limits(most), bytes_left(most.answer_bytes) {}

  HttpBody& into;
  HttpHead& head;
  const HttpLimits& limits;
  std::size_t bytes_left;
  std::optional<Error> error;
  bool too_long = false;
  bool stood_still = false;
};

void take_header(HttpHead& head, std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) {
    line.remove_suffix(1);
  }
  if (line.starts_with("HTTP/")) {
    head = {};  // the one before was an interim answer
    const auto status = line.substr(std::min(line.find(' ') + 1, line.size()));
    (void)std::from_chars(status.data(), status.data() + status.size(), head.status);
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "content-type") head.content_type = value;
  if (name == "x-request-id" || name == "request-id") head.request_id = value;
  if (name == "x-should-retry") head.should_retry = value;
  if (name == "retry-after") head.retry_after = value;
  if (name == "retry-after-ms") head.retry_after_ms = value;
}

// Called from C: nothing may be thrown. Anything but `count` ends the transfer.
std::size_t on_header(const char* bytes, std::size_t size, std::size_t items, void* of) noexcept {
  const std::size_t count = size * items;
  try {
    take_header(static_cast<Transfer*>(of)->head, {bytes, count});
  } catch (const std::exception&) {
    return 0;
  }
  return count;
}

std::size_t on_bytes(const char* bytes, std::size_t size, std::size_t items, void* of) noexcept {
  auto& transfer = *static_cast<Transfer*>(of);
  const std::size_t count = size * items;
  if (count > transfer.bytes_left) {
    transfer.too_long = true;
    return 0;
  }
  transfer.bytes_left -= count;
  try {
    auto taken = transfer.into.take(transfer.head, {bytes, count});
    if (taken) return count;
    transfer.error = std::move(taken).error();
  } catch (const std::exception&) {
    transfer.error.reset();
  }
  return 0;
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

CURLcode result_in(CURLM* multi) {
  int left = 0;
  while (const CURLMsg* message = ::curl_multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) return message->data.result;
  }
  return CURLE_FAILED_INIT;
}

/// Tells when a transfer stands still. libcurl's own limit is an average over several seconds.
class Progress {
 public:
  explicit Progress(CURL* easy) : easy_(easy) {}
  [[nodiscard]] std::chrono::milliseconds idle() {
    curl_off_t up = 0;
    curl_off_t down = 0;
    (void)::curl_easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &up);
    (void)::curl_easy_getinfo(easy_, CURLINFO_SIZE_DOWNLOAD_T, &down);
    const auto now = steady_clock::now();
    if (up != up_ || down != down_) since_ = now;
    up_ = up;
    down_ = down;
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - since_);
  }

 private:
  CURL* easy_;
  curl_off_t up_ = 0;
  curl_off_t down_ = 0;
  steady_clock::time_point since_ = steady_clock::now();
};

/// How the transfer ended; nullopt when it was given up.
std::optional<CURLcode> run(const Channel& channel, Transfer& transfer,
                            const std::stop_token& stop) {
  CURLM* const multi = channel.multi.get();
  Progress progress(channel.easy.get());
  const Attached attached(channel);
  if (!attached.added()) return CURLE_FAILED_INIT;
  const std::stop_callback wake(stop, [multi] { (void)::curl_multi_wakeup(multi); });
  std::optional<steady_clock::time_point> grace_ends;
  for (int running = 1; running > 0;) {
    if (stop.stop_requested()) return std::nullopt;
    if (::curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
    if (running == 0) break;
    const auto stall = transfer.limits.stall;
    auto wait = stall.count() > 0 ? stall - progress.idle() : kLongestPoll;
    if (transfer.into.finished()) {
      const auto now = steady_clock::now();
      if (!grace_ends) grace_ends = now + kGrace;
      if (now >= *grace_ends) return CURLE_OK;
      wait = kGrace;
    } else if (wait.count() <= 0) {
      transfer.stood_still = true;
      return CURLE_OPERATION_TIMEDOUT;
    }
    const int wait_ms = static_cast<int>(std::min(wait, kLongestPoll).count()) + 1;
    if (::curl_multi_poll(multi, nullptr, 0, wait_ms, nullptr) != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
  }
  return result_in(multi);
}

/// Whether another attempt may meet something else: not where a certificate or a file is wrong.
bool is_of_the_network(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_FAILED_INIT:
    case CURLE_OUT_OF_MEMORY: return false;
    default: return true;
  }
}

HttpFailure failure_of(CURLcode code, const char* reason, const Transfer& transfer) {
  HttpFailure failure;
  failure.error = {Errc::unavailable, *reason == '\0' ? ::curl_easy_strerror(code) : reason};
  failure.may_pass = is_of_the_network(code);
  failure.late = code == CURLE_OPERATION_TIMEDOUT;
  failure.stood_still = transfer.stood_still;
  if (transfer.stood_still) {
    failure.error.message =
        "nothing came for " + std::to_string(transfer.limits.stall.count()) + " ms";
  }
  if (transfer.too_long) {
    failure = {};
    failure.too_long = true;
    failure.error = {
        Errc::external_failure,
        "the answer is longer than " + std::to_string(transfer.limits.answer_bytes) + " bytes"};
  }
  return failure;
}

}  // namespace

struct HttpExchange::Content {
  HttpChannelOptions options;
  std::unique_ptr<curl_slist, FreeLines> headers;
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
  void prepare(CURL* easy, const std::string& body, Transfer& transfer) const;
};

void HttpExchange::Content::prepare(CURL* easy, const std::string& body, Transfer& transfer) const {
  const auto set = [easy](CURLoption option, auto value) {
    (void)::curl_easy_setopt(easy, option, value);
  };
  set(CURLOPT_URL, options.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PROXY, "");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!options.ca_file.empty()) set(CURLOPT_CAINFO, options.ca_file.c_str());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // a name that is being looked up holds nobody up
  set(CURLOPT_USERAGENT, "warpmind");
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(CURLOPT_POSTFIELDS, body.c_str());
  set(CURLOPT_CONNECTTIMEOUT_MS, long{transfer.limits.connect.count()});
  set(CURLOPT_TIMEOUT_MS, long{transfer.limits.total.count()});
  set(CURLOPT_WRITEFUNCTION, &on_bytes);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, &transfer);
}

HttpExchange::HttpExchange(HttpChannelOptions options) : content_(std::make_unique<Content>()) {
  content_->options = std::move(options);
  content_->add_header("Content-Type: application/json");
  content_->add_header("Expect:");
  for (const auto& line : content_->options.headers) content_->add_header(line);
}

HttpExchange::~HttpExchange() = default;

tl::expected<void, HttpFailure> HttpExchange::post(const std::string& body,
                                                   const HttpLimits& limits, HttpBody& into,
                                                   HttpHead& head,
                                                   const std::stop_token& stop) const {
  Channel channel = content_->take();
  if (!channel.easy || !channel.multi) {
    return tl::unexpected(HttpFailure{{Errc::external_failure, "libcurl cannot be set up"}});
  }
  CURL* const easy = channel.easy.get();
  Transfer transfer(into, head, limits);
  std::array<char, CURL_ERROR_SIZE> reason{};
  content_->prepare(easy, body, transfer);
  (void)::curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason.data());
  const auto code = run(channel, transfer, stop);
  curl_off_t retry_after = 0;
  (void)::curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &head.status);
  (void)::curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
  head.retry_wait = std::chrono::seconds(retry_after);
  if (code == CURLE_OK) {
    content_->give_back(std::move(channel));
    return {};
  }
  if (into.finished()) return {};
  if (!code) {
    return tl::unexpected(HttpFailure{{Errc::cancelled, "the request was given up"}});
  }
  if (transfer.error) return tl::unexpected(HttpFailure{*std::move(transfer.error), false, true});
  return tl::unexpected(failure_of(*code, reason.data(), transfer));
}

}  // namespace warpmind
