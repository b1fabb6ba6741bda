// A fuzzer for the texts of people, programs and models: the first byte names the reader.

#include "agents/analysis/source_kernels.h"
#include "agents/builtin/explain_moves.h"
#include "agents/builtin/hosting/host_edits.h"
#include "agents/writing/answer_parser.h"
#include "base/expression.h"
#include "base/kernel_name.h"
#include "config/device_table.h"
#include "config/program_task_file.h"
#include "config/program_task_makefile.h"
#include "config/program_task_pattern.h"
#include "config/task_file.h"
#include "config/task_parser.h"
#include "config/toml_document.h"
#include "profilers/inject/kernel_record.h"
#include "profilers/launch_record/program_record.h"
#include "profilers/program/kernel_times.h"
#include "profilers/sanitizer/sanitizer_report.h"
#include "profilers/simulator/ptx/parser.h"
#include "syntax/code_text.h"
#include "syntax/cuda_source.h"
#include "syntax/global_functions.h"
#include "syntax/lexer.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace warpmind;

/// A refusal must say something.
template <class T>
void require_reason(const Result<T>& read) {
  if (!read && read.error().message.empty()) std::abort();
}

/// The lexemes of a text are the text.
void require_whole(const std::string& source) {
  std::string seen;
  syntax::Lexer lexer(source);
  while (const auto lexeme = lexer.next()) {
    if (lexeme->text.empty()) std::abort();
    seen += lexeme->text;
    (void)spelling(*lexeme);
    (void)content(*lexeme);
  }
  if (seen != source || syntax::code_only(source).size() != source.size()) std::abort();
  (void)syntax::joined_lines(source);
  (void)syntax::find_global_functions(source);
}

/// Of a task whose kernel is replaced, so that techniques have a launch and sizes to look at.
void read_cuda(const std::string& source) {
  static const Task known =
      config::load_task(std::string(WARPMIND_SOURCE_DIR) + "/tasks/row_sum").value().task;
  static const config::DeviceTable devices = config::DeviceTable::load().value();
  static const auto device = devices.find("h200");
  Task task = known;
  task.kernel.source = source;
  const Bottleneck bottleneck;
  const Advice advice;
  const agents::ProposalContext context{task, task.kernel, bottleneck, advice, *device};
  require_reason(agents::builtin::explain_moves(context, {}));
  require_reason(agents::kernels_in(source));
  require_whole(source);
  if (const auto program = syntax::CudaSource::read(source)) {
    (void)agents::builtin::host_edits(*program);
  }
}

void read_answer(const std::string& text) {
  require_reason(agents::writing::parse_answer(text, Kernel{}, Task{}));
}

/// The pattern, a line's end, the text.
void read_pattern(const std::string& text) {
  const auto pattern = config::ProgramPattern::compile(text.substr(0, text.find('\n')));
  require_reason(pattern);
  if (pattern) (void)pattern->matches_a_line(text);
}

void read_text(char reader, const std::string& text) {
  switch (reader) {
    case 't': return require_reason(config::parse_toml(text, "f"));
    case 'p': return require_reason(config::parse_program_task(text, "f"));
    case 'k': return require_reason(config::parse_task(text, "f"));
    case 'e': return require_reason(evaluate(text, {{"n", 3}, {"rows", 1024}}));
    case 'm': return (void)config::read_makefile(text);
    case 'r': return read_pattern(text);
    case 'c': return read_cuda(text);
    case 'a': return read_answer(text);
    case 'x': return require_reason(simulator::ptx::parse_ptx(text));
    case 'l': return require_reason(profilers::parse_program_record(text));
    case 'n': return require_reason(profilers::parse_kernel_record(text));
    case 's': return (void)profilers::parse_sanitizer_log(text);
    case 'd': (void)profilers::plain_kernel_name(text); return (void)readable_kernel_name(text);
    default: return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  read_text(static_cast<char>(data[0]), {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
