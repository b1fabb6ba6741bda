#include "clients/cli/worker_grammar.h"

#include "clients/cli/command_line.h"
#include "clients/cli/grammar_parts.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {

void add_worker_flags(CLI::App& app, WorkerOptions& into) {
  from_setting(app.add_option("--nats", into.nats, "Address of the NATS server")->type_name("URL"),
               "queue.nats");
  from_setting(app.add_option("--arch", into.architecture,
                              "What to judge for: sim, or the GPU's architecture, such as sm_90")
                   ->type_name("NAME"),
               "queue.serve");
  from_setting(app.add_option("--token-file", into.token_file,
                              "File of mode 0600 that holds the server's token")
                   ->type_name("FILE"),
               "queue.nats_token_file");
  CLI::Option* slurm = app.add_option("--slurm", into.slurm,
                                      "Start N workers as a Slurm array job instead, 1 to 10000")
                           ->type_name("N")
                           ->check(CLI::Range(1, 10000));
  app.add_option("--sbatch", into.sbatch, "Option for sbatch; repeatable")
      ->type_name("OPTION")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->needs(slurm);
}

}  // namespace warpmind::clients
