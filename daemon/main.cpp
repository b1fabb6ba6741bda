#include "base/log.h"
#include "daemon/doctor.h"
#include "daemon/episode_engine.h"
#include "daemon/hosts/worker_program.h"
#include "daemon/program.h"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  try {
    return warpmind::daemon::run_program(
        {warpmind::daemon::make_episode_engine, warpmind::daemon::examine_machine,
         warpmind::daemon::hosts::run_worker},
        argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "warpmindd: internal error: " << e.what() << '\n';
    warpmind::log::flush();
    return 1;
  }
}
