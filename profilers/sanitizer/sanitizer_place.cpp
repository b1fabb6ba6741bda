#include "profilers/sanitizer/sanitizer_report.h"

#include <algorithm>
#include <charconv>

namespace warpmind::profilers {
namespace {

constexpr std::string_view kOffsetMark = "+0x";
constexpr std::string_view kIn = " in ";
constexpr std::size_t kLongestName = 200;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

int number_in(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size() && value > 0 ? value : 0;
}

/// "void a::f<(int)2>(float *)" -> "a::f".
std::string name_of_function(std::string_view declaration) {
  declaration = trimmed(declaration);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::size_t from = 0;
  const std::size_t anonymous = declaration.find(kAnonymous);
  if (anonymous != std::string_view::npos) from = anonymous + kAnonymous.size();
  const std::size_t end = declaration.find_first_of("(<", from);
  std::string_view name = trimmed(declaration.substr(0, end));
  const std::size_t space = name.rfind(' ');
  if (space != std::string_view::npos && anonymous == std::string_view::npos) {
    name.remove_prefix(space + 1);
  }
  return std::string(name.substr(0, kLongestName));
}

/// "dir/k.cu:6".
void read_file_and_line(std::string_view text, SanitizerPlace& place) {
  text = trimmed(text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return;
  place.line = number_in(text.substr(colon + 1));
  if (place.line > 0) place.file = std::string(text.substr(0, colon));
}

/// "k.cu:6:f(int *)", or "f(int *)" where there is no line information.
SanitizerPlace read_old_form(std::string_view text) {
  SanitizerPlace place;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const std::size_t next = text.find(':', colon + 1);
    if (next == std::string_view::npos) break;
    place.line = number_in(text.substr(colon + 1, next - colon - 1));
    if (place.line == 0) continue;
    place.file = std::string(text.substr(0, colon));
    place.function = name_of_function(text.substr(next + 1));
    return place;
  }
  place.function = name_of_function(text);
  return place;
}

}  // namespace

SanitizerPlace parse_sanitizer_place(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("0x")) {
    const std::size_t in = text.find(kIn);
    return in == std::string_view::npos ? SanitizerPlace{}
                                        : read_old_form(trimmed(text.substr(in + kIn.size())));
  }
  SanitizerPlace place;
  const std::size_t offset = text.rfind(kOffsetMark);
  if (offset == std::string_view::npos) {
    if (text.find('(') != std::string_view::npos) return read_old_form(text);
    return place;
  }
  place.function = name_of_function(text.substr(0, offset));
  const std::size_t in = text.find(kIn, offset);
  if (in != std::string_view::npos) read_file_and_line(text.substr(in + kIn.size()), place);
  return place;
}

}  // namespace warpmind::profilers
