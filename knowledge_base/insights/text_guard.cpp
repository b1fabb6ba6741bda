#include "knowledge_base/insights/text_guard.h"

#include "base/sequence.h"
#include "base/text.h"
#include "config/source_text.h"
#include "knowledge_base/insights/look_alikes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kLongestWord = 80;
constexpr std::size_t kQuoted = 60;

/// " ignore previous instructions ": words in lower case between single spaces.
std::string spaced_words(std::string_view text) {
  std::string words = " ";
  for (const char c : text) {
    if (is_letter_or_digit(c)) {
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c != '\'' && words.back() != ' ') {
      words += ' ';
    }
  }
  if (words.back() != ' ') words += ' ';
  return words;
}

/// Anywhere, as whole words: a reader is addressed, told what to answer, or given a command.
constexpr std::array kPhrases{"you are",
                              "you must",
                              "you should",
                              "you will",
                              "your task",
                              "your instructions",
                              "your job",
                              "act as",
                              "pretend to",
                              "pretend that",
                              "pretend you",
                              "from now on",
                              "as an ai",
                              "system prompt",
                              "developer mode",
                              "new instructions",
                              "these instructions",
                              "do not tell",
                              "pay no attention",
                              "set aside everything",
                              "tell the user",
                              "ask the user",
                              "without asking",
                              "without telling",
                              "your reply",
                              "your answer",
                              "your response",
                              "api key",
                              "api keys",
                              "access token",
                              "auth token",
                              "private key",
                              "private keys",
                              "secret key",
                              "ssh key",
                              "ssh keys",
                              "id rsa",
                              "id ed25519",
                              "authorized keys",
                              "http token",
                              "password",
                              "passwords",
                              "passwd",
                              "credentials",
                              "exfiltrate",
                              "do not reveal",
                              "do not mention",
                              "dont tell",
                              "dont mention",
                              "reply with",
                              "respond with",
                              "answer with",
                              "output only",
                              "call the tool",
                              "use the tool",
                              "tool call",
                              "execute the following",
                              "run the following",
                              "run this command",
                              "execute this command",
                              "execute the command",
                              "run the command",
                              "jailbreak",
                              "end of prompt",
                              "sudo",
                              "wget",
                              "chmod",
                              "subprocess",
                              "powershell"};

/// A verb and, within four words, its object.
constexpr std::array kVerbs{"ignore", "disregard", "forget", "override", "overrule", "disobey"};
constexpr std::array kObjects{"previous",    "prior",        "above",   "earlier", "preceding",
                              "instruction", "instructions", "prompt",  "prompts", "rules",
                              "guidelines",  "everything",   "context", "orders",  "directions",
                              "told",        "said"};

/// Somebody who reads and, within four words, what no kernel does: an order in the third person.
constexpr std::array kReaders{"reader", "readers",    "agent",   "agents", "assistant",
                              "ai",     "assistants", "llm",     "llms",   "chatbot",
                              "model",  "models",     "whoever", "anyone"};
constexpr std::array kErrands{
    "upload", "uploads", "email",    "mail",    "download", "downloads",  "delete",  "deletes",
    "visit",  "reveal",  "disclose", "leak",    "paste",    "obey",       "comply",  "ignore",
    "browse", "answer",  "reply",    "respond", "transmit", "exfiltrate", "install", "approve"};

/// As written, in any case: tags of roles, tools, commands, links, fences. Each list holds what
/// cannot be there without one of some characters.
constexpr std::string_view kOddCharacters = "`~|[]#</:";
constexpr std::array kOddSnippets{
    "```",        "~~~",         "<|", "|>",     "[inst]",  "[/inst]", "<<sys>>",
    "###",        "<!--",        "](", "://",    "mailto:", "/bin/",   "/etc/",
    "tools/call", "javascript:", "~/", "/root/", "/home/",  "/proc/",  "/.ssh"};
constexpr std::string_view kJoints = "_-.";
constexpr std::array kJointSnippets{"mcp__", "tool_call", "tool_use", "function_call", "os.system",
                                    "www.",  "curl -",    "rm -rf",   "bash -",        "sh -c",
                                    ".ssh",  ".netrc",    ".aws/",    ".gnupg"};

constexpr std::array kRoles{"system", "assistant", "user", "human", "developer", "tool"};

/// A word of `first` and, within four words, one of `second`; with what stands between.
template <class First, class Second>
std::string pair_in(const std::string& words, const First& first, const Second& second) {
  constexpr std::size_t kReach = 4;
  std::vector<std::string> all;
  for (std::size_t at = 1; at < words.size();) {
    const std::size_t end = words.find(' ', at);
    all.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!contains(first, all[i])) continue;
    std::string quoted = all[i];
    for (std::size_t k = i + 1; k < all.size() && k <= i + kReach; ++k) {
      quoted += ' ' + all[k];
      if (contains(second, all[k])) return quoted;
    }
  }
  return {};
}

/// Where words begin is known: only there is compared.
std::string phrase_in(const std::string& words) {
  for (std::size_t at = 1; at < words.size(); at = words.find(' ', at) + 1) {
    const auto rest = std::string_view(words).substr(at);
    for (const std::string_view phrase : kPhrases) {
      if (rest.front() == phrase.front() && rest.starts_with(phrase) &&
          rest[phrase.size()] == ' ') {
        return std::string(phrase);
      }
    }
  }
  return {};
}

template <class List>
std::string one_of(const List& snippets, std::string_view characters, const std::string& text) {
  if (text.find_first_of(characters) == std::string::npos) return {};
  for (const std::string_view snippet : snippets) {
    if (text.find(snippet) != std::string::npos) return std::string(snippet);
  }
  return {};
}

/// "system:" where a sentence begins.
std::string role_tag(const std::string& text) {
  for (const std::string_view role : kRoles) {
    for (std::size_t at = text.find(role); at != std::string::npos; at = text.find(role, at + 1)) {
      std::size_t before = at;
      while (before > 0 && text[before - 1] == ' ') --before;
      const bool begins =
          before == 0 || std::string_view(".!?:;").find(text[before - 1]) != std::string_view::npos;
      std::size_t after = at + role.size();
      while (after < text.size() && text[after] == ' ') ++after;
      if (begins && after < text.size() && text[after] == ':') return std::string(role) + ":";
    }
  }
  return {};
}

/// "<b>", "</system", but neither "vector<float4>" nor "n < 32".
std::string markup(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const bool is_template = at > 0 && (is_letter_or_digit(text[at - 1]) || text[at - 1] == '_');
    const bool opens =
        at + 1 < text.size() &&
        (text[at + 1] == '/' || std::isalpha(static_cast<unsigned char>(text[at + 1])) != 0);
    const std::size_t end = text.find('>', at);
    if (opens && !is_template && end != std::string_view::npos) {
      return std::string(text.substr(at, std::min(end - at + 1, kQuoted)));
    }
  }
  return {};
}

/// Characters that are not seen: zero width, direction marks, tags, soft hyphen, C1 controls.
bool is_invisible(char32_t c) {
  return (c >= 0x80 && c <= 0x9f) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
         (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

/// Of valid UTF-8.
std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  points.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0U) == 0x80U) {
      points.back() = (points.back() << 6U) | (byte & 0x3fU);
    } else if (byte < 0x80U) {
      points.push_back(byte);
    } else {
      points.push_back(byte & (byte >= 0xf0U ? 0x07U : byte >= 0xe0U ? 0x0fU : 0x1fU));
    }
  }
  return points;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  std::size_t length = 0;
  for (const char c : text) {
    length = c == ' ' ? 0 : length + 1;
    longest = std::max(longest, length);
  }
  return longest;
}

Result<void> refuse(std::string_view what, const std::string& why) {
  return fail(Errc::invalid_argument, std::string(what) + " " + why);
}

/// Valid, short enough, and nothing in it that is not seen.
Result<void> check_plain(std::string_view what, std::string_view text,
                         std::size_t most_characters) {
  // A byte count first: nobody reads five megabytes to say that they are too many.
  if (text.size() > 4 * most_characters) {
    return refuse(what, "has " + std::to_string(text.size()) + " bytes; at most " +
                            std::to_string(most_characters) + " characters are kept: shorten it");
  }
  if (const auto bad = config::find_invalid_utf8(text)) {
    return refuse(what, "is not valid UTF-8 at byte " + std::to_string(*bad));
  }
  const auto points = code_points(text);
  if (points.size() > most_characters) {
    return refuse(what, "has " + std::to_string(points.size()) + " characters; at most " +
                            std::to_string(most_characters) + " are kept: shorten it");
  }
  for (const char32_t c : points) {
    if (c < 0x20 || c == 0x7f) {
      return refuse(what, "holds the control character " + std::to_string(c) +
                              ": write one line of plain text");
    }
    if (is_invisible(c)) {
      return refuse(what, "holds a character that is not seen (number " + std::to_string(c) +
                              "): write plain text");
    }
  }
  return {};
}

}  // namespace

std::string suspicious_words(std::string_view written) {
  const std::string text = as_seen(written);
  const std::string words = spaced_words(text);
  if (auto found = phrase_in(words); !found.empty()) return found;
  if (auto found = pair_in(words, kVerbs, kObjects); !found.empty()) return found;
  if (auto found = pair_in(words, kReaders, kErrands); !found.empty()) return found;
  const std::string lowered = lower_case(text);
  if (auto found = one_of(kOddSnippets, kOddCharacters, lowered); !found.empty()) return found;
  if (auto found = one_of(kJointSnippets, kJoints, lowered); !found.empty()) return found;
  if (auto found = role_tag(lowered); !found.empty()) return found;
  return markup(text);
}

Result<void> check_prose(std::string_view what, std::string_view text,
                         std::size_t most_characters) {
  WARPMIND_CHECK(check_plain(what, text, most_characters));
  if (const auto words = suspicious_words(text); !words.empty()) {
    return refuse(what, "holds '" + words +
                            "', which is markup, a link or words to a language model: say in plain "
                            "words what holds for kernels");
  }
  if (const std::size_t longest = longest_word(text); longest > kLongestWord) {
    return refuse(what, "holds a run of " + std::to_string(longest) +
                            " characters without a space: write words");
  }
  return {};
}

Result<void> check_label(std::string_view what, std::string_view text,
                         std::size_t most_characters) {
  WARPMIND_CHECK(check_plain(what, text, most_characters));
  if (const auto words = suspicious_words(text); !words.empty()) {
    return refuse(what, "holds '" + words + "': give a plain name");
  }
  return {};
}

Result<void> check_name(std::string_view what, std::string_view text) {
  constexpr std::size_t kMostName = 64;
  const bool fits =
      !text.empty() && text.size() <= kMostName &&
      std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter_or_digit(c) || std::string_view("_-.+").find(c) != std::string_view::npos;
      });
  if (fits) return {};
  if (text.empty()) return refuse(what, "is empty: give a name");
  return refuse(what, "is no name: use 1 to 64 letters, digits, '_', '-', '.' or '+'");
}

}  // namespace warpmind::knowledge_base
