#include "agents/export/verify_export.h"

#include "agents/export/export_line.h"
#include "agents/export/text_tokens.h"
#include "agents/search/reward.h"
#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace warpmind::agents {
namespace {

using nlohmann::json;

constexpr std::size_t kNotes = 20;
constexpr double kTolerance = 1e-12;

bool agrees(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max(1.0, std::abs(b));
}

/// A turn as the checks over lines need it.
struct Turn {
  std::int64_t line = 0;
  std::int64_t number = 0;
  std::int64_t turns = 0;
  double score = 0;
  double discounted = 0;  ///< R as written
  double gamma = 0;
};

struct GroupLine {
  std::int64_t line = 0;
  double discounted = 0;
  double mean = 0;
  double deviation = 0;
  std::int64_t size = 0;
};

class Checker {
 public:
  explicit Checker(const HeldOut& held_out) : held_out_(held_out) {}

  void take(std::string_view text) {
    ++check_.lines;
    const auto parsed = codec::parse_json(text);
    if (!parsed) return complain(check_.lines, parsed.error().message);
    try {
      take(*parsed);
    } catch (const json::exception&) {
      complain(check_.lines, "is no line of an export: a member is missing or of another type");
    }
  }

  ExportCheck finish() {
    for (auto& [name, turns] : trajectories_) check_returns(name, turns);
    for (const auto& [name, lines] : groups_) check_group(name, lines);
    return std::move(check_);
  }

 private:
  void complain(std::int64_t line, const std::string& why) {
    ++check_.problems;
    if (check_.notes.size() < kNotes) {
      check_.notes.push_back("line " + std::to_string(line) + ": " + why);
    }
  }
  void expect(bool holds, const std::string& why) {
    if (!holds) complain(check_.lines, why);
  }

  void take(const json& line) {
    const auto schema = line.at("schema").get<std::string>();
    if (schema != kTrajectorySchema && schema != kChatSchema && schema != kConcurSchema) {
      return complain(check_.lines, "has the unknown schema '" + schema.substr(0, 64) + "'");
    }
    check_.schemas.insert(schema);
    expect(line.at("hash") == hash_of_line(line), "its hash does not fit: the line was changed");
    check_kernel(line);
    check_origin(line);
    if (schema == kConcurSchema) return take_trace(line);
    take_turn(line, schema);
  }

  void check_kernel(const json& line) {
    json whole = line.at("launch");
    whole["source"] = line.at("code");
    const auto kernel = codec::from_json<Kernel>(whole, "kernel");
    if (!kernel) return complain(check_.lines, kernel.error().message);
    expect(id_of(*kernel).str() == line.at("kernel_id"), "kernel_id is not that of the kernel");
    expect(!held_out_.has_source(kernel->source), "its kernel was tried on a held-out task");
  }

  void check_origin(const json& line) {
    const json& origin = line.at("provenance");
    for (const char* name : {"base", "episode", "task_id", "provider", "split"}) {
      expect(origin.at(name).is_string() && !origin.at(name).get<std::string>().empty(),
             std::string("provenance lacks '") + name + "'");
    }
    expect(origin.at("step").is_number_integer(), "provenance lacks 'step'");
    for (const char* name : {"device", "driver", "toolkit", "harness", "licence"}) {
      expect(origin.contains(name), std::string("provenance lacks '") + name + "'");
    }
    const auto task = origin.at("task_id").get<std::string>();
    expect(origin.at("split") == "train" && !held_out_.is_task(task),
           "is of the held-out task " + task.substr(0, 64));
  }

  void take_turn(const json& line, const std::string& schema) {
    if (schema == kChatSchema) {
      expect(!line.at("messages").empty() && line.at("messages").is_array(), "has no messages");
    } else {
      (void)line.at("prompt").get<std::string>();
      (void)line.at("response_summary").get<std::string>();
    }
    const Turn turn{check_.lines,
                    line.at("turn").get<std::int64_t>(),
                    line.at("turns").get<std::int64_t>(),
                    line.at("s").get<double>(),
                    line.at("R").get<double>(),
                    line.at("gamma").get<double>()};
    check_score(line, turn.score);
    trajectories_[schema + " " + line.at("episode").get<std::string>() + " trajectory " +
                  std::to_string(line.at("trajectory").get<std::int64_t>())]
        .push_back(turn);
    groups_[schema + " " + line.at("group_id").get<std::string>()].push_back(
        {check_.lines, turn.discounted, line.at("group_mean").get<double>(),
         line.at("group_std").get<double>(), line.at("group_size").get<std::int64_t>()});
  }

  void check_score(const json& line, double score) {
    const json& verdict = line.at("verdict");
    const bool right = verdict.at("right").get<bool>();
    const auto outcome = parse_enum<Outcome>(verdict.at("outcome").get<std::string>());
    expect(outcome.has_value(), "has an unknown outcome");
    expect(!right || outcome == Outcome::improved || outcome == Outcome::same ||
               outcome == Outcome::regressed || outcome == Outcome::inconclusive,
           "calls right what its outcome does not");
    const double speedup = line.at("speedup").is_null() ? 0 : line.at("speedup").get<double>();
    expect(agrees(score, turn_score(right, speedup)), "s is not 0.3 + speedup, or 0 when wrong");
    if (line.at("kernel_ns").is_null()) return;
    const double ratio = line.at("baseline_ns").get<double>() / line.at("kernel_ns").get<double>();
    expect(agrees(speedup, ratio), "speedup is not baseline_ns / kernel_ns");
    const auto interval = line.at("ci95").get<std::optional<std::array<double, 2>>>();
    expect(!interval || (*interval)[0] <= (*interval)[1], "ci95 is no interval");
  }

  void take_trace(const json& line) {
    const auto length = line.at("len_tokens").get<std::int64_t>();
    expect(line.at("tokenizer") == kTokenizer, "was counted with an unknown tokenizer");
    expect(count_tokens(line.at("reasoning").get<std::string>()) == length,
           "len_tokens is not the length of the reasoning");
    (void)line.at("prompt").get<std::string>();
    expect(line.at("task_id") == line.at("provenance").at("task_id"), "names two tasks");
    const auto speedup = line.at("speedup").get<double>();
    const auto interval = line.at("ci95").get<std::optional<std::array<double, 2>>>();
    expect(!interval || ((*interval)[0] <= speedup && speedup <= (*interval)[1]),
           "speedup is outside its ci95");
    const auto criteria = line.at("criteria").get<std::vector<std::string>>();
    expect(!criteria.empty(), "meets no criterion");
    for (const auto& criterion : criteria) {
      expect(criterion == "a" || criterion == "b", "names an unknown criterion");
      expect(criterion != "b" || speedup >= line.at("threshold").get<double>(),
             "is below the threshold of criterion b");
      const auto task = line.at("task_id").get<std::string>();
      expect(++picks_[task + criterion] <= (criterion == "a" ? 1 : 2),
             "is one too many of its task for criterion " + criterion);
      const double arl = line.at("arl").get<double>();
      expect(agrees(arl_.try_emplace(task, arl).first->second, arl),
             "gives its task another average length than the lines before");
    }
    expect(codes_.insert(normalised_hash(line.at("code").get<std::string>())).second,
           "repeats the kernel of a line before");
  }

  void check_returns(const std::string& name, std::vector<Turn>& turns) {
    std::sort(turns.begin(), turns.end(),
              [](const Turn& a, const Turn& b) { return a.number < b.number; });
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (turns[i].number == static_cast<std::int64_t>(i) + 1 &&
          turns[i].turns == std::ssize(turns)) {
        continue;
      }
      return complain(turns[i].line, "the turns of " + name + " are not complete");
    }
    for (std::size_t t = 0; t < turns.size(); ++t) {
      // By the definition, not by the recurrence that wrote it.
      double sum = 0;
      for (std::size_t i = t; i < turns.size(); ++i) {
        sum += std::pow(turns[t].gamma, static_cast<double>(i - t)) * turns[i].score;
      }
      if (!agrees(turns[t].discounted, sum)) complain(turns[t].line, "R is not the return");
    }
  }

  void check_group(const std::string& name, const std::vector<GroupLine>& lines) {
    double sum = 0;
    for (const auto& line : lines) sum += line.discounted;
    const double mean = sum / static_cast<double>(lines.size());
    double squares = 0;
    for (const auto& line : lines) squares += std::pow(line.discounted - mean, 2);
    const double deviation = std::sqrt(squares / static_cast<double>(lines.size()));
    for (const auto& line : lines) {
      if (line.size == std::ssize(lines) && agrees(line.mean, mean) &&
          agrees(line.deviation, deviation)) {
        continue;
      }
      return complain(line.line, "size, mean or deviation is not that of the group " + name);
    }
  }

  const HeldOut& held_out_;
  ExportCheck check_;
  std::map<std::string, std::vector<Turn>> trajectories_;
  std::map<std::string, std::vector<GroupLine>> groups_;
  std::map<std::string, int> picks_;
  std::map<std::string, double> arl_;
  std::set<std::string> codes_;
};

}  // namespace

ExportCheck verify_export(std::string_view text, const HeldOut& held_out) {
  Checker checker(held_out);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    checker.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return checker.finish();
}

}  // namespace warpmind::agents
