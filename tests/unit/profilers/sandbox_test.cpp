#include "profilers/sandbox/sandbox.h"

#include "lab_places.h"
#include "profilers/process/child_process.h"
#include "profilers/sandbox/mounts.h"

#include <chrono>
#include <sys/socket.h>
#include <sys/un.h>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(places_.path() / "job");
    auto sandbox = Sandbox::create(config::LabSettings{});
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    ASSERT_TRUE(sandbox->enabled());
    sandbox_.emplace(std::move(*sandbox));
  }

  ProcessOutcome run(SandboxRole role, std::vector<std::string> command, int seconds = 60) {
    SandboxedCommand sandboxed;
    sandboxed.command = std::move(command);
    sandboxed.job_directory = places_.path() / "job";
    return run(role, std::move(sandboxed), seconds);
  }

  ProcessOutcome run(SandboxRole role, SandboxedCommand sandboxed, int seconds = 60) {
    auto order = sandbox_->wrap(role, std::move(sandboxed));
    EXPECT_TRUE(order);
    RunLimits limits;
    limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    auto outcome = run_process(std::move(*order), limits, {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(ProcessOutcome{});
  }

  ProcessOutcome shell(SandboxRole role, const std::string& script, int seconds = 60) {
    return run(role, {"/bin/sh", "-c", script}, seconds);
  }

  LabPlaces places_;
  std::optional<Sandbox> sandbox_;
};

TEST_F(SandboxTest, RunsInTheJobDirectoryAsNobodyWithoutCapabilities) {
  const auto outcome = shell(SandboxRole::compiler,
                             "pwd; id -u; grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status");

  EXPECT_TRUE(outcome.end.success()) << outcome.diagnostics;
  EXPECT_THAT(outcome.output, HasSubstr("/job\n65534\n"));
  EXPECT_THAT(outcome.output, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(outcome.output, HasSubstr("Seccomp:\t2"));
}

TEST_F(SandboxTest, HidesSecretsOutside) {
  const auto secret = places_.write("secret.key", "do not read");

  for (const auto role : {SandboxRole::compiler, SandboxRole::judge, SandboxRole::runner}) {
    const auto outcome =
        shell(role, "cat '" + secret.string() + "' /etc/shadow /etc/passwd; ls /root /home");
    EXPECT_FALSE(outcome.end.success());
    EXPECT_EQ(outcome.output, "");
  }
}

TEST_F(SandboxTest, PassesOnlyItsOwnEnvironment) {
  ::setenv("WARPMIND_TEST_SECRET", "s3cret", 1);

  const auto outcome = shell(SandboxRole::compiler, "env; cat /proc/1/environ");

  EXPECT_THAT(outcome.output, HasSubstr("HOME=/tmp"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("s3cret")));
}

TEST_F(SandboxTest, LetsCompilersWriteTheirJobDirectory) {
  const auto outcome = shell(SandboxRole::compiler, "echo made > product");

  EXPECT_TRUE(outcome.end.success()) << outcome.diagnostics;
  EXPECT_EQ(read_file(places_.path() / "job" / "product", 100).value(), "made\n");
}

TEST_F(SandboxTest, LetsRunnersWriteOnlyWhereNamed) {
  const auto job = places_.path() / "job";
  std::filesystem::create_directory(job / "out");
  std::filesystem::create_directory(job / "in");
  SandboxedCommand command;
  command.command = {"/bin/sh", "-c", "echo x > out/y; echo x > in/z; echo x > w; true"};
  command.job_directory = job;
  command.writable = {job / "out"};

  run(SandboxRole::runner, std::move(command));

  EXPECT_TRUE(std::filesystem::exists(job / "out" / "y"));
  EXPECT_FALSE(std::filesystem::exists(job / "in" / "z"));
  EXPECT_FALSE(std::filesystem::exists(job / "w"));
}

TEST_F(SandboxTest, HasNoNetwork) {
  const auto outcome = run(SandboxRole::compiler,
                           {"/usr/bin/perl", "-MSocket", "-e",
                            "print socket(S, PF_INET, SOCK_STREAM, 0) ? 'opened' : \"no: $!\""});

  EXPECT_EQ(outcome.output, "no: Permission denied");
}

TEST_F(SandboxTest, CannotReachTheDaemonsSocket) {
  // The daemon's socket, listening, at a path and with rights that would let anybody in.
  const auto path = places_.path() / "warpmindd.sock";
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.string().size(), sizeof address.sun_path);
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 4), 0);
  std::filesystem::permissions(path, std::filesystem::perms::all);
  const std::string connect =
      "socket(S, PF_UNIX, SOCK_STREAM, 0) or die; print connect(S, pack_sockaddr_un('" +
      path.string() + "')) ? 'connected' : 'no'";

  RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  ProcessOrder outside;
  outside.command = {"/usr/bin/perl", "-MSocket", "-e", connect};
  const auto control = run_process(std::move(outside), limits, {});
  const auto outcome = run(SandboxRole::runner, {"/usr/bin/perl", "-MSocket", "-e", connect});

  ASSERT_TRUE(control);
  EXPECT_EQ(control->output, "connected");  // the test can fail
  EXPECT_EQ(outcome.output, "no");
}

TEST_F(SandboxTest, RefusesDangerousCalls) {
  // unshare(2), and a nested namespace through bubblewrap itself.
  const auto outcome =
      shell(SandboxRole::compiler, "unshare -U true; echo $?; bwrap --ro-bind / / true; echo $?");

  EXPECT_EQ(outcome.output, "1\n1\n") << outcome.diagnostics;
}

TEST_F(SandboxTest, LetsRunnersStartThreadsButNoProcesses) {
  const auto forking = shell(SandboxRole::runner, "/bin/true; echo $?");
  const auto threading =
      run(SandboxRole::runner, {"/usr/bin/perl", "-Mthreads", "-e",
                                "print threads->create(sub { 'from a thread' })->join()"});

  EXPECT_THAT(forking.output, Not(HasSubstr("0\n")));
  EXPECT_THAT(forking.diagnostics, HasSubstr("fork"));
  EXPECT_EQ(threading.output, "from a thread") << threading.diagnostics;
}

TEST_F(SandboxTest, KillsTheWholeTreeAtTheDeadline) {
  const auto outcome = shell(SandboxRole::compiler,
                             "for i in 1 2 3; do (setsid sleep 600 '" + places_.path().string() +
                                 "' 2>/dev/null || sleep 600) & done; wait",
                             1);

  EXPECT_EQ(outcome.end.kind, EndKind::deadline);
  EXPECT_TRUE(places_.all_processes_gone());
}

TEST_F(SandboxTest, BoundsTheTemporaryFolder) {
  const auto outcome = shell(SandboxRole::compiler, "df -B1 --output=size /tmp | tail -1");

  EXPECT_THAT(outcome.output, HasSubstr("2147483648"));
}

/// A prefix below `places` with PREFIX/bin/tool, which reads what is in PREFIX/lib/warpmind, as a
/// program of a package loads its libraries from there.
std::filesystem::path install_tool(const LabPlaces& places) {
  const auto prefix = places.path() / "my programs";
  std::filesystem::create_directories(prefix / "bin");
  std::filesystem::create_directories(prefix / "lib" / "warpmind" / "simulator");
  places.write("my programs/lib/secret", "do not read");
  places.write("my programs/lib/warpmind/library", "brought along");
  const auto tool = places.write("my programs/bin/tool",
                                 "#!/bin/sh\nread -r text < \"${0%/bin/*}/$1\"; echo \"$text\"\n");
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  return tool;
}

TEST_F(SandboxTest, ShowsAnInstalledProgramItsLibrariesAndNothingElseOfThePrefix) {
  const auto tool = install_tool(places_);

  for (const auto role : {SandboxRole::judge, SandboxRole::runner}) {
    SandboxedCommand command;
    command.job_directory = places_.path() / "job";
    command.read_only = own_mounts(tool);
    command.command = {tool.string(), "lib/warpmind/library"};
    EXPECT_EQ(run(role, command).output, "brought along\n");
    command.command.back() = "lib/secret";
    EXPECT_EQ(run(role, command).output, "\n");
  }
}

TEST(OwnMounts, AddTheLibrariesOfThePackageToWhatLiesInIt) {
  LabPlaces places;
  const auto tool = install_tool(places);
  const auto libraries = places.path() / "my programs" / "lib" / "warpmind";
  using Mounts = std::vector<std::filesystem::path>;

  EXPECT_EQ(own_mounts(tool), (Mounts{tool, libraries}));
  EXPECT_EQ(own_mounts(libraries / "simulator"), (Mounts{libraries / "simulator", libraries}));
  // A build folder, and a folder that somebody named in the settings.
  EXPECT_EQ(own_mounts(places.path() / "job" / "tool"), Mounts{places.path() / "job" / "tool"});
  EXPECT_EQ(own_mounts(places.path()), Mounts{places.path()});
}

TEST(Sandbox, NamesTheMissingProgramAndTheRemedy) {
  config::LabSettings settings;
  settings.bubblewrap = "/nonexistent/bwrap";

  const auto sandbox = Sandbox::create(settings);

  ASSERT_FALSE(sandbox);
  EXPECT_EQ(sandbox.error().code, Errc::unavailable);
  EXPECT_THAT(sandbox.error().message, HasSubstr("/nonexistent/bwrap"));
  EXPECT_THAT(sandbox.error().message, HasSubstr("apt-get install bubblewrap"));
}

TEST(Sandbox, NamesUserNamespacesWhenTheTrialFails) {
  LabPlaces places;
  const auto fake =
      places.write("bwrap",
                   "#!/bin/sh\n[ \"$1\" = --version ] && echo bubblewrap 0.8.0 && exit 0\n"
                   "echo 'bwrap: No permissions to create new namespace' >&2; exit 1\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  config::LabSettings settings;
  settings.bubblewrap = fake;

  const auto sandbox = Sandbox::create(settings);

  ASSERT_FALSE(sandbox);
  EXPECT_EQ(sandbox.error().code, Errc::unavailable);
  EXPECT_THAT(sandbox.error().message, HasSubstr("No permissions to create new namespace"));
  EXPECT_THAT(sandbox.error().message, HasSubstr(": allow unprivileged user namespaces"));
}

TEST(Sandbox, RunsBareOnlyWhenToldTo) {
  LabPlaces places;
  config::LabSettings settings;
  settings.bubblewrap = "/nonexistent/bwrap";
  settings.unsafe_no_sandbox = true;
  const auto sandbox = Sandbox::create(settings);
  ASSERT_TRUE(sandbox);
  EXPECT_FALSE(sandbox->enabled());
  SandboxedCommand command;
  command.command = {"/bin/pwd"};
  command.job_directory = places.path();

  auto order = sandbox->wrap(SandboxRole::runner, std::move(command));

  ASSERT_TRUE(order);
  const auto outcome = run_process(std::move(*order), {}, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output, places.path().string() + "\n");
}

TEST(LibraryFolders, LeavesOutWhatIsTooWide) {
  LabPlaces places;
  const std::string own = places.path().string();

  const auto folders =
      library_folders("/:" + own + "::relative:/home:/tmp/../:" + own + ":/nonexistent/lib:/root");

  EXPECT_EQ(folders, std::vector<std::filesystem::path>{own});
}

}  // namespace
}  // namespace warpmind::profilers
