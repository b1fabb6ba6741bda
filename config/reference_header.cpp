#include "config/reference_header.h"

#include "config/embedded_files.h"

namespace warpmind::config {

std::string_view reference_header() {
  for (const auto& file : embedded_files()) {
    if (file.name.ends_with(kReferenceHeaderName)) return file.content;
  }
  return {};  // not reached: the build lists the file
}

}  // namespace warpmind::config
