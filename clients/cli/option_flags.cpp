#include "clients/cli/option_flags.h"

#include "base/text.h"
#include "clients/cli/grammar_parts.h"

#include <vector>

namespace warpmind::clients {

std::string help_sentence(const Option& option, const FlagNames& names) {
  const std::string marked =
      std::string(option.help != nullptr ? option.help : option.text) + option.also;
  std::string text;
  bool is_marked = false;
  for (const auto part : split_text(marked, '`')) {
    const auto flag = is_marked ? names.flags.find(part) : names.flags.end();
    text += flag == names.flags.end() ? std::string(part) : flag->second;
    is_marked = !is_marked;
  }
  // A sentence that begins with a word of the option keeps it as it is typed.
  if (!marked.starts_with('`') && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

void set_flag(CLI::Option& flag, const Option& option) {
  if (*option.value != '\0') flag.type_name(option.value);
  if (*option.heading != '\0') flag.group(option.heading);
  if (*option.fallback != '\0') flag.default_str(option.fallback);
  if (*option.setting != '\0') from_setting(&flag, option.setting);
  if (!option.choices.empty()) {
    one_of(&flag, std::vector<std::string>(option.choices.begin(), option.choices.end()));
  }
}

}  // namespace warpmind::clients
