#include "tests/sandbox/outside.h"

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <mqueue.h>
#include <netinet/in.h>
#include <sstream>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

void write_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

UniqueFd bind_unix(const std::string& name, bool abstract, int type) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t offset = abstract ? 1 : 0;
  EXPECT_LT(name.size() + offset, sizeof address.sun_path);
  name.copy(&address.sun_path[offset], sizeof address.sun_path - 1 - offset);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + offset + name.size() +
                                           (abstract ? 0 : 1));
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_TRUE(type != SOCK_STREAM || ::listen(fd.get(), 64) == 0);
  // As careless as can be: the walls of the sandbox are what is tried here.
  if (!abstract) fs::permissions(name, fs::perms::all);
  return fd;
}

UniqueFd bind_loopback(int type, std::uint16_t& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  UniqueFd fd(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(type != SOCK_STREAM || ::listen(fd.get(), 64) == 0);
  socklen_t size = sizeof address;
  EXPECT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return fd;
}

/// A group of ours that is writable outside, whatever version; else any that exists.
fs::path control_group() {
  for (const char* folder : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
    std::error_code ec;
    if (fs::exists(fs::path(folder) / "cgroup.procs", ec)) return folder;
  }
  return "/sys/fs/cgroup";
}

}  // namespace

const std::string& Outside::secret() {
  static const std::string text = "canary-7f3a91c05e";
  return text;
}

Outside::Outside(fs::path folder, const fs::path& program)
    : folder_(std::move(folder)), shared_name_("warpmind-escape-" + std::to_string(::getpid())) {
  make_files();
  make_sockets();
  make_shared_memory();
  start_victim(program);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  add("host_name", host.data());
  add("control_group", control_group().string());
  add("secret", secret());
}

Outside::~Outside() {
  if (shared_id_ >= 0) ::shmctl(shared_id_, IPC_RMID, nullptr);
  ::mq_unlink(("/" + shared_name_).c_str());
  std::error_code ec;
  fs::remove("/dev/shm/" + shared_name_, ec);
}

void Outside::add(const std::string& name, const std::string& value) {
  arguments_.push_back(name + "=" + value);
}

void Outside::restore() { write_text(folder_ / "spare", "nothing of value\n"); }

void Outside::make_files() {
  for (const char* name : {"canary", "keys/llm.key", "knowledge/CURRENT", "tool"}) {
    write_text(folder_ / name, secret() + "\n");
  }
  restore();
  write_text("/dev/shm/" + shared_name_, secret() + "\n");
  add("folder", folder_.string());
  add("program", (folder_ / "tool").string());
  add("shared_name", shared_name_);
}

void Outside::make_sockets() {
  const std::string stream = (folder_ / "warpmindd.sock").string();
  const std::string datagram = (folder_ / "datagram.sock").string();
  sockets_.push_back(bind_unix(stream, false, SOCK_STREAM));
  sockets_.push_back(bind_unix(datagram, false, SOCK_DGRAM));
  sockets_.push_back(bind_unix(shared_name_, true, SOCK_STREAM));
  std::uint16_t tcp = 0;
  std::uint16_t udp = 0;
  sockets_.push_back(bind_loopback(SOCK_STREAM, tcp));
  sockets_.push_back(bind_loopback(SOCK_DGRAM, udp));
  add("stream_socket", stream);
  add("datagram_socket", datagram);
  add("abstract_socket", shared_name_);
  add("tcp_port", std::to_string(tcp));
  add("udp_port", std::to_string(udp));
}

void Outside::make_shared_memory() {
  constexpr std::size_t kBytes = 4096;
  shared_id_ = ::shmget(IPC_PRIVATE, kBytes, IPC_CREAT | 0600);
  void* memory = shared_id_ < 0 ? nullptr : ::shmat(shared_id_, nullptr, 0);
  if (memory != nullptr && reinterpret_cast<std::intptr_t>(memory) != -1) {
    std::memcpy(memory, secret().c_str(), secret().size() + 1);
    ::shmdt(memory);
  }
  const mqd_t queue =
      ::mq_open(("/" + shared_name_).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600, nullptr);
  if (queue >= 0) ::mq_close(queue);
  add("shared_id", std::to_string(shared_id_));
}

void Outside::start_victim(const fs::path& program) {
  ProcessOrder order;
  order.command = {program.string(), "victim", secret()};
  order.environment = {"WARPMIND_TEST_SECRET=" + secret()};
  SessionLimits limits;
  limits.answers = AnswerChannel::standard_output;
  auto session = LineSession::start(std::move(order), limits);
  ASSERT_TRUE(session) << session.error().message;
  victim_.emplace(std::move(*session));
  const auto answer =
      victim_->exchange("where?", std::chrono::steady_clock::now() + std::chrono::minutes(1), {});
  ASSERT_TRUE(answer.line);
  std::istringstream line(*answer.line);
  std::string pid;
  std::string address;
  line >> pid >> address;
  add("victim", pid);
  add("address", address);
}

}  // namespace warpmind::profilers
