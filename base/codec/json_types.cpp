#include "base/codec/json_types.h"

#include <algorithm>
#include <utility>

namespace warpmind::codec {
namespace {

/// What follows `mark` in `text`, up to `end`; empty where it is not there.
std::string_view after(std::string_view text, std::string_view mark, std::string_view end) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + mark.size());
  return text.substr(0, std::min(text.find(end), text.size()));
}

/// The library's exceptions by their numbers (https://json.nlohmann.me/home/exceptions).
std::string problem_of(const nlohmann::json::exception& error) {
  const std::string_view text = error.what();
  switch (error.id) {
    case 302: {  // "type must be string, but is number"
      const auto wanted = after(text, "type must be ", ",");
      const auto given = after(text, "but is ", " (");
      if (wanted.empty() || given.empty()) break;
      const bool vowel = std::string_view("aeiou").find(wanted.front()) != std::string_view::npos;
      return std::string(vowel ? "must be an " : "must be a ") + std::string(wanted) + ", not " +
             std::string(given);
    }
    case 401: return "has too few entries";
    case 403: return "lacks '" + std::string(after(text, "key '", "'")) + "'";
    case 406: return "holds a number that is out of range";
    default: break;
  }
  return "is of the wrong type";
}

std::string joined(std::string_view outer, const std::string& inner) {
  if (outer.empty() || inner.empty()) return std::string(outer) + inner;
  return std::string(outer) + "." + inner;
}

/// Our own problems say something of a subject; those that others threw are whole.
std::string sentence(const std::string& member, const std::string& problem) {
  if (member.empty()) return problem;
  const std::string_view first = std::string_view(problem).substr(0, problem.find(' '));
  const bool is_predicate =
      first == "must" || first == "has" || first == "lacks" || first == "holds" || first == "is";
  return "'" + member + (is_predicate ? "' " : "': ") + problem;
}

}  // namespace

JsonMisfit::JsonMisfit(std::string member, std::string problem)
    : std::runtime_error(sentence(member, problem)),
      member_(std::move(member)),
      problem_(std::move(problem)) {}

JsonMisfit misfit_of(std::string_view name, const std::exception& error) {
  if (const auto* known = dynamic_cast<const JsonMisfit*>(&error)) {
    return {joined(name, known->member()), known->problem()};
  }
  if (const auto* library = dynamic_cast<const nlohmann::json::exception*>(&error)) {
    return {std::string(name), problem_of(*library)};
  }
  return {std::string(name), error.what()};
}

}  // namespace warpmind::codec
