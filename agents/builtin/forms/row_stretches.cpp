#include "agents/builtin/forms/row_machine.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

constexpr std::string_view kDifferent = "the loop over the last terms does something else";

/// What an update takes into `atom`; false: it is taken in another way.
bool collect_taken(const RowValues& values, RowValueId id, Combining how, RowValueId atom,
                   std::vector<RowValueId>& taken) {
  if (id == atom) return true;
  const RowValue& value = values.at(id);
  const auto both = [&](RowValueId left, RowValueId right) {
    return collect_taken(values, left, how, atom, taken) &&
           collect_taken(values, right, how, atom, taken);
  };
  if (value.kind == Kind::operation && value.parts.size() == 2) {
    const bool is_sum = how == Combining::sum && value.text == "+";
    const bool is_product = how == Combining::product && value.text == "*";
    if (is_sum || is_product) return both(value.parts[0], value.parts[1]);
  }
  if (value.kind == Kind::call && value.parts.size() == 2 && combining_of_call(value.text) == how) {
    return both(value.parts[0], value.parts[1]);
  }
  if (extreme_of(values, id) == how) return both(value.parts[1], value.parts[2]);
  if (value.has_carried) return false;
  taken.push_back(id);
  return true;
}

/// What a loop makes of `atom`, what it has found so far.
struct Taking {
  RowValueId update = 0;
  RowValueId atom = 0;
};

/// Whether a step takes in what `rest` takes in at each of the places.
bool take_the_same(RowValues& values, Combining how, const Taking& step, const Taking& rest,
                   RowValueId term, const std::vector<LinearForm>& places) {
  std::vector<RowValueId> open;
  std::vector<RowValueId> taken;
  if (!collect_taken(values, without_vectors(values, step.update), how, step.atom, open) ||
      !collect_taken(values, without_vectors(values, rest.update), how, rest.atom, taken)) {
    return false;
  }
  for (const LinearForm& place : places) {
    TermComparison comparison(values, term, place);
    for (const RowValueId one : taken) {
      const auto match = std::find_if(
          open.begin(), open.end(), [&](RowValueId other) { return comparison.same(other, one); });
      if (match == open.end()) return false;
      open.erase(match);
    }
  }
  return open.empty();
}

}  // namespace

bool RowMachine::may_be_stretch() const {
  return walk_.levels.size() == 1 && !walk_.levels.front().is_inclusive &&
         values_.known(walk_.levels.front().start) == 0;
}

std::optional<std::int64_t> RowMachine::steps_continued(const Stretch& before) const {
  if (walk_.levels.size() != 1) return std::nullopt;
  const TermLevel& rest = walk_.levels.front();
  if (rest.step != 1 || rest.is_inclusive) return std::nullopt;
  const LinearForm start = linear_form(values_, rest.start);
  const LinearForm bound = linear_form(values_, before.level.bound);
  if (before.level.step > 1) {
    const bool fits =
        start == bound && is_whole_part(values_, rest.start, rest.bound, before.level.step);
    return fits ? std::optional(before.level.step) : std::nullopt;
  }
  for (const std::int64_t width : {2, 4, 8, 16}) {
    LinearForm terms;
    terms.add(bound, width);
    if (terms == start && is_whole_part(values_, rest.start, rest.bound, width)) return width;
  }
  return std::nullopt;
}

RowValueId RowMachine::own_term() const {
  return values_.leaf(Kind::term, {}, walk_.levels.front().type, 0);
}

/// Where this loop's term stands in a step of the stretch.
LinearForm RowMachine::place_in_stretch(const Stretch& before, std::int64_t width,
                                        std::int64_t which) {
  LinearForm place;
  place.factors[values_.leaf(Kind::term, {}, before.level.type, 0)] = width;
  place.constant = which;
  place.add(linear_form(values_, walk_.levels.front().start), -1);
  return place;
}

std::optional<RowValueId> RowMachine::of_whole_row(RowValueId id) {
  const TermLevel& rest = walk_.levels.front();
  const RowValueId term = own_term();
  const RowValueId number = values_.cast(rest.type, values_.operation("+", rest.start, term));
  return replaced(values_, id, {{number, term}}, term);
}

/// Two loops over parts of a row become one over the row.
void RowMachine::join(const Stretch& before, std::int64_t width, const Mask& active) {
  const TermLevel& rest = walk_.levels.front();
  const TermLevel whole{values_.number(0, rest.type), rest.bound, 1, false, rest.type};
  const std::vector<TermLevel> levels{whole};
  if (!before.is_first && !(before.must_go_on && found_.terms == levels)) {
    return refuse("its loops walk over different terms");
  }
  if (lanes_ > 1 && walk_.is_shared != before.is_shared) {
    return refuse("its loops are shared by threads in different ways");
  }
  const auto carried = walk_.carried;
  for (const Carried& one : carried) {
    if (!failed()) join_carried(before, width, one, active);
  }
  for (const RowTotal& total : found_.totals) {
    if (total.walk == before.walk) return refuse(std::string(kDifferent));
  }
  if (!failed()) join_stores(before, width, name_of(levels));
  found_.terms = levels;
  found_.guards = path_;
  has_guards_ = true;
}

void RowMachine::join_carried(const Stretch& before, std::int64_t width, const Carried& carried,
                              const Mask& active) {
  const auto update = update_of(carried, active);
  if (!update) return;
  Variable& variable = state_.frames.back().variables[carried.variable];
  variable.values = carried.before;
  if (*update == carried.atom) return;
  if (!values_.at(*update).has_carried) {
    for (std::size_t t = 0; t < lanes_; ++t) {
      if (active[t]) variable.values[t] = values_.broken();
    }
    return;
  }
  RowTotal* total = nullptr;
  for (RowTotal& one : found_.totals) {
    if (one.walk == before.walk && one.name == variable.name) total = &one;
  }
  const auto how = taken_in(values_, *update, carried.atom);
  if (total == nullptr || how != total->how) return refuse(std::string(kDifferent));
  const auto found_by = [&](std::size_t t, std::int64_t number) {
    if (!walk_.is_shared || lanes_ == 1) {
      return values_.leaf(Kind::total, total->name, total->type, number);
    }
    LaneSet own;
    own.set(t);
    return values_.partial(number, own, total->type);
  };
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (!active[t]) continue;
    if (carried.before[t] != found_by(t, total->id)) {
      return refuse("every thread starts '" + variable.name + "' at another value");
    }
  }
  const RowValueId atom = values_.leaf(Kind::carried, total->name, total->type, total->id);
  const std::int64_t id = values_.at(carried.atom).number;
  std::vector<LinearForm> places;
  for (std::int64_t which = 0; which < width; ++which) {
    places.push_back(place_in_stretch(before, width, which));
  }
  const Taking step{total->update, atom};
  const Taking rest{*update, carried.atom};
  if (!take_the_same(values_, *how, step, rest, own_term(), places)) {
    return refuse(std::string(kDifferent));
  }
  const auto whole = of_whole_row(*update);
  if (!whole) return refuse(std::string(kDifferent));
  // What was found in front of the last terms keeps its number and is no total of the row.
  *total = {id, total->name, total->type, *how, total->identity, *whole, walks_};
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (active[t]) variable.values[t] = found_by(t, id);
  }
}

std::vector<RowStore> RowMachine::without_vectors_of(const RowStore& store) {
  std::vector<RowStore> all;
  const auto plain = [&](RowStore one) {
    one.value = without_vectors(values_, one.value);
    for (RowValueId& condition : one.conditions) condition = without_vectors(values_, condition);
    return one;
  };
  const RowValueId pointed = values_.load(store.root, store.base, store.index, store.type);
  for (std::size_t which = 0; which < 4; ++which) {
    const auto place = component(values_, pointed, which);
    const auto value = component(values_, store.value, which);
    if (!place || !value) break;
    RowStore one = store;
    one.base = values_.at(*place).parts[0];
    one.index = values_.at(*place).parts[1];
    one.type = values_.at(*place).type;
    one.value = *value;
    all.push_back(plain(std::move(one)));
  }
  if (all.empty()) all.push_back(plain(store));
  return all;
}

bool RowMachine::same_store(const RowStore& first, const RowStore& second,
                            const LinearForm& place) {
  if (first.root != second.root || first.type != second.type ||
      first.conditions.size() != second.conditions.size()) {
    return false;
  }
  TermComparison comparison(values_, own_term(), place);
  for (std::size_t i = 0; i < first.conditions.size(); ++i) {
    if (!comparison.same(first.conditions[i], second.conditions[i])) return false;
  }
  return first.base == second.base && comparison.same(first.index, second.index) &&
         comparison.same(first.value, second.value);
}

void RowMachine::join_stores(const Stretch& before, std::int64_t width, const std::string& terms) {
  std::vector<RowStore> open;
  std::vector<RowStore> rest;
  for (const RowStore& one : found_.stores) {
    if (one.walk != before.walk && one.walk != walks_) continue;
    for (RowStore& part : without_vectors_of(one)) {
      (one.walk == walks_ ? rest : open).push_back(std::move(part));
    }
  }
  for (std::int64_t which = 0; which < width; ++which) {
    const LinearForm place = place_in_stretch(before, width, which);
    for (const RowStore& one : rest) {
      const auto match = std::find_if(open.begin(), open.end(), [&](const RowStore& other) {
        return same_store(other, one, place);
      });
      if (match == open.end()) return refuse(std::string(kDifferent));
      open.erase(match);
    }
  }
  if (!open.empty()) return refuse(std::string(kDifferent));
  std::erase_if(found_.stores, [&](const RowStore& one) { return one.walk == before.walk; });
  std::vector<RowStore> made;
  for (RowStore one : found_.stores) {
    if (one.walk == walks_) {
      for (RowValueId* id : {&one.base, &one.index, &one.value}) {
        const auto whole = of_whole_row(*id);
        if (!whole) return refuse(std::string(kDifferent));
        *id = *whole;
      }
      for (RowValueId& condition : one.conditions) {
        const auto whole = of_whole_row(condition);
        if (!whole) return refuse(std::string(kDifferent));
        condition = *whole;
      }
      one.terms = terms;
      if (one.conditions.empty()) {
        std::erase_if(made, [&](const RowStore& other) {
          return other.base == one.base && other.index == one.index && other.terms == terms;
        });
      }
    }
    made.push_back(std::move(one));
  }
  found_.stores = std::move(made);
}

}  // namespace warpmind::agents::builtin
