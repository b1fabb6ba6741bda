#include "clients/daemon_client.h"

#include "base/codec/json_guard.h"
#include "daemon/protocol/method_table.h"
#include "protocol_server.h"

#include <array>
#include <atomic>
#include <filesystem>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
constexpr Milliseconds kSoon{20};
constexpr Milliseconds kLong{60'000};

Result<DaemonClient> connect_to(const ProtocolServer& server, Milliseconds timeout = kLong) {
  return DaemonClient::connect(server.socket(), timeout);
}

std::string progress(const char* state) {
  return protocol::make_notification(
      "task.progress", R"({"job_id":"j-0000000007","step":1,"steps":2,"line":"l","state":")" +
                           std::string(state) + "\"}");
}

TEST(DaemonClient, ReadsTheGreetingAndCalls) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) c.answer(*request, R"({"version":"0.1.0","queued":3})");
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client) << client.error().message;

  const auto status = client->status();

  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(client->greeting().pid, 400'000'000);
  EXPECT_EQ(status->queued, 3);
}

TEST(DaemonClient, SendsOnlyParametersThatTheMethodTableKnows) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      const auto* method = protocol::find_method(request->method);
      if (method == nullptr) {
        c.refuse(*request, {Errc::not_found, "unknown method"});
        continue;
      }
      const auto checked = protocol::check_params(*method, request->params);
      if (checked) {
        c.answer(*request, "{}");
      } else {
        c.refuse(*request, checked.error());
      }
    }
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);
  const auto why = [](const auto& result) { return result ? "" : result.error().message; };

  EXPECT_EQ(why(client->status()), "");
  EXPECT_EQ(why(client->validate("/tmp")), "");
  protocol::JobOptions options;
  options.evaluations = 3;
  options.seconds = 2.5;
  options.provider = "gpu";
  options.proposer = "replay";
  options.replay_file = "/f";
  EXPECT_EQ(why(client->submit({options, "/tmp", true})), "");
  EXPECT_EQ(why(client->submit({{}, "/tmp", false})), "");
  EXPECT_EQ(why(client->job_status("j-0000000007", true)), "");
  EXPECT_EQ(why(client->cancel("j-0000000007")), "");
  EXPECT_EQ(why(client->result("j-0000000007")), "");
  EXPECT_EQ(why(client->shutdown(protocol::ShutdownMode::finish)), "");
}

TEST(DaemonClient, ReadsAnAnswerThatComesByteByByte) {
  ProtocolServer server([](ServedConnection& c) {
    const std::string greeting = protocol::make_notification("greeting", R"({"pid":7})");
    for (const char byte : greeting) c.send({&byte, 1});
    auto request = c.receive();
    if (!request) return;
    const std::string answer = protocol::make_result(request->id, R"({"queued":5})");
    for (const char byte : answer) c.send({&byte, 1});
    (void)c.receive();
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client) << client.error().message;

  const auto status = client->status();

  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->queued, 5);
}

TEST(DaemonClient, SaysThatNobodyListens) {
  const auto folder = fresh_folder();

  const auto client = DaemonClient::connect(folder.path() / "none.sock", kLong);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::not_found);
}

TEST(DaemonClient, TakesASocketWithoutAListenerForNoDaemon) {
  const auto folder = fresh_folder();
  { const UniqueFd dead = listen_at(folder.path() / "dead.sock"); }

  const auto client = DaemonClient::connect(folder.path() / "dead.sock", kLong);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::not_found);
}

TEST(DaemonClient, RefusesASocketPathThatIsTooLong) {
  const auto client = DaemonClient::connect("/" + std::string(200, 'x'), kLong);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::invalid_argument);
  EXPECT_NE(client.error().message.find("1 to 107"), std::string::npos);
}

TEST(DaemonClient, RefusesAnotherProtocolWithAWayOut) {
  ProtocolServer server([](ServedConnection& c) { c.greet(99); });

  const auto client = connect_to(server);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::conflict);
  EXPECT_NE(client.error().message.find("speaks protocol 99 and this client 1"), std::string::npos);
  EXPECT_NE(client.error().message.find("kill 400000000"), std::string::npos);
}

TEST(DaemonClient, RefusesWhatIsNotADaemon) {
  for (const char* first : {"HTTP/1.1 400 Bad Request\r\n\r\n", "{}\n", "[1,2]\n",
                            R"({"jsonrpc":"2.0","method":"other","params":{}})"
                            "\n"}) {
    ProtocolServer server([first](ServedConnection& c) { c.send(first); });

    const auto client = connect_to(server);

    ASSERT_FALSE(client) << first;
    EXPECT_EQ(client.error().code, Errc::corrupt_data) << first;
    EXPECT_NE(client.error().message.find("not warpmindd"), std::string::npos);
  }
}

TEST(DaemonClient, PassesOnARefusalInsteadOfAGreeting) {
  ProtocolServer server([](ServedConnection& c) {
    c.send(protocol::make_error({}, {protocol::kTooManyConnections, "256 clients are here", ""}));
  });

  const auto client = connect_to(server);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error(), (Error{Errc::unavailable, "256 clients are here"}));
}

TEST(DaemonClient, GivesUpOnAServerThatNeverGreets) {
  ProtocolServer server([](ServedConnection& c) { (void)c.receive(); });

  const auto client = connect_to(server, kSoon);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::timeout);
}

TEST(DaemonClient, IsDisconnectedAfterATimeout) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (c.receive()) {
    }
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);

  const auto answer = client->call("status", "{}", kSoon);

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::timeout);
  EXPECT_FALSE(client->connected());
  EXPECT_FALSE(client->status());
}

TEST(DaemonClient, SaysThatTheDaemonWentInTheMiddleOfACall) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    (void)c.receive();
    c.send(R"({"jsonrpc":"2.0","id":1,"res)");
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);

  const auto status = client->status();

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::external_failure);
  EXPECT_FALSE(client->connected());
}

TEST(DaemonClient, StaysConnectedAfterAnErrorOfTheDaemon) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    if (auto request = c.receive()) c.refuse(*request, {Errc::not_found, "there is no job"});
    if (auto request = c.receive()) c.answer(*request, "{}");
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);

  const auto result = client->result("j-0000000009");

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), (Error{Errc::not_found, "there is no job"}));
  EXPECT_TRUE(client->connected());
  EXPECT_TRUE(client->status());
}

TEST(DaemonClient, RefusesAnAnswerOfTheWrongShape) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    if (auto request = c.receive()) c.answer(*request, R"({"queued":"many"})");
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);

  const auto status = client->status();

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::corrupt_data);
}

TEST(DaemonClient, ReportsProgressWhileItWaitsForAnAnswer) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    auto request = c.receive();
    if (!request) return;
    c.send(progress("running"));
    c.send(protocol::make_notification("task.novelty", "{}"));
    c.send(progress("done"));
    c.answer(*request, R"({"job_id":"j-0000000007"})");
    (void)c.receive();
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);
  std::vector<JobState> seen;
  client->on_progress([&](const protocol::ProgressParams& p) { seen.push_back(p.state); });

  const auto submitted = client->submit({{}, "/t", false});
  const auto end = client->wait_for_end("j-0000000007");

  ASSERT_TRUE(submitted);
  ASSERT_TRUE(end);  // the end came before the answer, and is not waited for again
  EXPECT_EQ(*end, JobState::done);
  EXPECT_EQ(seen, (std::vector{JobState::running, JobState::done}));
}

TEST(DaemonClient, AnInterruptEndsTheWaitButNotTheConnection) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) c.answer(*request, R"({"state":"running"})");
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);
  std::array<int, 2> ends{-1, -1};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  client->set_interrupt(read_end.get());
  ASSERT_EQ(::write(write_end.get(), "!", 1), 1);

  const auto end = client->wait_for_end("j-0000000007");
  client->set_interrupt(-1);
  const auto cancelled = client->cancel("j-0000000007");

  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Errc::cancelled);
  EXPECT_TRUE(cancelled) << cancelled.error().message;
}

TEST(DaemonClient, WaitsForTheEndOfTheDaemon) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    if (auto request = c.receive()) c.answer(*request, "{}");
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);

  ASSERT_TRUE(client->shutdown(protocol::ShutdownMode::park));

  EXPECT_TRUE(client->wait_for_close(kLong));
  EXPECT_FALSE(client->connected());
}

// Where others can put a socket into the place of ours, they would be told the user's kernels.
TEST(DaemonClient, SaysNothingToAListenerOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  constexpr uid_t kNobody = 65534;
  const auto home = ScratchDirectory::create(std::filesystem::temp_directory_path(), "wmc");
  ASSERT_TRUE(home);
  const auto path = home->path() / "d.sock";
  const UniqueFd listener = listen_at(path);
  if (::seteuid(kNobody) != 0) GTEST_SKIP() << "this root cannot change users";
  const int listens = ::listen(listener.get(), 1);  // as whom is what the client is told
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_EQ(listens, 0);

  const auto client = DaemonClient::connect(path, kLong);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::conflict);
  EXPECT_NE(client.error().message.find("another user (id 65534) listens at"), std::string::npos);
}

TEST(DaemonClient, TellsOnceOfALongWaitAndGoesOnWaiting) {
  std::atomic<int> told = 0;
  ProtocolServer server([&told](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      while (told == 0) std::this_thread::yield();
      c.answer(*request, R"({"queued":3})");
    }
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);
  client->on_long_wait(Milliseconds{1}, [&told] { ++told; });

  const auto answer = client->call("status", "{}", kNoTimeout);

  EXPECT_TRUE(answer);
  EXPECT_EQ(told, 1);
}

TEST(DaemonClient, TicksWhileItWaitsForTheEndAndNotAfterwards) {
  std::atomic<int> ticks = 0;
  ProtocolServer server([&ticks](ServedConnection& c) {
    c.greet();
    while (ticks < 3) std::this_thread::yield();
    c.send(progress("done"));
    while (auto request = c.receive()) c.answer(*request, R"({"queued":3})");
  });
  auto client = connect_to(server);
  ASSERT_TRUE(client);
  client->on_tick(Milliseconds{1}, [&ticks] { ++ticks; });

  const auto end = client->wait_for_end("j-0000000007");

  ASSERT_TRUE(end);
  EXPECT_EQ(*end, JobState::done);
  const int before = ticks;
  EXPECT_GE(before, 3);
  EXPECT_TRUE(client->status());
  EXPECT_EQ(ticks, before);
}

}  // namespace
}  // namespace warpmind::clients
