#include "agents/search/kernel_key.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace warpmind::agents {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// Writes text with single blanks and without empty lines.
class Compactor {
 public:
  void put(char c) {
    if (c == '\n') {
      blank_ = false;
      if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    } else if (is_blank(c)) {
      blank_ = !text_.empty() && text_.back() != '\n';
    } else {
      if (blank_) text_ += ' ';
      blank_ = false;
      text_ += c;
    }
  }
  /// As it stands, blanks too.
  void put_literal(std::string_view literal) {
    if (blank_) text_ += ' ';
    blank_ = false;
    text_ += literal;
  }
  [[nodiscard]] std::string take() {
    if (!text_.empty() && text_.back() == '\n') text_.pop_back();
    return std::move(text_);
  }

 private:
  std::string text_;
  bool blank_ = false;  ///< one is owed
};

/// One past the closing quote of the literal that starts at `at`, at most the end of its line.
std::size_t end_of_literal(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (std::size_t i = at + 1; i < source.size(); ++i) {
    if (source[i] == '\\') {
      ++i;
    } else if (source[i] == quote) {
      return i + 1;
    } else if (source[i] == '\n') {
      return i;
    }
  }
  return source.size();
}

bool starts_literal(std::string_view source, std::size_t at) {
  if (source[at] == '"') return true;
  if (source[at] != '\'') return false;
  // 1'000 is a digit separator.
  return at == 0 || std::isalnum(static_cast<unsigned char>(source[at - 1])) == 0;
}

}  // namespace

std::string without_layout(std::string_view source) {
  Compactor compact;
  for (std::size_t at = 0; at < source.size();) {
    const auto rest = source.substr(at);
    if (rest.starts_with("//")) {
      at = std::min(source.find('\n', at), source.size());
    } else if (rest.starts_with("/*")) {
      const auto end = source.find("*/", at + 2);
      at = end == std::string_view::npos ? source.size() : end + 2;
      compact.put(' ');
    } else if (starts_literal(source, at)) {
      const std::size_t end = end_of_literal(source, at);
      compact.put_literal(source.substr(at, end - at));
      at = end;
    } else {
      compact.put(source[at++]);
    }
  }
  return compact.take();
}

std::string kernel_key(const Kernel& kernel) {
  Kernel plain = kernel;
  plain.source = without_layout(kernel.source);
  return id_of(plain).str();
}

std::string machine_code_key(const Kernel& kernel, const std::string& machine_code) {
  Kernel plain = kernel;
  plain.source = machine_code;
  plain.build_flags.clear();
  return id_of(plain).str();
}

}  // namespace warpmind::agents
