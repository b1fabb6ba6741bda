#pragma once
/// \file
/// The program warpmind-bench: options in, exit code out.

#include "agents/benchmark/bench_options.h"

#include <iosfwd>
#include <stop_token>

namespace warpmind::agents::benchmark {

/// Results go to `out`, progress and errors to `err`. Exit codes: docs/cli.md.
[[nodiscard]] int run_bench_program(int argc, const char* const* argv, std::ostream& out,
                                    std::ostream& err, const std::stop_token& stop);

}  // namespace warpmind::agents::benchmark
