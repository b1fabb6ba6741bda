// Light stemming: a few suffixes whose loss seldom joins words that mean different things.
#include "knowledge_base/retrieval/text_analysis.h"

#include "base/text.h"
#include "knowledge_base/retrieval/text_concepts.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace warpmind::knowledge_base {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Bytes of the letter of another script that starts `text`; 0 for anything else: ASCII, Latin-1
/// signs, general punctuation, arrows and symbols (U+2000 … U+2BFF), what is no UTF-8.
std::size_t foreign_letter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead >= 0xF0U && lead <= 0xF4U  ? 4
                            : lead >= 0xE0U && lead < 0xF0U ? 3
                            : lead >= 0xC3U && lead < 0xE0U ? 2
                                                            : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_utf8_continuation(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool sign =
      (lead == 0xC3U && (second == 0x97U || second == 0xB7U)) || (lead == 0xE2U && second <= 0xAFU);
  return sign ? 0 : bytes;
}

/// Bytes of the word that starts `text`; 0 where none starts.
std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    if (is_lower(c) || is_upper(c) || is_digit(c) || c == '_') {
      ++length;
      continue;
    }
    const std::size_t foreign = foreign_letter(text.substr(length));
    if (foreign == 0) break;
    length += foreign;
  }
  return length;
}

constexpr std::size_t kLongestWord = 64;  ///< bytes; longer ones are data, nobody looks for them

/// Calls `take(word)` for each word of `text` as it is written, without outer underscores, until
/// it returns false.
template <class Take>
void for_each_word(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t length = word_length(text);
    std::string_view word = text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
    while (word.starts_with('_')) word.remove_prefix(1);
    while (word.ends_with('_')) word.remove_suffix(1);
    if (word.empty() || word.size() > kLongestWord) continue;
    if (!take(word)) return;
  }
}

enum class CharacterClass { lower, upper, digit, underscore };
CharacterClass class_of(char c) {
  if (c == '_') return CharacterClass::underscore;
  if (is_upper(c)) return CharacterClass::upper;
  return is_digit(c) ? CharacterClass::digit : CharacterClass::lower;
}

/// "mySharedTile2D" → my, Shared, Tile, 2, D; "HTTPServer" → HTTP, Server.
std::vector<std::string_view> parts_of(std::string_view word) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= word.size(); ++i) {
    bool ends = i == word.size();
    if (!ends) {
      const auto before = class_of(word[i - 1]);
      const auto here = class_of(word[i]);
      const bool last_capital = before == CharacterClass::upper && here == CharacterClass::upper &&
                                i + 1 < word.size() && is_lower(word[i + 1]);
      const bool capitalised = before == CharacterClass::upper && here == CharacterClass::lower;
      ends = last_capital || (before != here && !capitalised);
    }
    if (!ends) continue;
    const std::string_view part = word.substr(begin, i - begin);
    if (class_of(part.front()) != CharacterClass::underscore) parts.push_back(part);
    begin = i;
  }
  return parts;
}

constexpr auto kStopWords = std::to_array<std::string_view>(
    {"a",     "about", "after", "all",    "also",  "an",     "and",   "any",   "are",  "as",
     "at",    "be",    "been",  "before", "being", "both",   "but",   "by",    "can",  "could",
     "do",    "does",  "for",   "from",   "had",   "has",    "have",  "here",  "how",  "i",
     "if",    "in",    "into",  "is",     "it",    "its",    "may",   "might", "more", "most",
     "much",  "must",  "my",    "no",     "nor",   "not",    "of",    "on",    "only", "or",
     "our",   "out",   "over",  "own",    "s",     "should", "so",    "some",  "such", "t",
     "than",  "that",  "the",   "their",  "them",  "then",   "there", "these", "they", "this",
     "those", "to",    "too",   "very",   "was",   "we",     "were",  "what",  "when", "where",
     "which", "while", "who",   "why",    "will",  "with",   "would", "you",   "your"});
static_assert(std::is_sorted(kStopWords.begin(), kStopWords.end()));

bool is_stop_word(std::string_view word) {
  return std::binary_search(kStopWords.begin(), kStopWords.end(), word);
}

/// Phrases that name something.
struct Concepts {
  std::map<std::string, std::string_view, std::less<>> by_phrase;  ///< stems, joined by spaces
  std::unordered_set<std::string> last_stems;  ///< of the phrases: most words end none of them
};

Concepts make_concepts() {
  Concepts concepts;
  for (const auto& [name, phrase] : kConceptPhrases) {
    std::string key;
    std::string last;
    for_each_word(phrase, [&](std::string_view word) {
      last = stem_of(word);
      key += (key.empty() ? "" : " ") + last;
      return true;
    });
    concepts.by_phrase.emplace(std::move(key), name);
    concepts.last_stems.insert(std::move(last));
  }
  return concepts;
}

/// Tokens of one text, with the last stems, of which phrases are made.
class TokenList {
 public:
  [[nodiscard]] bool full() const { return tokens_.size() >= kMostTokens; }

  void add(std::string token) {
    if (!full() && !token.empty()) tokens_.push_back(std::move(token));
  }
  /// A word of prose, or a part of an identifier: its stem, and the concepts that end with it.
  void add_word(std::string_view word) {
    std::string stem = stem_of(word);
    if (recent_.size() == kLongestPhrase) recent_.erase(recent_.begin());
    recent_.push_back(stem);
    if (!is_stop_word(word)) add(std::move(stem));
    add_concepts();
  }
  /// An identifier of several parts.
  void add_identifier(std::string_view whole, const std::vector<std::string_view>& parts) {
    std::string name = lower_case(whole);
    const auto found = concepts().by_phrase.find(name);
    add(std::move(name));
    if (found != concepts().by_phrase.end()) add(std::string(found->second));
    for (const auto part : parts) {
      const bool single_letter = part.size() == 1 && !is_digit(part.front());
      if (!single_letter) add_word(lower_case(part));
    }
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(tokens_); }

 private:
  static const Concepts& concepts() {
    static const Concepts table = make_concepts();
    return table;
  }

  void add_concepts() {
    if (!concepts().last_stems.contains(recent_.back())) return;
    std::string phrase;
    for (std::size_t i = recent_.size(); i-- > 0;) {
      if (!phrase.empty()) phrase.insert(0, 1, ' ');
      phrase.insert(0, recent_[i]);
      const auto found = concepts().by_phrase.find(phrase);
      if (found != concepts().by_phrase.end() && found->second != phrase)
        add(std::string(found->second));
    }
  }

  std::vector<std::string> tokens_;
  std::vector<std::string> recent_;
};

}  // namespace

std::vector<std::string> analyse(std::string_view text) {
  TokenList tokens;
  for_each_word(text, [&tokens](std::string_view word) {
    const auto parts = parts_of(word);
    if (parts.size() > 1) {
      tokens.add_identifier(word, parts);
    } else {
      tokens.add_word(lower_case(word));
    }
    return !tokens.full();
  });
  return tokens.take();
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&words](std::string_view word) {
    words.push_back(lower_case(word));
    return words.size() < kMostTokens;
  });
  return words;
}

namespace {

constexpr std::size_t kShortestWord = 4;  ///< shorter ones are left alone
constexpr std::size_t kShortestStem = 3;

bool is_vowel(char c) {
  return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

bool has_vowel(std::string_view word) { return std::any_of(word.begin(), word.end(), is_vowel); }

/// Whether `word` can lose `suffix` and stay a word.
bool can_lose(std::string_view word, std::string_view suffix, std::size_t left = kShortestStem) {
  return word.ends_with(suffix) && word.size() >= suffix.size() + left &&
         has_vowel(word.substr(0, word.size() - suffix.size()));
}

void cut(std::string& word, std::size_t count) { word.resize(word.size() - count); }

void drop_plural(std::string& word) {
  if (word.ends_with("ies") && word.size() > 4) {
    cut(word, 3);
    word += 'y';
  } else if (word.ends_with("sses") || word.ends_with("shes") || word.ends_with("ches") ||
             word.ends_with("xes")) {
    cut(word, 2);
  } else if (word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") &&
             !word.ends_with("is")) {
    cut(word, 1);
  }
}

/// "mapp" → "map"; "spill", "pass" and "fuzz" stay.
void undouble(std::string& word) {
  const std::size_t size = word.size();
  if (size <= kShortestStem || word[size - 1] != word[size - 2]) return;
  const char last = word.back();
  if (!is_vowel(last) && last != 'l' && last != 's' && last != 'z') word.pop_back();
}

void drop_verb_ending(std::string& word) {
  if (can_lose(word, "ing")) {
    cut(word, 3);
    undouble(word);
  } else if (can_lose(word, "ed") && !word.ends_with("eed")) {
    cut(word, 2);
    undouble(word);
  } else if (can_lose(word, "e")) {
    cut(word, 1);
  }
}

void drop_noun_ending(std::string& word) {
  if (can_lose(word, "isation") || can_lose(word, "ization")) {
    cut(word, 7);
    word += "iz";
  } else if (can_lose(word, "ation", 4)) {
    cut(word, 3);  // "saturation" meets "saturate" at "saturat"
  } else if (can_lose(word, "uction", 1)) {
    cut(word, 4);  // "reduction" meets "reduce" at "reduc"
  } else if (can_lose(word, "ly", 4)) {
    cut(word, 2);
  }
}

/// British spelling: "vectoris" → "vectoriz". Shorter words end in -is for other reasons.
void respell(std::string& word) {
  constexpr std::size_t kShortest = 7;
  if (word.size() >= kShortest && word.ends_with("is")) word.back() = 'z';
}

}  // namespace

std::string stem_of(std::string_view word) {
  std::string stem(word);
  const bool letters =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!letters || word.size() < kShortestWord) return stem;
  drop_plural(stem);
  drop_noun_ending(stem);
  if (stem.size() >= kShortestWord) drop_verb_ending(stem);
  respell(stem);
  return stem;
}

}  // namespace warpmind::knowledge_base
