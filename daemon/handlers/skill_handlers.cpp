#include "daemon/handlers/skill_handlers.h"

#include "agents/builtin/skills/skill_library.h"
#include "agents/builtin/skills/skill_technique.h"
#include "agents/builtin/skills/skill_test.h"
#include "base/file.h"
#include "base/text.h"
#include "config/device_table.h"
#include "daemon/handlers/kb_arguments.h"

#include <algorithm>

namespace warpmind::daemon {
namespace {

namespace fs = std::filesystem;
using agents::builtin::KnownSkill;
using agents::builtin::Skill;
using agents::builtin::SkillLibrary;
using agents::builtin::SkillTest;

constexpr std::size_t kMostTestBytes = std::size_t{1} << 20U;
/// Kernels of one test that are run: those that a search would try first.
constexpr std::size_t kMostKernels = 2;

SkillSummary summary_of(const Skill& skill, const std::string& folder) {
  SkillSummary summary;
  summary.name = skill.name;
  summary.form = name_of(skill.form);
  summary.summary = skill.summary;
  summary.parameters = agents::builtin::parameter_ranges(skill);
  summary.origin = skill.origin;
  summary.licence = skill.licence;
  summary.folder = folder;
  return summary;
}

SkillLibrary library_of(const config::Settings& settings) {
  const std::array folders{settings.episode.skill_directory};
  return SkillLibrary::read(folders);
}

Result<KnownSkill> skill_named(const SkillLibrary& library, const std::string& name) {
  if (const KnownSkill* known = library.find(name)) return *known;
  const auto names =
      join_text(library.skills(), ", ", [](const KnownSkill& known) { return known.skill->name; });
  return fail(Errc::not_found, "there is no skill " + quoted_name(name) + "; there are " + names);
}

Result<std::vector<std::pair<std::string, std::string>>> tests_in(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> tests;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "tests", error)) {
    if (entry.path().extension() != ".cu") continue;
    WARPMIND_TRY(auto text, read_file(entry.path(), kMostTestBytes));
    tests.emplace_back(entry.path().filename().string(), std::move(text));
  }
  std::sort(tests.begin(), tests.end());
  return tests;
}

/// `text` with `to` for each whole word `from`.
std::string with_words(const std::string& text, const std::string& from, const std::string& to) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::string changed;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = at + from.size();
    const bool is_word = text.compare(at, from.size(), from) == 0 &&
                         (at == 0 || !is_part(text[at - 1])) &&
                         (end >= text.size() || !is_part(text[end]));
    changed += is_word ? to : std::string(1, text[at]);
    at = is_word ? end : at + 1;
  }
  return changed;
}

Result<protocol::SkillShowResult> shown(const KnownSkill& known) {
  protocol::SkillShowResult result;
  result.skill = summary_of(*known.skill, known.path);
  result.files["skill.toml"] = known.skill->toml;
  result.files["template.cuh"] = known.skill->device_code;
  result.files["notes.md"] = known.skill->notes;
  if (!known.path.empty()) {
    WARPMIND_TRY(const auto tests, tests_in(known.path));
    for (const auto& [name, text] : tests) result.files["tests/" + name] = text;
    return result;
  }
  const std::string folder = known.skill->name + "/";
  for (const auto& file : agents::builtin::shipped_skill_tests()) {
    if (!file.name.starts_with(folder)) continue;
    result.files["tests/" + std::string(file.name.substr(folder.size()))] = file.content;
  }
  return result;
}

/// The copy is called `name`, and so are the functions and types of its device code: two skills may
/// stand in one source.
Result<protocol::SkillShowResult> drafted(const SkillLibrary& library,
                                          const protocol::SkillDraftParams& params) {
  const auto& all = library.skills();
  auto from = std::find_if(all.begin(), all.end(), [&](const KnownSkill& known) {
    return known.skill->name == params.from;
  });
  if (from == all.end()) {
    from = std::find_if(all.begin(), all.end(), [&](const KnownSkill& known) {
      return name_of(known.skill->form) == params.from;
    });
  }
  if (from == all.end()) {
    return fail(Errc::not_found, quoted_name(params.from) +
                                     " is neither a skill nor a form that one is for; `warpmind "
                                     "skill list` shows both");
  }
  if (library.find(params.name) != nullptr) {
    return fail(Errc::conflict,
                "there is a skill named " + quoted_name(params.name) + "; choose another name");
  }
  WARPMIND_TRY(auto result, shown(*from));
  WARPMIND_TRY(const auto names, agents::builtin::own_names(*from->skill));
  for (auto& [file, text] : result.files) {
    if (file != "skill.toml" && file != "template.cuh") continue;
    for (const auto& name : names) {
      text = with_words(text, name, "wm_" + params.name + name.substr(2));
    }
  }
  auto& toml = result.files["skill.toml"];
  const std::string given = "name = \"" + from->skill->name + "\"";
  if (const auto at = toml.find(given); at != std::string::npos) {
    toml.replace(at, given.size(), "name = \"" + params.name + "\"");
  }
  result.files["notes.md"] = "# " + params.name + "\n\nStarted as a copy of " + from->skill->name +
                             ".\n\nMechanism:\nWhen not:\nSources:\n";
  result.skill.name = params.name;
  result.skill.folder.clear();
  return result;
}

class SkillCheck {
 public:
  SkillCheck(agents::KernelAnalyst* analyst, const config::Settings& settings)
      : analyst_(analyst), settings_(settings) {}

  Result<protocol::SkillCheckResult> check(const protocol::SkillFolderParams& params,
                                           const std::stop_token& stop) const {
    WARPMIND_TRY(const auto folder, path_of("directory", params.directory));
    WARPMIND_TRY(const auto skill, agents::builtin::read_skill(folder));
    const std::string& key = params.device.empty() ? settings_.lab.target : params.device;
    WARPMIND_TRY(const DeviceSpec device, config::device_table().need(key));
    protocol::SkillCheckResult result;
    result.skill = summary_of(skill, folder.string());
    WARPMIND_TRY(const auto tests, tests_in(folder));
    if (tests.empty()) {
      return fail(Errc::invalid_argument,
                  (folder / "tests").string() +
                      " holds no .cu file: a skill needs a test that it applies to");
    }
    result.passed = true;
    bool applies = false;
    for (const auto& [name, text] : tests) {
      SkillTestReport report{name, false, {}};
      const auto test = agents::builtin::read_skill_test(text, (folder / "tests" / name).string());
      if (!test) {
        report.detail = test.error().message;
      } else {
        applies = applies || test->applies;
        WARPMIND_TRY(report.detail, complaint_about(skill, *test, device, key, stop));
        report.passed = report.detail.empty();
        if (report.passed) {
          report.detail =
              test->applies ? "applies, builds and computes the same" : "refused: " + test->refusal;
        }
      }
      result.passed = result.passed && report.passed;
      result.tests.push_back(std::move(report));
    }
    if (!applies) {
      result.passed = false;
      result.tests.push_back({"(all)", false, "no test expects that the skill applies"});
    }
    return result;
  }

 private:
  /// Empty: as the test says.
  Result<std::string> complaint_about(const Skill& skill, const SkillTest& test,
                                      const DeviceSpec& device, const std::string& key,
                                      const std::stop_token& stop) const {
    const auto run = agents::builtin::try_skill(skill, test, device);
    if (!run.complaint.empty() || !test.applies) return run.complaint;
    if (analyst_ == nullptr) return std::string("this daemon runs no kernels");
    JobRequest request;
    request.task = test.task;
    request.provider = Provider::sim;
    request.device = key;
    for (std::size_t i = 0; i < run.kernels.size() && i < kMostKernels; ++i) {
      const auto& [parameters, kernel] = run.kernels[i];
      WARPMIND_TRY(const auto verdict, analyst_->judge_alone(request, kernel, 0, stop));
      if (verdict.outcome == Outcome::same || verdict.outcome == Outcome::improved) continue;
      return "with " + (parameters.empty() ? "its launches" : parameters) + ": " + verdict.reason;
    }
    return std::string();
  }

  agents::KernelAnalyst* analyst_;
  const config::Settings& settings_;
};

Result<protocol::SkillAddResult> added(const protocol::SkillFolderParams& params,
                                       const protocol::SkillCheckResult& checked,
                                       const config::Settings& settings) {
  if (!checked.passed) {
    const auto failed = std::find_if(checked.tests.begin(), checked.tests.end(),
                                     [](const SkillTestReport& test) { return !test.passed; });
    return fail(Errc::invalid_argument, "the skill fails its test " + failed->test + ": " +
                                            failed->detail + "; nothing was added");
  }
  const std::string& name = checked.skill.name;
  const SkillLibrary library = library_of(settings);
  const KnownSkill* known = library.find(name);
  if (known != nullptr && known->path.empty()) {
    return fail(Errc::conflict, "a skill named '" + name + "' is shipped; give yours another name");
  }
  const fs::path target = settings.episode.skill_directory / name;
  WARPMIND_CHECK(make_private_directory(target / "tests"));
  const fs::path folder = params.directory;
  for (const char* file : {"skill.toml", "template.cuh", "notes.md"}) {
    WARPMIND_TRY(const auto text, read_file(folder / file, kMostTestBytes));
    WARPMIND_CHECK(write_file_atomic(target / file, text));
  }
  WARPMIND_TRY(const auto tests, tests_in(folder));
  for (const auto& [file, text] : tests) {
    WARPMIND_CHECK(write_file_atomic(target / "tests" / file, text));
  }
  return protocol::SkillAddResult{target.string()};
}

}  // namespace

void add_skill_methods(Dispatcher& dispatcher, agents::KernelAnalyst* analyst,
                       const config::Settings& settings) {
  Handler<protocol::Empty, protocol::SkillListResult> list =
      [&settings](const protocol::Empty& /*params*/,
                  RequestContext& /*context*/) -> Result<protocol::SkillListResult> {
    const SkillLibrary library = library_of(settings);
    protocol::SkillListResult result;
    for (const auto& known : library.skills()) {
      result.skills.push_back(summary_of(*known.skill, known.path));
    }
    for (const auto& refused : library.refused()) {
      result.refused.push_back({refused.path, refused.reason});
    }
    result.folder = settings.episode.skill_directory.string();
    return result;
  };
  dispatcher.add(protocol::kSkillList, Execution::pool, std::move(list));
  Handler<protocol::SkillShowParams, protocol::SkillShowResult> show =
      [&settings](const protocol::SkillShowParams& params,
                  RequestContext& /*context*/) -> Result<protocol::SkillShowResult> {
    WARPMIND_TRY(const auto known, skill_named(library_of(settings), params.name));
    return shown(known);
  };
  dispatcher.add(protocol::kSkillShow, Execution::pool, std::move(show));
  Handler<protocol::SkillDraftParams, protocol::SkillShowResult> draft =
      [&settings](const protocol::SkillDraftParams& params, RequestContext& /*context*/) {
        return drafted(library_of(settings), params);
      };
  dispatcher.add(protocol::kSkillDraft, Execution::pool, std::move(draft));
  Handler<protocol::SkillFolderParams, protocol::SkillCheckResult> check =
      [&settings, analyst](const protocol::SkillFolderParams& params, RequestContext& context) {
        return SkillCheck(analyst, settings).check(params, context.stop);
      };
  dispatcher.add(protocol::kSkillCheck, Execution::slow, std::move(check));
  Handler<protocol::SkillFolderParams, protocol::SkillAddResult> add =
      [&settings, analyst](const protocol::SkillFolderParams& params,
                           RequestContext& context) -> Result<protocol::SkillAddResult> {
    WARPMIND_TRY(const auto checked, SkillCheck(analyst, settings).check(params, context.stop));
    return added(params, checked, settings);
  };
  dispatcher.add(protocol::kSkillAdd, Execution::slow, std::move(add));
}

}  // namespace warpmind::daemon
