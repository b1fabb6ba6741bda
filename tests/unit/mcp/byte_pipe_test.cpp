#include "clients/byte_pipe.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

constexpr std::size_t kMuch = std::size_t{10} * 1024 * 1024;

std::string noise(std::size_t bytes, std::uint32_t seed) {
  std::string text(bytes, '\0');
  for (char& c : text) {
    seed = seed * 1664525U + 1013904223U;
    c = static_cast<char>(seed >> 24U);
  }
  return text;
}

struct Pair {
  UniqueFd near;
  UniqueFd far;
};
Pair socket_pair() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}
Pair make_pipe() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

void write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    ASSERT_GT(n, 0);
    done += static_cast<std::size_t>(n);
  }
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 65536> chunk{};
  while (true) {
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

/// The pipe at work, with its three outer ends.
struct Carried {
  Carried() {
    auto connection = socket_pair();
    auto input = make_pipe();
    auto output = make_pipe();
    daemon = std::move(connection.far);
    to_pipe = std::move(input.far);
    from_pipe = std::move(output.near);
    worker = std::thread([this, near = std::move(connection.near), in = std::move(input.near),
                          out = std::move(output.far)]() mutable {
      ok = carry_bytes(std::move(near), {.in = in.get(), .out = out.get()}).has_value();
    });
  }
  UniqueFd daemon;
  UniqueFd to_pipe;
  UniqueFd from_pipe;
  bool ok = false;
  std::thread worker;
};

TEST(BytePipe, CarriesTenMegabytesBothWaysAtTheSameTimeUnchanged) {
  Carried pipe;
  const std::string upward = noise(kMuch, 1);
  const std::string downward = noise(kMuch, 2);
  std::string heard;
  std::string got;
  std::thread asks([&] {
    write_all(pipe.to_pipe.get(), upward);
    pipe.to_pipe.reset();
  });
  std::thread answers([&] { write_all(pipe.daemon.get(), downward); });
  std::thread hears([&] { heard = read_to_end(pipe.daemon.get()); });
  std::thread reads([&] { got = read_to_end(pipe.from_pipe.get()); });
  asks.join();
  hears.join();  // the end of input is passed on
  answers.join();
  pipe.daemon.reset();
  reads.join();
  pipe.worker.join();
  EXPECT_TRUE(pipe.ok);
  EXPECT_TRUE(heard == upward);
  EXPECT_TRUE(got == downward);
}

TEST(BytePipe, AnswersComeAfterTheEndOfInput) {
  Carried pipe;
  const std::string question = noise(kMuch, 3);
  std::thread asks([&] {
    write_all(pipe.to_pipe.get(), question);
    pipe.to_pipe.reset();
  });
  EXPECT_TRUE(read_to_end(pipe.daemon.get()) == question) << "the end is passed on";
  asks.join();
  write_all(pipe.daemon.get(), "answer");
  pipe.daemon.reset();
  EXPECT_EQ(read_to_end(pipe.from_pipe.get()), "answer");
  pipe.worker.join();
  EXPECT_TRUE(pipe.ok);
}

TEST(BytePipe, EndsWhenTheReaderIsGone) {
  Carried pipe;
  pipe.from_pipe.reset();
  write_all(pipe.daemon.get(), "to nobody");
  pipe.worker.join();
  EXPECT_TRUE(pipe.ok);
}

TEST(BytePipe, EndsWhenTheParentIsAnother) {
  auto connection = socket_pair();
  const auto input = make_pipe();
  const auto output = make_pipe();
  // Whoever that is, it is not our parent.
  EXPECT_TRUE(carry_bytes(std::move(connection.near),
                          {.in = input.near.get(), .out = output.far.get(), .parent = ::getpid()}));
}

class IgnoredPipeSignal : public testing::Environment {
 public:
  void SetUp() override { ::signal(SIGPIPE, SIG_IGN); }
};
[[maybe_unused]] const auto* const kIgnored =
    testing::AddGlobalTestEnvironment(new IgnoredPipeSignal);

}  // namespace
}  // namespace warpmind::clients
