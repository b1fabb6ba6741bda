#pragma once
/// \file
/// A launch that distributes keys by a digit, one key after the other: one thread for each digit
/// that looks at all keys, or one thread that looks at them once.

#include "agents/builtin/forms/moved_code.h"
#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/scene.h"

#include <memory>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// `out[at] = value`.
struct SortedStore {
  std::string array;  ///< pointer parameter
  std::string type;
  std::string value;  ///< text over `wm_key`, or over `wm_i` when it is no function of the key
};

struct SortPassLaunch {
  std::size_t launch = 0;  ///< in the plan
  const Function* function = nullptr;
  std::shared_ptr<const KernelBody> body;
  CountedLoop loop;  ///< over the keys
  std::string keys;  ///< pointer parameter
  std::string key_type;
  std::string digit;  ///< text over `wm_key`
  std::int64_t digits = 0;
  std::string starts;  ///< pointer parameter: where each digit begins
  std::vector<SortedStore> key_stores;
  std::vector<SortedStore> carried;  ///< at most one
};

/// What launch `index` of the plan distributes. Errors: not_found with one clause.
[[nodiscard]] Result<SortPassLaunch> find_sort_pass_launch(const Scene& scene, std::size_t index);

/// Digits that an expression can be, from `value & 15` or, of unsigned keys, `value % 16`, where
/// locals count as their values; nullopt: it is not known for every key.
[[nodiscard]] std::optional<std::int64_t> digits_of(const Scene& scene, const KernelBody& body,
                                                    NodeId expression, bool is_unsigned);

/// Text of accesses to the element of `keys` at `variable`, as "wm_key"; `variable` as "wm_i".
[[nodiscard]] NodeTexts key_texts(const KernelBody& body, const std::string& keys,
                                  std::string_view variable, NodeId inside);

}  // namespace warpmind::agents::builtin
