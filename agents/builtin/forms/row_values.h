#pragma once
/// \file
/// What the threads of a kernel compute, as expressions without statements: equal expressions are
/// one value, so two threads (or two loops) that compute the same are seen to do so.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpmind::agents::builtin {

using RowValueId = std::size_t;
using LaneSet = std::bitset<1024>;

struct RowValue {
  enum class Kind : std::uint8_t {
    number,        ///< a known integer
    name,          ///< as written: a parameter, a macro, a literal with a point
    index,         ///< of the row: "block_x"
    term,          ///< of a loop over terms; `number` is its level, the outermost is 0
    carried,       ///< what a loop has found so far; `number` says which
    total,         ///< what it has found in the end
    partial,       ///< what some lanes have found
    operation,     ///< `text` is the operator; one or two parts
    choice,        ///< three parts
    call,          ///< of a function without side effects
    cast,          ///< to `type`
    array,         ///< in shared or private memory
    place,         ///< a pointer: what it starts from, and elements behind that
    pointer_cast,  ///< of a place, to `type`
    load,          ///< of a place: its two parts; `text` is the parameter that it comes from
    field,         ///< `text` of a struct
    vector,        ///< of its fields
    unset,         ///< of a variable that has no value yet
    broken         ///< not known
  };
  Kind kind = Kind::broken;
  std::string text;
  std::string type;  ///< C++; empty: not known
  std::vector<RowValueId> parts;
  std::int64_t number = 0;
  LaneSet lanes;             ///< of a partial
  bool has_term = false;     ///< depends on the term
  bool has_carried = false;  ///< depends on what a loop has found so far
  bool is_spoiled = false;   ///< is made of something broken or partial
};

/// "unsigned" for "const unsigned int"; other names as they are, without const.
[[nodiscard]] std::string plain_type(std::string_view type);
[[nodiscard]] bool is_whole_type(std::string_view type);

class RowValues {
 public:
  [[nodiscard]] const RowValue& at(RowValueId id) const { return values_[id]; }
  [[nodiscard]] std::size_t count() const { return values_.size(); }

  RowValueId number(std::int64_t number, std::string_view type);
  RowValueId leaf(RowValue::Kind kind, std::string_view text, std::string_view type,
                  std::int64_t number = 0);
  RowValueId partial(std::int64_t reduction, const LaneSet& lanes, std::string_view type);
  /// Integers are computed where they are known.
  RowValueId operation(std::string_view op, RowValueId left, RowValueId right);
  RowValueId applied(std::string_view op, RowValueId value);
  RowValueId choice(RowValueId condition, RowValueId yes, RowValueId no);
  RowValueId cast(std::string_view type, RowValueId value);
  RowValueId call(std::string_view name, std::vector<RowValueId> arguments, std::string_view type);
  RowValueId place(RowValueId base, RowValueId index, std::string_view type);
  RowValueId pointer_cast(RowValueId place, std::string_view type);
  RowValueId load(std::string_view root, RowValueId base, RowValueId index, std::string_view type);
  RowValueId field(RowValueId value, std::string_view name);
  RowValueId vector(std::string_view type, std::vector<RowValueId> fields);
  RowValueId broken();

  [[nodiscard]] std::optional<std::int64_t> known(RowValueId id) const;
  /// `to - from`, where their shapes say it.
  [[nodiscard]] std::optional<std::int64_t> distance(RowValueId from, RowValueId to) const;
  /// Change from one term to the next; nullopt: not always the same number.
  [[nodiscard]] std::optional<std::int64_t> step(RowValueId id, std::int64_t level) const;
  /// Whether the change from one term to the next is always the same, known or not.
  [[nodiscard]] bool is_even(RowValueId id, std::int64_t level) const;
  [[nodiscard]] bool depends_on_term(RowValueId id, std::int64_t level) const;

 private:
  RowValueId keep(RowValue value);
  [[nodiscard]] std::optional<RowValueId> simpler(std::string_view op, RowValueId left,
                                                  RowValueId right);
  [[nodiscard]] std::optional<RowValueId> of_lanes(std::string_view op, RowValueId left,
                                                   std::int64_t right);
  [[nodiscard]] std::optional<RowValueId> rejoined(RowValueId left, RowValueId right);
  [[nodiscard]] std::vector<RowValueId> factors(RowValueId id) const;
  [[nodiscard]] RowValueId without_casts(RowValueId id) const;

  std::deque<RowValue> values_;  ///< references stay valid
  std::unordered_map<std::string, RowValueId> known_;
};

}  // namespace warpmind::agents::builtin
