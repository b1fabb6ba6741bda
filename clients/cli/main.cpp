#include "clients/cli/command_line.h"
#include "clients/cli/program.h"

#include <exception>

int main(int argc, char** argv) {
  using namespace warpmind::clients;  // NOLINT(google-build-using-namespace): the program itself
  Console console = standard_console(wants_json(argc, argv));
  try {
    return static_cast<int>(run_program(argc, argv, console));
  } catch (const std::exception& e) {
    const warpmind::Error error{warpmind::Errc::external_failure,
                                std::string("a fault of warpmind itself: ") + e.what()};
    return static_cast<int>(report_error(console, error, ExitCode::daemon));
  }
}
