#include "clients/cli/completion/completion_words.h"

#include "config/device_table.h"

namespace warpmind::clients {

std::vector<const CommandDescription*> every_command(const CommandDescription& program) {
  std::vector<const CommandDescription*> all{&program};
  for (const auto& command : program.commands) {
    const auto below = every_command(command);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::vector<std::string> value_words(const OptionDescription& option) {
  if (option.kind != ValueKind::device) return option.choices;
  std::vector<std::string> keys;
  const auto devices = config::DeviceTable::load();
  if (!devices) return keys;
  for (const auto& row : devices->all()) keys.push_back(row.key);
  return keys;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

}  // namespace warpmind::clients
