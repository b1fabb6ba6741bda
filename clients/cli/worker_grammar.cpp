#include "clients/cli/worker_grammar.h"

#include "clients/cli/command_line.h"

#include <CLI/CLI.hpp>

namespace warpmind::clients {

void add_worker_flags(CLI::App& app, WorkerOptions& into) {
  app.add_option("--nats", into.nats, "Address of the NATS server (setting queue.nats)")
      ->type_name("URL");
  app.add_option("--arch", into.architecture,
                 "What to judge for: sim, or the architecture of the GPU (setting queue.serve)")
      ->type_name("NAME");
  app.add_option("--token-file", into.token_file,
                 "File of mode 0600 with the server's token (setting queue.nats_token_file)")
      ->type_name("FILE");
  CLI::Option* slurm =
      app.add_option("--slurm", into.slurm, "Start so many as an array job of Slurm instead")
          ->type_name("N")
          ->check(CLI::Range(1, 10000));
  app.add_option("--sbatch", into.sbatch, "Option for sbatch; repeatable")
      ->type_name("OPTION")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->needs(slurm);
}

}  // namespace warpmind::clients
