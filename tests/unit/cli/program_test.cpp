#include "clients/cli/program.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "clients/cli/command_line.h"
#include "clients/cli/interrupts.h"
#include "clients/daemon_launcher.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/message_codec.h"
#include "protocol_server.h"
#include "sample_jobs.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
using namespace nlohmann::literals;

struct Ran {
  ExitCode code = ExitCode::ok;
  std::string out;
  std::string err;
};

/// Runs a command line in this process, with an empty configuration file in `folder`.
Ran run_in(const std::filesystem::path& folder, std::vector<std::string> words) {
  const auto config = folder / "config.toml";
  EXPECT_TRUE(write_file_atomic(config, ""));
  words.insert(words.begin(), {"warpmind", "--config", config.string()});
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  const int argc = static_cast<int>(argv.size());
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err, .json = wants_json(argc, argv.data()), .paint = {}};
  const ExitCode code = run_program(argc, argv.data(), console);
  return {code, out.str(), err.str()};
}

Ran run_at(const ProtocolServer& server, std::vector<std::string> words) {
  words.insert(words.end(), {"--no-start", "--socket", server.socket().string()});
  return run_in(server.folder(), std::move(words));
}

std::string result_of(const Job& job) {
  protocol::TaskResultResult result;
  result.job = job;
  return protocol::encode(result);
}

std::string progress(const char* state) {
  return protocol::make_notification(
      "task.progress", R"({"job_id":"j-0000000007","step":1,"steps":2,"line":"judging","state":")" +
                           std::string(state) + "\"}");
}

/// A daemon that runs one job to its end and then answers `job` as its result.
ProtocolServer::Script job_script(Job job) {
  return [job = std::move(job)](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      if (request->method == "task.submit") {
        c.answer(*request, R"({"job_id":"j-0000000007","ahead":1})");
        c.send(progress("running"));
        c.send(progress("done"));
      } else if (request->method == "queue.list") {
        c.answer(*request, R"({"jobs":[{"job_id":"j-0000000003","task":"gemm_f32"}]})");
      } else if (request->method == "task.result") {
        c.answer(*request, result_of(job));
      }
    }
  };
}

std::string make_task(const std::filesystem::path& folder) {
  const auto task = folder / "task";
  EXPECT_TRUE(make_private_directory(task));
  EXPECT_TRUE(write_file_atomic(task / "task.toml", ""));
  return task.string();
}

/// Fails the test unless `text` is exactly one JSON document on one line.
nlohmann::json one_document(const std::string& text) {
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  auto parsed = codec::parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : nlohmann::json();
}

TEST(Optimize, PrintsProgressAsideAndTheReport) {
  ProtocolServer server(job_script(samples::improved()));

  const Ran ran = run_at(server, {"optimize", make_task(server.folder())});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_NE(ran.out.find("row_softmax_f16: 2.31× faster"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err, "j-0000000007: queued behind j-0000000003 (gemm_f32)\n");
}

TEST(Optimize, WritesOneJsonDocument) {
  ProtocolServer server(job_script(samples::improved()));

  const Ran ran = run_at(server, {"optimize", make_task(server.folder()), "--json"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  const auto document = one_document(ran.out);
  EXPECT_EQ(document.value("/job/episode/outcome"_json_pointer, ""), "improved");
}

TEST(Optimize, WritesTheBestKernelToAFile) {
  ProtocolServer server(job_script(samples::improved()));
  const auto output = server.folder() / "best.cu";

  const Ran ran =
      run_at(server, {"optimize", make_task(server.folder()), "--output", output.string()});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_NE(ran.out.find("  written  " + output.string()), std::string::npos) << ran.out;
  const auto text = read_file(output, 1U << 20U);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("int row = blockIdx.x;"), std::string::npos);
}

TEST(Optimize, WritesNoFileWhenNothingIsBetter) {
  ProtocolServer server(job_script(samples::same()));
  const auto output = server.folder() / "best.cu";

  const Ran ran =
      run_at(server, {"optimize", make_task(server.folder()), "--output", output.string()});

  EXPECT_EQ(ran.code, ExitCode::ok);
  EXPECT_NE(ran.err.find("was not written: no better kernel"), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(Optimize, EndsWithTheCodeOfTheOutcome) {
  const std::vector<std::pair<Job, ExitCode>> cases{{samples::wrong_baseline(), ExitCode::negative},
                                                    {samples::build_failed(), ExitCode::negative},
                                                    {samples::blocked(), ExitCode::environment},
                                                    {samples::cancelled(), ExitCode::cancelled}};
  for (const auto& [job, code] : cases) {
    ProtocolServer server(job_script(job));

    const Ran ran = run_at(server, {"optimize", make_task(server.folder())});

    EXPECT_EQ(ran.code, code) << ran.out;
  }
}

TEST(Optimize, DetachesWithTheJobsId) {
  ProtocolServer server(job_script(samples::improved()));

  const Ran ran = run_at(server, {"optimize", make_task(server.folder()), "--detach"});

  EXPECT_EQ(ran.code, ExitCode::ok);
  EXPECT_EQ(ran.out,
            "j-0000000007 is queued, 1 job before it; follow it with: warpmind attach "
            "j-0000000007\n");
}

TEST(Optimize, FindsSlipsBeforeTheDaemonIsAsked) {
  const auto folder = fresh_folder();
  const std::string task = make_task(folder.path());
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"optimize", "/nowhere"}, "there is no task folder /nowhere"},
      {{"optimize", folder.path().string()}, "holds no task.toml"},
      {{"optimize", task, "--output", "/nowhere/best.cu"}, "there is no folder /nowhere"},
      {{"optimize", task, "--output", task}, "is a folder"},
      {{"optimize", task, "--proposer", "replay", "--replay", "/nowhere"}, "no such file"}};
  for (const auto& [words, says] : cases) {
    const Ran ran = run_in(folder.path(), words);

    EXPECT_EQ(ran.code, ExitCode::bad_input) << says;
    EXPECT_TRUE(ran.err.starts_with("warpmind: ")) << ran.err;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Optimize, FirstInterruptCancelsAndShowsWhatIsKept) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      if (request->method == "task.submit") {
        c.answer(*request, R"({"job_id":"j-0000000007"})");
        ::kill(::getpid(), SIGINT);
      } else if (request->method == "task.cancel") {
        c.answer(*request, R"({"state":"running"})");
        c.send(progress("cancelled"));
      } else {
        c.answer(*request, result_of(samples::cancelled()));
      }
    }
  });

  const Ran ran = run_at(server, {"optimize", make_task(server.folder())});

  EXPECT_EQ(ran.code, ExitCode::cancelled);
  EXPECT_NE(ran.err.find("cancelling j-0000000007; what was measured so far is kept"),
            std::string::npos)
      << ran.err;
  EXPECT_NE(ran.out.find("cancelled after 1 candidate; what was found is kept"), std::string::npos);
}

TEST(Optimize, SecondInterruptLeavesAtOnce) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      if (request->method == "task.submit") c.answer(*request, R"({"job_id":"j-0000000007"})");
      ::kill(::getpid(), SIGINT);  // and task.cancel is never answered
    }
  });

  const Ran ran = run_at(server, {"optimize", make_task(server.folder())});

  EXPECT_EQ(ran.code, ExitCode::cancelled);
  EXPECT_NE(ran.err.find("warpmind result j-0000000007"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Optimize, ShowsTheResultWhenTheJobEndsBeforeTheCancel) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      if (request->method == "task.submit") {
        c.answer(*request, R"({"job_id":"j-0000000007"})");
        ::kill(::getpid(), SIGINT);
      } else if (request->method == "task.cancel") {
        c.send(progress("done"));
        c.refuse(*request, {Errc::conflict, "j-0000000007 has ended"});
      } else {
        c.answer(*request, result_of(samples::improved()));
      }
    }
  });

  const Ran ran = run_at(server, {"optimize", make_task(server.folder())});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_NE(ran.out.find("2.31× faster"), std::string::npos);
}

TEST(Optimize, SaysThatTheJobIsKeptWhenTheDaemonDies) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    if (auto request = c.receive()) c.answer(*request, R"({"job_id":"j-0000000007"})");
  });

  const Ran ran = run_at(server, {"optimize", make_task(server.folder()), "--json"});

  EXPECT_EQ(ran.code, ExitCode::daemon);
  const auto document = one_document(ran.out);
  EXPECT_EQ(document.value("/error/code"_json_pointer, ""), "external_failure");
  EXPECT_NE(document.value("/error/message"_json_pointer, "").find("warpmind attach j-0000000007"),
            std::string::npos);
}

/// A daemon with a job that runs when somebody asks, and then ends as `job` did.
ProtocolServer::Script running_job_script(Job job) {
  return [job = std::move(job)](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      if (request->method == "task.status") {
        c.answer(*request, R"({"job_id":"j-0000000007","state":"running","task":"softmax",
                               "step":1,"steps":2,"best_ratio":1,"activity":"judging","error":""})");
        c.send(progress("running"));
        c.send(progress("done"));
      } else if (request->method == "task.result") {
        c.answer(*request, result_of(job));
      }
    }
  };
}

TEST(Attach, FollowsAJobAndPrintsItsReport) {
  ProtocolServer server(running_job_script(samples::improved()));
  const auto output = server.folder() / "best.cu";

  const Ran ran = run_at(server, {"attach", "7", "--output", output.string()});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_NE(ran.out.find("2.31× faster"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err, "j-0000000007: [1/2] judging\n");
  EXPECT_TRUE(std::filesystem::exists(output));
}

TEST(Attach, InterruptDetachesAndCancelsNothing) {
  std::vector<std::string> asked;
  {
    ProtocolServer server([&asked](ServedConnection& c) {
      c.greet();
      while (auto request = c.receive()) {
        asked.push_back(request->method);
        c.answer(*request, R"({"job_id":"j-0000000007","state":"running","task":"softmax",
                               "step":1,"steps":2,"best_ratio":1,"activity":"x","error":""})");
        ::kill(::getpid(), SIGINT);
      }
    });

    const Ran ran = run_at(server, {"attach", "7"});

    EXPECT_EQ(ran.code, ExitCode::cancelled);
    EXPECT_NE(ran.err.find("detached; j-0000000007 goes on: `warpmind attach j-0000000007`"),
              std::string::npos)
        << ran.err;
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_EQ(asked, std::vector<std::string>{"task.status"});
}

TEST(Wait, PrintsALineForEachJobAndEndsAsTheWorstDid) {
  ProtocolServer good(running_job_script(samples::improved()));
  ProtocolServer bad(running_job_script(samples::wrong_baseline()));

  const Ran ran = run_at(good, {"wait", "7"});
  const Ran json = run_at(good, {"wait", "7", "--json"});
  const Ran wrong = run_at(bad, {"wait", "7"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_NE(ran.out.find("  improved  2.31×  "), std::string::npos) << ran.out;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1);
  EXPECT_EQ(one_document(json.out).value("/jobs/0/outcome"_json_pointer, ""), "improved");
  EXPECT_EQ(wrong.code, ExitCode::negative) << wrong.out;
}

TEST(Wait, ForAllWaitsForThoseThatWillEnd) {
  std::vector<std::string> watched;
  {
    ProtocolServer server([&watched](ServedConnection& c) {
      c.greet();
      while (auto request = c.receive()) {
        if (request->method == "queue.list") {
          c.answer(*request, R"({"night":"n","quiet":false,"waiting":1,"running":1,"jobs":[
            {"job_id":"j-0000000007","state":"running","task":"softmax","user":"u","priority":0,
             "background":false,"held":false,"value":0,"why":"","lane":"","every":"","proposed":false},
            {"job_id":"j-0000000008","state":"queued","task":"dot","user":"u","priority":0,
             "background":true,"held":true,"value":0,"why":"paused","lane":"","every":"",
             "proposed":false}],"lanes":[]})");
        } else if (request->method == "task.status") {
          watched.push_back(request->method);
          c.answer(*request, R"({"job_id":"j-0000000007","state":"done","task":"softmax",
                                 "step":2,"steps":2,"best_ratio":1,"activity":"","error":""})");
        } else {
          c.answer(*request, result_of(samples::improved()));
        }
      }
    });

    const Ran ran = run_at(server, {"wait", "--all"});

    EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
  }
  EXPECT_EQ(watched.size(), 1U) << "the paused job would never end";
}

TEST(Wait, GivesUpWhenTheTimeIsUp) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      c.answer(*request, R"({"job_id":"j-0000000007","state":"running","task":"softmax",
                             "step":1,"steps":2,"best_ratio":1,"activity":"x","error":""})");
    }
  });

  const Ran ran = run_at(server, {"wait", "7", "--timeout", "0"});

  EXPECT_EQ(ran.code, ExitCode::negative);
  EXPECT_NE(ran.err.find("the time is up: 1 of 1 job has not ended"), std::string::npos) << ran.err;
}

/// Answers each method with its text in `answers`.
ProtocolServer::Script table_script(std::map<std::string, std::string> answers) {
  return [answers = std::move(answers)](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      const auto found = answers.find(request->method);
      if (found == answers.end()) {
        c.refuse(*request, {Errc::not_found, "there is no job j-0000000009"});
      } else {
        c.answer(*request, found->second);
      }
      if (request->method == "shutdown") return;
    }
  };
}

const std::map<std::string, std::string> kAnswers{
    {"status", R"({"version":"0.1.0","pid":42,"uptime_s":200,"mode":"static","note":"no GPU",
                   "state_directory":"/s","running":1,"queued":2,"connections":1,
                   "jobs":["j-0000000007 running softmax step 3 of 24"]})"},
    {"task.validate", R"({"task_id":"t-1","name":"softmax","workloads":["tiny","large"],
                          "warnings":["no workload is timed"]})"},
    {"task.cancel", R"({"state":"running"})"},
    {"kb.stats", R"({"schema_version":1,"last_sequence":1042,"disk_bytes":3145728,
                     "records":{"steps":1200},"episodes_by_outcome":{"improved":7}})"},
    {"shutdown", "{}"}};

TEST(Commands, PrintTheDaemonsAnswers) {
  ProtocolServer server(table_script(kAnswers));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"status"},
       "warpmindd 0.1.0 (pid 42), up 3 min 20 s\n"
       "  mode     static\n"
       "  device   none\n"
       "  note     no GPU\n"
       "  base     ok\n"
       "  state    /s\n"
       "  jobs     1 running, 2 queued\n"
       "  clients  1 connected\n"
       "  j-0000000007 running softmax step 3 of 24\n"},
      {{"validate", make_task(server.folder())},
       "valid: softmax (t-1)\n  workloads: tiny, large\n  warning: no workload is timed\n"},
      {{"cancel", "7"}, "j-0000000007 is being ended; what was measured so far is kept\n"},
      {{"kb", "stats"},
       "knowledge base\n"
       "  state        ok\n"
       "  schema       version 1\n"
       "  last change  1 042\n"
       "  on disk      3.00 MiB\n"
       "\nrecords\n  steps  1 200\n"
       "\nepisodes by outcome\n  improved  7\n"},
      {{"daemon", "start"},
       "warpmindd 0.1.0 (pid 400000000) runs already, listening at " + server.socket().string() +
           "\n"},
      {{"daemon", "stop"}, "the daemon has ended\n"}};
  for (const auto& [words, expected] : cases) {
    const Ran ran = run_at(server, words);

    EXPECT_EQ(ran.code, ExitCode::ok) << words.front() << ": " << ran.err;
    EXPECT_EQ(ran.out, expected);
  }
}

TEST(Commands, WriteOneDocumentEach) {
  ProtocolServer server(table_script(kAnswers));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"status"}, "queued"},           {{"validate", make_task(server.folder())}, "workloads"},
      {{"cancel", "7"}, "state"},       {{"kb", "stats"}, "records"},
      {{"daemon", "start"}, "pid"},     {{"daemon", "status"}, "alive"},
      {{"config", "show"}, "settings"}, {{"daemon", "stop"}, "stopped"}};
  for (const auto& [words, member] : cases) {
    auto with_json = words;
    with_json.emplace_back("--json");

    const Ran ran = run_at(server, with_json);

    EXPECT_EQ(ran.code, ExitCode::ok) << words.front();
    EXPECT_TRUE(one_document(ran.out).contains(member)) << ran.out;
    EXPECT_EQ(ran.err, "");
  }
}

TEST(Commands, ReportAnErrorOfTheDaemonAsInput) {
  ProtocolServer server(table_script(kAnswers));

  const Ran plain = run_at(server, {"result", "9"});
  const Ran json = run_at(server, {"result", "9", "--json"});

  EXPECT_EQ(plain.code, ExitCode::bad_input);
  EXPECT_EQ(plain.err, "warpmind: there is no job j-0000000009\n");
  EXPECT_EQ(json.code, ExitCode::bad_input);
  EXPECT_EQ(json.out,
            "{\"error\":{\"code\":\"not_found\",\"message\":\"there is no job j-0000000009\"}}\n");
}

TEST(Commands, BaselineShowsTheLibraryAndEndsAsTheVerdictSays) {
  protocol::LibraryBaselineResult result;
  result.task = "gemm_f16";
  result.verdict.outcome = Outcome::same;
  result.verdict.measurement.emplace();
  result.verdict.measurement->median_ns = 512'000;
  result.verdict.measurement->best_library = {"cuBLASLt 13.1.0", "cublasLtMatmul", 9010, ""};
  const auto script = [&result](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      EXPECT_EQ(request->method, "library.baseline");
      c.answer(*request, protocol::encode(result));
    }
  };
  ProtocolServer server(script);
  const std::string task = make_task(server.folder());

  const Ran ran = run_at(server, {"baseline", task});
  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_NE(ran.out.find("cuBLASLt 13.1.0"), std::string::npos) << ran.out;

  result.verdict.outcome = Outcome::wrong;
  ProtocolServer other(script);
  const Ran wrong = run_at(other, {"baseline", make_task(other.folder()), "--json"});
  EXPECT_EQ(wrong.code, ExitCode::negative);
  EXPECT_EQ(one_document(wrong.out)["verdict"]["measurement"]["best_library"]["ns"], 9010);
}

TEST(Commands, BaselineSaysWhatIsMissing) {
  ProtocolServer server([](ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      c.refuse(*request, {Errc::unavailable, "libraries are timed on a GPU"});
    }
  });
  const Ran no_gpu = run_at(server, {"baseline", make_task(server.folder())});
  EXPECT_EQ(no_gpu.code, ExitCode::environment);
  EXPECT_NE(no_gpu.err.find("libraries are timed on a GPU"), std::string::npos) << no_gpu.err;

  const Ran no_task = run_at(server, {"baseline", "/no/such/task"});
  EXPECT_EQ(no_task.code, ExitCode::bad_input);
  EXPECT_NE(no_task.err.find("/no/such/task"), std::string::npos) << no_task.err;
}

TEST(Commands, SayThatNoDaemonRuns) {
  const auto folder = fresh_folder();
  const std::string socket = (folder.path() / "none.sock").string();

  const Ran status = run_in(folder.path(), {"status", "--no-start", "--socket", socket});
  const Ran alive = run_in(folder.path(), {"daemon", "status", "--json", "--socket", socket});
  const Ran stop = run_in(folder.path(), {"daemon", "stop", "--socket", socket});

  EXPECT_EQ(status.code, ExitCode::daemon);
  EXPECT_NE(status.err.find("`warpmind daemon start` starts one"), std::string::npos);
  EXPECT_EQ(alive.code, ExitCode::daemon);
  EXPECT_EQ(alive.out, "{\"alive\":false}\n");
  EXPECT_EQ(stop.code, ExitCode::ok);
  EXPECT_EQ(stop.out, "no daemon runs\n");
}

TEST(Commands, StopWaitsForTheEndOfTheProcess) {
  const auto folder = fresh_folder();
  const auto socket = folder.path() / "d.sock";
  auto client = start_daemon({.executable = WARPMIND_LITTLE_DAEMON,
                              .arguments = {"--set", "daemon.socket=" + socket.string()},
                              .socket = socket,
                              .patience = Milliseconds{60'000}});
  ASSERT_TRUE(client) << client.error().message;
  const auto pid = static_cast<pid_t>(client->greeting().pid);
  client = fail(Errc::cancelled, "the little daemon serves one connection at a time");

  const Ran ran = run_in(folder.path(), {"daemon", "stop", "--socket", socket.string()});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, WNOHANG), pid);  // it has ended: nothing to wait for
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Commands, SayThatSettingsDoNotReachADaemonThatRuns) {
  ProtocolServer server(table_script(kAnswers));

  const Ran ran = run_at(server, {"status", "--set", "episode.seconds=60"});

  EXPECT_EQ(ran.code, ExitCode::ok);
  EXPECT_NE(ran.err.find("runs already with its own settings"), std::string::npos) << ran.err;
}

TEST(Commands, RefuseABadSettingBeforeAnything) {
  const auto folder = fresh_folder();

  const Ran ran = run_in(folder.path(), {"status", "--set", "lab.devise=1"});

  EXPECT_EQ(ran.code, ExitCode::bad_input);
  EXPECT_NE(ran.err.find("did you mean 'lab.device'?"), std::string::npos) << ran.err;
}

TEST(Commands, ShowWhereASettingComesFrom) {
  const auto folder = fresh_folder();

  const Ran ran =
      run_in(folder.path(), {"config", "show", "--origin", "--set", "episode.seconds=60"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_NE(ran.out.find("--set episode.seconds=60"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("60 s"), std::string::npos);
}

TEST(Interrupts, OnlyOneWatchesAtATime) {
  auto first = Interrupts::install();
  ASSERT_TRUE(first);

  EXPECT_FALSE(Interrupts::install());
}

}  // namespace
}  // namespace warpmind::clients
