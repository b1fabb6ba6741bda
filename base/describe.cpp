#include "base/describe.h"

#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace warpmind {
namespace {

std::string number_text(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fixed(value, 0)
                                                              : shortest_number(value);
}

}  // namespace

std::string flag_name(std::string_view member, const Option& option) {
  if (*option.flag != '\0') return "--" + std::string(option.flag);
  return "--" + replace_text(std::string(member), "_", "-");
}

std::string document_sentence(const Option& option) {
  std::string text = option.text;
  const auto quoted = [](std::string_view word) { return "`" + std::string(word) + "`"; };
  const bool names_all = std::all_of(
      option.choices.begin(), option.choices.end(),
      [&](std::string_view word) { return text.find(quoted(word)) != std::string::npos; });
  if (!names_all) {
    std::vector<std::string> words;
    for (const auto word : option.choices) words.push_back(quoted(word));
    text += "; one of " + join_choices(words);
  }
  const std::string_view value = option.value;
  if (value == "FILE" || value == "DIR" || value == "PEM") text += "; an absolute path";
  if (option.limits.longest > 0) {
    text += "; one line of at most " + std::to_string(option.limits.longest) + " characters";
  }
  if (*option.setting != '\0') return text + "; default `" + option.setting + "`";
  if (*option.fallback == '\0') return text;
  const std::string_view fallback = option.fallback;
  return text + "; default " +
         (contains(option.choices, fallback) ? quoted(fallback) : std::string(fallback));
}

Result<void> check_number(const std::string& name, double value, const Limits& limits) {
  // NaN is inside of nothing.
  const bool fits = (!limits.least || value >= *limits.least) &&
                    (!limits.above || value > *limits.above) &&
                    (!limits.most || value <= *limits.most);
  if (fits) return {};
  std::vector<std::string> bounds;
  if (limits.least) bounds.push_back("at least " + number_text(*limits.least));
  if (limits.above) bounds.push_back("above " + number_text(*limits.above));
  if (limits.most) bounds.push_back("at most " + number_text(*limits.most));
  return fail(Errc::invalid_argument,
              name + " must be " + join_text(bounds, " and ") + ", not " + number_text(value));
}

Result<void> check_text(const std::string& name, std::string_view text, const Limits& limits) {
  if (limits.longest == 0) return {};
  const auto characters = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_utf8_continuation(c); }));
  const bool is_line = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
  if (is_line && characters <= limits.longest) return {};
  return fail(Errc::invalid_argument,
              name + " must be one line of at most " + std::to_string(limits.longest) +
                  " characters" +
                  (characters > limits.longest ? ", not " + std::to_string(characters) : ""));
}

}  // namespace warpmind
