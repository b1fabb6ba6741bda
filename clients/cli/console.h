#pragma once
/// \file
/// Where a command reads and writes: results to `out`, everything else to `err`.

#include "base/result.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/report/text.h"

#include <cstddef>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

namespace warpmind::clients {

/// The streams must outlive the object.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool json = false;  ///< exactly one JSON document goes to `out`
  Paint paint;        ///< for `out`
  bool err_is_terminal = false;
  std::size_t columns = 80;    ///< of the terminal; 80 without one
  std::istream* in = nullptr;  ///< standard input; null = there is none
  bool in_is_terminal = false;
  std::string program = "warpmind";  ///< how the user called it, for commands to try next
};

/// Standard streams, the width of the terminal, and colours unless NO_COLOR is set, TERM is dumb
/// or standard output is no terminal.
[[nodiscard]] Console standard_console(bool json);

/// One JSON text as the one document of `--json`.
void write_document(Console& console, std::string_view json_text);

/// Asks on `err`, and reads the answer from the terminal: true for "y" or "yes". Errors:
/// invalid_argument where there is no terminal to ask at, naming `flag` as the way out.
[[nodiscard]] Result<bool> confirm(Console& console, std::string_view question,
                                   std::string_view flag);

/// "warpmind: <sentence>" on standard error, or {"error":{"code","message"}} as the document.
/// Returns `code`, so that a command can end with it.
ExitCode report_error(Console& console, const Error& error, ExitCode code);

}  // namespace warpmind::clients
