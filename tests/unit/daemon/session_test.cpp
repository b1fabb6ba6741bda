#include "daemon/transport/session.h"

#include <array>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

class Recorder final : public ConnectionEvents {
 public:
  void on_line(ConnectionId, std::string_view line) override { lines.emplace_back(line); }
  void on_input_ended(ConnectionId) override { ended = true; }
  void on_closed(ConnectionId) override { ++closed; }
  [[nodiscard]] bool is_waiting(ConnectionId) const override { return waiting; }

  std::vector<std::string> lines;
  bool ended = false;
  bool waiting = false;
  int closed = 0;
};

class SessionTest : public testing::Test {
 protected:
  void open(const SessionLimits& limits) {
    std::array<int, 2> pair{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    client_.reset(pair[0]);
    session_ = start_session(io_, UniqueFd(pair[1]), 1, limits, events_);
    ASSERT_NE(session_, nullptr);
    turn();
  }
  /// Runs what is ready.
  void turn() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void type(std::string_view bytes) {
    ASSERT_EQ(::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    turn();
  }
  std::string received() {
    std::string all;
    std::array<char, 65536> chunk{};
    ssize_t n = 0;
    while ((n = ::recv(client_.get(), chunk.data(), chunk.size(), 0)) > 0) {
      all.append(chunk.data(), static_cast<std::size_t>(n));
      turn();
    }
    return all;
  }

  boost::asio::io_context io_;
  Recorder events_;
  UniqueFd client_;
  std::shared_ptr<Session> session_;
};

TEST_F(SessionTest, HandsOutLinesInOrder) {
  open({});

  type("a\nb\n\nha");
  type("lf\n");

  EXPECT_EQ(events_.lines, (std::vector<std::string>{"a", "b", "half"}));
}

TEST_F(SessionTest, LineOverTheLimitIsToldAndCloses) {
  SessionLimits limits;
  limits.message_bytes = 8;
  open(limits);

  type("123456789");

  EXPECT_NE(received().find("-32010"), std::string::npos);
  EXPECT_EQ(events_.closed, 1);
}

TEST_F(SessionTest, HalfAMessageIsGivenUpAfterItsTime) {
  SessionLimits limits;
  open(limits);
  type("{\"half\":");

  session_->enforce_deadlines(std::chrono::steady_clock::now());
  turn();
  EXPECT_EQ(events_.closed, 0);
  session_->enforce_deadlines(std::chrono::steady_clock::now() + limits.half_message +
                              std::chrono::seconds(1));
  turn();

  EXPECT_NE(received().find("not finished in time"), std::string::npos);
  EXPECT_EQ(events_.closed, 1);
}

TEST_F(SessionTest, SilentClientIsClosedUnlessItWaits) {
  SessionLimits limits;
  open(limits);
  const auto later = std::chrono::steady_clock::now() + limits.idle + std::chrono::seconds(1);

  events_.waiting = true;
  session_->enforce_deadlines(later);
  turn();
  EXPECT_EQ(events_.closed, 0);
  events_.waiting = false;
  session_->enforce_deadlines(later);
  turn();

  EXPECT_EQ(events_.closed, 1);
}

TEST_F(SessionTest, SlowReaderGetsEverythingInOrder) {
  open({});
  std::string expected;
  for (int i = 0; i < 40'000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    expected += line;
    session_->send(line);
  }

  EXPECT_EQ(received(), expected);
}

TEST_F(SessionTest, ReaderThatStopsIsDropped) {
  SessionLimits limits;
  limits.backlog_bytes = 1U << 20U;
  open(limits);

  for (int i = 0; i < 100 && events_.closed == 0; ++i) {
    session_->send(std::string(100'000, 'x') + "\n");
    turn();
  }

  EXPECT_EQ(events_.closed, 1);
}

TEST_F(SessionTest, FlushesBeforeItCloses) {
  open({});
  const std::string line = std::string(3'000'000, 'x') + "\n";
  session_->send(line);

  session_->close_after_flush();
  turn();
  EXPECT_EQ(events_.closed, 0);

  EXPECT_EQ(received(), line);
  EXPECT_EQ(events_.closed, 1);
}

TEST_F(SessionTest, EndOfInputLeavesTheOtherWayOpen) {
  open({});
  ::shutdown(client_.get(), SHUT_WR);
  turn();
  EXPECT_TRUE(events_.ended);

  session_->send("answer\n");

  EXPECT_EQ(received(), "answer\n");
  EXPECT_EQ(events_.closed, 0);
}

TEST_F(SessionTest, VanishedClientIsNoticedOnWriting) {
  open({});
  client_.reset();

  session_->send("answer\n");
  turn();

  EXPECT_EQ(events_.closed, 1);
}

}  // namespace
}  // namespace warpmind::daemon
