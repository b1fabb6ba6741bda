#include "profilers/lab/static_checks.h"

#include "profilers/toolchain/kernel_toolchain.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace warpmind::profilers {
namespace {

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

/// Host code of tier B: what lies outside "compute on the given stream" (exploits 1-7, 33, 35). A
/// word that begins with cuda or cu stands for all names that begin so.
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

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// `word` as a whole: "fork" does not stand in "forked".
bool contains_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word(word.front()) || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    const bool ends = end == text.size() || !is_word(text[end]) ||
                      word.starts_with("cu");  // cudaStreamCreateWithFlags, …
    if (starts && ends) return true;
  }
  return false;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\f\v");
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

/// What an #include line names, or empty.
std::string_view included(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || (line.front() != '#' && !line.starts_with("%:"))) return {};
  line = trimmed(line.substr(line.front() == '#' ? 1 : 2));
  if (!line.starts_with("include")) return {};
  line = trimmed(line.substr(7));
  if (line.starts_with("_next")) line = trimmed(line.substr(5));
  if (line.empty()) return {};
  const char close = line.front() == '<' ? '>' : line.front();
  const std::size_t end = line.find(close, 1);
  return end == std::string_view::npos ? line : line.substr(1, end - 1);
}

/// The names that #include lines ask for.
std::vector<std::string_view> includes_of(std::string_view source) {
  std::vector<std::string_view> names;
  while (!source.empty()) {
    const std::size_t end = source.find('\n');
    const std::string_view name = included(source.substr(0, end));
    source = end == std::string_view::npos ? "" : source.substr(end + 1);
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::optional<std::string> find_bad_include(std::string_view source) {
  for (const std::string_view name : includes_of(source)) {
    if (name.starts_with("/") || name.find("..") != std::string_view::npos) {
      return "#include of '" + std::string(name.substr(0, 120)) +
             "': only headers of the toolkit and the compiler may be included, by name";
    }
  }
  return std::nullopt;
}

/// A function of the CUDA runtime or driver that the source defines itself, or nothing: the harness
/// would call it in place of the right one.
std::optional<std::string> find_replaced_function(std::string_view text) {
  constexpr std::string_view kStart = "extern \"C\"";
  for (std::size_t at = text.find(kStart); at != std::string_view::npos;
       at = text.find(kStart, at + 1)) {
    const std::size_t open = text.find_first_of("({;", at + kStart.size());
    if (open == std::string_view::npos || text[open] != '(') continue;
    std::size_t end = open;
    while (end > at && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
    std::size_t begin = end;
    while (begin > at && is_word(text[begin - 1])) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    if (name.size() > 2 && name.starts_with("cu") &&
        (name.starts_with("cuda") || std::isupper(static_cast<unsigned char>(name[2])) != 0)) {
      return std::string(name);
    }
  }
  return std::nullopt;
}

/// What a host function of tier B may not do, in its source.
std::optional<std::string> find_host_trick(std::string_view text) {
  for (const auto& rule : kHostTricks) {
    if (contains_word(text, rule.word)) {
      return "the host code uses " + std::string(rule.word) + ", which " + std::string(rule.why);
    }
  }
  for (const std::string_view name : includes_of(text)) {
    for (const auto& rule : kHostHeaders) {
      if (!name.starts_with(rule.word)) continue;
      return "the host code includes " + std::string(name.substr(0, 120)) + ", which " +
             std::string(rule.why);
    }
  }
  if (const auto name = find_replaced_function(text)) {
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
    const bool word = is_word(c);
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
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_word);
    names.emplace_back(rest.begin(), end);
  }
  constexpr std::string_view kCall = "this_grid";
  for (auto at = text.find(kCall); at != std::string_view::npos; at = text.find(kCall, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const auto sign = before.find_last_of("=;{}");
    if (sign == std::string_view::npos || before[sign] == ';' || before[sign] == '}') continue;
    std::string_view name = before.substr(0, sign);
    while (!name.empty() && !is_word(name.back())) name.remove_suffix(1);
    const auto first = std::find_if_not(name.rbegin(), name.rend(), is_word).base();
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
      if (at != std::string::npos && (at == 0 || !is_word(packed[at - 1]))) return true;
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
  const std::string text = without_comments(source);
  if (!contains_word(text, "while") && !contains_word(text, "for")) return false;
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

std::string without_comments(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::string_view rest = source.substr(i);
    if (rest.starts_with("\\\n")) {
      ++i;
    } else if (rest.starts_with("\\\r\n")) {
      i += 2;
    } else if (rest.starts_with("//")) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) return text;
      i += end;
      text += '\n';
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      if (end == std::string_view::npos) return text;
      i += end + 1;
      text += ' ';
    } else if (rest.front() == '"' || rest.front() == '\'') {
      std::size_t end = 1;
      while (end < rest.size() && rest[end] != rest.front() && rest[end] != '\n') {
        end += rest[end] == '\\' ? 2U : 1U;
      }
      end = std::min(end + 1, rest.size());
      text += rest.substr(0, end);
      i += end - 1;
    } else {
      text += rest.front();
    }
  }
  return text;
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
  const std::string text = without_comments(kernel.source);
  if (const std::size_t tokens = count_tokens(text); tokens > kTokenLimit) {
    return refused("the source has " + std::to_string(tokens) + " tokens; the limit is " +
                   std::to_string(kTokenLimit));
  }
  if (auto bad = find_bad_include(text)) return refused(std::move(*bad));
  for (const auto& rule : kForbidden) {
    if (contains_word(text, rule.word)) {
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
  auto trick = find_host_trick(text);
  if (!trick) return std::nullopt;
  return StaticFinding{Outcome::cheating, std::move(*trick)};
}

}  // namespace warpmind::profilers
