#include "warpmind_reference.h"

#include <algorithm>
#include <numeric>
#include <vector>

void reference(const warpmind::ReferenceCall& call) {
  const int64_t columns = call.size("columns");
  std::vector<int64_t> order(static_cast<std::size_t>(columns));
  for (int64_t row = 0; row < call.size("rows"); ++row) {
    const double* x = call.input("x") + row * columns;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + 8, order.end(), [x](int64_t a, int64_t b) {
      return x[a] != x[b] ? x[a] > x[b] : a < b;
    });
    for (int64_t rank = 0; rank < 8; ++rank) {
      const int64_t at = order[static_cast<std::size_t>(rank)];
      call.output("values")[row * 8 + rank] = x[at];
      call.output("positions")[row * 8 + rank] = static_cast<double>(at);
    }
  }
}
