#include "tests/bench/builtin_speed/speed_options.h"

#include "config/settings_loader.h"

#include <charconv>
#include <cstdlib>

namespace warpmind::speed {
namespace {

constexpr const char* kUsage =
    "builtin_speed [options] [TASK_FOLDER…]\n"
    "  --records DIR      every NAME.cu with NAME.record of DIR, lifted to a task\n"
    "  --only REGEX       tasks whose name matches somewhere\n"
    "  --shard I/N        the I-th of N equal parts, I from 1\n"
    "  --provider gpu|sim --device KEY --policy NAME --set SETTING=VALUE\n"
    "  --evaluations N    candidates a task (12; quick 4); 0: only the given kernel is judged\n"
    "  --seconds S        a task (600; quick 60): later no candidate is begun; a minute later the\n"
    "                     running one is cut\n"
    "  --quick            three process pairs of five quads behind a verdict, five seeds, no\n"
    "                     hardware counters, no simulation before the GPU\n"
    "  --json FILE        what came of each task\n"
    "  --write DIR        write each task as a folder of DIR instead of running it\n";

tl::unexpected<Error> refused(const std::string& what) {
  return fail(Errc::invalid_argument, what + "\n" + kUsage);
}

bool read_number(std::string_view text, auto& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

Result<void> read_shard(const std::string& text, Options& options) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos ||
      !read_number(std::string_view(text).substr(0, slash), options.shard) ||
      !read_number(std::string_view(text).substr(slash + 1), options.shards) || options.shard < 1 ||
      options.shard > options.shards) {
    return refused("--shard is I/N with I from 1 to N");
  }
  return {};
}

Result<void> read_only(const std::string& text, Options& options) {
  try {
    options.only = std::regex(text);
  } catch (const std::regex_error& error) {
    return refused("--only '" + text + "': " + error.what());
  }
  return {};
}

Result<void> read_option(const std::string& word, const std::string& value, Options& options) {
  if (word == "--records") {
    options.records = value;
  } else if (word == "--provider") {
    if (value != "gpu" && value != "sim") return refused("--provider is gpu or sim");
    options.provider = value;
  } else if (word == "--policy") {
    options.policy = value;
  } else if (word == "--device") {
    options.device = value;
  } else if (word == "--set") {
    options.overrides.push_back(value);
  } else if (word == "--json") {
    options.json = value;
  } else if (word == "--write") {
    options.write = value;
  } else if (word == "--only") {
    return read_only(value, options);
  } else if (word == "--shard") {
    return read_shard(value, options);
  } else if (word == "--evaluations") {
    if (!read_number(value, options.evaluations)) return refused("--evaluations is a number");
  } else if (word == "--seconds") {
    if (!read_number(value, options.seconds)) return refused("--seconds is a number");
  } else {
    return refused("unknown option " + word);
  }
  return {};
}

bool is_quick(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    if (std::string_view(words[i]) == "--quick") return true;
  }
  return false;
}

}  // namespace

Result<Options> read_options(int count, char** words) {
  Options options;
  options.quick = is_quick(count, words);
  if (options.quick) {
    options.evaluations = 4;
    options.seconds = 60;
  }
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--quick") continue;
    if (!word.starts_with("--")) {
      options.tasks.emplace_back(word);
      continue;
    }
    if (word == "--help") return refused("usage:");
    if (++i == count) return refused(word + " needs a value");
    WARPMIND_CHECK(read_option(word, words[i], options));
  }
  if (options.tasks.empty() && options.records.empty()) return refused("no task is named");
  return options;
}

Result<config::Settings> read_settings(const Options& options) {
  config::SettingsSources sources;
  sources.environment = config::capture_environment();
  std::error_code ignored;
  sources.working_directory = std::filesystem::current_path(ignored);
  if (options.quick) {
    sources.overrides = {"lab.confirm_processes=3", "lab.timing_quads=5", "lab.check_seeds=5",
                         "lab.counters=false", "lab.prefilter=false"};
  }
  sources.overrides.insert(sources.overrides.end(), options.overrides.begin(),
                           options.overrides.end());
  WARPMIND_TRY(auto loaded, config::load_settings(sources));
  return std::move(loaded.settings);
}

}  // namespace warpmind::speed
