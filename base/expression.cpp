#include "base/expression.h"

#include <cctype>
#include <limits>

namespace warpmind {
namespace {

constexpr int kDepthLimit = 64;  // deeper nesting is no shape, and would threaten the stack

/// Recursive descent over one expression; holds the position for error columns.
class Parser {
 public:
  Parser(std::string_view text, const Sizes& sizes) : text_(text), sizes_(sizes) {}

  Result<std::int64_t> run() {
    WARPMIND_TRY(const std::int64_t value, sum());
    skip_space();
    if (at_ != text_.size()) return error("unexpected '" + std::string(1, text_[at_]) + "'");
    return value;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(const std::string& cause) const {
    return fail(Errc::invalid_argument, "expression '" + std::string(text_) + "', column " +
                                            std::to_string(at_ + 1) + ": " + cause);
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<std::int64_t> apply(char op, std::int64_t a, std::int64_t b) const {
    std::int64_t out = 0;
    bool overflow = false;
    switch (op) {
      case '+': overflow = __builtin_add_overflow(a, b, &out); break;
      case '-': overflow = __builtin_sub_overflow(a, b, &out); break;
      case '*': overflow = __builtin_mul_overflow(a, b, &out); break;
      default:
        if (b == 0) return error("division by zero");
        if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return error("overflow");
        return op == '/' ? a / b : a % b;
    }
    if (overflow) return error("overflow of a 64-bit integer");
    return out;
  }

  Result<std::int64_t> sum() {
    if (++depth_ > kDepthLimit) return error("nested too deeply");
    WARPMIND_TRY(std::int64_t value, product());
    while (true) {
      const char op = take('+') ? '+' : take('-') ? '-' : '\0';
      if (op == '\0') break;
      WARPMIND_TRY(const std::int64_t right, product());
      WARPMIND_TRY(value, apply(op, value, right));
    }
    --depth_;
    return value;
  }

  Result<std::int64_t> product() {
    WARPMIND_TRY(std::int64_t value, unary());
    while (true) {
      const char op = take('*') ? '*' : take('/') ? '/' : take('%') ? '%' : '\0';
      if (op == '\0') return value;
      WARPMIND_TRY(const std::int64_t right, unary());
      WARPMIND_TRY(value, apply(op, value, right));
    }
  }

  Result<std::int64_t> unary() {
    bool negative = false;
    while (take('-')) negative = !negative;
    WARPMIND_TRY(const std::int64_t value, primary());
    if (!negative) return value;
    return apply('-', 0, value);
  }

  Result<std::int64_t> primary() {
    skip_space();
    if (at_ >= text_.size()) return error("the expression ends too early");
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return name_or_call();
    if (take('(')) {
      WARPMIND_TRY(const std::int64_t value, sum());
      if (!take(')')) return error("')' is missing");
      return value;
    }
    return error("unexpected '" + std::string(1, c) + "'");
  }

  Result<std::int64_t> number() {
    std::int64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        return error("number too large");
      }
      ++at_;
    }
    return value;
  }

  Result<std::int64_t> name_or_call() {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    const auto name = text_.substr(start, at_ - start);
    if (take('(')) return call(name);
    const auto found = sizes_.find(name);
    if (found != sizes_.end()) return found->second;
    std::string known;
    for (const auto& [size, value] : sizes_) known += (known.empty() ? "" : ", ") + size;
    at_ = start;
    return error("unknown size '" + std::string(name) +
                 "'; known: " + (known.empty() ? "none" : known));
  }

  Result<std::int64_t> call(std::string_view name) {
    std::vector<std::int64_t> arguments;
    do {
      WARPMIND_TRY(const std::int64_t value, sum());
      arguments.push_back(value);
    } while (take(','));
    if (!take(')')) return error("')' is missing");
    if (name == "next_pow2" && arguments.size() == 1) {
      std::int64_t power = 1;
      while (power < arguments[0]) {
        if (power > std::numeric_limits<std::int64_t>::max() / 2) return error("overflow");
        power *= 2;
      }
      return power;
    }
    if (arguments.size() == 2) {
      if (name == "min") return std::min(arguments[0], arguments[1]);
      if (name == "max") return std::max(arguments[0], arguments[1]);
      if (name == "ceil_div") return ceil_div(arguments[0], arguments[1]);
    }
    return error("no function " + std::string(name) + " with " + std::to_string(arguments.size()) +
                 " arguments; known: ceil_div(a,b), min(a,b), max(a,b), next_pow2(a)");
  }

  Result<std::int64_t> ceil_div(std::int64_t a, std::int64_t b) const {
    if (a < 0 || b < 0) return error("ceil_div of a negative number");
    WARPMIND_TRY(const std::int64_t quotient, apply('/', a, b));
    return a % b == 0 ? quotient : quotient + 1;
  }

  std::string_view text_;
  const Sizes& sizes_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<std::int64_t> evaluate(std::string_view text, const Sizes& sizes) {
  return Parser(text, sizes).run();
}

Result<std::int64_t> evaluate_positive(std::string_view text, const Sizes& sizes,
                                       std::int64_t upper) {
  WARPMIND_TRY(const std::int64_t value, evaluate(text, sizes));
  if (value < 1 || value > upper) {
    return fail(Errc::invalid_argument, "expression '" + std::string(text) + "' gives " +
                                            std::to_string(value) + ", outside 1 to " +
                                            std::to_string(upper));
  }
  return value;
}

Result<std::int64_t> evaluate_product(const std::vector<std::string>& extents, const Sizes& sizes) {
  std::int64_t product = 1;
  for (const auto& extent : extents) {
    WARPMIND_TRY(const std::int64_t value, evaluate(extent, sizes));
    if (value < 0) {
      return fail(Errc::invalid_argument,
                  "extent '" + extent + "' is negative: " + std::to_string(value));
    }
    if (__builtin_mul_overflow(product, value, &product)) {
      return fail(Errc::invalid_argument, "extents ending in '" + extent + "' overflow 64 bits");
    }
  }
  return product;
}

}  // namespace warpmind
