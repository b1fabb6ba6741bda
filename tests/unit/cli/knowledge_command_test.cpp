#include "base/codec/json_guard.h"
#include "clients/cli/command_line.h"
#include "clients/cli/program.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/method_table.h"
#include "protocol_server.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <sstream>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
using nlohmann::json;

struct Asked {
  std::string method;
  json params;
};

/// A daemon that checks parameters as the real one does, keeps what it was asked and answers with
/// default values, or with what a test puts in: texts in turn, the last one again and again.
class RecordingDaemon {
 public:
  RecordingDaemon() : server_([this](ServedConnection& c) { serve(c); }) {}

  void answer_with(const std::string& method, std::string text) {
    const std::lock_guard lock(mutex_);
    answers_[method] = {std::move(text)};
  }
  void answer_in_turn(const std::string& method, std::deque<std::string> texts) {
    const std::lock_guard lock(mutex_);
    answers_[method] = std::move(texts);
  }
  [[nodiscard]] Asked last() {
    const std::lock_guard lock(mutex_);
    return asked_.back();
  }
  [[nodiscard]] std::vector<Asked> all() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  ProtocolServer& server() { return server_; }

 private:
  void serve(ServedConnection& c) {
    c.greet();
    while (auto request = c.receive()) {
      const auto* method = protocol::find_method(request->method);
      const auto checked = method == nullptr ? Result<void>(fail(Errc::not_found, "no such method"))
                                             : protocol::check_params(*method, request->params);
      const std::lock_guard lock(mutex_);
      asked_.push_back({request->method, request->params.json()});
      if (checked) {
        c.answer(*request, next_answer(request->method));
      } else {
        c.refuse(*request, checked.error());
      }
    }
  }

  std::string next_answer(const std::string& method) {
    const auto texts = answers_.find(method);
    if (texts == answers_.end()) return "{}";
    std::string text = texts->second.front();
    if (texts->second.size() > 1) texts->second.pop_front();
    return text;
  }

  std::mutex mutex_;
  std::vector<Asked> asked_ = {Asked{}};
  std::map<std::string, std::deque<std::string>> answers_;
  ProtocolServer server_;
};

struct Ran {
  ExitCode code = ExitCode::ok;
  std::string out;
  std::string err;
};

class KnowledgeCommand : public testing::Test {
 protected:
  Ran run(std::vector<std::string> words, const std::string& input = {}, bool terminal = false) {
    const auto config = daemon_.server().folder() / "config.toml";
    EXPECT_TRUE(write_file_atomic(config, ""));
    words.insert(words.begin(), {"warpmind", group_});
    words.insert(words.end(), {"--config", config.string(), "--no-start", "--socket",
                               daemon_.server().socket().string()});
    std::vector<const char*> argv;
    for (const auto& word : words) argv.push_back(word.c_str());
    const int argc = static_cast<int>(argv.size());
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in(input);
    Console console{.out = out,
                    .err = err,
                    .json = wants_json(argc, argv.data()),
                    .paint = {},
                    .err_is_terminal = terminal,
                    .in = &in,
                    .in_is_terminal = terminal};
    const ExitCode code = run_program(argc, argv.data(), console);
    return {code, out.str(), err.str()};
  }
  /// Fails the test unless the command works; returns what the daemon was asked.
  Asked asked(const std::vector<std::string>& words, const std::string& input = {}) {
    const Ran ran = run(words, input);
    EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
    return daemon_.last();
  }
  std::string file(const std::string& name, const std::string& content) {
    const auto path = daemon_.server().folder() / name;
    EXPECT_TRUE(write_file_atomic(path, content));
    return path.string();
  }

  RecordingDaemon daemon_;
  std::string group_ = "kb";
};

TEST_F(KnowledgeCommand, AsksWhatTheMethodTableKnowsAndShowsTheAnswer) {
  const std::string card = file("card.json", R"({"name":"x","title":"X","category":"memory"})");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"stats"}, "kb.stats"},
      {{"search", "coalesced", "loads"}, "kb.search"},
      {{"show", "i-3fa"}, "kb.show"},
      {{"why", "i-3fa"}, "kb.why"},
      {{"history", "i-3fa", "--as-of", "12"}, "kb.history"},
      {{"history", "i-3fa", "--blame"}, "kb.history"},
      {{"add", "--claim", "x"}, "kb.add"},
      {{"edit", "i-3fa", "--claim", "x"}, "kb.edit"},
      {{"retire", "i-3fa", "--reason", "old"}, "kb.change"},
      {{"retract", "i-3fa"}, "kb.change"},
      {{"pin", "i-3fa"}, "kb.change"},
      {{"unpin", "i-3fa"}, "kb.change"},
      {{"quarantine", "i-3fa"}, "kb.change"},
      {{"reinstate", "i-3fa"}, "kb.change"},
      {{"supersede", "i-3fa", "i-9c0"}, "kb.supersede"},
      {{"undo", "i-3fa", "--change", "7"}, "kb.undo"},
      {{"sources"}, "kb.sources"},
      {{"sources", "--release", "seed"}, "kb.set_source"},
      {{"techniques"}, "kb.techniques"},
      {{"techniques", "--put", card}, "kb.put_technique"},
      {{"facts", "sm_90"}, "kb.facts"},
      {{"graph", "--from", "", "--limit", "3"}, "kb.graph"},
      {{"graph", "--export", "g.json"}, "kb.export_graph"},
      {{"graph", "--import", "g.json"}, "kb.import_graph"},
      {{"clusters"}, "kb.clusters"},
      {{"calibration", "--provider", "sim"}, "kb.calibration"},
      {{"verify", "--deep"}, "kb.verify"},
      {{"rebuild"}, "kb.rebuild"},
      {{"compact"}, "kb.compact"},
      {{"backup", "b", "--keep", "3"}, "kb.backup"},
      {{"backups", "b"}, "kb.backups"},
      {{"restore", "b", "--into", "c"}, "kb.restore"},
      {{"checkpoint", "c"}, "kb.checkpoint"},
      {{"export", "p.jsonl"}, "kb.export"},
      {{"import", "p.jsonl"}, "kb.import"},
      {{"merge", "p.jsonl"}, "kb.merge"},
  };
  for (const auto& [words, method] : cases) {
    const Ran text = run(words);
    EXPECT_EQ(text.code, ExitCode::ok) << method << ": " << text.err;
    EXPECT_NE(text.out, "") << method;
    EXPECT_EQ(daemon_.last().method, method);

    auto with_json = words;
    with_json.emplace_back("--json");
    const Ran document = run(with_json);
    EXPECT_EQ(std::count(document.out.begin(), document.out.end(), '\n'), 1) << method;
    EXPECT_TRUE(codec::parse_json(document.out)) << document.out;
    EXPECT_EQ(document.err, "");
  }
}

TEST_F(KnowledgeCommand, SearchSendsEveryFlag) {
  const std::string kernel = file("k.cu", "__global__ void k() {}");

  const json params =
      asked({"search",      "two",      "words",   "--bottleneck", "memory_bandwidth,low_occupancy",
             "--dtype",     "f16",      "--dtype", "f32",          "--operator",
             "softmax",     "--device", "h200",    "--capability", "9.0",
             "--technique", "tiling",   "--space", "user",         "--contract",
             "tf32",        "--limit",  "20",      "--all",        "--kernel",
             kernel})
          .params;

  EXPECT_EQ(params["text"], "two words");
  EXPECT_EQ(params["bottlenecks"], (json{"memory_bandwidth", "low_occupancy"}));
  EXPECT_EQ(params["dtypes"], (json{"f16", "f32"}));
  EXPECT_EQ(params["operator_family"], "softmax");
  EXPECT_EQ(params["device"], "h200");
  EXPECT_EQ(params["capability"], 90);
  EXPECT_EQ(params["techniques"], json::array({"tiling"}));
  EXPECT_EQ(params["spaces"], json::array({"user"}));
  EXPECT_EQ(params["contracts"], json::array({"tf32"}));
  EXPECT_EQ(params["limit"], 20);
  EXPECT_EQ(params["all"], true);
  EXPECT_EQ(params["kernel"], "__global__ void k() {}");
}

TEST_F(KnowledgeCommand, SearchLeavesOutWhatWasNotGiven) {
  const json params = asked({"search", "words"}).params;

  EXPECT_TRUE(params["contracts"].is_null());
  EXPECT_TRUE(params["limit"].is_null());
}

TEST_F(KnowledgeCommand, EditSendsOnlyWhatChanges) {
  EXPECT_EQ(asked({"edit", "i-3fa", "--claim", "better"}).params,
            (json{{"id", "i-3fa"}, {"claim", "better"}}));
  EXPECT_EQ(
      asked({"edit", "i-3fa", "--dtype", "any", "--device", "any", "--capability", "any"}).params,
      (json{{"id", "i-3fa"},
            {"dtypes", json::array()},
            {"device", ""},
            {"capability_min", 0},
            {"capability_max", 0}}));
}

TEST_F(KnowledgeCommand, CapabilitiesAreBounds) {
  const std::vector<std::tuple<std::string, int, int>> cases{
      {"90", 90, 90}, {"9.0", 90, 90},   {"sm_120", 120, 120}, {"12.1", 121, 121},
      {"80+", 80, 0}, {"80-90", 80, 90}, {"8.0-9.0", 80, 90}};
  for (const auto& [text, low, high] : cases) {
    const json params = asked({"edit", "i-3fa", "--capability", text}).params;

    EXPECT_EQ(params["capability_min"], low) << text;
    EXPECT_EQ(params["capability_max"], high) << text;
  }
}

TEST_F(KnowledgeCommand, AddReadsAFileAndFlagsWin) {
  const std::string claim = R"({"claim":"from the file","dtypes":["f16"],"kind":"negative"})";

  const json from_file =
      asked({"add", "--file", file("c.json", claim), "--claim", "from the flag"}).params;
  const json from_input = asked({"add", "--file", "-"}, claim).params;

  EXPECT_EQ(from_file["claim"], "from the flag");
  EXPECT_EQ(from_file["dtypes"], json::array({"f16"}));
  EXPECT_EQ(from_input, *codec::parse_json(claim));
}

TEST_F(KnowledgeCommand, PutTakesWhatTechniquesPrints) {
  Technique technique;
  technique.name = "tiling";
  technique.source = "seed 1";
  protocol::KbTechniquesResult printed;
  printed.techniques = {technique};

  const json params =
      asked({"techniques", "--put", "-", "--reason", "mine"}, protocol::encode(printed)).params;

  EXPECT_EQ(params["name"], "tiling");
  EXPECT_EQ(params["reason"], "mine");
  EXPECT_FALSE(params.contains("source"));
}

TEST_F(KnowledgeCommand, PathsAreAbsolute) {
  const std::string here = std::filesystem::current_path().string();

  EXPECT_EQ(asked({"export", "sub/../p.jsonl"}).params["file"], here + "/p.jsonl");
  EXPECT_EQ(asked({"export", "notes/", "--md"}).params["file"], here + "/notes");
  EXPECT_EQ(asked({"backup", "."}).params["directory"], here);
  const json import = asked({"import", "kernel-tuner", "c.json", "--space", "team:a"}).params;
  EXPECT_EQ(import["file"], here + "/c.json");
  EXPECT_EQ(import["format"], "kernel-tuner");
  EXPECT_EQ(import["space"], "team:a");
  EXPECT_EQ(asked({"merge", "b", "--trusted-key", "k.pem"}).params["trusted_keys"],
            json::array({here + "/k.pem"}));
}

TEST_F(KnowledgeCommand, ReplacingTheBaseIsAskedFor) {
  const Ran blind = run({"restore", "b", "--replace"}, "y\n");
  EXPECT_EQ(blind.code, ExitCode::bad_input);
  EXPECT_NE(blind.err.find("no terminal to ask at: add --yes"), std::string::npos) << blind.err;
  const Ran refused = run({"restore", "b", "--replace"}, "no\n", true);
  EXPECT_EQ(refused.code, ExitCode::cancelled);
  const Ran at_end = run({"restore", "b", "--replace"}, "", true);
  EXPECT_EQ(at_end.code, ExitCode::cancelled);
  EXPECT_EQ(daemon_.last().method, "");

  EXPECT_EQ(run({"restore", "b", "--replace"}, "y\n", true).code, ExitCode::ok);
  EXPECT_EQ(asked({"restore", "b", "--replace", "--yes"}).params["replace"], true);
}

TEST_F(KnowledgeCommand, ProblemsThatVerifyFindsAreANegativeResult) {
  daemon_.answer_with("kb.verify", R"({"records":5,"changes":2,"problems":1,
                                       "notes":["change 2: the chain is broken"],"seconds":1.5})");

  const Ran ran = run({"verify"});

  EXPECT_EQ(ran.code, ExitCode::negative);
  EXPECT_EQ(ran.out,
            "1 problem: 5 records and 2 changes checked in 1.5 s\n"
            "  change 2: the chain is broken\n");
}

TEST_F(KnowledgeCommand, SlipsAreFoundBeforeTheDaemonIsAsked) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"search"}, "say what to look for"},
      {{"search", "x", "--capability", "hopper"}, "'hopper' is no compute capability"},
      {{"search", "x", "--capability", "9"}, "write 90, 9.0 or sm_90"},
      {{"search", "--kernel", "/nowhere.cu"}, "/nowhere.cu"},
      {{"search", "x", "--limit", "many"}, "--limit"},
      {{"add"}, "kb add needs --claim TEXT, or --file JSON"},
      {{"add", "--claim", "--json"}, "a text is missing before --json"},
      {{"add", "--file", "/nowhere.json"}, "/nowhere.json"},
      {{"add", "--file", file("list.json", "[1]")}, "must hold one JSON object"},
      {{"add", "--file", file("broken.json", "{\"claim\":")}, "broken.json: invalid JSON"},
      {{"edit", "i-3fa"}, "kb edit needs what to change"},
      {{"sources", "--quarantine", "a", "--release", "b"}, "exclude each other"},
      {{"techniques", "a", "--put", "b"}, "leave NAME out"},
      {{"techniques", "--put", file("noname.json", "{}")}, "must hold one technique"},
      {{"graph", "--export", "a", "--import", "b"}, "exclude each other"},
      {{"restore", "b"}, "one of --into DIR"},
      {{"restore", "b", "--into", "c", "--replace"}, "one of --into DIR"},
      {{"import", "moon", "file"}, "kb import takes FILE"},
      {{"shwo", "i-3fa"}, "did you mean 'show'?"}};
  for (const auto& [words, says] : cases) {
    const Ran ran = run(words);

    EXPECT_EQ(ran.code, ExitCode::bad_input) << says;
    EXPECT_NE((ran.err + ran.out).find(says), std::string::npos) << ran.err;
  }
  EXPECT_EQ(daemon_.last().method, "");
}

TEST_F(KnowledgeCommand, AnInputWithoutEndIsCut) {
  const Ran ran = run({"add", "--file", "-"}, std::string(std::size_t{13} * 1024 * 1024, 'x'));

  EXPECT_EQ(ran.code, ExitCode::bad_input);
  EXPECT_NE(ran.err.find("standard input has more than"), std::string::npos) << ran.err;
}

TEST_F(KnowledgeCommand, AnUnknownMemberOfAFileIsNamedByTheDaemon) {
  const Ran ran = run({"add", "--file", "-"}, R"({"claim":"x","dtype":["f16"]})");

  EXPECT_EQ(ran.code, ExitCode::bad_input);
  EXPECT_NE(ran.err.find("kb.add has no parameter 'dtype'"), std::string::npos) << ran.err;
}

TEST_F(KnowledgeCommand, EvidenceIsNotClaimed) {
  const std::vector<std::string> claims{
      R"({"claim":"x","evidence":[{"log_gain":9}]})", R"({"claim":"x","evidence":[]})",
      R"({"claim":"x","utility":{"mean":3}})", R"({"claim":"x","state":"confirmed"})"};
  for (const auto& claim : claims) {
    const Ran ran = run({"add", "--file", "-"}, claim);

    EXPECT_EQ(ran.code, ExitCode::bad_input) << claim;
    EXPECT_NE(ran.err.find("what this base measures or decides; leave it out"), std::string::npos)
        << ran.err;
  }
  EXPECT_EQ(daemon_.last().method, "");
}

TEST_F(KnowledgeCommand, AnExportCanLeaveSkillsOut) {
  EXPECT_EQ(asked({"export", "p.jsonl"}).params["without_skills"], false);
  EXPECT_EQ(asked({"export", "p.jsonl", "--without-skills"}).params["without_skills"], true);
}

class SkillCommand : public KnowledgeCommand {
 protected:
  SkillCommand() { group_ = "skill"; }
};

TEST_F(SkillCommand, ACheckTakesAFolderOrAName) {
  const auto folder = daemon_.server().folder().string();
  const auto passed = R"({"passed":true})";
  daemon_.answer_with("skill.check", passed);
  EXPECT_EQ(asked({"check", folder}).params["directory"], folder);
  EXPECT_EQ(asked({"check", folder + "/none"}).params["directory"], folder + "/none");
  const json by_name =
      asked({"check", "their_sums", "--source", "pack:3fa8", "--device", "h200"}).params;
  EXPECT_EQ(by_name["directory"], "");
  EXPECT_EQ(asked({"check", folder, "--source", "pack:3fa8"}).params["directory"], "");
  EXPECT_EQ(by_name["name"], "their_sums");
  EXPECT_EQ(by_name["source"], "pack:3fa8");
  EXPECT_EQ(by_name["device"], "h200");
  daemon_.answer_with("skill.check", R"({"passed":false})");
  EXPECT_EQ(run({"check", "their_sums"}).code, ExitCode::bad_input);
}

TEST_F(SkillCommand, TrustIsGivenAndWithdrawn) {
  const json given = asked({"trust", "their_sums", "--reason", "I read it."}).params;
  EXPECT_EQ(given["name"], "their_sums");
  EXPECT_EQ(given["withdraw"], false);
  EXPECT_EQ(given["reason"], "I read it.");
  EXPECT_EQ(asked({"trust", "their_sums", "--withdraw"}).params["withdraw"], true);
  EXPECT_EQ(run({"trust"}).code, ExitCode::bad_input);
}

constexpr const char* kTheirs =
    R"({"name":"their_sums","form":"reduction","summary":"why","parameters":"","origin":"them",)"
    R"("licence":"MIT","folder":"","source":"pack:3fa85b1c00112233","trust":"T0",)"
    R"("signer":"ed25519:00ff","signer_known":false,)"
    R"("withheld":"it came with a pack and has not passed `warpmind skill check their_sums` here"})";

TEST_F(SkillCommand, TheListSaysWhereSkillsComeFromAndWhatIsNotUsed) {
  daemon_.answer_with(
      "skill.list",
      std::string(R"({"skills":[{"name":"a","form":"scan","summary":"s","source":"shipped"},)") +
          R"({"name":"b","form":"scan","summary":"s","source":"folder","trust":"T1"},)" + kTheirs +
          R"(],"refused":[{"folder":"c of pack:f","reason":"its source is quarantined"}],)" +
          R"("folder":"/skills"})");
  const std::string out = run({"list"}).out;
  EXPECT_NE(out.find("shipped"), std::string::npos) << out;
  EXPECT_NE(out.find("yours"), std::string::npos) << out;
  EXPECT_NE(out.find("a pack, T0"), std::string::npos) << out;
  EXPECT_NE(out.find("not used: their_sums of pack:3fa85b1c00112233: it came"), std::string::npos)
      << out;
  EXPECT_NE(out.find("not used: c of pack:f: its source is quarantined"), std::string::npos) << out;
}

TEST_F(SkillCommand, RemoveSaysWhatIsGone) {
  daemon_.answer_with("skill.remove",
                      R"({"folder":"/skills/a","folder_stays":false,"sources":["pack:3fa8"]})");
  const Ran ran = run({"remove", "a"});
  EXPECT_EQ(ran.code, ExitCode::ok);
  EXPECT_EQ(ran.out, "removed /skills/a\nremoved from the base: what came with pack:3fa8\n");
  daemon_.answer_with("skill.remove", R"({"folder":"/skills/a","folder_stays":true})");
  EXPECT_EQ(run({"remove", "a"}).out,
            "removed from /skills/a, which holds other files and stays\n");
  const json params = asked({"remove", "a", "--source", "pack:3fa8"}).params;
  EXPECT_EQ(params["name"], "a");
  EXPECT_EQ(params["source"], "pack:3fa8");
  EXPECT_EQ(run({"remove"}).code, ExitCode::bad_input);
}

TEST_F(SkillCommand, ACheckOfAllTakesYoursAndThoseOfPacksALineEach) {
  daemon_.answer_with(
      "skill.list",
      std::string(R"({"skills":[{"name":"a","form":"scan","summary":"s","source":"shipped"},)") +
          R"({"name":"mine","form":"scan","source":"folder","folder":"/skills/mine"},)" + kTheirs +
          R"(],"refused":[{"folder":"/skills/broken","reason":"lacks notes.md"},)" +
          R"({"folder":"c of pack:f","reason":"its source is quarantined"}],"folder":"/skills"})");
  const char* const passed = R"({"passed":true,"tests":[{"test":"a.cu","passed":true}]})";
  const char* const failed = R"({"passed":false,"tests":[{"test":"a.cu","passed":true},)"
                             R"({"test":"b.cu","passed":false,"detail":"a race"}]})";
  daemon_.answer_in_turn("skill.check", {passed, failed});
  const Ran ran = run({"check", "--all", "--device", "h200"});
  EXPECT_EQ(ran.code, ExitCode::negative) << ran.err;
  EXPECT_EQ(ran.out,
            "passed  mine (yours): 1 test\n"
            "FAILED  their_sums (pack:3fa85b1c00112233): b.cu: a race\n"
            "FAILED  /skills/broken: lacks notes.md\n"
            "1 passed, 2 failed\n");
  const auto asked = daemon_.all();
  ASSERT_GE(asked.size(), 2U);
  const json& own = asked[asked.size() - 2].params;
  EXPECT_EQ(own["directory"], "/skills/mine");
  EXPECT_EQ(own["name"], "");
  EXPECT_EQ(own["device"], "h200");
  const json& packed = asked.back().params;
  EXPECT_EQ(packed["directory"], "");
  EXPECT_EQ(packed["name"], "their_sums");
  EXPECT_EQ(packed["source"], "pack:3fa85b1c00112233");

  daemon_.answer_in_turn("skill.check", {passed, failed});
  const Ran machine = run({"check", "--all", "--json"});
  EXPECT_EQ(machine.code, ExitCode::negative);
  const json document = json::parse(machine.out);
  EXPECT_EQ(document["passed"], false);
  ASSERT_EQ(document["skills"].size(), 3U);
  EXPECT_EQ(document["skills"][0]["passed"], true);
  EXPECT_EQ(document["skills"][1]["detail"], "b.cu: a race");
  EXPECT_EQ(document["skills"][2]["skill"]["folder"], "/skills/broken");
}

TEST_F(SkillCommand, ACheckOfAllPassesWhereNoneFails) {
  daemon_.answer_with("skill.list",
                      R"({"skills":[{"name":"mine","source":"folder","folder":"/skills/mine"}],)"
                      R"("folder":"/skills"})");
  daemon_.answer_with("skill.check", R"({"passed":true,"tests":[]})");
  EXPECT_EQ(run({"check", "--all"}).code, ExitCode::ok);
  daemon_.answer_with("skill.list", R"({"skills":[],"folder":"/skills"})");
  const Ran none = run({"check", "--all"});
  EXPECT_EQ(none.code, ExitCode::ok);
  EXPECT_EQ(none.out, "you have no skills of your own in /skills, and no pack brought one\n");
}

TEST_F(SkillCommand, ACheckNeedsAnObjectOrAllAndNotBoth) {
  const Ran none = run({"check"});
  EXPECT_EQ(none.code, ExitCode::bad_input);
  EXPECT_NE(none.err.find("skill check needs a folder or a skill, or --all"), std::string::npos)
      << none.err;
  EXPECT_EQ(run({"check", "their_sums", "--all"}).code, ExitCode::bad_input);
  EXPECT_EQ(run({"check", "--all", "--source", "pack:3fa8"}).code, ExitCode::bad_input);
}

TEST_F(SkillCommand, ShowSaysWhoSignedAndWhatTrustItHas) {
  daemon_.answer_with("skill.show",
                      std::string(R"({"skill":)") + kTheirs + R"(,"files":{"notes.md":"N."}})");
  EXPECT_EQ(run({"show", "their_sums"}).out,
            "their_sums  (reduction)\n"
            "  why\n"
            "  origin: them; MIT\n"
            "  came with pack:3fa85b1c00112233, signed by ed25519:00ff, which is no trusted\n"
            "  key\n"
            "  trust T0\n"
            "  not used: it came with a pack and has not passed `warpmind skill check\n"
            "  their_sums` here\n"
            "\nN.");
}

}  // namespace
}  // namespace warpmind::clients
