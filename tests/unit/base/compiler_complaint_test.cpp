#include "base/compiler_complaint.h"

#include <string>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

TEST(FirstComplaint, IsTheLinkersLineNotThatOfTheProgramsAroundIt) {
  EXPECT_EQ(first_complaint("/usr/bin/ld: /tmp/a.o: in function `main':\n"
                            "a.cpp:(.text+0x5): undefined reference to `missing()'\n"
                            "collect2: error: ld returned 1 exit status\n"
                            "make: *** [Makefile:5: a] Error 1\n"),
            "a.cpp:(.text+0x5): undefined reference to `missing()'");
  EXPECT_EQ(first_complaint("collect2: error: ld returned 1 exit status\n"
                            "/usr/bin/ld: cannot find -lnothing: No such file or directory\n"),
            "/usr/bin/ld: cannot find -lnothing: No such file or directory");
}

TEST(FirstComplaint, IsTheCompilersFirstError) {
  EXPECT_EQ(first_complaint("nvcc -c main.cu\n"
                            "main.cu(3): warning #177-D: variable was declared\n"
                            "main.cu(4): error: expected a \";\"\n"
                            "main.cu(9): error: something else\n"
                            "2 errors detected in the compilation of \"main.cu\".\n"),
            "main.cu(4): error: expected a \";\"");
  EXPECT_EQ(first_complaint("nvcc fatal   : Unsupported gpu architecture 'sm_60'\nmake: *** x\n"),
            "nvcc fatal   : Unsupported gpu architecture 'sm_60'");
}

TEST(FirstComplaint, FallsBackToWhatThereIs) {
  EXPECT_EQ(first_complaint("make: *** No rule to make target 'all'.  Stop.\n"),
            "make: *** No rule to make target 'all'.  Stop.");
  EXPECT_EQ(first_complaint("\n  \nnothing to see\n"), "nothing to see");
  EXPECT_EQ(first_complaint("hello\nmake: *** [a] Error 1\n"), "make: *** [a] Error 1");
  EXPECT_EQ(first_complaint(""), "it says nothing");
  EXPECT_EQ(first_complaint("\x1b error: " + std::string(900, 'x')).size(), 300U);
}

}  // namespace
}  // namespace warpmind
