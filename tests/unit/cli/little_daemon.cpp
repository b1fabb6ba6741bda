// A program in warpmindd's place for tests of the launcher: listens where `--set
// daemon.socket=PATH` says, greets, answers every request with {} and ends after "shutdown".
#include "protocol_server.h"

#include <cstdio>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char** argv) {
  using namespace warpmind;
  constexpr std::string_view kSocket = "daemon.socket=";
  std::string socket;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(kSocket)) socket = word.substr(kSocket.size());
    if (word == "refuse") {
      std::fputs("a line of the log\nwarpmindd: refusing to run as root; set daemon.allow_root\n",
                 stderr);
      return 2;
    }
    if (word == "die") return 7;
    if (word == "--doctor") {
      std::puts(R"({"findings":[{"name":"gpu","state":"missing","needed":true,"detail":"none"}]})");
      return 4;
    }
  }
  const UniqueFd listener = clients::listen_at(socket);
  while (true) {
    UniqueFd fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) return 1;
    clients::ServedConnection connection(std::move(fd));
    connection.greet(1, ::getpid());
    while (auto request = connection.receive()) {
      connection.answer(*request, "{}");
      if (request->method == "shutdown") return 0;
    }
  }
}
