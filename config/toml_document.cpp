#include "config/toml_document.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include <toml++/toml.h>

namespace warpmind::config {
namespace {

/// Of brackets and of the parts of keys, in one line. toml++ bounds the nesting of values alone; it
/// makes a table for each part of a key, and all of them are read and freed by recursion.
constexpr std::size_t kMostDepth = 64;

/// Looks at a text before it is parsed. Beyond the first syntax error its answer means nothing, and
/// the parser goes no further either.
class DepthGuard {
 public:
  explicit DepthGuard(std::string_view text) : text_(text) {}

  /// Where the text is nested too deeply first.
  std::optional<TomlPlace> find_excess() {
    for (; at_ < text_.size(); ++at_) {
      look(text_[at_]);
      if (depth_ > kMostDepth) return place();
    }
    return std::nullopt;
  }

 private:
  void look(char c) {
    switch (c) {
      case '"':
      case '\'': skip_string(c); break;
      case '#': at_ = std::min(text_.find('\n', at_), text_.size()) - 1; break;
      case '[':
      case '{':
        parts_.push_back(0);
        ++depth_;
        break;
      case ']':
      case '}': close(); break;
      case ',':
      case '\n':  // no key goes on in the next line
        depth_ -= parts_.back();
        parts_.back() = 0;
        break;
      case '.':
        ++parts_.back();
        ++depth_;
        break;
      default: break;
    }
  }
  void close() {
    if (parts_.size() == 1) return;
    depth_ -= parts_.back() + 1;
    parts_.pop_back();
  }
  /// From its first quote to its last; to the end of the line, if it has none before.
  void skip_string(char quote) {
    const std::string fence(3, quote);
    const bool is_long = text_.substr(at_, 3) == fence;
    for (at_ += is_long ? 3 : 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (!is_long && (text_[at_] == quote || text_[at_] == '\n')) {
        return;
      } else if (is_long && text_.substr(at_, 3) == fence) {
        at_ += 2;
        // Its last characters may be quotes, too.
        for (int more = 0; more < 2 && text_.substr(at_ + 1, 1) == fence.substr(2); ++more) ++at_;
        return;
      }
    }
  }
  [[nodiscard]] TomlPlace place() const {
    const std::string_view before = text_.substr(0, at_);
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 = 0
    const auto lines = std::count(before.begin(), before.end(), '\n');
    return {static_cast<std::uint32_t>(lines + 1),
            static_cast<std::uint32_t>(at_ - line_start + 1)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::vector<std::size_t> parts_{0};  ///< dots in the key that is read, in each open bracket
};

TomlPlace place_of(const toml::source_region& source) {
  return {static_cast<std::uint32_t>(source.begin.line),
          static_cast<std::uint32_t>(source.begin.column)};
}

/// Depth is bounded by DepthGuard.
Result<TomlValue> converted(const toml::node& node, std::string_view file) {
  TomlValue out;
  out.place = place_of(node.source());
  if (const auto* table = node.as_table()) {
    TomlValue::Table entries;
    for (const auto& [key, child] : *table) {
      WARPMIND_TRY(TomlValue value, converted(child, file));
      entries.push_back({std::string(key.str()), place_of(key.source()), std::move(value)});
    }
    std::sort(entries.begin(), entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
      return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    out.value = std::move(entries);
  } else if (const auto* array = node.as_array()) {
    TomlValue::Array elements;
    for (const auto& child : *array) {
      WARPMIND_TRY(TomlValue value, converted(child, file));
      elements.push_back(std::move(value));
    }
    out.value = std::move(elements);
  } else if (const auto* text = node.as_string()) {
    out.value = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.value = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    out.value = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.value = boolean->get();
  } else {
    return fail(Errc::invalid_argument,
                at_place(file, out.place, "dates and times have no meaning here; quote the text"));
  }
  return out;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  const auto* table = get<Table>();
  if (table == nullptr) return nullptr;
  const auto found = std::find_if(table->begin(), table->end(),
                                  [&](const auto& entry) { return entry.key == key; });
  return found == table->end() ? nullptr : &found->value;
}

std::string_view TomlValue::kind() const {
  constexpr std::array<std::string_view, 6> kNames{"a boolean", "an integer", "a number",
                                                   "a string",  "an array",   "a table"};
  return kNames.at(value.index());
}

Result<TomlValue> parse_toml(std::string_view text, std::string_view file) {
  if (const auto excess = DepthGuard(text).find_excess()) {
    return fail(Errc::invalid_argument,
                at_place(file, *excess,
                         "keys and brackets are nested deeper than " + std::to_string(kMostDepth) +
                             " levels; no key of warpmind is: write it on fewer levels"));
  }
  try {
    const toml::table root = toml::parse(text);
    WARPMIND_TRY(TomlValue document, converted(root, file));
    document.place = {1, 1};
    return document;
  } catch (const toml::parse_error& error) {
    return fail(Errc::invalid_argument,
                at_place(file, place_of(error.source()), error.description()));
  }
}

std::string at_place(std::string_view file, TomlPlace place, std::string_view message) {
  std::string out(file);
  if (place.line != 0) {
    out += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  }
  return out + ": " + std::string(message);
}

}  // namespace warpmind::config
