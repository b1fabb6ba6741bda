#include "daemon/protocol/queue_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kAddParams{
    FieldSpec{"directory", string, true, "absolute path of the task folder"},
    FieldSpec{"evaluations", integer, false, "as for `task.submit`, like all to `effort`"},
    FieldSpec{"seconds", number, false, "of active work, s"},
    FieldSpec{"provider", string, false, "`auto`, `gpu`, `sim` or `fixture`"},
    FieldSpec{"proposer", string, false, "`builtin` (default), `llm` or `replay`"},
    FieldSpec{"replay_file", string, false, "absolute path of the candidates, for `replay`"},
    FieldSpec{"fixture_directory", string, false, "absolute path of the recording, for `fixture`"},
    FieldSpec{"device", string, false, "as for `task.submit`"},
    FieldSpec{"policy", string, false, "of the search"},
    FieldSpec{"workers", integer, false, "candidates written at the same time"},
    FieldSpec{"seed", integer, false, "of the search"},
    FieldSpec{"model", string, false, "for `llm`"},
    FieldSpec{"tokens", integer, false, "of language models; 0 = no limit"},
    FieldSpec{"usd", number, false, "for language models, US dollars; 0 = no limit"},
    FieldSpec{"gpu_seconds", number, false, "spent in the lab, s; 0 = no limit"},
    FieldSpec{"effort", string, false, "of the lab"},
    FieldSpec{"user", string, false, "whose job it is: shares go by it; default the daemon's user"},
    FieldSpec{"priority", integer, false, "-100 to 100, higher first; default 0"},
    FieldSpec{"after", strings, false, "jobs that must be done first"},
    FieldSpec{"not_before", integer, false, "earliest start, ms since 1970-01-01 UTC"},
    FieldSpec{"deadline", integer, false, "not begun by then, it fails; ms since 1970-01-01 UTC"},
    FieldSpec{"every", string, false,
              "`24h`, `90m`, `7d` or `daily@22:00` (local time): when it has ended, the next one "
              "is queued"},
};
constexpr std::array kAddResult{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits; the job is durable"},
    FieldSpec{"ahead", integer, true, "jobs that come before it as things stand"},
};
constexpr std::array kListParams{
    FieldSpec{"limit", integer, false, "jobs that are listed, 1 to 10000; default 100"},
};
constexpr std::array kListResult{
    FieldSpec{"night", string, true, "date of its evening; a night ends at noon, local time"},
    FieldSpec{"quiet", boolean, true, "these are quiet hours"},
    FieldSpec{"waiting", integer, true, "jobs that wait"},
    FieldSpec{"running", integer, true, "jobs that run"},
    FieldSpec{"jobs", objects, true,
              "those that run, then the next first: `job_id`, `state`, `task`, `user`, `priority`, "
              "`background`, `held`, `value`, `why`, `lane`, `every`, `proposed` (the daemon "
              "thought of it)"},
    FieldSpec{"lanes", objects, true,
              "`name`, `device` (as CUDA_VISIBLE_DEVICES names it), `model`, `job_id` (that has "
              "it), `busy` (share of the time since the daemon's start)"},
};
constexpr std::array kJobsParams{
    FieldSpec{"job_ids", strings, false, "`j-` and 10 digits each"},
    FieldSpec{"all", boolean, false,
              "every job of the background that waits; for `queue.retry` every job of the newest "
              "night that failed"},
};
constexpr std::array kJobsResult{
    FieldSpec{"changed", strings, true, "jobs for which it was done"},
    FieldSpec{"refused", strings, true, "one sentence for each other job"},
};
constexpr std::array kMoveParams{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
    FieldSpec{"priority", integer, true, "-100 to 100, higher first"},
};
constexpr std::array kWhyParams{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
};
constexpr std::array kWhyResult{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
    FieldSpec{"why", string, true, "why it does not run, or what became of it"},
    FieldSpec{"value", number, true, "expected worth per second of the device"},
    FieldSpec{"worth", string, true, "how that was made up; empty for a job that does not wait"},
};
constexpr std::array kRulesParams{
    FieldSpec{"quiet_hours", string, false,
              "`08:00-19:00`, local time: nothing of the background runs then; empty = never"},
    FieldSpec{"night", numbers, false,
              "most that one night may spend: `evaluations`, `seconds`, `gpu_seconds`, `tokens`, "
              "`usd`; 0 = no limit"},
    FieldSpec{"user", numbers, false, "most that one user may spend in one night"},
};
constexpr std::array kRulesResult{
    FieldSpec{"quiet_hours", string, true, "as set"},
    FieldSpec{"quiet", boolean, true, "these are quiet hours"},
    FieldSpec{"night", string, true, "the night of now"},
    FieldSpec{"night_limits", numbers, true, "0 = none"},
    FieldSpec{"night_spent", numbers, true, "spent, and reserved by what runs"},
    FieldSpec{"night_left", numbers, true, "of what has a limit"},
    FieldSpec{"user_limits", numbers, true, "0 = none"},
    FieldSpec{"user_spent", numbers, true, "by the daemon's user"},
};
constexpr std::array kReportParams{
    FieldSpec{"night", string, false, "`2026-11-24`; default the newest that there is"},
    FieldSpec{"job_ids", strings, false, "any jobs instead of a night, in the order to show them"},
};
constexpr std::array kReportResult{
    FieldSpec{"night", string, true, "that it is about; empty when there was none"},
    FieldSpec{"nights", strings, true, "the newest first, at most 30"},
    FieldSpec{
        "jobs", objects, true,
        "in the order of acceptance: `job_id`, `task`, `user`, `state`, `outcome`, "
        "`provider`, `ratio`, `low` and `high` (null = low confidence), `confidence`, `summary`, "
        "`error`, `dead`, `attempts`, `spent`, `history`, `lessons`, `curve` (best ratio after "
        "each "
        "candidate), `predicted` and `covered` (candidates compared with their prediction, "
        "and those inside its 80 % interval), `device`, `workload`, `bottleneck`, `given_ns`, "
        "`best_ns` (0 = nothing was better), `how` (techniques that led to the best), "
        "`candidates` (counts by outcome), `predictions` (each with `predicted`, `low`, "
        "`high` and `ratio`), `roofline` (`intensity` in flop a byte, `given_gflops`, "
        "`best_gflops`, `peak_gflops`, `bandwidth_gb_s`; 0 = not known)"},
    FieldSpec{"spent", object, true, "by all of them"},
    FieldSpec{"charged", object, true,
              "of it, what counts against the limits: that of jobs of the background"},
    FieldSpec{"outcomes", counts, true,
              "of their episodes; `failed` and `cancelled` are jobs "
              "without one"},
    FieldSpec{"night_limits", numbers, true, "as they are set now; 0 = none"},
    FieldSpec{"insights", objects, true,
              "what the base learned and unlearned: `insight`, `change` (`added`, `supported`, "
              "`contradicted`, or the state that it came to), `claim`, `reason`, `job_id`"},
};

constexpr std::array kMethods{
    MethodSpec{"queue.add", MethodKind::request,
               "Queues a task for the background: it gives way to jobs that somebody waits for. "
               "When the answer comes, the job survives a power cut.",
               kAddParams, kAddResult},
    MethodSpec{"queue.list", MethodKind::request, "What runs, and what comes next.", kListParams,
               kListResult},
    MethodSpec{"queue.pause", MethodKind::request, "Keeps waiting jobs from being started.",
               kJobsParams, kJobsResult},
    MethodSpec{"queue.resume", MethodKind::request, "Lets paused jobs go again.", kJobsParams,
               kJobsResult},
    MethodSpec{"queue.cancel", MethodKind::request,
               "Ends jobs: those that wait at once, one that runs at its next step.", kJobsParams,
               kJobsResult},
    MethodSpec{"queue.move",
               MethodKind::request,
               "Gives a waiting job another priority.",
               kMoveParams,
               {}},
    MethodSpec{"queue.retry", MethodKind::request,
               "Queues jobs again that failed, or were cancelled before anything was measured.",
               kJobsParams, kJobsResult},
    MethodSpec{"queue.why", MethodKind::request, "Why a job does not run, or what became of it.",
               kWhyParams, kWhyResult},
    MethodSpec{"queue.rules", MethodKind::request,
               "Quiet hours and budgets: sets what is given, answers all of it with what is left.",
               kRulesParams, kRulesResult},
    MethodSpec{"queue.report", MethodKind::request, "What the jobs of a night did.", kReportParams,
               kReportResult},
};

}  // namespace

std::span<const MethodSpec> queue_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
