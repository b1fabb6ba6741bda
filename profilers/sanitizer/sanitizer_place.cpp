#include "base/text.h"
#include "profilers/sanitizer/sanitizer_report.h"

namespace warpmind::profilers {
namespace {

constexpr std::string_view kOffsetMark = "+0x";
constexpr std::string_view kIn = " in ";
constexpr std::size_t kLongestName = 200;

int number_in(std::string_view digits) {
  return std::max(parse_number<int>(digits).value_or(0), 0);
}

/// "void a::f<(int)2>(float *)" -> "a::f".
std::string name_of_function(std::string_view declaration) {
  declaration = trim_text(declaration, " \t\r");
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::size_t from = 0;
  const std::size_t anonymous = declaration.find(kAnonymous);
  if (anonymous != std::string_view::npos) from = anonymous + kAnonymous.size();
  const std::size_t end = declaration.find_first_of("(<", from);
  std::string_view name = trim_text(declaration.substr(0, end), " \t\r");
  const std::size_t space = name.rfind(' ');
  if (space != std::string_view::npos && anonymous == std::string_view::npos) {
    name.remove_prefix(space + 1);
  }
  return std::string(name.substr(0, kLongestName));
}

/// "dir/k.cu:6".
void read_file_and_line(std::string_view text, SanitizerPlace& place) {
  text = trim_text(text, " \t\r");
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
  text = trim_text(text, " \t\r");
  if (text.starts_with("0x")) {
    const std::size_t in = text.find(kIn);
    return in == std::string_view::npos
               ? SanitizerPlace{}
               : read_old_form(trim_text(text.substr(in + kIn.size()), " \t\r"));
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
