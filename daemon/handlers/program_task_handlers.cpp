#include "daemon/handlers/program_task_handlers.h"

#include "base/log.h"
#include "config/program_task_file.h"
#include "config/program_task_needs.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/protocol/program_task_messages.h"
#include "profilers/program/program_desk.h"

namespace warpmind::daemon {
namespace {

Result<Provider> provider_for_program(const ProgramTaskAccess& access, const std::string& asked) {
  const std::string& wanted = asked.empty() ? access.settings.lab.provider : asked;
  if (wanted == "auto") return access.mode() == "gpu" ? Provider::gpu : Provider::sim;
  return enum_of<Provider>("provider", wanted);
}

}  // namespace

void add_program_task_methods(Dispatcher& dispatcher, const ProgramTaskAccess& access) {
  Handler<protocol::ProgramTaskCheckParams, ProgramCheck> check =
      [access](const protocol::ProgramTaskCheckParams& params,
               RequestContext& context) -> Result<ProgramCheck> {
    if (access.programs == nullptr) {
      return fail(Errc::unavailable, "this daemon checks no programs");
    }
    WARPMIND_TRY(const auto folder, path_of("directory", params.directory));
    const std::int64_t asked = params.runs == 0 ? profilers::kLeastProgramRuns : params.runs;
    WARPMIND_TRY(const auto runs,
                 within("runs", asked, profilers::kLeastProgramRuns, profilers::kMostProgramRuns));
    WARPMIND_TRY(const auto provider, provider_for_program(access, params.provider));
    WARPMIND_TRY(const auto task, config::load_program_task(folder));
    const auto allowed = access.settings.lab.program_folders + ":" + params.folders;
    WARPMIND_CHECK(config::check_needs(
        task, folder,
        config::private_folders(access.settings, config::capture_environment(), allowed)));
    WARPMIND_TRY(const auto lab, access.programs->lab(provider, params.device));
    const auto tell = [&task](const std::string& line) {
      log::debug("daemon", "program task", {{"task", task.name}, {"state", line}});
    };
    return lab->check(task, folder, runs, context.stop, tell);
  };
  dispatcher.add(protocol::kProgramTaskCheck, Execution::programs, std::move(check));
}

}  // namespace warpmind::daemon
