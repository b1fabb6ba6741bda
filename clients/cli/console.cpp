#include "clients/cli/console.h"

#include "base/codec/json_guard.h"
#include "base/environment.h"
#include "daemon/protocol/error_codec.h"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace warpmind::clients {
namespace {

std::size_t terminal_columns(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

Console standard_console(bool json) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool err_terminal = ::isatty(STDERR_FILENO) == 1;
  const bool color = terminal && environment_variable("NO_COLOR").empty() &&
                     environment_variable("TERM") != "dumb";
  const std::size_t columns = terminal_columns(err_terminal ? STDERR_FILENO : STDOUT_FILENO);
  return {.out = std::cout,
          .err = std::cerr,
          .json = json,
          .paint = Paint{color},
          .err_is_terminal = err_terminal && environment_variable("TERM") != "dumb",
          .columns = std::clamp<std::size_t>(columns, 20, 1000),
          .in = &std::cin,
          .in_is_terminal = ::isatty(STDIN_FILENO) == 1};
}

void write_document(Console& console, std::string_view json_text) {
  console.out << json_text << '\n' << std::flush;
}

Result<bool> confirm(Console& console, std::string_view question, std::string_view flag) {
  if (console.in == nullptr || !console.in_is_terminal || !console.err_is_terminal) {
    return fail(Errc::invalid_argument, std::string(question) +
                                            " There is no terminal to ask at: add " +
                                            std::string(flag) + " if so");
  }
  console.err << question << " [y/N] " << std::flush;
  std::string line;
  std::getline(*console.in, line);
  return line == "y" || line == "Y" || line == "yes";
}

ExitCode report_error(Console& console, const Error& error, ExitCode code) {
  if (console.json) {
    const nlohmann::json document{{"error",
                                   {{"code", std::string(daemon::protocol::errc_name(error.code))},
                                    {"message", error.message}}}};
    write_document(console, codec::dump_json(document));
  } else {
    console.err << "warpmind: " << clean(error.message) << '\n' << std::flush;
  }
  return code;
}

}  // namespace warpmind::clients
