// The client of an embeddings endpoint against a server on this machine.

#include "knowledge_base/embedding/embedding_endpoint.h"
#include "tests/fakes/embedding_server.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using fakes::EmbeddingCall;
using fakes::EmbeddingReply;
using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Unit vectors that tell "a" from "b".
std::vector<float> by_first_letter(const std::string& text) {
  return text.starts_with("a") ? std::vector<float>{1, 0} : std::vector<float>{0, 1};
}

class EndpointClientTest : public testing::Test {
 protected:
  [[nodiscard]] EmbeddingOptions options() const {
    EmbeddingOptions options;
    options.url = server_.url();
    options.model = "m";
    options.query_timeout = hours(1);
    options.batch_timeout = hours(1);
    options.first_wait = milliseconds(1);
    return options;
  }
  static std::unique_ptr<EmbeddingEndpoint> client(const EmbeddingOptions& options) {
    return EmbeddingEndpoint::create(options).value();
  }
  /// Answers the first `count` calls with `reply`, then rightly.
  void fail_first(int count, const EmbeddingReply& reply) {
    auto left = std::make_shared<std::atomic<int>>(count);
    server_.answer([this, left, reply](const EmbeddingCall& call) {
      return left->fetch_sub(1) > 0 ? reply : server_.right(call);
    });
  }
  [[nodiscard]] Error error_of(const EmbeddingReply& reply) {
    fail_first(100, reply);
    const auto vectors = client(options())->embed({"a"}, {});
    EXPECT_FALSE(vectors.has_value());
    return vectors.has_value() ? Error{} : vectors.error();
  }

  fakes::EmbeddingServer server_{by_first_letter};
};

TEST_F(EndpointClientTest, AsksOnceForAllTexts) {
  const auto vectors = client(options())->embed({"a", "b", "ab"}, {});
  ASSERT_TRUE(vectors.has_value()) << vectors.error().message;
  EXPECT_THAT(*vectors, ElementsAre(ElementsAre(1, 0), ElementsAre(0, 1), ElementsAre(1, 0)));
  ASSERT_THAT(server_.calls(), SizeIs(1));
  const auto call = server_.calls()[0];
  EXPECT_EQ(call.path, "/v1/embeddings");
  EXPECT_EQ(call.model, "m");
  EXPECT_EQ(call.authorization, "");
  EXPECT_THAT(call.texts, ElementsAre("a", "b", "ab"));
}

TEST_F(EndpointClientTest, SendsTheKeyAndNeverShowsIt) {
  const auto scratch =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb-embedding").value();
  auto with_key = options();
  with_key.key_file = scratch.path() / "key";
  std::ofstream(with_key.key_file) << "sk-secret\n";
  std::filesystem::permissions(with_key.key_file, std::filesystem::perms::owner_read);
  ASSERT_TRUE(client(with_key)->embed({"a"}, {}).has_value());
  EXPECT_EQ(server_.calls().at(0).authorization, "Bearer sk-secret");
  fail_first(1, {401, R"({"error":{"message":"sk-secret is no key of ours"}})", ""});
  const auto refused = client(with_key)->embed({"a"}, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("embeddings_key_file"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("sk-secret")));
}

TEST_F(EndpointClientTest, AsksAgainWhenTheServerIsBusyOrFails) {
  for (const int status : {408, 409, 429, 500, 503, 529}) {
    fail_first(2, {status, "busy", "Retry-After: 0"});
    const auto before = server_.calls().size();
    EXPECT_TRUE(client(options())->embed({"a"}, {}).has_value()) << status;
    EXPECT_EQ(server_.calls().size() - before, 3U);
  }
  fail_first(3, {500, R"({"error":"out of memory"})", ""});
  const auto vectors = client(options())->embed({"a"}, {});
  ASSERT_FALSE(vectors.has_value());
  EXPECT_EQ(vectors.error().code, Errc::unavailable);
  EXPECT_THAT(vectors.error().message, HasSubstr("127.0.0.1 answers with status 500: out of"));
}

TEST_F(EndpointClientTest, GivesUpAtOnceWhenAskingAgainIsOfNoUse) {
  struct Case {
    EmbeddingReply reply;
    Errc code;
    std::string why;
  };
  const std::vector<Case> cases{
      {{400, R"({"error":{"message":"too long"}})", ""}, Errc::invalid_argument, "too long"},
      {{413, "", ""}, Errc::invalid_argument, "413"},
      {{422, "", ""}, Errc::invalid_argument, "422"},
      {{404, R"({"error":"model 'm' not found"})", ""}, Errc::unavailable, "not found"},
      {{403, "", ""}, Errc::unavailable, "embeddings_key_file"},
      {{307, "", "Location: /elsewhere"}, Errc::unavailable, "a redirect"},
      {{429, "", "Retry-After: 3600"}, Errc::unavailable, "429"},
      {{200, "<html>", ""}, Errc::corrupt_data, "is not JSON"},
  };
  for (const auto& one : cases) {
    const auto before = server_.calls().size();
    const auto error = error_of(one.reply);
    EXPECT_EQ(error.code, one.code) << one.reply.status;
    EXPECT_THAT(error.message, HasSubstr(one.why));
    EXPECT_EQ(server_.calls().size() - before, 1U) << one.reply.status;
  }
}

TEST_F(EndpointClientTest, AQuestionIsAskedOnce) {
  fail_first(1, {500, "", ""});
  const auto endpoint = client(options());
  EXPECT_FALSE(endpoint->embed_query("a").has_value());
  EXPECT_THAT(server_.calls(), SizeIs(1));
  EXPECT_THAT(endpoint->embed_query("a").value(), ElementsAre(1, 0));
}

TEST_F(EndpointClientTest, NobodyListening) {
  server_.stop();
  const auto vectors = client(options())->embed({"a"}, {});
  ASSERT_FALSE(vectors.has_value());
  EXPECT_EQ(vectors.error().code, Errc::unavailable);
  EXPECT_THAT(vectors.error().message, HasSubstr("127.0.0.1"));
}

TEST_F(EndpointClientTest, AServerThatDoesNotAnswerIsLeft) {
  server_.hold([](const EmbeddingCall&) { return true; });
  auto hasty = options();
  hasty.query_timeout = milliseconds(30);
  const auto vector = client(hasty)->embed_query("a");
  ASSERT_FALSE(vector.has_value());
  EXPECT_EQ(vector.error().code, Errc::timeout);
}

TEST_F(EndpointClientTest, AStopEndsARequestThatIsOnItsWay) {
  server_.hold([](const EmbeddingCall&) { return true; });
  std::stop_source stop;
  const auto endpoint = client(options());
  Errc code{};
  std::thread asking([&] { code = endpoint->embed({"a"}, stop.get_token()).error().code; });
  server_.await_held(1);
  stop.request_stop();
  asking.join();  // the time limits of the request are hours
  EXPECT_EQ(code, Errc::cancelled);
}

TEST_F(EndpointClientTest, AStopEndsTheWaitBeforeAnotherAttempt) {
  std::stop_source stop;
  server_.answer([&](const EmbeddingCall&) {
    stop.request_stop();
    return EmbeddingReply{503, "", ""};
  });
  auto patient = options();
  patient.first_wait = hours(1);
  EXPECT_EQ(client(patient)->embed({"a"}, stop.get_token()).error().code, Errc::cancelled);
}

TEST_F(EndpointClientTest, ProxiesOfTheEnvironmentAreNotUsed) {
  for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) {
    ASSERT_EQ(::setenv(name, "http://127.0.0.1:1", 1), 0);
  }
  const auto vectors = client(options())->embed({"a"}, {});
  for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) {
    (void)::unsetenv(name);
  }
  EXPECT_TRUE(vectors.has_value());
}

TEST_F(EndpointClientTest, ManyThreadsAtOnce) {
  const auto endpoint = client(options());
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        const bool a = (i + k) % 2 == 0;
        const auto vector = endpoint->embed_query(a ? "a" : "b");
        if (vector.has_value() && (*vector)[a ? 0 : 1] == 1) ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 160);
}

}  // namespace
}  // namespace warpmind::knowledge_base
