#include "base/file.h"
#include "base/text.h"
#include "clients/cli/commands/kb_commands.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace warpmind::clients {
namespace {

constexpr Milliseconds kPatience{5'000};

}  // namespace

ExitCode run_command(Session& session, const KnowledgeOptions& options) {
  return std::visit([&session](const auto& one) { return run_command(session, one); }, options);
}

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

Result<std::int64_t> parse_capability(std::string_view text) {
  std::string_view rest = text.starts_with("sm_") ? text.substr(3) : text;
  std::string digits(rest);
  if (const auto dot = rest.find('.'); dot != std::string_view::npos) {
    // "9.0" is 90, "12.1" is 121: one digit behind the dot.
    digits = std::string(rest.substr(0, dot)) + std::string(rest.substr(dot + 1));
    if (rest.size() - dot != 2) digits.clear();
  }
  std::int64_t value = 0;
  if (is_all_digits(digits) && digits.size() <= 4) {
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
  }
  if (value >= 20 && value <= 999) return value;
  return fail(Errc::invalid_argument, "'" + std::string(text.substr(0, 64)) +
                                          "' is no compute capability; write 90, 9.0 or sm_90");
}

}  // namespace warpmind::clients
