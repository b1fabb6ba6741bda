#include "agents/search/kernel_key.h"

#include "syntax/lexer.h"

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
  void put_code(std::string_view code) {
    if (blank_) text_ += ' ';
    blank_ = false;
    text_ += code;
  }
  [[nodiscard]] std::string take() {
    if (!text_.empty() && text_.back() == '\n') text_.pop_back();
    return std::move(text_);
  }

 private:
  std::string text_;
  bool blank_ = false;  ///< one is owed
};

}  // namespace

std::string without_layout(std::string_view source) {
  Compactor compact;
  syntax::Lexer lexer(source);
  while (const auto lexeme = lexer.next()) {
    if (lexeme->is_comment()) {
      compact.put(' ');
    } else if (lexeme->is_code()) {
      compact.put_code(lexeme->text);
    } else {
      for (const char c : lexeme->text) compact.put(c);
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
