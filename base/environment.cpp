#include "base/environment.h"

#include <cstdlib>

namespace warpmind {

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): see the header
  return value == nullptr ? "" : value;
}

}  // namespace warpmind
