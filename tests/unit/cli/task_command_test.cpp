// `warpmind task …` against a scripted daemon: what is written, asked, shown, and the exit codes.
#include "base/codec/json_guard.h"
#include "base/file.h"
#include "clients/cli/command_line.h"
#include "clients/cli/console.h"
#include "clients/cli/program.h"
#include "config/program_task_file.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/program_task_messages.h"
#include "protocol_server.h"

#include <fstream>
#include <mutex>
#include <sstream>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
namespace fs = std::filesystem;

ProgramCheck an_admission() {
  ProgramCheck check;
  check.name = "scan";
  check.admitted = true;
  check.provider = Provider::sim;
  check.device = "NVIDIA H200, simulated";
  check.build_s = 1.25;
  ProgramRun run;
  run.passed = true;
  run.wall_s = 0.5;
  run.launches = 3;
  run.kernels = {{"rows::sum", true, 2, 4200, 2100, 2000, 0}, {"fill", false, 1, 900, 900, 900, 0}};
  check.runs = {run, run};
  check.null_run = ProgramRun{false, "no line of its output matches 'PASS'", 0.1, 3, {}, ""};
  return check;
}

ProgramCheck a_refusal() {
  auto check = an_admission();
  check.admitted = false;
  check.refused_by = ProgramControl::null_kernels;
  check.reason = "it passes even when its kernels do nothing";
  return check;
}

/// A daemon that answers every check with `answer`, and keeps what it was asked.
class CheckingDaemon {
 public:
  explicit CheckingDaemon(const ProgramCheck& answer)
      : server_([this, text = protocol::encode(answer)](ServedConnection& c) {
          c.greet();
          while (auto request = c.receive()) {
            if (request->method != "program_task.check") continue;
            const auto params = protocol::decode<protocol::ProgramTaskCheckParams>(request->params);
            {
              const std::scoped_lock lock(mutex_);
              if (params) asked_.push_back(*params);
            }
            c.answer(*request, text);
          }
        }) {}

  [[nodiscard]] const ProtocolServer& server() const { return server_; }
  [[nodiscard]] std::vector<protocol::ProgramTaskCheckParams> asked() {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::vector<protocol::ProgramTaskCheckParams> asked_;
  ProtocolServer server_;
};

struct TaskRan {
  ExitCode code = ExitCode::ok;
  std::string out;
  std::string err;
};

class TaskCommand : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(program());
    write("Makefile", "ARCH = sm_60\nprogram = main\nrun: main\n\t./$(program) 1000\n");
    write("main.cu", "__global__ void k() {}\nint main() { puts(ok ? \"PASS\" : \"FAIL\"); }\n");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(program() / name, std::ios::binary) << text;
  }
  [[nodiscard]] fs::path program() const { return scratch_.path() / "scan-cuda"; }

  TaskRan run(std::vector<std::string> words, const std::string& answers = {}) const {
    EXPECT_TRUE(write_file_atomic(scratch_.path() / "config.toml", ""));
    words.insert(words.begin(),
                 {"warpmind", "--config", (scratch_.path() / "config.toml").string()});
    std::vector<const char*> argv;
    for (const auto& word : words) argv.push_back(word.c_str());
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in(answers);
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    Console console{.out = out, .err = err, .json = json, .paint = {}};
    console.in = &in;
    console.in_is_terminal = !answers.empty();
    const auto code = run_program(static_cast<int>(argv.size()), argv.data(), console);
    return {code, out.str(), err.str()};
  }

  TaskRan run_at(const CheckingDaemon& daemon, std::vector<std::string> words,
                 const std::string& answers = {}) const {
    words.insert(words.end(), {"--no-start", "--socket", daemon.server().socket().string()});
    return run(std::move(words), answers);
  }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
};

TEST_F(TaskCommand, NewWritesWhatIsProposedAndHasItChecked) {
  CheckingDaemon daemon(an_admission());

  const auto ran = run_at(daemon, {"task", "new", program().string(), "--yes", "--kernel", "k",
                                   "--provider", "sim", "--run-seconds", "9"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  const auto task = config::load_program_task(program());
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->build, "make ARCH={arch}");
  EXPECT_EQ(task->run, "./main 1000");
  EXPECT_EQ(task->kernels, std::vector<std::string>{"k"});
  EXPECT_EQ(task->pass, (ProgramPassRule{0, "PASS", "FAIL"}));
  EXPECT_EQ(task->run_seconds, 9);
  const auto asked = daemon.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].directory, program().string());
  EXPECT_EQ(asked[0].provider, "sim");
  EXPECT_NE(ran.out.find("can be a task"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("total, predicted"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("rows::sum"), std::string::npos);
  EXPECT_NE(ran.out.find("not timed"), std::string::npos);
}

TEST_F(TaskCommand, NewAsksAtATerminalAndTakesTheAnswers) {
  CheckingDaemon daemon(a_refusal());

  const auto ran =
      run_at(daemon, {"task", "new", program().string()}, "\n\n./main 7\n^PASS$\n-\nk.*\n");

  EXPECT_EQ(ran.code, ExitCode::negative);
  EXPECT_NE(ran.err.find("run command [./main 1000]"), std::string::npos) << ran.err;
  const auto task = config::load_program_task(program());
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->run, "./main 7");
  EXPECT_EQ(task->pass, (ProgramPassRule{0, "^PASS$", ""}));
  EXPECT_EQ(task->kernels, std::vector<std::string>{"k.*"});
  EXPECT_NE(ran.out.find("refused by the control null_kernels"), std::string::npos) << ran.out;
}

TEST_F(TaskCommand, NewWithoutATerminalWantsYes) {
  const auto ran = run({"task", "new", program().string()});

  EXPECT_EQ(ran.code, ExitCode::bad_input);
  EXPECT_NE(ran.err.find("add --yes"), std::string::npos);
  EXPECT_FALSE(fs::exists(program() / "program.toml"));
}

TEST_F(TaskCommand, NewKeepsATaskThatIsThere) {
  CheckingDaemon daemon(an_admission());
  ASSERT_EQ(run_at(daemon, {"task", "new", program().string(), "--yes"}).code, ExitCode::ok);

  const auto again = run_at(daemon, {"task", "new", program().string(), "--yes"});
  EXPECT_NE(again.code, ExitCode::ok);
  EXPECT_NE(again.err.find("--force"), std::string::npos);

  const auto forced =
      run_at(daemon, {"task", "new", program().string(), "--yes", "--force", "--name", "other"});
  EXPECT_EQ(forced.code, ExitCode::ok) << forced.err;
  EXPECT_EQ(config::load_program_task(program())->name, "other");
}

TEST_F(TaskCommand, NewRefusesABadPatternBeforeAnythingIsWritten) {
  const auto ran = run({"task", "new", program().string(), "--yes", "--pass", "a("});

  EXPECT_EQ(ran.code, ExitCode::bad_input);
  EXPECT_NE(ran.err.find("pass.output"), std::string::npos) << ran.err;
  EXPECT_FALSE(fs::exists(program() / "program.toml"));
}

TEST_F(TaskCommand, CheckEndsWithOneForARefusal) {
  CheckingDaemon daemon(a_refusal());

  const auto ran = run_at(daemon, {"task", "check", program().string(), "--runs", "4", "--json"});

  EXPECT_EQ(ran.code, ExitCode::negative);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
  const auto document = codec::parse_json(ran.out);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->at("refused_by"), "null_kernels");
  EXPECT_EQ(document->at("runs").at(0).at("kernels").at(0).at("launches"), 2);
  ASSERT_EQ(daemon.asked().size(), 1U);
  EXPECT_EQ(daemon.asked()[0].runs, 4);
}

TEST_F(TaskCommand, AProgramTaskIsOptimisedOnlyWhenTheUserSaysSo) {
  ASSERT_EQ(run({"task", "import", "hecbench", program().string(), "--into",
                 scratch_.path().string(), "--no-check"})
                .code,
            ExitCode::ok);
  const std::string task = (scratch_.path() / "scan").string();

  const auto unasked = run({"optimize", task, "--provider", "sim"});
  EXPECT_EQ(unasked.code, ExitCode::bad_input);
  EXPECT_NE(unasked.err.find("add --as-user"), std::string::npos) << unasked.err;
  const auto detached = run({"optimize", task, "--provider", "sim", "--as-user", "--detach"});
  EXPECT_EQ(detached.code, ExitCode::bad_input);
  EXPECT_NE(detached.err.find("without --detach"), std::string::npos) << detached.err;
  EXPECT_FALSE(fs::exists(task + ".warpmind")) << "nothing was built";
}

TEST_F(TaskCommand, ImportPrintsOneRowAProgram) {
  CheckingDaemon daemon(an_admission());
  fs::copy(program(), scratch_.path() / "rank-cuda");
  std::ofstream(scratch_.path() / "rank-cuda/main.cu") << "#include \"../other/x.h\"\n";
  std::ofstream(scratch_.path() / "arguments") << "# sizes\nscan 64 2 \n";
  const fs::path into = scratch_.path() / "tasks";

  const auto ran =
      run_at(daemon, {"task", "import", "hecbench", scratch_.path().string(), "--into",
                      into.string(), "--arguments", (scratch_.path() / "arguments").string()});

  EXPECT_EQ(ran.code, ExitCode::negative) << "one could not be imported";
  EXPECT_EQ(config::load_program_task(into / "scan")->run, "./main 64 2");
  EXPECT_NE(ran.out.find("scan     admitted"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("rank     not imported  import"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("2 programs, 1 admitted, 1 refused by import"), std::string::npos)
      << ran.out;
}

TEST_F(TaskCommand, ImportOfOneWithoutACheckNeedsNoDaemon) {
  const fs::path into = scratch_.path() / "tasks";

  const auto ran = run({"task", "import", "hecbench", program().string(), "--into", into.string(),
                        "--no-check", "--json"});

  EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
  const auto document = codec::parse_json(ran.out);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->at("programs").at(0).at("state"), "imported");
  EXPECT_TRUE(fs::exists(into / "scan/program.toml"));
}

TEST_F(TaskCommand, ImportGoesOnWhereItsReportEnds) {
  CheckingDaemon daemon(a_refusal());
  fs::copy(program(), scratch_.path() / "rank-cuda");
  const std::string report = (scratch_.path() / "report.json").string();
  const std::vector<std::string> words{"task",     "import",
                                       "hecbench", scratch_.path().string(),
                                       "--into",   (scratch_.path() / "tasks").string(),
                                       "--report", report};
  auto first = words;
  first.insert(first.end(), {"--only", "scan"});

  const auto begun = run_at(daemon, first);
  EXPECT_EQ(begun.code, ExitCode::negative) << begun.err;
  EXPECT_EQ(daemon.asked().size(), 1U);
  // As if the run had ended between the import of the second and its check.
  ASSERT_EQ(run({"task", "import", "hecbench", scratch_.path().string(), "--into",
                 (scratch_.path() / "tasks").string(), "--only", "rank", "--no-check"})
                .code,
            ExitCode::ok);
  const auto rest = run_at(daemon, words);

  EXPECT_EQ(rest.code, ExitCode::negative);
  ASSERT_EQ(daemon.asked().size(), 2U) << "the first is settled";
  EXPECT_EQ(fs::path(daemon.asked()[1].directory).filename(), "rank");
  EXPECT_NE(rest.out.find("2 programs, 2 refused by null_kernels"), std::string::npos) << rest.out;
  const auto table = read_file(scratch_.path() / "report.md", 10000);
  ASSERT_TRUE(table);
  EXPECT_NE(table->find("| scan | refused | null_kernels | 3 |"), std::string::npos) << *table;
  EXPECT_NE(table->find("- rank: it passes even when"), std::string::npos) << *table;
}

TEST_F(TaskCommand, ImportRefusesAReportOfSomethingElse) {
  const std::string report = (scratch_.path() / "report.json").string();
  const auto import = [&] {
    return run(
        {"task", "import", "hecbench", scratch_.path().string(), "--report", report, "--no-check"});
  };
  std::ofstream(report) << "{\"suite\": \"kernelblaster\", \"programs\": []}\n";
  const auto other = import();
  EXPECT_EQ(other.code, ExitCode::bad_input);
  EXPECT_NE(other.err.find("the report of the suite 'kernelblaster'"), std::string::npos)
      << other.err;
  std::ofstream(report) << "not a report";
  const auto garbage = import();
  EXPECT_NE(garbage.code, ExitCode::ok);
  EXPECT_NE(garbage.err.find("remove it to begin anew"), std::string::npos) << garbage.err;
}

TEST_F(TaskCommand, ImportSaysWhichProgramIsNotThere) {
  const auto ran = run(
      {"task", "import", "hecbench", scratch_.path().string(), "--only", "nothing", "--no-check"});

  EXPECT_EQ(ran.code, ExitCode::bad_input);
  EXPECT_NE(ran.err.find("has no program 'nothing'"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace warpmind::clients
