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
  for (const auto& row : config::device_table().all()) keys.push_back(row.key);
  return keys;
}

}  // namespace warpmind::clients
