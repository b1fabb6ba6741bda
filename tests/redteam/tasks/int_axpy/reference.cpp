#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t n = call.size("n");
  for (int64_t i = 0; i < n; ++i) {
    call.output("z")[i] = 3 * call.input("x")[i] - call.input("y")[i];
  }
}
