#include "agents/replay_proposer.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "base/sequence.h"

#include <sstream>

namespace warpmind::agents {
namespace {

constexpr std::size_t kFileLimit = std::size_t{64} * 1024 * 1024;
constexpr std::size_t kSourceLimit = std::size_t{4} * 1024 * 1024;

Result<Candidate> parse_line(const std::string& line, const std::filesystem::path& folder,
                             const Task& task) {
  WARPMIND_TRY(nlohmann::json value, codec::parse_json(line));
  if (!value.is_object()) return fail(Errc::invalid_argument, "not a JSON object");
  for (const auto& [key, member] : value.items()) {
    if (key != "technique" && key != "parameters" && key != "rationale" && key != "kernel") {
      return fail(Errc::invalid_argument,
                  "unknown member '" + key + "'; known: technique, parameters, rationale, kernel");
    }
  }
  nlohmann::json kernel(task.kernel);
  if (value.contains("kernel")) {
    nlohmann::json edits = value["kernel"];
    if (!edits.is_object()) return fail(Errc::invalid_argument, "'kernel' is not an object");
    if (edits.contains("source_file")) {
      if (!edits["source_file"].is_string()) {
        return fail(Errc::invalid_argument, "'source_file' is not a string");
      }
      WARPMIND_TRY(edits["source"],
                   read_file(folder / edits["source_file"].get<std::string>(), kSourceLimit));
      edits.erase("source_file");
    }
    kernel.update(edits);
  }
  value["kernel"] = std::move(kernel);
  value["proposer"] = "replay";
  WARPMIND_TRY(Candidate candidate, codec::from_json<Candidate>(value, "candidate"));
  if (candidate.technique.empty()) {
    return fail(Errc::invalid_argument, "'technique' is missing; name what the candidate does");
  }
  return candidate;
}

}  // namespace

Result<ReplayProposer> ReplayProposer::open(const std::filesystem::path& file, const Task& task) {
  WARPMIND_TRY(const std::string text, read_file(file, kFileLimit));
  std::vector<Candidate> candidates;
  std::istringstream lines(text);
  std::string line;
  for (std::int64_t number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto candidate = parse_line(line, file.parent_path(), task);
    if (!candidate) {
      return fail(Errc::invalid_argument,
                  file.string() + ":" + std::to_string(number) + ": " + candidate.error().message);
    }
    candidates.push_back(std::move(*candidate));
  }
  if (candidates.empty()) {
    return fail(Errc::invalid_argument,
                file.string() + " holds no candidate; write one JSON object a line");
  }
  return ReplayProposer(std::move(candidates));
}

std::vector<std::string> ReplayProposer::techniques() const {
  std::vector<std::string> names;
  for (const auto& candidate : candidates_) {
    if (!contains(names, candidate.technique)) {
      names.push_back(candidate.technique);
    }
  }
  return names;
}

Move ReplayProposer::move_of(std::size_t i) const {
  return {candidates_[i].technique, "line " + std::to_string(i + 1), 1.0};
}

void ReplayProposer::written_before(const Move& move) {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (move_of(i).parameters == move.parameters) used_[i] = true;
  }
}

std::vector<Move> ReplayProposer::moves(const ProposalContext& /*context*/) const {
  // One move: the file's order is the point of a replay.
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (used_[i]) continue;
    return {move_of(i)};
  }
  return {};
}

Result<Writing> ReplayProposer::write(const Move& /*move*/, const ProposalContext& context,
                                      std::stop_token /*stop*/) {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (used_[i]) continue;
    used_[i] = true;
    Candidate candidate = candidates_[i];
    candidate.parent = id_of(context.kernel);
    return Writing{std::move(candidate)};
  }
  return Writing{};
}

}  // namespace warpmind::agents
