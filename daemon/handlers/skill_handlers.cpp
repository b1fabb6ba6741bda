#include "daemon/handlers/skill_handlers.h"

#include "agents/builtin/skills/skill_technique.h"
#include "agents/builtin/skills/skill_test.h"
#include "base/file.h"
#include "base/text.h"
#include "config/device_table.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/known_skills.h"
#include "knowledge_base/packs/skill_shelf.h"

#include <algorithm>

namespace warpmind::daemon {
namespace {

namespace fs = std::filesystem;
using agents::builtin::KnownSkill;
using agents::builtin::Skill;
using agents::builtin::SkillLibrary;
using agents::builtin::SkillTest;

/// Kernels of one test that are run: the one that a search tries first, and one from the middle.
constexpr std::size_t kMostKernels = 2;

SkillSummary summary_of(const Skill& skill, const std::string& folder) {
  SkillSummary summary;
  summary.source = "folder";
  summary.trust = name_of(Trust::t1);
  summary.name = skill.name;
  summary.form = name_of(skill.form);
  summary.summary = skill.summary;
  summary.parameters = agents::builtin::parameter_ranges(skill);
  summary.origin = skill.origin;
  summary.licence = skill.licence;
  summary.folder = folder;
  return summary;
}

SkillSummary summary_of(const KnownSkill& known) {
  SkillSummary summary = summary_of(*known.skill, known.path);
  summary.withheld = known.withheld;
  if (known.is_shipped()) {
    summary.source = "shipped";
    summary.trust.clear();
  }
  if (!known.packed) return summary;
  const StoredSkill& stored = *known.packed;
  summary.source = stored.source;
  summary.trust = name_of(trust_of(stored));
  summary.signer = stored.signer;
  summary.signer_known = stored.signer_known;
  summary.checked_on = stored.checked_on;
  summary.vouched_by = stored.vouched_by;
  return summary;
}

SkillLibrary library_of(const SkillAccess& access) {
  return known_skills(access.settings, access.base);
}

Result<KnownSkill> skill_named(const SkillLibrary& library, const std::string& name) {
  if (const KnownSkill* known = library.find(name)) return *known;
  const auto name_of_one = [](const KnownSkill& known) { return known.skill->name; };
  std::string names = join_text(library.skills(), ", ", name_of_one);
  if (!library.withheld().empty()) {
    names += ", and not in use " + join_text(library.withheld(), ", ", name_of_one);
  }
  return fail(Errc::not_found, "there is no skill " + quoted_name(name) + "; there are " + names);
}

/// With a source the one that came with that pack, chosen or not.
Result<KnownSkill> skill_of(const SkillAccess& access, const std::string& name,
                            const std::string& source) {
  if (source.empty()) return skill_named(library_of(access), name);
  WARPMIND_TRY(const auto stored, access.base.skills().all());
  for (const StoredSkill& one : stored) {
    if (one.skill.name == name && one.source == source) return agents::builtin::known_skill(one);
  }
  return fail(Errc::not_found, "no skill " + quoted_name(name) + " came with " +
                                   quoted_name(source) +
                                   "; `warpmind skill list` shows what came with which pack");
}

/// Errors: not_found; invalid_argument for one that did not come with a pack.
Result<KnownSkill> packed_named(const SkillAccess& access, const std::string& name,
                                const std::string& source) {
  WARPMIND_TRY(auto known, skill_of(access, name, source));
  if (known.packed) return known;
  return fail(Errc::invalid_argument,
              quoted_name(name) +
                  (known.is_shipped() ? " is shipped" : " is your own, in " + known.path) +
                  "; only skills that came with packs are checked and trusted by name");
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
  result.skill = summary_of(known);
  if (known.packed) {
    result.files = known.packed->skill.files;
    return result;
  }
  result.files["skill.toml"] = known.skill->toml;
  result.files["template.cuh"] = known.skill->device_code;
  result.files["notes.md"] = known.skill->notes;
  if (!known.path.empty()) {
    WARPMIND_TRY(const auto tests, agents::builtin::tests_in(known.path));
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
  std::vector<KnownSkill> all = library.skills();
  all.insert(all.end(), library.withheld().begin(), library.withheld().end());
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
                                     (parse_enum<agents::builtin::FormKind>(params.from)
                                          ? " is a form without a skill to start from; take one of "
                                            "a form like it: `warpmind skill list`"
                                          : " is neither a skill nor a form; `warpmind skill list` "
                                            "shows both"));
  }
  if (library.find(params.name) != nullptr || agents::builtin::is_technique_name(params.name)) {
    return fail(Errc::conflict, "there is a skill or technique named " + quoted_name(params.name) +
                                    "; choose another name");
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
  WARPMIND_CHECK(agents::builtin::parse_skill(toml, result.files["template.cuh"], "",
                                              params.name + "/skill.toml"));
  result.files["notes.md"] = "# " + params.name + "\n\nStarted as a copy of " + from->skill->name +
                             ".\n\nMechanism:\nWhen not:\nSources:\n";
  result.skill = summary_of(*from->skill, "");
  result.skill.name = params.name;
  return result;
}

/// What is checked: a skill and its tests, as text by name.
struct Checked {
  Skill skill;
  std::string place;  ///< of its tests, for messages
  std::vector<std::pair<std::string, std::string>> tests;
};

Result<Checked> read_checked(const fs::path& folder) {
  WARPMIND_TRY(auto skill, agents::builtin::read_skill(folder));
  WARPMIND_TRY(auto tests, agents::builtin::tests_in(folder));
  return Checked{std::move(skill), (folder / "tests").string(), std::move(tests)};
}

Checked checked_of(const KnownSkill& known) {
  Checked checked{*known.skill, known.skill->name + "/tests", {}};
  for (const auto& [file, text] : known.packed->skill.files) {
    const fs::path path(file);
    if (path.extension() == ".cu") checked.tests.emplace_back(path.filename().string(), text);
  }
  return checked;
}

class SkillCheck {
 public:
  SkillCheck(agents::KernelAnalyst* analyst, const config::Settings& settings)
      : analyst_(analyst), settings_(settings) {}

  /// Errors: of the folder.
  Result<protocol::SkillCheckResult> check_folder(const protocol::SkillFolderParams& params,
                                                  const std::stop_token& stop) const {
    WARPMIND_TRY(const auto folder, path_of("directory", params.directory));
    WARPMIND_TRY(const auto checked, read_checked(folder));
    WARPMIND_TRY(auto result, check(checked, params.device, stop));
    result.skill = summary_of(checked.skill, folder.string());
    return result;
  }

  /// Without the summary.
  Result<protocol::SkillCheckResult> check(const Checked& checked, const std::string& named,
                                           const std::stop_token& stop) const {
    const auto& [skill, place, tests] = checked;
    const std::string& key = named.empty() ? settings_.lab.target : named;
    WARPMIND_TRY(const DeviceSpec device, config::device_table().need(key));
    protocol::SkillCheckResult result;
    if (tests.empty()) {
      return fail(Errc::invalid_argument,
                  place + " holds no .cu file: a skill needs a test that it applies to");
    }
    result.passed = true;
    bool applies = false;
    bool all_read = true;
    for (const auto& [name, text] : tests) {
      SkillTestReport report{name, false, {}};
      const auto test = agents::builtin::read_skill_test(text, (fs::path(place) / name).string());
      if (!test) {
        report.detail = test.error().message;
        all_read = false;
      } else {
        applies = applies || test->applies;
        WARPMIND_TRY(report, report_on(skill, *test, device, key, stop));
      }
      result.passed = result.passed && report.passed;
      result.tests.push_back(std::move(report));
    }
    if (!applies && all_read) {
      result.passed = false;
      result.tests.push_back({"(all)", false, "no test expects that the skill applies"});
    }
    return result;
  }

 private:
  Result<SkillTestReport> report_on(const Skill& skill, const SkillTest& test,
                                    const DeviceSpec& device, const std::string& key,
                                    const std::stop_token& stop) const {
    const auto run = agents::builtin::try_skill(skill, test, device);
    SkillTestReport report{test.name, false, run.complaint};
    if (!run.complaint.empty()) return report;
    if (!test.applies) return SkillTestReport{test.name, true, "refused: " + test.refusal};
    report.detail = "this daemon runs no kernels";
    if (analyst_ == nullptr) return report;
    JobRequest request;
    request.task = test.task;
    request.provider = Provider::sim;
    request.device = key;
    // Drawn sizes are of that effort; without ranges the quick look is enough.
    request.effort = test.task.hidden.empty() ? Effort::quick : Effort::normal;
    const std::size_t count = std::min(run.kernels.size(), kMostKernels);
    for (std::size_t i = 0; i < count; ++i) {
      // At even distances from the fastest on.
      const auto& [parameters, kernel] = run.kernels[i * run.kernels.size() / count];
      WARPMIND_TRY(const auto verdict, analyst_->judge_alone(request, kernel, 0, stop));
      if (is_right(verdict)) continue;
      WARPMIND_TRY(const auto given, analyst_->judge_alone(request, test.task.kernel, 0, stop));
      report.detail =
          is_right(given)
              ? "with " + (parameters.empty() ? "its launches" : parameters) + ": " +
                    agents::builtin::with_template_lines(verdict.reason, kernel.source, skill)
              : "the test's own kernel fails: " + given.reason;
      return report;
    }
    report.passed = true;
    report.detail = "applies; " + std::to_string(count) + " of " +
                    std::to_string(run.kernels.size()) + " variants built and right";
    return report;
  }

  static bool is_right(const Verdict& verdict) {
    return verdict.outcome == Outcome::same || verdict.outcome == Outcome::improved;
  }

  agents::KernelAnalyst* analyst_;
  const config::Settings& settings_;
};

/// Checks a skill of the base and keeps what came of it.
Result<protocol::SkillCheckResult> check_packed(const SkillAccess& access,
                                                const protocol::SkillCheckParams& params,
                                                const std::stop_token& stop) {
  WARPMIND_TRY(const auto known, packed_named(access, params.name, params.source));
  WARPMIND_TRY(
      auto result,
      SkillCheck(access.analyst, access.settings).check(checked_of(known), params.device, stop));
  result.skill = summary_of(known);
  if (access.analyst == nullptr) return result;
  const auto& device = params.device.empty() ? access.settings.lab.target : params.device;
  WARPMIND_TRY(const auto stored,
               access.base.skills().set_checked(params.name, known.packed->source,
                                                result.passed ? device : ""));
  WARPMIND_TRY(const auto now, agents::builtin::known_skill(stored));
  result.skill = summary_of(now);
  return result;
}

Result<protocol::SkillCheckResult> checked(const SkillAccess& access,
                                           const protocol::SkillCheckParams& params,
                                           const std::stop_token& stop) {
  if (params.directory.empty() == params.name.empty()) {
    return fail(Errc::invalid_argument,
                "one of 'directory' and 'name' must be given, and not both");
  }
  if (!params.name.empty()) return check_packed(access, params, stop);
  return SkillCheck(access.analyst, access.settings)
      .check_folder({params.directory, params.device}, stop);
}

Result<protocol::SkillAddResult> added(const protocol::SkillFolderParams& params,
                                       const protocol::SkillCheckResult& checked,
                                       const config::Settings& settings) {
  if (!checked.passed) {
    const auto failed = std::find_if(checked.tests.begin(), checked.tests.end(),
                                     [](const SkillTestReport& test) { return !test.passed; });
    return fail(Errc::invalid_argument, "the skill fails its test " + failed->test + ": " +
                                            failed->detail + "; nothing was added");
  }
  const fs::path target = settings.episode.skill_directory / checked.skill.name;
  WARPMIND_CHECK(make_private_directory(target / "tests"));
  WARPMIND_TRY(const auto packed, agents::builtin::pack_skill(params.directory));
  for (const auto& [file, text] : packed.files) {
    WARPMIND_CHECK(write_file_atomic(target / file, text));
  }
  // Tests of the one that it replaces.
  WARPMIND_TRY(const auto tests, agents::builtin::tests_in(target));
  for (const auto& [file, text] : tests) {
    std::error_code error;
    if (!packed.files.contains("tests/" + file)) fs::remove(target / "tests" / file, error);
  }
  return protocol::SkillAddResult{target.string()};
}

/// Before minutes of checking: whether the name can be had at all.
Result<void> check_name_is_free(const SkillAccess& access,
                                const protocol::SkillFolderParams& params) {
  WARPMIND_TRY(const auto folder, path_of("directory", params.directory));
  WARPMIND_TRY(const auto skill, agents::builtin::read_skill(folder));
  const SkillLibrary library = library_of(access);
  const KnownSkill* known = library.find(skill.name);
  if (known != nullptr && known->is_shipped()) {
    return fail(Errc::conflict,
                "a skill named '" + skill.name + "' is shipped; give yours another name");
  }
  if (agents::builtin::is_technique_name(skill.name)) {
    return fail(Errc::conflict, "a technique of the agent is named '" + skill.name +
                                    "'; give the skill another name");
  }
  const fs::path target = access.settings.episode.skill_directory / skill.name;
  if (known != nullptr && !known->path.empty() && known->path != target.string()) {
    return fail(Errc::conflict, "a skill named '" + skill.name + "' is in " + known->path +
                                    "; remove that folder, or give yours another name");
  }
  return {};
}

Result<protocol::SkillTrustResult> trust(const SkillAccess& access,
                                         const protocol::SkillTrustParams& params) {
  WARPMIND_TRY(const auto known, packed_named(access, params.name, params.source));
  WARPMIND_TRY(const auto stored,
               access.base.skills().vouch(params.name, known.packed->source, !params.withdraw,
                                          actor_of(access.user, params.reason)));
  WARPMIND_TRY(const auto now, agents::builtin::known_skill(stored));
  return protocol::SkillTrustResult{summary_of(now)};
}

/// The files of a skill, then its folder unless something else lies in it. Of a link the link goes
/// and what it leads to stays. Returns whether the folder stays.
Result<bool> remove_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_symlink(folder, error)) {
    if (fs::remove(folder, error)) return false;
  } else {
    // Without skill.toml it is no skill, whatever is left when this ends early.
    for (const char* const name : {"skill.toml", "template.cuh", "notes.md"}) {
      if (fs::remove(folder / name, error); error) break;
    }
    const fs::path tests = folder / "tests";
    if (!error && fs::is_directory(tests) && !fs::is_symlink(tests)) {
      WARPMIND_TRY(const auto files, agents::builtin::tests_in(folder));
      for (const auto& [file, text] : files) {
        if (fs::remove(tests / file, error); error) break;
      }
    }
    if (!error) {
      std::error_code not_empty;
      fs::remove(tests, not_empty);
      fs::remove(folder, not_empty);
      return fs::exists(folder);
    }
  }
  return fail(Errc::external_failure, "cannot remove " + folder.string() + ": " + error.message());
}

/// Where the person's own skill of that name lies, or a folder of that name that is no skill.
fs::path own_folder(const SkillLibrary& library, const fs::path& skills, const std::string& name) {
  if (const KnownSkill* known = library.find(name); known != nullptr && !known->path.empty()) {
    return known->path;
  }
  fs::path folder = skills / name;
  for (const auto& refused : library.refused()) {
    if (refused.path == folder.string()) return folder;
  }
  return {};
}

Result<protocol::SkillRemoveResult> removed(const SkillAccess& access,
                                            const protocol::SkillRemoveParams& params) {
  const auto& [name, source] = params;
  protocol::SkillRemoveResult result;
  fs::path folder;
  if (source.empty()) {
    const SkillLibrary library = library_of(access);
    const KnownSkill* known = library.find(name);
    if (known != nullptr && known->is_shipped()) {
      return fail(Errc::conflict, quoted_name(name) +
                                      " is shipped; only skills of your own and "
                                      "those of packs can be removed");
    }
    folder = own_folder(library, access.settings.episode.skill_directory, name);
  }
  WARPMIND_TRY(result.sources, access.base.skills().remove(name, source));
  if (folder.empty() && result.sources.empty()) {
    // The sentence that every command has for what is not there.
    WARPMIND_TRY(const auto known, skill_of(access, name, source));
    return fail(Errc::not_found, "there is no skill " + quoted_name(known.skill->name));
  }
  if (folder.empty()) return result;
  result.folder = folder.string();
  WARPMIND_TRY(result.folder_stays, remove_folder(folder));
  return result;
}

protocol::SkillListResult listed(const SkillAccess& access) {
  const SkillLibrary library = library_of(access);
  protocol::SkillListResult result;
  for (const auto* list : {&library.skills(), &library.withheld()}) {
    for (const auto& known : *list) result.skills.push_back(summary_of(known));
  }
  for (const auto& refused : library.refused()) {
    result.refused.push_back({refused.path, refused.reason});
  }
  result.folder = access.settings.episode.skill_directory.string();
  return result;
}

}  // namespace

void add_skill_methods(Dispatcher& dispatcher, const SkillAccess& access) {
  dispatcher.add(
      protocol::kSkillList, Execution::pool,
      [access](const protocol::Empty&, RequestContext&) -> Result<protocol::SkillListResult> {
        return listed(access);
      });
  dispatcher.add(protocol::kSkillShow, Execution::pool,
                 [access](const protocol::SkillShowParams& params,
                          RequestContext&) -> Result<protocol::SkillShowResult> {
                   WARPMIND_TRY(const auto known, skill_of(access, params.name, params.source));
                   return shown(known);
                 });
  dispatcher.add(protocol::kSkillDraft, Execution::pool,
                 [access](const protocol::SkillDraftParams& params, RequestContext&) {
                   return drafted(library_of(access), params);
                 });
  dispatcher.add(protocol::kSkillCheck, Execution::slow,
                 [access](const protocol::SkillCheckParams& params, RequestContext& context) {
                   return checked(access, params, context.stop);
                 });
  dispatcher.add(
      protocol::kSkillAdd, Execution::slow,
      [access](const protocol::SkillFolderParams& params,
               RequestContext& context) -> Result<protocol::SkillAddResult> {
        WARPMIND_CHECK(check_name_is_free(access, params));
        WARPMIND_TRY(
            const auto checked,
            SkillCheck(access.analyst, access.settings).check_folder(params, context.stop));
        return added(params, checked, access.settings);
      });
  dispatcher.add(protocol::kSkillTrust, Execution::write,
                 [access](const protocol::SkillTrustParams& params, RequestContext&) {
                   return trust(access, params);
                 });
  dispatcher.add(protocol::kSkillRemove, Execution::write,
                 [access](const protocol::SkillRemoveParams& params, RequestContext&) {
                   return removed(access, params);
                 });
}

}  // namespace warpmind::daemon
