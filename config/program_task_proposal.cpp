#include "config/program_task_proposal.h"

#include "base/file.h"
#include "base/sequence.h"
#include "config/program_task_folder.h"
#include "config/program_task_makefile.h"
#include "syntax/code_text.h"
#include "syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSourceBytes = std::size_t{4} << 20U;
constexpr std::size_t kMostEditable = 64;

std::string text_of(const fs::path& folder, const std::string& file) {
  return read_file(folder / file, kMostSourceBytes).value_or(std::string());
}

bool has_suffix(const std::string& file, std::initializer_list<const char*> suffixes) {
  const std::string suffix = fs::path(file).extension().string();
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&suffix](const char* one) { return suffix == one; });
}

bool is_source(const std::string& file) {
  return has_suffix(file, {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".inl"});
}

bool occurs_as_word(const std::string& text, std::string_view word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
    const auto end = at + word.size();
    const bool ends =
        end == text.size() || std::isalnum(static_cast<unsigned char>(text[end])) == 0;
    if (begins && ends) return true;
  }
  return false;
}

/// What the quotes of a source hold: the words that it may print.
std::string literals_of(const std::string& source) {
  std::string out;
  syntax::Lexer lexer(source);
  while (const auto lexeme = lexer.next()) {
    if (lexeme->kind == syntax::LexemeKind::raw_string) out.append(content(*lexeme)) += ' ';
    if (lexeme->kind != syntax::LexemeKind::string) continue;
    const std::string text = spelling(*lexeme);
    const std::size_t open = text.find('"');
    for (std::size_t i = open + 1; i < text.size(); ++i) {
      const bool is_letter = text[i] != '\\' && text[i] != '"';
      out += is_letter ? text[i] : ' ';
      if (text[i] == '\\') ++i;
    }
  }
  return out;
}

void propose_from_makefile(const MakefileRun& make, ProgramTaskProposal& out) {
  ProgramTask& task = out.task;
  task.build = "make";
  if (make.variables.contains("ARCH")) task.build += " ARCH={arch}";
  for (const char* name : {"program", "TARGET", "EXE", "BIN"}) {
    const auto at = make.variables.find(name);
    if (at == make.variables.end() || at->second.empty()) continue;
    task.run = "./" + at->second;
    break;
  }
  if (!make.command.empty()) {
    task.run = make.command;
    out.notes.emplace_back("the run command is that of the Makefile's target run");
  } else if (task.run.empty()) {
    task.run = "./main";
    out.notes.emplace_back("the Makefile has no target run; the program's name is a guess");
  }
}

void propose_from_cmake(const std::string& text, ProgramTaskProposal& out) {
  out.task.build =
      "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared "
      "-DCMAKE_CUDA_ARCHITECTURES={capability} && cmake --build build";
  const std::string_view word = "add_executable(";
  const auto at = text.find(word);
  if (at == std::string::npos) {
    out.task.run = "./build/main";
    out.notes.emplace_back("CMakeLists.txt names no add_executable; the program's name is a guess");
    return;
  }
  const auto begin = text.find_first_not_of(" \t\r\n", at + word.size());
  const auto end = text.find_first_of(" \t\r\n)", begin);
  out.task.run = "./build/" + text.substr(begin, end - begin);
}

Result<void> propose_from_sources(const fs::path& folder, const std::vector<std::string>& files,
                                  ProgramTaskProposal& out) {
  std::string sources;
  bool has_main = false;
  for (const auto& file : files) {
    if (!has_suffix(file, {".cu", ".cpp", ".cc"}) || file.find('/') != std::string::npos) continue;
    sources += " " + file;
    has_main = has_main || syntax::contains_word(syntax::code_only(text_of(folder, file)), "main");
  }
  if (!has_main || sources.find_first_of("'\"\\$`;&|<>()*?") != std::string::npos) {
    return fail(Errc::invalid_argument,
                folder.string() +
                    " has neither Makefile nor CMakeLists.txt, nor CUDA files with "
                    "main() beside each other; say how to build and run it with "
                    "--build and --run");
  }
  out.task.build = "nvcc -O3 -std=c++17 -arch={arch} -o main" + sources;
  out.task.run = "./main";
  return {};
}

}  // namespace

std::vector<std::string> files_with_kernels(const fs::path& folder,
                                            const std::vector<std::string>& files) {
  std::vector<std::string> found;
  for (const auto& file : files) {
    if (!is_source(file) || found.size() >= kMostEditable) continue;
    // A literal counts: it may be a kernel that the program compiles when it runs.
    const std::string code = syntax::without_comments(text_of(folder, file));
    if (syntax::contains_word(code, "__global__")) found.push_back(file);
  }
  return found;
}

ProgramPassRule guess_pass_rule(const fs::path& folder, const std::vector<std::string>& files) {
  std::string literals;
  for (const auto& file : files) {
    if (is_source(file)) literals += literals_of(text_of(folder, file)) + " ";
  }
  ProgramPassRule rule;
  struct Words {
    const char* good;
    const char* bad;
  };
  static constexpr std::array<Words, 8> kWords{{{"PASSED", "FAILED"},
                                                {"PASS", "FAIL"},
                                                {"PASSED", "FAIL"},
                                                {"passed", "failed"},
                                                {"Passed", "Failed"},
                                                {"SUCCESS", "FAIL"},
                                                {"correct", "wrong"},
                                                {"OK", "FAILED"}}};
  for (const auto& words : kWords) {
    if (!occurs_as_word(literals, words.good)) continue;
    rule.output = words.good;
    if (occurs_as_word(literals, words.bad)) {
      rule.never = words.bad;
      return rule;
    }
  }
  return rule;
}

std::optional<std::string> find_restricting_licence(const fs::path& folder,
                                                    const std::vector<std::string>& files) {
  static constexpr std::array kTexts = {"end user license agreement", "noncommercial",
                                        "non-commercial", "general public license",
                                        "not be redistributed"};
  for (const auto& file : files) {
    std::string text = text_of(folder, file);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* words : kTexts) {
      if (text.find(words) != std::string::npos) return file + " says \"" + words + "\"";
    }
  }
  return std::nullopt;
}

std::string program_task_name(const fs::path& folder) {
  std::string name = folder.lexically_normal().filename().string();
  if (name.empty()) name = folder.lexically_normal().parent_path().filename().string();
  for (char& c : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (!fits) c = '_';
  }
  return name.empty() ? "program" : name.substr(0, 100);
}

Result<ProgramTaskProposal> propose_program_task(const fs::path& folder) {
  std::error_code ec;
  WARPMIND_TRY(const auto files, list_program_folder(folder));
  ProgramTaskProposal out;
  ProgramTask& task = out.task;
  task.name = program_task_name(fs::absolute(folder, ec));
  task.kernels = {".*"};
  task.editable = files_with_kernels(folder, files);
  if (task.editable.empty()) {
    return fail(Errc::invalid_argument,
                folder.string() +
                    " has no file with a kernel (__global__); give the folder of a "
                    "CUDA program");
  }
  for (const char* name : {"GNUmakefile", "makefile", "Makefile"}) {
    if (task.build.empty() && contains(files, name)) {
      propose_from_makefile(read_makefile(text_of(folder, name)), out);
    }
  }
  if (task.build.empty() && contains(files, "CMakeLists.txt")) {
    propose_from_cmake(text_of(folder, "CMakeLists.txt"), out);
  }
  if (task.build.empty()) WARPMIND_CHECK(propose_from_sources(folder, files, out));
  task.pass = guess_pass_rule(folder, files);
  if (task.pass.output.empty()) {
    out.notes.emplace_back(
        "no word such as PASS is seen in what it prints, so exit code 0 alone passes; the "
        "null-kernel control says whether that is worth anything");
  }
  task.restricted = find_restricting_licence(folder, files).value_or("");
  return out;
}

}  // namespace warpmind::config
