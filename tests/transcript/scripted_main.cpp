#include "daemon/program.h"
#include "tests/transcript/scripted_engine.h"

int main(int argc, char** argv) {
  const auto doctor = [](const warpmind::config::Settings&, bool) -> warpmind::Result<std::string> {
    return std::string("ok\n");
  };
  return warpmind::daemon::run_program({warpmind::tests::make_scripted_engine, doctor}, argc, argv);
}
