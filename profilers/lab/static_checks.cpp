#include "profilers/lab/static_checks.h"

#include "profilers/toolchain/kernel_toolchain.h"
#include "syntax/code_text.h"
#include "syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace warpmind::profilers {
namespace {

using syntax::is_name_character;

constexpr std::size_t kLaunchLimit = 256;
constexpr std::size_t kTokenLimit = 200'000;  // an unrolled kernel has some 10 000

struct Rule {
  std::string_view word;
  std::string_view why;
};

/// No kernel needs these, in any tier.
constexpr std::array<Rule, 3> kForbidden = {{
    {".incbin", "embeds a file of this machine"},
    {"__has_include", "asks which files this machine has"},
    {"#embed", "embeds a file of this machine"},
}};

/// Host code of tier B: what lies outside "compute on the given stream" (exploits 1-7, 33, 35).
constexpr std::array<Rule, 46> kHostTricks = {{
    {"cudaStreamCreate", "works on a stream that is not timed"},
    {"cuStreamCreate", "works on a stream that is not timed"},
    {"cudaStreamPerThread", "works on a stream that is not timed"},
    {"cudaStreamLegacy", "works on a stream that is not timed"},
    {"cudaStreamBeginCapture", "captures instead of computing"},
    {"cudaGraph", "launches what was prepared outside of the timed call"},
    {"cuGraph", "launches what was prepared outside of the timed call"},
    {"cudaLaunchHostFunc", "runs host code on the stream"},
    {"cudaStreamAddCallback", "runs host code on the stream"},
    {"cudaEventCreate", "makes events of its own"},
    {"cudaEventElapsedTime", "reads the clock"},
    {"cudaEventRecord", "touches events"},
    {"cudaDeviceSetLimit", "changes the device for others"},
    {"cuCtxSetLimit", "changes the device for others"},
    {"cudaCtxResetPersistingL2Cache", "changes the device for others"},
    {"cudaStreamSetAttribute", "keeps data in L2 between runs"},
    {"cudaDeviceReset", "ends the context"},
    {"std::thread", "starts host threads"},
    {"std::async", "starts host threads"},
    {"std::jthread", "starts host threads"},
    {"pthread_create", "starts host threads"},
    {"fork", "starts processes"},
    {"vfork", "starts processes"},
    {"system", "starts processes"},
    {"popen", "starts processes"},
    {"execl", "starts processes"},
    {"execv", "starts processes"},
    {"execve", "starts processes"},
    {"kill", "signals processes"},
    {"ptrace", "reaches into other processes"},
    {"syscall", "calls the system past the library"},
    {"socket", "opens sockets"},
    {"fopen", "opens files"},
    {"freopen", "opens files"},
    {"ifstream", "opens files"},
    {"ofstream", "opens files"},
    {"getenv", "reads the environment"},
    {"setenv", "changes the environment"},
    {"putenv", "changes the environment"},
    {"dlopen", "loads code"},
    {"dlsym", "looks up code"},
    {"mprotect", "changes code"},
    {"clock_gettime", "reads the clock"},
    {"_exit", "ends the process"},
    {"constructor", "runs when it is loaded"},
    {"ifunc", "runs when it is loaded"},
}};

/// Headers that a host function of tier B needs for nothing but tricks, by how their names begin.
constexpr std::array<Rule, 15> kHostHeaders = {{
    {"unistd.h", "declares what writes to pipes and starts processes"},
    {"sys/", "declares calls of the operating system"},
    {"linux/", "declares calls of the operating system"},
    {"dlfcn.h", "declares what loads code"},
    {"pthread.h", "declares threads"},
    {"thread", "declares threads"},
    {"future", "declares threads"},
    {"signal.h", "declares signals"},
    {"csignal", "declares signals"},
    {"fstream", "opens files"},
    {"spawn.h", "starts processes"},
    {"cublas", "belongs to a library that would do the work"},
    {"cudnn", "belongs to a library that would do the work"},
    {"torch/", "belongs to a library that would do the work"},
    {"warpmind_reference", "belongs to the reference"},
}};

/// Whether the word of a rule stands in `text`. One that begins with cu stands for all names that
/// begin so: cudaStreamCreateWithFlags, …
bool breaks(const Rule& rule, std::string_view text) {
  return rule.word.starts_with("cu") ? syntax::contains_name_from(text, rule.word)
                                     : syntax::contains_word(text, rule.word);
}

using Code = std::vector<syntax::Lexeme>;

/// The names that #include lines ask for; an empty one where a macro stands for it.
std::vector<std::string> includes_of(const Code& code) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at + 1 < code.size(); ++at) {
    const auto& word = code[at + 1];
    const bool asks = code[at].is("#") && word.in_directive &&
                      (word.is("include") || word.is("include_next") || word.is("import"));
    if (!asks) continue;
    const bool is_named = at + 2 < code.size() && code[at + 2].kind == syntax::LexemeKind::header;
    const std::string header = is_named ? spelling(code[at + 2]) : "<>";
    names.push_back(header.substr(1, header.size() - 2));
  }
  return names;
}

std::optional<std::string> find_bad_include(const Code& code) {
  constexpr std::string_view kRule =
      "only headers of the toolkit and the compiler may be included, by name";
  for (const std::string& name : includes_of(code)) {
    if (name.empty()) return "#include without the name of a header: " + std::string(kRule);
    if (name.starts_with("/") || name.find("..") != std::string::npos) {
      return "#include of '" + name.substr(0, 120) + "': " + std::string(kRule);
    }
  }
  return std::nullopt;
}

bool is_of_cuda(const syntax::Lexeme& lexeme) {
  if (lexeme.kind != syntax::LexemeKind::name || lexeme.text.front() != 'c') return false;
  const std::string name = spelling(lexeme);
  return name.size() > 2 && name.starts_with("cu") && !name.ends_with("_t") &&
         (name.starts_with("cuda") || std::isupper(static_cast<unsigned char>(name[2])) != 0);
}

/// Whether `at` stands behind `extern "C"`.
bool has_c_linkage(const Code& code, std::size_t at) {
  return at > 1 && code[at - 2].is("extern") && code[at - 1].is_literal() &&
         content(code[at - 1]) == "C";
}

/// A function of the CUDA runtime or driver that the source defines itself, or nothing: the harness
/// would call it in place of the right one. One pass, whatever the nesting.
std::optional<std::string> find_replaced_function(const Code& code) {
  enum class Brace { linkage, space, body };
  std::vector<Brace> open;
  std::size_t bodies = 0;
  std::size_t linkages = 0;
  int parentheses = 0;
  bool is_declaration = false;  // behind extern "C", which no brace follows
  for (std::size_t at = 0; at < code.size(); ++at) {
    const auto& word = code[at];
    if (word.in_directive) continue;
    const bool is_linked = has_c_linkage(code, at);
    if (is_linked) {
      is_declaration = true;
      parentheses = 0;
    }
    const bool is_function = parentheses == 0 && at + 1 < code.size() && code[at + 1].is("(");
    const bool is_block = bodies == 0 && linkages > 0;
    if (is_function && (is_declaration || is_block) && is_of_cuda(word)) {
      return spelling(word);
    }
    if (word.is("(")) ++parentheses;
    if (word.is(")")) --parentheses;
    if (word.is("{")) {
      const bool is_space =
          at > 1 && (code[at - 1].is("namespace") || code[at - 2].is("namespace"));
      open.push_back(is_linked ? Brace::linkage : is_space ? Brace::space : Brace::body);
      if (open.back() == Brace::body) ++bodies;
      if (is_linked) ++linkages;
    }
    if (word.is("}") && !open.empty()) {
      if (open.back() == Brace::body) --bodies;
      if (open.back() == Brace::linkage) --linkages;
      open.pop_back();
    }
    if (word.is("{") || word.is("}") || word.is(";")) {
      parentheses = 0;
      is_declaration = false;
    }
  }
  return std::nullopt;
}

/// What a host function of tier B may not do, in its source; `text` is that in joined lines.
std::optional<std::string> find_host_trick(const Code& code, std::string_view text) {
  for (const auto& rule : kHostTricks) {
    if (breaks(rule, text)) {
      return "the host code uses " + std::string(rule.word) + ", which " + std::string(rule.why);
    }
  }
  for (const std::string& name : includes_of(code)) {
    for (const auto& rule : kHostHeaders) {
      if (!name.starts_with(rule.word)) continue;
      return "the host code includes " + name.substr(0, 120) + ", which " + std::string(rule.why);
    }
  }
  if (const auto name = find_replaced_function(code)) {
    return "the host code defines " + name->substr(0, 120) + ", which the harness calls";
  }
  if (text.find("cudasim") != std::string_view::npos) {
    return "the host code names functions of the simulator";
  }
  if (text.find("/proc/") != std::string_view::npos) {
    return "the host code names /proc, where processes are reached";
  }
  return std::nullopt;
}

std::size_t count_tokens(std::string_view text) {
  std::size_t tokens = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool word = is_name_character(c);
    if (word ? !in_word : std::isspace(static_cast<unsigned char>(c)) == 0) ++tokens;
    in_word = word;
  }
  return tokens;
}

/// Identifiers behind `type` and one more: "grid_group g", "auto grid = cg::this_grid()".
std::vector<std::string> grid_groups(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view kType = "grid_group";
  for (auto at = text.find(kType); at != std::string_view::npos; at = text.find(kType, at + 1)) {
    std::string_view rest = text.substr(at + kType.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n&"), rest.size()));
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_character);
    names.emplace_back(rest.begin(), end);
  }
  constexpr std::string_view kCall = "this_grid";
  for (auto at = text.find(kCall); at != std::string_view::npos; at = text.find(kCall, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const auto sign = before.find_last_of("=;{}");
    if (sign == std::string_view::npos || before[sign] == ';' || before[sign] == '}') continue;
    std::string_view name = before.substr(0, sign);
    while (!name.empty() && !is_name_character(name.back())) name.remove_suffix(1);
    const auto first = std::find_if_not(name.rbegin(), name.rend(), is_name_character).base();
    names.emplace_back(first, name.end());
  }
  return names;
}

/// Whether the kernels meet at a barrier over the grid.
bool synchronises_grid(std::string_view text) {
  std::string packed;  // without white space
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) packed += c;
  }
  if (packed.find("this_grid().sync(") != std::string::npos ||
      packed.find("this_grid().barrier_") != std::string::npos ||
      packed.find("sync(cooperative_groups::this_grid())") != std::string::npos ||
      packed.find("sync(cg::this_grid())") != std::string::npos) {
    return true;
  }
  for (const std::string& name : grid_groups(text)) {
    if (name.empty()) continue;
    if (packed.find("sync(" + name + ")") != std::string::npos) return true;
    for (const char* const call : {".sync(", ".barrier_wait(", ".barrier_arrive("}) {
      const auto at = packed.find(name + call);
      if (at != std::string::npos && (at == 0 || !is_name_character(packed[at - 1]))) return true;
    }
  }
  return false;
}

StaticFinding refused(std::string reason) { return {Outcome::build_failed, std::move(reason)}; }

std::optional<StaticFinding> check_plan(const Kernel& kernel) {
  if (kernel.tier == Tier::c) return refused("a whole program (tier C) cannot be judged here");
  if (kernel.tier == Tier::b && kernel.entry.empty()) {
    return refused("a tier B kernel needs the name of its host function ('entry')");
  }
  if (kernel.tier == Tier::b && kernel.plan.launches.size() > 1) {
    return refused(
        "the host function of a tier B kernel launches by itself: its plan has one call "
        "at most");
  }
  if (kernel.tier == Tier::a && kernel.plan.launches.empty())
    return refused("the launch plan has no launches");
  if (kernel.plan.launches.size() > kLaunchLimit) {
    return refused("the launch plan has " + std::to_string(kernel.plan.launches.size()) +
                   " launches; the limit is " + std::to_string(kLaunchLimit));
  }
  return std::nullopt;
}

}  // namespace

bool may_poll_memory(std::string_view source) {
  const std::string text = syntax::joined_lines(source);
  if (!syntax::contains_word(text, "while") && !syntax::contains_word(text, "for")) return false;
  constexpr std::array<std::string_view, 8> kReads = {"volatile",     "ld.relaxed", "ld.acquire",
                                                      "__ldcv",       "__ldcg",     "atomic_ref",
                                                      "cuda::atomic", "atomicCAS"};
  if (std::any_of(kReads.begin(), kReads.end(),
                  [&](std::string_view read) { return text.find(read) != std::string::npos; })) {
    return true;
  }
  for (auto at = text.find("while"); at != std::string::npos; at = text.find("while", at + 1)) {
    const auto end = text.find_first_of(";{", at);
    if (text.substr(at, end - at).find("atomic") != std::string::npos) return true;
  }
  return false;
}

std::optional<StaticFinding> check_statically(const Kernel& kernel) {
  if (auto finding = check_plan(kernel)) return finding;
  if (kernel.source.size() > kSourceLimit) {
    return refused("the source has " + std::to_string(kernel.source.size()) +
                   " bytes; the limit is " + std::to_string(kSourceLimit));
  }
  if (kernel.source.find('\0') != std::string::npos) {
    return refused("the source has a zero byte");
  }
  const std::string text = syntax::joined_lines(kernel.source);
  if (const std::size_t tokens = count_tokens(text); tokens > kTokenLimit) {
    return refused("the source has " + std::to_string(tokens) + " tokens; the limit is " +
                   std::to_string(kTokenLimit));
  }
  const Code code = syntax::code_lexemes(kernel.source);
  if (auto bad = find_bad_include(code)) return refused(std::move(*bad));
  for (const auto& rule : kForbidden) {
    if (breaks(rule, text)) {
      return refused("the source uses " + std::string(rule.word) + ", which " +
                     std::string(rule.why));
    }
  }
  const auto& launches = kernel.plan.launches;
  const bool is_cooperative = std::any_of(launches.begin(), launches.end(),
                                          [](const Launch& one) { return one.cooperative; });
  if (kernel.tier == Tier::a && !is_cooperative && synchronises_grid(text)) {
    return refused(
        "the kernel synchronises its whole grid, which works in a cooperative launch only: declare "
        "cooperative = true in the launch, or split the kernel there");
  }
  if (kernel.tier != Tier::b) return std::nullopt;
  auto trick = find_host_trick(code, text);
  if (!trick) return std::nullopt;
  return StaticFinding{Outcome::cheating, std::move(*trick)};
}

}  // namespace warpmind::profilers
