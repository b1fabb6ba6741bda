#pragma once
/// \file
/// One integer, bool or pointer of a thread, with the arithmetic of CUDA C++. What is not known
/// (data, floating point) is a value too and spoils what is computed from it.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace warpmind::agents::builtin {

struct ValueType {
  enum class Kind : std::uint8_t { other, boolean, integer, pointer };
  Kind kind = Kind::other;  ///< other: floating, a struct, a name that is not known
  bool is_signed = true;
  std::uint32_t bytes = 0;  ///< of the integer, or of what the pointer points to; 0 = not known

  [[nodiscard]] bool is_pointer() const { return kind == Kind::pointer; }
  bool operator==(const ValueType&) const = default;
};

/// Names that stand for other types: `using T = float;`.
using TypeAliases = std::map<std::string, std::string, std::less<>>;

/// The type that `text` names, marks included: "const unsigned int *".
[[nodiscard]] ValueType value_type(std::string_view text, const TypeAliases& aliases = {});
/// Bytes of one object of that type; 0 when it is not known.
[[nodiscard]] std::uint32_t bytes_of_type(std::string_view text, const TypeAliases& aliases = {});
/// Of an arithmetic or 16-bit floating type by its CUDA name; 0 for all others (vectors, pointers,
/// references, void).
[[nodiscard]] std::uint32_t bytes_of_scalar(std::string_view text);

/// A pointer is a made-up address: the number of its buffer above `kBufferShift`, bytes below.
/// Buffers are aligned to far more than any vector load needs.
struct Value {
  static constexpr int kBufferShift = 44;

  ValueType type;
  std::int64_t number = 0;
  bool known = false;

  [[nodiscard]] static Value unknown(ValueType type = {}) { return {type, 0, false}; }
  [[nodiscard]] static Value exactly(std::int64_t number, ValueType type) {
    return {type, number, true};
  }
  [[nodiscard]] static Value of_int(std::int64_t number);
  [[nodiscard]] static Value of_unsigned(std::int64_t number);
  /// The start of buffer `number`, from 1.
  [[nodiscard]] static Value buffer(std::int64_t number, std::uint32_t element_bytes);

  [[nodiscard]] bool is_true() const { return known && number != 0; }
  [[nodiscard]] bool is_false() const { return known && number == 0; }
  /// Of a pointer: the buffer that it points into, and how many elements from its start.
  [[nodiscard]] std::int64_t buffer_number() const;
  [[nodiscard]] std::int64_t elements() const;
};

/// As an assignment or a cast to `type` converts. Unknown when it would not fit a signed type.
[[nodiscard]] Value converted(Value value, ValueType type);
/// `left op right` after the usual arithmetic conversions; signed overflow and division by zero are
/// unknown. `&&` and `||` are the caller's.
[[nodiscard]] Value combined(std::string_view op, Value left, Value right);
/// `-`, `+`, `!`, `~`.
[[nodiscard]] Value applied(std::string_view op, Value value);
/// "0x10u", "1'000", "-2", "'a'"; floating literals are unknown.
[[nodiscard]] Value literal_value(std::string_view text);

}  // namespace warpmind::agents::builtin
