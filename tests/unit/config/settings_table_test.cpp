#include "config/settings_table.h"

#include "base/file.h"

#include <cstdlib>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

using testing::HasSubstr;

// Converts to anything: the number of these that initialise an aggregate is its number of fields.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): the point of the type
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}
template <class T, std::size_t N = 1>
constexpr std::size_t field_count() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>{})) {
    return field_count<T, N + 1>();
  } else {
    return N;
  }
}

TEST(SettingsTable, HasARowForEveryField) {
  const std::size_t fields = field_count<DaemonSettings>() + field_count<HttpSettings>() +
                             field_count<LogSettings>() + field_count<OtlpSettings>() +
                             field_count<KnowledgeSettings>() + field_count<ToolchainSettings>() +
                             field_count<LabSettings>() + field_count<EpisodeSettings>() +
                             field_count<LlmSettings>() + field_count<QueueSettings>();

  EXPECT_EQ(settings_table().size(), fields);
  EXPECT_EQ(field_count<Settings>(), 10U) << "a new section needs rows, and a term above";
}

TEST(SettingsTable, RowsNameDistinctFields) {
  Settings settings;
  std::set<const void*> fields;
  std::set<std::string> variables;
  for (const auto& setting : settings_table()) {
    const void* address =
        std::visit([](auto* member) -> const void* { return member; }, setting.field(settings));
    EXPECT_TRUE(fields.insert(address).second) << setting.name;
    EXPECT_TRUE(variables.insert(environment_name(setting)).second) << setting.name;
    EXPECT_TRUE(setting.document.ends_with(".")) << setting.name;
  }
}

TEST(SettingsTable, DefaultsAreWithinTheirLimits) {
  const Settings defaults;
  for (const auto& setting : settings_table()) {
    Settings settings;
    const auto assigned = assign_text(setting, value_text(setting, defaults), settings);
    EXPECT_TRUE(assigned.has_value()) << assigned.error().message;
    EXPECT_EQ(value_text(setting, settings), value_text(setting, defaults));
  }
}

TEST(SettingsTable, EveryPathSaysWhatEmptyMeans) {
  for (const auto& setting : settings_table()) {
    const bool says = !setting.when_empty.empty();
    EXPECT_TRUE(says || type_name(setting) != "path") << setting.name;
    EXPECT_TRUE(!says || value_text(setting, Settings{}).empty()) << setting.name;
  }
}

TEST(SettingsTable, ATextThatMayBeEmptyCanBeMadeSoAgain) {
  Settings settings;
  const auto& url = *find_setting("knowledge.embeddings_url");
  ASSERT_TRUE(assign_text(url, "http://127.0.0.1:8080", settings).has_value());
  EXPECT_EQ(settings.knowledge.embeddings_url, "http://127.0.0.1:8080");
  EXPECT_TRUE(assign_text(url, "", settings).has_value());
  EXPECT_EQ(settings.knowledge.embeddings_url, "");
}

TEST(SettingsTable, NamesEnvironmentVariables) {
  EXPECT_EQ(environment_name(*find_setting("lab.timing_quads")), "WARPMIND_LAB_TIMING_QUADS");
  EXPECT_EQ(environment_name(*find_setting("daemon.allow_root")), "WARPMIND_DAEMON_ALLOW_ROOT");
  EXPECT_EQ(find_setting("lab.timing"), nullptr);
}

TEST(SettingsTable, ReadsEveryType) {
  Settings settings;
  for (const char* word : {"1", "true", "auto"}) {
    EXPECT_TRUE(assign_text(*find_setting("daemon.allow_root"), word, settings).has_value());
  }
  EXPECT_EQ(settings.daemon.allow_root, "auto");
  EXPECT_TRUE(assign_boolean(*find_setting("daemon.allow_root"), true, settings).has_value());
  EXPECT_EQ(settings.daemon.allow_root, "true");
  EXPECT_FALSE(assign_boolean(*find_setting("log.level"), true, settings).has_value());
  EXPECT_TRUE(assign_text(*find_setting("lab.counters"), "false", settings).has_value());
  EXPECT_TRUE(assign_text(*find_setting("lab.device"), "3", settings).has_value());
  EXPECT_TRUE(assign_text(*find_setting("lab.block_ms"), "2.5", settings).has_value());
  EXPECT_TRUE(assign_text(*find_setting("log.level"), "warn", settings).has_value());
  EXPECT_TRUE(assign_text(*find_setting("lab.worker"), "/w", settings).has_value());

  EXPECT_FALSE(settings.lab.counters);
  EXPECT_EQ(settings.lab.device, 3);
  EXPECT_EQ(settings.lab.block_ms, 2.5);
  EXPECT_EQ(settings.log.level, "warn");
  EXPECT_EQ(settings.lab.worker, "/w");
  EXPECT_EQ(value_text(*find_setting("lab.block_ms"), settings), "2.5");
}

struct WrongValue {
  const char* setting;
  const char* text;
  const char* message;
};

TEST(SettingsTable, RefusesWrongValues) {
  const WrongValue cases[] = {
      {"lab.counters", "yes", "setting 'lab.counters' must be true or false, not 'yes'"},
      {"lab.device", "first", "setting 'lab.device' must be an integer, not 'first'"},
      {"lab.device", "1.5", "must be an integer, not '1.5'"},
      {"lab.device", "", "must be an integer, not ''"},
      {"lab.check_seeds", "4", "must be from 5 to 1000 cases, not '4'"},
      {"lab.confirm_processes", "1", "must be from 2 to 100 processes, not '1'"},
      {"lab.timing_quads", "2", "must be from 3 to 1000 quads, not '2'"},
      {"daemon.request_mib", "1025", "must be from 1 to 1024 MiB, not '1025'"},
      {"toolchain.timeout_s", "soon", "must be a number, not 'soon'"},
      {"toolchain.timeout_s", "nan", "must be from 1 to 3600 s, not 'nan'"},
      {"log.level", "loud", "must be one of debug, info, warn, error, not 'loud'"},
      {"lab.provider", "moon", "must be one of auto, gpu, sim, fixture, not 'moon'"},
      {"lab.target", "", "setting 'lab.target' must be a text, not ''"},
  };
  for (const auto& each : cases) {
    Settings settings;
    const auto assigned = assign_text(*find_setting(each.setting), each.text, settings);
    ASSERT_FALSE(assigned.has_value()) << each.setting << " = " << each.text;
    EXPECT_THAT(assigned.error().message, HasSubstr(each.message));
  }
}

// docs/settings.md holds the table between two marks. UPDATE_DOCS=1 in the environment rewrites it.
TEST(SettingsTable, TheDocumentIsUpToDate) {
  const std::filesystem::path file =
      std::filesystem::path(WARPMIND_SOURCE_DIR) / "docs/settings.md";
  const std::string begin = "<!-- settings table: begin -->\n";
  const std::string end = "<!-- settings table: end -->";
  auto text = read_file(file, 1U << 20U);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  const auto from = text->find(begin);
  const auto to = text->find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos && from < to);
  const auto start = from + begin.size();

  if (std::getenv("UPDATE_DOCS") != nullptr) {  // NOLINT(concurrency-mt-unsafe): one thread
    text->replace(start, to - start, settings_document());
    ASSERT_TRUE(write_file_atomic(file, *text).has_value());
    return;
  }

  EXPECT_EQ(text->substr(start, to - start), settings_document())
      << "run this test with UPDATE_DOCS=1";
}

}  // namespace
}  // namespace warpmind::config
