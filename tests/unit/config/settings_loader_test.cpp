#include "config/settings_loader.h"

#include "base/file.h"
#include "config/settings_table.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class SettingsLoader : public testing::Test {
 protected:
  void SetUp() override {
    auto scratch = ScratchDirectory::create(fs::temp_directory_path(), "settings_loader");
    ASSERT_TRUE(scratch.has_value()) << scratch.error().message;
    scratch_.emplace(*std::move(scratch));
    sources_.environment["HOME"] = (root() / "home").string();
    sources_.working_directory = root() / "work";
  }

  [[nodiscard]] const fs::path& root() const { return scratch_->path(); }

  fs::path write(const fs::path& relative, const std::string& text) {
    const fs::path path = root() / relative;
    EXPECT_TRUE(make_private_directory(path.parent_path()).has_value());
    EXPECT_TRUE(write_file_atomic(path, text).has_value());
    return path;
  }

  LoadedSettings load() {
    auto loaded = load_settings(sources_);
    EXPECT_TRUE(loaded.has_value()) << loaded.error().message;
    return loaded ? *loaded : LoadedSettings{};
  }

  Error load_error() {
    auto loaded = load_settings(sources_);
    EXPECT_FALSE(loaded.has_value());
    return loaded ? Error{} : loaded.error();
  }

  SettingsSources sources_;

 private:
  std::optional<ScratchDirectory> scratch_;
};

TEST_F(SettingsLoader, WithoutSourcesEverythingIsDefault) {
  const auto loaded = load();

  EXPECT_EQ(loaded.settings.lab.timing_quads, LabSettings{}.timing_quads);
  EXPECT_TRUE(loaded.file.empty());
  EXPECT_EQ(loaded.origins.size(), settings_table().size());
  for (const auto& [name, origin] : loaded.origins) EXPECT_EQ(origin.where, "default") << name;
}

TEST_F(SettingsLoader, FlagBeatsEnvironmentBeatsFileBeatsDefault) {
  sources_.file = write("config.toml", "[lab]\ndevice = 1\ntiming_quads = 11\ncheck_seeds = 8\n");
  sources_.environment["WARPMIND_LAB_DEVICE"] = "2";
  sources_.environment["WARPMIND_LAB_TIMING_QUADS"] = "12";
  sources_.overrides = {"lab.device=3", "lab.device=4"};

  const auto loaded = load();

  EXPECT_EQ(loaded.settings.lab.device, 4);
  EXPECT_EQ(loaded.settings.lab.timing_quads, 12);
  EXPECT_EQ(loaded.settings.lab.check_seeds, 8);
  EXPECT_EQ(loaded.origins.at("lab.device").where, "--set lab.device=4");
  EXPECT_EQ(loaded.origins.at("lab.device").source, SettingOrigin::Source::flag);
  EXPECT_EQ(loaded.origins.at("lab.timing_quads").where, "WARPMIND_LAB_TIMING_QUADS");
  EXPECT_EQ(loaded.origins.at("lab.check_seeds").where, sources_.file->string() + ":4");
  EXPECT_EQ(loaded.origins.at("lab.counters").where, "default");
}

TEST_F(SettingsLoader, FindsTheFileByTheXdgRules) {
  write("home/.config/warpmind/config.toml", "[lab]\ndevice = 5\n");
  EXPECT_EQ(load().settings.lab.device, 5);

  write("xdg/warpmind/config.toml", "[lab]\ndevice = 6\n");
  sources_.environment["XDG_CONFIG_HOME"] = (root() / "xdg").string();
  EXPECT_EQ(load().settings.lab.device, 6);

  sources_.environment["WARPMIND_CONFIG"] = write("named.toml", "[lab]\ndevice = 7\n").string();
  EXPECT_EQ(load().settings.lab.device, 7);

  sources_.file = write("flag.toml", "[lab]\ndevice = 8\n");
  EXPECT_EQ(load().settings.lab.device, 8);
}

TEST_F(SettingsLoader, ANamedFileMustExist) {
  sources_.file = "none.toml";

  const Error error = load_error();

  EXPECT_EQ(error.code, Errc::not_found);
  EXPECT_THAT(error.message, HasSubstr((root() / "work/none.toml").string()));
}

struct FileCase {
  const char* text;
  const char* message;  // after the name of the file
};

TEST_F(SettingsLoader, FileErrorsSayWhereAndWhat) {
  const FileCase cases[] = {
      {"[lab]\ndevise = 1\n", ":2:1: unknown setting 'lab.devise'; did you mean 'lab.device'?"},
      {"[lap]\ndevice = 1\n", ":2:1: unknown setting 'lap.device'; did you mean 'lab.device'?"},
      {"[lob]\n", ":1:2: unknown section [lob]; did you mean 'log'?"},
      {"[lab]\nsomething_else_entirely = 1\n",
       ":2:1: unknown setting 'lab.something_else_entirely'; `warpmind config show` lists them "
       "all"},
      {"device = 1\n", ":1:1: unknown setting 'device'"},
      {"[lab]\n  device = \"one\"\n",
       ":2:12: setting 'lab.device' must be an integer, not a string"},
      {"[lab]\ndevice = 1.5\n", ":2:10: setting 'lab.device' must be an integer, not '1.5'"},
      {"[lab]\ndevice = true\n", ":2:10: setting 'lab.device' must be an integer, not 'true'"},
      {"[lab]\ncheck_seeds = 4\n",
       ":2:15: setting 'lab.check_seeds' must be from 5 to 1000 cases, not '4'"},
      {"[lab]\ncheck_seeds = [5]\n",
       ":2:15: setting 'lab.check_seeds' must be an integer, not an array"},
      {"[log]\nlevel = 3\n", ":2:9: setting 'log.level' must be a text, not '3'"},
      {"[log]\nlevel = 2020-01-01\n", ":2:9: dates and times have no meaning here"},
      {"[lab\n", ":1:"},
      {"[lab]\ndevice = 1\ndevice = 2\n", ":3:"},
  };
  for (const auto& each : cases) {
    sources_.file = write("config.toml", each.text);
    const Error error = load_error();
    EXPECT_EQ(error.code, Errc::invalid_argument) << each.text;
    EXPECT_THAT(error.message, HasSubstr(sources_.file->string() + ":")) << each.text;
    EXPECT_THAT(error.message, HasSubstr(each.message)) << each.text;
  }
}

TEST_F(SettingsLoader, AnIntegerServesForANumber) {
  sources_.file = write("config.toml", "[toolchain]\ntimeout_s = 30\n");

  EXPECT_EQ(load().settings.toolchain.timeout_s, 30.0);
}

TEST_F(SettingsLoader, UnknownVariablesOfOursAreErrors) {
  sources_.environment["WARPMIND_LAB_DEVISE"] = "1";
  sources_.environment["OTHER_THING"] = "1";

  EXPECT_EQ(load_error().message,
            "environment: unknown variable 'WARPMIND_LAB_DEVISE'; did you mean "
            "'WARPMIND_LAB_DEVICE'?");
}

TEST_F(SettingsLoader, TheKeyOfTheModelIsNoSettingAndNoError) {
  sources_.environment["WARPMIND_LLM_KEY"] = "sk-secret";

  const auto loaded = load();

  for (const auto& line : render_settings(loaded))
    EXPECT_EQ(line.value.find("sk-"), line.value.npos);
}

TEST_F(SettingsLoader, WrongValuesNameTheirSource) {
  sources_.environment["WARPMIND_LAB_DEVICE"] = "one";
  EXPECT_EQ(load_error().message,
            "environment WARPMIND_LAB_DEVICE: setting 'lab.device' must be an integer, not 'one'");

  sources_.environment.erase("WARPMIND_LAB_DEVICE");
  sources_.overrides = {"lab.device=-1"};
  EXPECT_EQ(load_error().message,
            "--set lab.device=-1: setting 'lab.device' must be from 0 to 1023, not '-1'");
  sources_.overrides = {"lab.device"};
  EXPECT_EQ(load_error().message, "--set lab.device: write name=value, as in lab.device=1");
  sources_.overrides = {"lab.devic=1"};
  EXPECT_EQ(load_error().message,
            "--set lab.devic=1: unknown setting 'lab.devic'; did you mean 'lab.device'?");
}

TEST_F(SettingsLoader, ResolvesPathsByTheXdgRules) {
  auto loaded = load();
  const fs::path home = root() / "home";
  EXPECT_EQ(loaded.settings.daemon.state_directory, home / ".local/state/warpmind");
  EXPECT_EQ(loaded.settings.daemon.socket, home / ".local/state/warpmind/run/warpmindd.sock");
  EXPECT_EQ(loaded.settings.knowledge.directory, home / ".local/state/warpmind/knowledge");
  EXPECT_EQ(loaded.settings.toolchain.cache_directory, home / ".cache/warpmind/build");

  sources_.environment["XDG_RUNTIME_DIR"] = "/run/user/7";
  sources_.environment["XDG_STATE_HOME"] = "relative/is/ignored";
  sources_.environment["XDG_CACHE_HOME"] = "/cache";
  loaded = load();
  EXPECT_EQ(loaded.settings.daemon.socket, "/run/user/7/warpmind/warpmindd.sock");
  EXPECT_EQ(loaded.settings.daemon.state_directory, home / ".local/state/warpmind");
  EXPECT_EQ(loaded.settings.toolchain.cache_directory, "/cache/warpmind/build");
}

TEST_F(SettingsLoader, LeavesNoPathEmptyButThoseThatSaySo) {
  const auto loaded = load();

  for (const auto& setting : settings_table()) {
    if (type_name(setting) != "path") continue;
    EXPECT_EQ(value_text(setting, loaded.settings).empty(), setting.stays_empty) << setting.name;
  }
}

TEST_F(SettingsLoader, RelativePathsStartWhereTheyAreWritten) {
  sources_.file = write("conf/config.toml",
                        "[lab]\nfixture_directory = \"recorded\"\nrecord_directory = \"~/rec\"\n");
  sources_.overrides = {"lab.worker=bin/../worker"};

  const auto loaded = load();

  EXPECT_EQ(loaded.settings.lab.fixture_directory, root() / "conf/recorded");
  EXPECT_EQ(loaded.settings.lab.record_directory, root() / "home/rec");
  EXPECT_EQ(loaded.settings.lab.worker, root() / "work/worker");
}

TEST_F(SettingsLoader, SaysWhatIsMissingWithoutAHome) {
  sources_.environment.clear();
  EXPECT_EQ(load_error().message,
            "setting 'daemon.state_directory' has no place to default to: set HOME, "
            "XDG_STATE_HOME or the setting");

  sources_.overrides = {"daemon.state_directory=/s", "toolchain.cache_directory=/c"};
  EXPECT_EQ(load().settings.knowledge.directory, "/s/knowledge");
}

TEST_F(SettingsLoader, RefusesASocketPathThatTheSystemWouldCut) {
  sources_.overrides = {"daemon.socket=/" + std::string(107, 's')};
  EXPECT_THAT(load_error().message, HasSubstr("must be at most 107 bytes long, not 108"));

  sources_.overrides = {"daemon.socket=/" + std::string(106, 's')};
  EXPECT_EQ(load().settings.daemon.socket.string().size(), 107U);
}

TEST_F(SettingsLoader, RendersEverySetting) {
  sources_.overrides = {"lab.device=3"};

  const auto rendered = render_settings(load());

  ASSERT_EQ(rendered.size(), settings_table().size());
  const auto found = std::find_if(rendered.begin(), rendered.end(),
                                  [](const auto& each) { return each.name == "lab.device"; });
  ASSERT_NE(found, rendered.end());
  EXPECT_EQ(found->value, "3");
  EXPECT_EQ(found->origin, "--set lab.device=3");
}

TEST_F(SettingsLoader, CapturesTheRealEnvironment) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
  ASSERT_NE(path, nullptr);

  EXPECT_EQ(capture_environment().at("PATH"), path);
}

}  // namespace
}  // namespace warpmind::config
