#include "base/log.h"
#include "daemon/doctor.h"
#include "daemon/episode_engine.h"
#include "daemon/hosts/worker_program.h"
#include "daemon/program.h"

#include <cstdlib>
#include <exception>
#include <iostream>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

/// The C library gives each of some twenty threads a heap of its own and returns little of them:
/// memory grew by 11 MiB/h that nothing in the program held (docs/results/2026-11-25-soak.md). Four
/// are enough.
void keep_heaps_few() {
#if defined(__GLIBC__)
  constexpr int kHeaps = 4;
  if (std::getenv("MALLOC_ARENA_MAX") == nullptr) {  // NOLINT(concurrency-mt-unsafe): one thread
    mallopt(M_ARENA_MAX, kHeaps);
  }
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_heaps_few();
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
