#pragma once
/// \file
/// The flags of `warpmind worker`. For command_line.cpp.

namespace CLI {
class App;
}

namespace warpmind::clients {

struct WorkerOptions;

/// `into` must outlive the parse.
void add_worker_flags(CLI::App& app, WorkerOptions& into);

}  // namespace warpmind::clients
