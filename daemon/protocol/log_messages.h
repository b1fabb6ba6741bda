#pragma once
/// \file
/// What the daemon writes into its log (`log.*`), as values. Names on the wire are the field names.

#include <map>
#include <string>

namespace warpmind::daemon::protocol {

struct LogLevelParams {
  std::string level;      ///< debug, info, warn, error; "" = only say what holds
  std::string component;  ///< "" = all, which takes the levels of components away
};
struct LogLevelResult {
  std::string level;
  std::map<std::string, std::string> components;  ///< those that have a level of their own
};

}  // namespace warpmind::daemon::protocol
