#include "agents/builtin/lifting/parameter_use.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

struct Expected {
  const char* body;
  bool reads;
  bool writes;
};

PointerUse use_in(const std::string& body, const std::string& type = "float*") {
  const auto source =
      CudaSource::read("__global__ void k(" + type + " p, int i, float v) { " + body + " }");
  EXPECT_TRUE(source.has_value());
  const Function* const kernel = source->kernel("k");
  EXPECT_NE(kernel, nullptr);
  return use_of(*source, *kernel, kernel->parameters.at(0));
}

TEST(ParameterUse, IsReadFromTheCode) {
  for (const auto& [body, reads, writes] : {
           Expected{"p[i] = v;", false, true},
           Expected{"*p = v;", false, true},
           Expected{"(p[i]) = v;", false, true},
           Expected{"p[i] += v;", true, true},
           Expected{"p[i]++;", true, true},
           Expected{"v = p[i];", true, false},
           Expected{"float w = p[i] * v;", true, false},
           Expected{"float& w = p[i]; w = v;", true, true},
           Expected{"atomicAdd(&p[i], v);", true, true},
           Expected{"atomicAdd(p + i, v);", true, true},
           Expected{"float* q = p; q[i] = v;", true, true},
           Expected{"store(p, v);", true, true},
           Expected{"if (p != nullptr) p[i] = v;", false, true},
           Expected{"p[i] = v; v = p[i + 1];", true, true},
           Expected{"", false, false},
       }) {
    const auto use = use_in(body);
    EXPECT_EQ(use.reads, reads) << body;
    EXPECT_EQ(use.writes, writes) << body;
  }
}

TEST(ParameterUse, MembersArePartOfTheElement) {
  const auto use = use_in("p[i].x = v; p[i].y = v;", "float2*");
  EXPECT_FALSE(use.reads);
  EXPECT_TRUE(use.writes);
}

TEST(ParameterUse, ConstIsReadOnlyWhateverIsDone) {
  const auto use = use_in("store(p, v);", "const float*");
  EXPECT_TRUE(use.reads);
  EXPECT_FALSE(use.writes);
}

}  // namespace
}  // namespace warpmind::agents::builtin
