#include "clients/cli/commands/asking.h"

#include "base/file.h"
#include "base/text.h"

#include <algorithm>
#include <iterator>

namespace warpmind::clients {
namespace {

constexpr Milliseconds kPatience{5'000};

}  // namespace

void tell_of_long_waits(Session& session, DaemonClient& client) {
  if (!session.console.err_is_terminal) return;
  client.on_long_wait(kPatience, [&err = session.console.err] {
    err << "warpmind: the daemon is still at work; Ctrl-C ends the waiting, not the work\n"
        << std::flush;
  });
}

Style style_of(const Console& console) {
  return {.paint = console.paint, .columns = std::min<std::size_t>(console.columns, 100)};
}

std::string absolute_path(const std::string& text) {
  if (text.empty()) return {};
  std::error_code ec;
  const auto path = std::filesystem::absolute(text, ec).lexically_normal();
  return (path.has_filename() || !path.has_relative_path() ? path : path.parent_path()).string();
}

Result<std::string> read_input(Console& console, const std::string& file, std::size_t limit_bytes) {
  if (file != "-") return read_file(file, limit_bytes);
  if (console.in == nullptr) return fail(Errc::not_found, "there is no standard input");
  std::string text(limit_bytes + 1, '\0');
  console.in->read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(console.in->gcount()));
  if (text.size() <= limit_bytes) return text;
  return fail(Errc::invalid_argument,
              "standard input has more than the " + std::to_string(limit_bytes) + " bytes allowed");
}

}  // namespace warpmind::clients
