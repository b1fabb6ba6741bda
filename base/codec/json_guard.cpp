#include "base/codec/json_guard.h"

namespace warpmind::codec {
namespace {

using nlohmann::json;

/// Walks the events of a text without building it; stops at the first excess.
class LimitSax final : public nlohmann::json_sax<json> {
 public:
  explicit LimitSax(JsonLimits limits) : limits_(limits) {}

  bool null() override { return node(); }
  bool boolean(bool /*value*/) override { return node(); }
  bool number_integer(number_integer_t /*value*/) override { return node(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return node(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return node(); }
  bool string(string_t& /*value*/) override { return node(); }
  bool binary(binary_t& /*value*/) override { return node(); }
  bool key(string_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return open(); }
  bool start_array(std::size_t /*elements*/) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    problem_ = "invalid JSON at byte " + std::to_string(position);
    return false;
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  bool node() {
    if (++nodes_ <= limits_.nodes) return true;
    problem_ = "more than " + std::to_string(limits_.nodes) + " JSON values";
    return false;
  }
  bool open() {
    if (++depth_ <= limits_.depth) return node();
    problem_ = "JSON nested deeper than " + std::to_string(limits_.depth) + " levels";
    return false;
  }
  bool close() {
    --depth_;
    return true;
  }

  JsonLimits limits_;
  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
  std::string problem_;
};

/// True when a look at the bytes alone shows that `text` cannot be over the limits: brackets
/// outside of strings bound the depth, brackets and commas the values. Up to the first error of an
/// invalid text this holds as well, and the parser goes no further.
bool surely_within(std::string_view text, JsonLimits limits) {
  std::size_t depth = 0;
  std::size_t nodes = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    switch (c) {
      case '"': in_string = true; break;
      case '[':
      case '{':
        if (++depth > limits.depth) return false;
        ++nodes;
        break;
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case ',': ++nodes; break;
      default: break;
    }
    if (nodes > limits.nodes) return false;
  }
  return true;
}

Result<void> check_limits(std::string_view text, JsonLimits limits) {
  LimitSax guard(limits);
  if (json::sax_parse(text, &guard)) return {};
  return fail(Errc::corrupt_data, guard.problem().empty() ? "invalid JSON" : guard.problem());
}

}  // namespace

Result<json> parse_json(std::string_view text, JsonLimits limits) {
  // The exact walk costs as much as the parse: it is for texts that might be over, and for errors.
  if (!surely_within(text, limits)) WARPMIND_CHECK(check_limits(text, limits));
  json value = json::parse(text, nullptr, false);
  if (!value.is_discarded()) return value;
  WARPMIND_CHECK(check_limits(text, limits));
  return fail(Errc::corrupt_data, "invalid JSON");
}

std::string dump_json(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace warpmind::codec
