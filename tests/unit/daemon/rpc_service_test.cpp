#include "daemon/rpc/rpc_service.h"

#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/upkeep_messages.h"
#include "tests/unit/daemon/fake_connections.h"

#include <deque>
#include <stdexcept>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Runs tasks when told to, so that a test decides what happens in between.
class RpcServiceTest : public testing::Test {
 protected:
  RpcServiceTest() {
    dispatcher_.add("kb.stats", Execution::pool,
                    Handler<protocol::Empty, protocol::KbStatsResult>(
                        [this](const protocol::Empty&,
                               RequestContext& context) -> Result<protocol::KbStatsResult> {
                          ++calls_;
                          context.after_reply = [this] { ++after_replies_; };
                          return protocol::KbStatsResult{};
                        }));
    dispatcher_.add<protocol::Empty, RebuildReport>(
        "kb.rebuild", Execution::slow,
        [this](const protocol::Empty&, RequestContext& context) -> Result<RebuildReport> {
          if (during_slow_) during_slow_();
          if (context.stop.stop_requested()) return fail(Errc::cancelled, "stopped");
          return RebuildReport{};
        });
    dispatcher_.add(
        "status", Execution::inline_io,
        Handler<protocol::Empty, protocol::StatusResult>(
            [](const protocol::Empty&, RequestContext&) -> Result<protocol::StatusResult> {
              throw std::runtime_error("broken");
            }));
  }

  void run(std::deque<RpcService::Task>& tasks) {
    while (!tasks.empty()) {
      auto task = std::move(tasks.front());
      tasks.pop_front();
      task();
    }
  }
  void run_all() {
    run(pool_);
    run(io_);
  }
  void ask(const std::string& id) {
    service_.on_line(1, R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"kb.stats"})");
  }
  const std::vector<std::string>& lines() { return connections_.sent[1]; }

  FakeConnections connections_;
  Subscriptions subscriptions_{connections_, [](const JobId&) { return std::nullopt; }};
  Dispatcher dispatcher_;
  std::deque<RpcService::Task> io_;
  std::deque<RpcService::Task> pool_;
  std::deque<RpcService::Task> write_;
  std::deque<RpcService::Task> slow_;
  RpcService service_{dispatcher_,
                      connections_,
                      subscriptions_,
                      {[this](RpcService::Task task) { io_.push_back(std::move(task)); },
                       [this](RpcService::Task task) { pool_.push_back(std::move(task)); },
                       [this](RpcService::Task task) { write_.push_back(std::move(task)); },
                       [this](RpcService::Task task) { slow_.push_back(std::move(task)); }}};
  std::function<void()> during_slow_;
  int calls_ = 0;
  int after_replies_ = 0;
};

TEST_F(RpcServiceTest, AnswersOnceAndThenRunsWhatTheHandlerAskedFor) {
  ask("1");
  EXPECT_TRUE(lines().empty());
  EXPECT_TRUE(service_.is_waiting(1));

  run_all();

  ASSERT_EQ(lines().size(), 1U);
  EXPECT_TRUE(contains(lines()[0], "\"id\":1,\"result\""));
  EXPECT_EQ(after_replies_, 1);
  EXPECT_FALSE(service_.is_waiting(1));
}

TEST_F(RpcServiceTest, RequestCancelledBeforeItsTurnIsNotRun) {
  ask("\"a\"");
  service_.on_line(1, R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a"}})");

  run_all();

  EXPECT_EQ(calls_, 0);
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_TRUE(contains(lines()[0], R"("id":"a","error":{"code":-32005)"));
}

TEST_F(RpcServiceTest, OnlySlowOnesAreStoppedWhenTheDaemonEnds) {
  ask("1");
  service_.on_line(1, R"({"jsonrpc":"2.0","id":2,"method":"kb.rebuild"})");
  during_slow_ = [this] { service_.stop_slow(); };
  run(slow_);
  run_all();

  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(calls_, 1);
  EXPECT_TRUE(contains(lines()[0] + lines()[1], R"("id":1,"result")"));
  EXPECT_TRUE(contains(lines()[0] + lines()[1], R"("id":2,"error":{"code":-32005)"));
}

TEST_F(RpcServiceTest, CancelOfAFinishedRequestChangesNothing) {
  ask("1");
  run(pool_);
  service_.on_line(1, R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})");
  run(io_);

  ASSERT_EQ(lines().size(), 1U);
  EXPECT_TRUE(contains(lines()[0], "\"result\""));
}

TEST_F(RpcServiceTest, ClientThatLeftCostsNoCallAndNoReply) {
  ask("1");
  service_.on_closed(1);

  run_all();

  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(after_replies_, 0);
  EXPECT_TRUE(lines().empty());
}

TEST_F(RpcServiceTest, ClientThatEndedItsInputIsClosedAfterTheAnswer) {
  ask("1");
  service_.on_input_ended(1);
  EXPECT_TRUE(connections_.closed.empty());

  run_all();

  EXPECT_EQ(lines().size(), 1U);
  EXPECT_TRUE(connections_.closed.contains(1));
}

TEST_F(RpcServiceTest, IdInUseIsRefused) {
  ask("1");
  ask("1");

  ASSERT_EQ(lines().size(), 1U);
  EXPECT_TRUE(contains(lines()[0], "-32600"));
}

TEST_F(RpcServiceTest, RequestsInFlightAreLimited) {
  for (int id = 0; id < 33; ++id) ask(std::to_string(id));

  ASSERT_EQ(lines().size(), 1U);
  EXPECT_TRUE(contains(lines()[0], "\"id\":32,\"error\":{\"code\":-32006"));
  run_all();
  EXPECT_EQ(calls_, 32);
}

TEST_F(RpcServiceTest, HandlerThatThrowsCostsOneRequest) {
  service_.on_line(1, R"({"jsonrpc":"2.0","id":1,"method":"status"})");
  ask("2");
  run_all();

  ASSERT_EQ(lines().size(), 2U);
  EXPECT_TRUE(contains(lines()[0], "\"code\":-32008"));
  EXPECT_TRUE(contains(lines()[1], "\"result\""));
}

TEST_F(RpcServiceTest, TellsWhenNothingIsAtWork) {
  bool quiet = false;
  ask("1");
  service_.when_quiet([&quiet] { quiet = true; });
  EXPECT_FALSE(quiet);

  run_all();

  EXPECT_TRUE(quiet);
}

TEST_F(RpcServiceTest, MethodInTheTableWithoutHandlerIsUnknown) {
  service_.on_line(1, R"({"jsonrpc":"2.0","id":1,"method":"hello"})");

  ASSERT_EQ(lines().size(), 1U);
  EXPECT_TRUE(contains(lines()[0], "-32601"));
}

TEST_F(RpcServiceTest, WhatTakesLongHoldsNothingUp) {
  service_.on_line(1, R"({"jsonrpc":"2.0","id":1,"method":"kb.rebuild"})");
  ask("2");

  run_all();

  ASSERT_EQ(lines().size(), 1U);
  EXPECT_TRUE(contains(lines()[0], R"("id":2)")) << lines()[0];
  EXPECT_TRUE(service_.is_waiting(1));
  bool quiet = false;
  service_.when_quiet([&quiet] { quiet = true; });
  EXPECT_FALSE(quiet);
  run(slow_);
  run_all();
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_TRUE(contains(lines()[1], R"("identical":false)")) << lines()[1];
  EXPECT_TRUE(quiet);
}

}  // namespace
}  // namespace warpmind::daemon
