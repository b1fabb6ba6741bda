#include "knowledge_base/insights/look_alikes.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace warpmind::knowledge_base {
namespace {

/// Neighbouring code points and what each looks like.
struct Run {
  char32_t first;
  std::string_view seen;
};

/// By code point. From Unicode's NFKD without marks, and for other scripts by their looks
/// (confusables.txt of UTS #39, as far as Latin letters and the marks of our rules go).
constexpr std::array kRuns = std::to_array<Run>(
    {{0xa0, " "},
     {0xaa, "a"},
     {0xba, "o"},
     {0xc0, "AAAAAA"},
     {0xc7, "CEEEEIIII"},
     {0xd1, "NOOOOO"},
     {0xd9, "UUUUY"},
     {0xe0, "aaaaaa"},
     {0xe7, "ceeeeiiii"},
     {0xf1, "nooooo"},
     {0xf9, "uuuuy"},
     {0xff, "yAaAaAaCcCcCcCcDd"},
     {0x112, "EeEeEeEeEeGgGgGgGgHh"},
     {0x128, "IiIiIiIiIi"},
     {0x134, "JjKk"},
     {0x139, "LlLlLl"},
     {0x143, "NnNnNn"},
     {0x14c, "OoOoOo"},
     {0x154, "RrRrRrSsSsSsSsTtTt"},
     {0x168, "UuUuUuUuUuUuWwYyYZzZzZzs"},
     {0x192, "f"},
     {0x1a0, "Oo"},
     {0x1af, "Uu"},
     {0x1c0, "|"},
     {0x1cd, "AaIiOoUuUuUuUuUu"},
     {0x1de, "AaAa"},
     {0x1e6, "GgKkOoOo"},
     {0x1f0, "j"},
     {0x1f4, "Gg"},
     {0x1f8, "NnAa"},
     {0x200, "AaAaEeEeIiIiOoOoRrRrUuUuSsTt"},
     {0x21e, "Hh"},
     {0x226, "AaEeOoOoOoOoYy"},
     {0x251, "a"},
     {0x261, "gg"},
     {0x269, "ii"},
     {0x274, "n"},
     {0x280, "r"},
     {0x28f, "y"},
     {0x299, "b"},
     {0x29c, "h"},
     {0x29f, "l"},
     {0x2b0, "h"},
     {0x2b2, "jr"},
     {0x2b7, "wy"},
     {0x2bc, "'"},
     {0x2d0, ":"},
     {0x2dc, "~"},
     {0x2e1, "lsx"},
     {0x391, "AB"},
     {0x395, "EZH"},
     {0x399, "IK"},
     {0x39c, "MN"},
     {0x39f, "O"},
     {0x3a1, "P"},
     {0x3a4, "TY"},
     {0x3a7, "X"},
     {0x3b1, "aby"},
     {0x3b5, "e"},
     {0x3b7, "n"},
     {0x3b9, "ik"},
     {0x3bd, "v"},
     {0x3bf, "o"},
     {0x3c1, "p"},
     {0x3c3, "otu"},
     {0x3c7, "x"},
     {0x3c9, "w"},
     {0x3f2, "cj"},
     {0x3f9, "C"},
     {0x401, "E"},
     {0x405, "SIIJ"},
     {0x410, "A"},
     {0x412, "B"},
     {0x415, "E"},
     {0x41a, "K"},
     {0x41c, "MHO"},
     {0x420, "PCTY"},
     {0x425, "X"},
     {0x430, "a"},
     {0x432, "br"},
     {0x435, "e"},
     {0x438, "n"},
     {0x43a, "k"},
     {0x43c, "mhonpcty"},
     {0x445, "xu"},
     {0x44c, "b"},
     {0x451, "e"},
     {0x455, "siij"},
     {0x475, "v"},
     {0x4ae, "Y"},
     {0x4bb, "h"},
     {0x4c0, "I"},
     {0x4cf, "l"},
     {0x501, "d"},
     {0x50c, "Gg"},
     {0x51a, "QqWw"},
     {0x53c, "L"},
     {0x548, "n"},
     {0x54d, "U"},
     {0x566, "q"},
     {0x570, "h"},
     {0x575, "j"},
     {0x578, "n"},
     {0x57d, "u"},
     {0x581, "g"},
     {0x585, "o"},
     {0x589, ":"},
     {0x13a0, "DRT"},
     {0x13a4, "O"},
     {0x13aa, "AJE"},
     {0x13b3, "W"},
     {0x13b7, "M"},
     {0x13bb, "H"},
     {0x13c3, "Z"},
     {0x13d9, "VS"},
     {0x13de, "LC"},
     {0x13e2, "P"},
     {0x13e6, "K"},
     {0x13f4, "B"},
     {0x1680, " "},
     {0x1d00, "a"},
     {0x1d04, "cd"},
     {0x1d07, "e"},
     {0x1d0a, "jk"},
     {0x1d0d, "m"},
     {0x1d0f, "o"},
     {0x1d18, "p"},
     {0x1d1b, "tu"},
     {0x1d20, "vwz"},
     {0x1d2c, "A"},
     {0x1d2e, "B"},
     {0x1d30, "DE"},
     {0x1d33, "GHIJKLMN"},
     {0x1d3c, "O"},
     {0x1d3e, "PRTUWa"},
     {0x1d47, "bde"},
     {0x1d4d, "g"},
     {0x1d4f, "km"},
     {0x1d52, "o"},
     {0x1d56, "ptu"},
     {0x1d5b, "v"},
     {0x1d62, "iruv"},
     {0x1d9c, "c"},
     {0x1da0, "f"},
     {0x1dbb, "z"},
     {0x1e00,
      "AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMmMmMmNnNnNnNnOoOoOoOoPpPpRrRr"
      "RrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVvWwWwWwWwWwXxXxYyZzZzZzhtwy"},
     {0x1e9b, "s"},
     {0x1ea0,
      "AaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEeEeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUuUuYyYyYyYy"},
     {0x2000, "           "},
     {0x2010, "-----"},
     {0x2018, "''"},
     {0x2024, "."},
     {0x202f, " "},
     {0x2032, "'"},
     {0x2039, "<>"},
     {0x2044, "/"},
     {0x205f, " "},
     {0x2071, "i"},
     {0x207f, "n"},
     {0x2090, "aeox"},
     {0x2095, "hklmnpst"},
     {0x2102, "C"},
     {0x210a, "gHHHh"},
     {0x2110, "IILl"},
     {0x2115, "N"},
     {0x2119, "PQRRR"},
     {0x2124, "Z"},
     {0x2128, "Z"},
     {0x212a, "KABC"},
     {0x212f, "eEF"},
     {0x2133, "Mo"},
     {0x2139, "i"},
     {0x2145, "Ddeij"},
     {0x2160, "I"},
     {0x2164, "V"},
     {0x2169, "X"},
     {0x216c, "LCDMi"},
     {0x2174, "v"},
     {0x2179, "x"},
     {0x217c, "lcdm"},
     {0x2212, "-"},
     {0x2215, "/"},
     {0x2223, "|"},
     {0x2236, ":"},
     {0x223c, "~"},
     {0x249c, "abcdefghijklmnopqrstuvwxyz"},
     {0x2502, "|"},
     {0x27e8, "<>"},
     {0x2c7c, "jV"},
     {0x3000, " "},
     {0x3002, "."},
     {0x3008, "<>"},
     {0x301c, "~"},
     {0xa730, "fs"},
     {0xa789, ":"},
     {0xa7f2, "CFQ"},
     {0x107a5, "q"}});

constexpr char kUnknown = '?';

bool is_mark(char32_t c) {
  return (c >= 0x300 && c <= 0x36f) || (c >= 0x1ab0 && c <= 0x1aff) ||
         (c >= 0x1dc0 && c <= 0x1dff) || (c >= 0x20d0 && c <= 0x20ff) ||
         (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xfe20 && c <= 0xfe2f);
}

char letter(char32_t number, char first) {
  return static_cast<char>(first + static_cast<int>(number));
}

/// Whole alphabets of the same order as ASCII; 0 = `c` is in none.
char of_an_alphabet(char32_t c) {
  if (c >= 0xff01 && c <= 0xff5e) return letter(c - 0xff01, '!');  // full width
  if (c >= 0x1d400 && c <= 0x1d6a3) {                              // mathematical
    const char32_t number = (c - 0x1d400) % 52;
    return number < 26 ? letter(number, 'A') : letter(number - 26, 'a');
  }
  if (c >= 0x1d7ce && c <= 0x1d7ff) return letter((c - 0x1d7ce) % 10, '0');
  if (c >= 0x24b6 && c <= 0x24e9) return letter((c - 0x24b6) % 26, 'a');  // circled
  if (c >= 0x1f110 && c <= 0x1f18f && (c - 0x1f110) % 32 < 26) {          // squared
    return letter((c - 0x1f110) % 32, 'a');
  }
  if (c >= 0x1f1e6 && c <= 0x1f1ff) return letter(c - 0x1f1e6, 'a');  // regional indicators
  return '\0';
}

/// Mathematical Greek as Greek.
char32_t plain_greek(char32_t c) {
  if (c < 0x1d6a8 || c > 0x1d7c9) return c;
  const char32_t number = (c - 0x1d6a8) % 58;
  if (number < 25) return 0x391 + number;
  return number >= 26 && number < 51 ? 0x3b1 + number - 26 : c;
}

char seen_as(char32_t c) {
  if (const char known = of_an_alphabet(c); known != '\0') return known;
  c = plain_greek(c);
  const auto after =
      std::upper_bound(kRuns.begin(), kRuns.end(), c,
                       [](char32_t point, const Run& run) { return point < run.first; });
  if (after == kRuns.begin()) return kUnknown;
  const Run& run = *std::prev(after);
  const std::size_t at = c - run.first;
  return at < run.seen.size() ? run.seen[at] : kUnknown;
}

}  // namespace

std::string as_seen(std::string_view text) {
  std::string seen;
  seen.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at++]);
    if (byte < 0x80U) {
      seen += static_cast<char>(byte);
      continue;
    }
    char32_t point = byte & (byte >= 0xf0U ? 0x07U : byte >= 0xe0U ? 0x0fU : 0x1fU);
    for (; at < text.size() && is_utf8_continuation(text[at]); ++at) {
      point = (point << 6U) | (static_cast<unsigned char>(text[at]) & 0x3fU);
    }
    if (!is_mark(point)) seen += seen_as(point);
  }
  return seen;
}

}  // namespace warpmind::knowledge_base
