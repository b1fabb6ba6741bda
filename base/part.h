#pragma once
/// \file
/// Values that share a part inherit it; this names that part where it is copied by itself.

namespace warpmind {

/// The base `Part` of `whole`: `part<Edge>(statistics) = part<Edge>(key)`.
template <class Part>
[[nodiscard]] Part& part(Part& whole) {
  return whole;
}
template <class Part>
[[nodiscard]] const Part& part(const Part& whole) {
  return whole;
}

}  // namespace warpmind
