#include "clients/cli/commands/episode_commands.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/report/episode_brief.h"
#include "clients/cli/submission.h"
#include "daemon/protocol/guest_messages.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
constexpr std::size_t kFileLimit = std::size_t{4} << 20U;  // bytes

ExitCode bad_input(Session& session, const Error& error) {
  return report_error(session.console, error, exit_code_for(Origin::input, error.code));
}

/// kernel.cu, plan.json and brief.md for an editor. A kernel that is there is not overwritten.
Result<void> write_files(const EpisodeBrief& brief, const std::filesystem::path& folder) {
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  if (ec) {
    return fail(Errc::unavailable, "cannot make " + folder.string() + ": " + ec.message());
  }
  const auto source = folder / "kernel.cu";
  if (std::filesystem::exists(source, ec)) {
    return fail(Errc::conflict, source.string() + " is there already; name another folder");
  }
  Style plain;
  WARPMIND_CHECK(write_output_file(source, brief.kernel.source));
  WARPMIND_CHECK(
      write_output_file(folder / "plan.json", nlohmann::json(brief.kernel.plan).dump(2) + "\n"));
  return write_output_file(folder / "brief.md", render_brief(brief, plain));
}

Result<LaunchPlan> read_plan(const std::string& file) {
  WARPMIND_TRY(const auto text, read_file(file, kFileLimit));
  auto parsed = codec::parse_json(text);
  if (!parsed) return fail(std::move(parsed.error()).while_doing("--plan " + file));
  auto plan = codec::from_json<LaunchPlan>(*parsed, "launch plan");
  if (!plan) return fail(std::move(plan.error()).while_doing("--plan " + file));
  return plan;
}

Result<protocol::EpisodeSubmitParams> submission(Session& session,
                                                 const EpisodeSubmitOptions& options) {
  auto params = static_cast<const protocol::EpisodeSubmitParams&>(options);
  WARPMIND_TRY(params.job_id, full_job_id(options.job_id));
  if (!options.file.empty()) {
    WARPMIND_TRY(params.source, read_input(session.console, options.file, kFileLimit));
  }
  if (!options.plan_file.empty()) {
    WARPMIND_TRY(params.plan, read_plan(options.plan_file));
  }
  if (!options.flags.empty()) params.build_flags = options.flags;
  return params;
}

/// What to type next.
std::string next_steps(const std::string& job, const std::string& folder) {
  const std::string file = folder.empty() ? "KERNEL.cu" : folder + "/kernel.cu";
  return "\nNext: edit the kernel, then\n  warpmind episode submit " + job + " " + file +
         " --technique NAME\n  warpmind episode close " + job + "\n";
}

}  // namespace

ExitCode run_command(Session& session, const EpisodeOpenOptions& options) {
  const auto directory = task_directory(options.directory);
  if (!directory) return bad_input(session, directory.error());
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  protocol::EpisodeOpenParams params = static_cast<const protocol::EpisodeOpenParams&>(options);
  params.directory = directory->string();
  params.provider = provider_for(options.provider, options.device);
  const auto brief = client->call(protocol::kEpisodeOpen, params, kNoTimeout);
  if (!brief) return report_call_error(session, *client, brief.error());
  if (!options.into.empty()) {
    const auto written = write_files(*brief, options.into);
    if (!written) return bad_input(session, written.error());
  }
  if (session.console.json) {
    write_document(session.console, protocol::encode(*brief));
    return ExitCode::ok;
  }
  session.console.out << render_brief(*brief, style_of(session.console))
                      << next_steps(brief->job.str(), options.into) << std::flush;
  return ExitCode::ok;
}

ExitCode run_command(Session& session, const EpisodeBriefOptions& options) {
  const auto job = full_job_id(options.job);
  if (!job) return bad_input(session, job.error());
  return ask(
      session, protocol::kEpisodeBrief, protocol::EpisodeParams{*job},
      [&session](const auto& reply) { return render_brief(reply, style_of(session.console)); });
}

ExitCode run_command(Session& session, const EpisodeSubmitOptions& options) {
  const auto params = submission(session, options);
  if (!params) return bad_input(session, params.error());
  return ask(session, protocol::kEpisodeSubmit, *params, [&session](const auto& reply) {
    return render_feedback(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const EpisodeCloseOptions& options) {
  const auto job = full_job_id(options.job);
  if (!job) return bad_input(session, job.error());
  return ask(session, protocol::kEpisodeClose, protocol::EpisodeCloseParams{*job, options.reason},
             [](const auto& reply) {
               return reply.job_id + ": " + reply.summary + "\n`warpmind why " + reply.job_id +
                      "` tells the rest\n";
             });
}

}  // namespace warpmind::clients
