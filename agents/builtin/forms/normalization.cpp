#include "agents/builtin/forms/normalization.h"

#include "agents/builtin/forms/value_writer.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

constexpr std::size_t kMostElements = 8;

std::int64_t innermost(const Normalization& what) {
  return static_cast<std::int64_t>(what.program.terms.size()) - 1;
}

bool is_contiguous(const RowValues& values, const Normalization& what, RowValueId index) {
  if (values.step(index, innermost(what)) != 1) return false;
  for (std::int64_t level = 0; level < innermost(what); ++level) {
    if (!values.is_even(index, level)) return false;
  }
  return true;
}

/// Whether it uses what loops have found in front of a row's last terms.
std::string obstacle_in_totals(const RowValues& values, const RowProgram& program) {
  std::vector<RowValueId> roots;
  for (const RowTotal& total : program.totals) {
    roots.push_back(total.identity);
    roots.push_back(total.update);
  }
  for (const auto* list : {&program.stores, &program.finals}) {
    for (const RowStore& one : *list) {
      const auto own = roots_of(one);
      roots.insert(roots.end(), own.begin(), own.end());
    }
  }
  for (const RowValueId id : all_below(values, roots)) {
    const RowValue& value = values.at(id);
    const bool is_known =
        value.kind != Kind::total ||
        std::any_of(program.totals.begin(), program.totals.end(),
                    [&](const RowTotal& total) { return total.id == value.number; });
    if (!is_known) return "it uses what a loop has found before the last terms";
  }
  return {};
}

}  // namespace

std::size_t PassNumbers::operator()(RowValueId id) {
  if (const auto known = known_.find(id); known != known_.end()) return known->second;
  const RowValue& value = values_.at(id);
  std::size_t pass = 0;
  if (value.kind == Kind::total) {
    for (const RowTotal& total : program_.totals) {
      if (total.id != value.number) continue;
      pass = std::max((*this)(total.update), (*this)(total.identity)) + 1;
    }
  }
  for (const RowValueId part : value.parts) pass = std::max(pass, (*this)(part));
  known_.emplace(id, pass);
  return pass;
}

std::vector<RowValueId> roots_of(const RowStore& store) {
  std::vector<RowValueId> roots{store.index, store.value, store.base};
  roots.insert(roots.end(), store.conditions.begin(), store.conditions.end());
  return roots;
}

std::vector<RowValueId> certain_roots(const RowStore& store) {
  if (store.conditions.empty()) return roots_of(store);
  return {store.conditions.front()};
}

std::vector<std::vector<RowValueId>> stages_of(const Normalization& what, bool is_certain) {
  std::vector<std::vector<RowValueId>> stages;
  for (const auto& pass : what.passes) {
    auto& roots = stages.emplace_back();
    for (const std::size_t total : pass) roots.push_back(what.program.totals[total].update);
  }
  auto& roots = stages.emplace_back();
  for (const RowStore& store : what.program.stores) {
    const auto own = is_certain ? certain_roots(store) : roots_of(store);
    roots.insert(roots.end(), own.begin(), own.end());
  }
  return stages;
}

bool is_element(const RowValue& value) {
  const int bytes = size_of_type(value.type);
  const bool is_vector = value.type.starts_with("float") && value.type.size() == 6;
  return value.kind == Kind::load && value.has_term && !value.has_carried &&
         (bytes > 0 || is_vector || value.type == "__half2");
}

int bytes_of_element(const std::string& type) {
  if (type == "__half2" || type == "half2" || type == "__nv_bfloat162") return 4;
  if (type.starts_with("float") && type.size() == 6) return 4 * (type.back() - '0');
  return size_of_type(type);
}

bool Normalization::is_wide_index() const {
  const auto& terms = program.terms;
  return terms.size() > 1 || std::any_of(terms.begin(), terms.end(), [](const TermLevel& level) {
           return size_of_type(level.type) > 4 || level.type == "unsigned";
         });
}

std::int64_t Normalization::state_words(std::size_t pass) const {
  std::int64_t bytes = 0;
  std::int64_t alignment = 4;
  for (const std::size_t total : passes[pass]) {
    const std::int64_t size = size_of_type(program.totals[total].type);
    bytes = (bytes + size - 1) / size * size + size;
    alignment = std::max(alignment, size);
  }
  return (bytes + alignment - 1) / alignment * alignment / 4;
}

std::string arrange(const RowValues& values, Normalization& what) {
  if (what.program.terms.empty()) return "not all threads of a row have terms";
  if (auto why = obstacle_in_totals(values, what.program); !why.empty()) return why;
  PassNumbers pass_of(values, what.program);
  for (std::size_t i = 0; i < what.program.totals.size(); ++i) {
    const RowTotal& total = what.program.totals[i];
    const std::size_t pass = std::max(pass_of(total.update), pass_of(total.identity));
    if (pass >= what.passes.size()) what.passes.resize(pass + 1);
    what.passes[pass].push_back(i);
  }
  for (const auto& pass : what.passes) {
    if (pass.empty()) return "its passes do not follow each other";
  }
  if (what.program.stores.empty() && what.passes.size() < 2) {
    return "it makes one value of each row and nothing else";
  }
  if (what.program.stores.empty() && what.program.finals.empty()) return "it stores nothing";
  const auto certain = stages_of(what, true);
  const auto all = stages_of(what, false);
  std::map<RowValueId, std::size_t> uses;
  std::set<RowValueId> safe;
  for (std::size_t stage = 0; stage < all.size(); ++stage) {
    for (const RowValueId id : all_below(values, all[stage])) {
      if (values.at(id).is_spoiled) return "it uses what only some threads have found";
      if (is_element(values.at(id))) ++uses[id];
    }
    for (const RowValueId id : always_needed(values, certain[stage])) safe.insert(id);
  }
  for (const auto& [id, stages] : uses) {
    if (stages > 1 && safe.contains(id)) what.elements.push_back(id);
  }
  if (what.elements.empty()) return "its passes read nothing twice";
  if (what.elements.size() > kMostElements) return "its passes read many arrays again";
  int bytes = 0;
  bool is_even = true;
  for (const RowValueId id : what.elements) {
    bytes = std::max(bytes, bytes_of_element(values.at(id).type));
    is_even = is_even && is_contiguous(values, what, values.at(id).parts[1]);
  }
  what.along = is_even && bytes > 0 ? std::max(1, 16 / bytes) : 1;
  return {};
}

}  // namespace warpmind::agents::builtin
