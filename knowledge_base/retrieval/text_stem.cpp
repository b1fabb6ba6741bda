// Light stemming: a few suffixes whose loss seldom joins words that mean different things.
#include "knowledge_base/retrieval/text_analysis.h"

#include <algorithm>

namespace warpmind::knowledge_base {
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
