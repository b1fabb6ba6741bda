#include "config/task_file.h"

#include "task_file_fixture.h"

#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
namespace fs = std::filesystem;

TEST_F(TaskFile, LoadsEverything) {
  const auto loaded = load_task(folder());

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  const Task& task = loaded->task;
  EXPECT_THAT(loaded->warnings, IsEmpty());
  EXPECT_EQ(task.name, "scale");
  EXPECT_EQ(task.split, Split::train);
  ASSERT_EQ(task.arguments.size(), 3U);
  EXPECT_THAT(task.arguments[0].shape, ElementsAre("rows", "columns"));
  EXPECT_EQ(task.arguments[2].kind, ArgumentKind::scalar);
  EXPECT_EQ(task.arguments[2].value, "0.5");
  ASSERT_EQ(task.workloads.size(), 2U);
  EXPECT_EQ(task.workloads[1].sizes.at("columns"), 1024);
  EXPECT_TRUE(task.workloads[1].timed);
  EXPECT_EQ(task.contract, Contract{});
  EXPECT_EQ(task.cost.bytes, "8 * rows * columns");
  EXPECT_EQ(task.reference, kReference);
  EXPECT_EQ(task.kernel.source, kKernel);
  EXPECT_EQ(task.kernel.plan.constants.at("TILE"), 4);
  ASSERT_EQ(task.kernel.plan.launches.size(), 1U);
  EXPECT_EQ(task.kernel.plan.launches[0].block[0], "256");
  EXPECT_EQ(task.kernel.plan.launches[0].grid[2], "1");
  EXPECT_EQ(task.id, id_of(task));
  EXPECT_FALSE(task.id.empty());
}

TEST_F(TaskFile, ARenamedTaskKeepsItsId) {
  const auto before = load_task(folder());
  write("task.toml", replaced(kTask, "name = \"scale\"", "name = \"other\""));
  const auto renamed = load_task(folder());
  write("task.toml", replaced(kTask, "columns = 1024", "columns = 1025"));
  const auto changed = load_task(folder());

  ASSERT_TRUE(before && renamed && changed);
  EXPECT_EQ(before->task.id, renamed->task.id);
  EXPECT_NE(before->task.id, changed->task.id);
}

TEST_F(TaskFile, LoadsTierB) {
  std::string text(kTask.substr(0, kTask.find("[kernel.constants]")));
  text += "tier = \"b\"\nentry = \"run\"\n";
  write("task.toml", text);
  write("kernel.cu", "extern \"C\" int run(const float*, float*, float, void*) { return 0; }");

  const auto loaded = load_task(folder());

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->task.kernel.tier, Tier::b);
  EXPECT_EQ(loaded->task.kernel.entry, "run");
}

// Text of the first block of `language` in docs/tasks.md after `heading`.
std::string block_of_document(const std::string& heading, const std::string& language) {
  const auto text = read_file(fs::path(WARPMIND_SOURCE_DIR) / "docs/tasks.md", 1U << 20U);
  EXPECT_TRUE(text.has_value());
  const std::string fence = "```" + language + "\n";
  const auto from = text->find(fence, text->find(heading)) + fence.size();
  return text->substr(from, text->find("```", from) - from);
}

TEST_F(TaskFile, LoadsTheExampleOfTheDocument) {
  write("task.toml", block_of_document("## A full example", "toml"));
  write("reference.cpp", block_of_document("## The reference", "cpp"));
  write("kernel.cu",
        "extern \"C\" __global__ void partial_sums(const float* x, float* p, int r, int c) {}\n"
        "extern \"C\" __global__ void final_sums(const float* p, float* y, int r, float a) {}\n");

  const auto loaded = load_task(folder());

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_THAT(loaded->warnings, IsEmpty());
}

TEST_F(TaskFile, WarnsWhenNothingIsTimed) {
  write("task.toml", replaced(kTask, "timed = true\n", ""));

  const auto loaded = load_task(folder());

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_THAT(loaded->warnings, ElementsAre(HasSubstr("no workload is marked timed = true")));
}

TEST_F(TaskFile, WarnsWhenKernelsMayBeMadeForOneSize) {
  const std::string one =
      replaced(kTask, "[[workload]]\nname = \"tiny\"\nsizes = { rows = 2, columns = 3 }\n\n", "");
  write("task.toml", one);
  const auto loaded = load_task(folder());

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_THAT(loaded->warnings, ElementsAre(HasSubstr("kernels may be made for its sizes alone")));
}

TEST_F(TaskFile, SaysHowToWriteAMissingFile) {
  fs::remove(folder() / "task.toml");
  const Error missing = load_error();
  EXPECT_EQ(missing.code, Errc::not_found);
  EXPECT_THAT(missing.message, HasSubstr("task.toml does not exist; write one that names"));

  auto nowhere = load_task(folder() / "nowhere");
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().code, Errc::not_found);
}

class TaskFileErrors : public TaskFile, public testing::WithParamInterface<ErrorCase> {};

TEST_P(TaskFileErrors, AreLocatedAndSayHowToFixThem) {
  write("task.toml", replaced(kTask, GetParam().from, GetParam().to));

  const Error error = load_error();

  EXPECT_EQ(error.code, Errc::invalid_argument);
  EXPECT_THAT(error.message, AllOf(StartsWith(toml() + ":"), HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, TaskFileErrors,
    testing::Values(
        ErrorCase{"NoToml", "[contract]", "[contract", ":32:10: "},
        ErrorCase{"UnknownKey", "description =", "descripton =",
                  ":2:1: unknown key 'descripton' in the task; did you mean 'description'?"},
        ErrorCase{"UnknownArgumentKey", "shape = [\"rows\", \"columns\"]", "shapes = [1]",
                  ":9:1: unknown key 'shapes' in [[argument]]; did you mean 'shape'?"},
        ErrorCase{"UnknownLaunchKey", "block = [256]", "blocks = [256]",
                  "unknown key 'blocks' in [[kernel.launch]]; did you mean 'block'?"},
        ErrorCase{"UnknownDtype", "dtype = \"f32\"", "dtype = \"f23\"",
                  ":8:9: unknown dtype 'f23'; did you mean 'f32'?"},
        ErrorCase{
            "UnknownKind", "kind = \"in\"", "kind = \"input\"",
            ":7:8: unknown kind 'input'; did you mean 'inout'? known: in, out, inout, scalar"},
        ErrorCase{"UnknownTolerance", "\"elementwise\"\n\n[cost", "\"elementwize\"\n\n[cost",
                  "unknown tolerance 'elementwize'; did you mean 'elementwise'?"},
        ErrorCase{"UnknownDistribution", "kind = \"in\"",
                  "kind = \"in\"\ndistributions = [\"normal\", \"unifrom\"]",
                  ":8:28: unknown distribution 'unifrom'; did you mean 'uniform'?"},
        ErrorCase{"UnknownTier", "file = \"kernel.cu\"", "file = \"kernel.cu\"\ntier = \"d\"",
                  "unknown tier 'd'; known: a, b, c"},
        ErrorCase{"MissingName", "name = \"scale\"\n", "",
                  ":1:1: the task lacks 'name'; write name = \"vector_add\""},
        ErrorCase{"MissingContract", "[contract]\ntolerance = \"elementwise\"\n", "",
                  ":1:1: the task lacks 'contract'"},
        ErrorCase{"MissingSizes", "sizes = { rows = 2, columns = 3 }\n", "",
                  ":23:1: [[workload]] lacks 'sizes'; write sizes = { rows = 4 }"},
        ErrorCase{"MissingGrid", "grid = [\"ceil_div(rows * columns, block_x)\"]\n", "",
                  "'grid' needs one to three extents"},
        ErrorCase{"FourBlockExtents", "block = [256]", "block = [1, 1, 1, 1]",
                  "'block' needs one to three extents"},
        ErrorCase{"ShapeNoArray", "shape = [\"rows\", \"columns\"]", "shape = \"rows\"",
                  ":9:9: 'shape' of [[argument]] must be an array such as [\"rows\", 4], not a "
                  "string"},
        ErrorCase{"EmptyExtent", "shape = [\"rows\", \"columns\"]", "shape = [\"\"]",
                  "not an empty string"},
        ErrorCase{"SizeNoInteger", "rows = 2,", "rows = 2.5,",
                  ":25:18: size 'rows' must be an integer, not a number"},
        ErrorCase{"ConstantNoInteger", "TILE = 4", "TILE = \"4\"",
                  "constant 'TILE' must be an integer, not a string"},
        ErrorCase{"BareDecimal", "value = \"0.5\"", "value = 0.5",
                  ":21:9: write the decimal number in quotes: value = \"1e-5\""},
        ErrorCase{"TimedNoBoolean", "timed = true", "timed = 1",
                  "'timed' of [[workload]] must be true or false, not an integer"},
        ErrorCase{"OneWorkloadTable",
                  "[[workload]]\nname = \"tiny\"\nsizes = { rows = 2, columns "
                  "= 3 }\n\n[[workload]]",
                  "[workload]", "must be a list of tables: write [[workload]], not a table"},
        ErrorCase{"UlpElsewhere", "tolerance = \"elementwise\"", "tolerance = \"exact\"\nulp = 1",
                  ":34:7: ulp belongs to tolerance = \"elementwise\"; remove it"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Meaning, TaskFileErrors,
    testing::Values(
        ErrorCase{"TaskName", "name = \"scale\"", "name = \"my-scale\"",
                  ":1:8: task name 'my-scale' is no C identifier; use letters, digits and _"},
        ErrorCase{"WorkloadName", "name = \"tiny\"", "name = \"../x\"",
                  ":24:8: workload name '../x' is no C identifier"},
        ErrorCase{"TwoWorkloads", "name = \"big\"", "name = \"tiny\"",
                  ":28:8: workload name 'tiny' is already taken; choose another"},
        ErrorCase{"TwoArguments", "name = \"y\"", "name = \"x\"",
                  ":12:8: argument name 'x' is already taken"},
        ErrorCase{"ScratchLikeArgument", "name = \"spare\"", "name = \"x\"",
                  "scratch buffer name 'x' is already taken"},
        ErrorCase{"ConstantLikeArgument", "TILE = 4", "alpha = 4",
                  "constant name 'alpha' is already taken"},
        ErrorCase{"ConstantLikeSize", "TILE = 4", "rows = 4",
                  "constant 'rows' of the plan has the name of a size"},
        ErrorCase{"ReservedSize", "rows = 2, columns = 3", "rows = 2, block_x = 3",
                  "size name 'block_x' is reserved for launches"},
        ErrorCase{"SizesDiffer", "rows = 2, columns = 3", "rows = 2, columns = 3, depth = 1",
                  ":30:9: workload 'big' lacks size 'depth'; give every workload the same sizes"},
        ErrorCase{"UnknownSize", "shape = [\"rows\", \"columns\"]", "shape = [\"row\"]",
                  ":9:9: workload 'tiny': expression 'row', column 1: unknown size 'row'; known: "
                  "columns, rows"},
        ErrorCase{"DivisionByZero", "shape = [\"rows\", \"columns\"]", "shape = [\"8 / (rows-2)\"]",
                  ":9:9: workload 'tiny': expression '8 / (rows-2)'"},
        ErrorCase{"Overflow", "bytes = \"8 * rows * columns\"",
                  "bytes = \"9223372036854775807 * rows\"", "overflow of a 64-bit integer"},
        ErrorCase{"NegativeExtent", "shape = [\"rows\", \"columns\"]", "shape = [\"rows - 3\"]",
                  ":9:9: workload 'tiny': expression 'rows - 3' gives -1, outside 1 to"},
        ErrorCase{"ZeroExtent", "shape = [\"rows\", \"columns\"]", "shape = [\"rows - 2\"]",
                  "gives 0, outside 1 to"},
        ErrorCase{"NegativeCost", "flops = \"rows * columns\"", "flops = \"rows - columns\"",
                  "expression 'rows - columns' gives -1, less than 0"},
        ErrorCase{"NoShape", "shape = [\"rows\", \"columns\"]\n", "",
                  ":5:1: argument 'x' has no shape; write shape = "},
        ErrorCase{"ScalarWithShape", "value = \"0.5\"", "shape = [\"rows\"]",
                  ":21:9: a scalar has no shape"},
        ErrorCase{"ScalarWithoutValue", "value = \"0.5\"\n", "", "scalar 'alpha' has no value"},
        ErrorCase{"ScalarOutOfRange", "value = \"0.5\"", "value = \"1e99\"",
                  ":21:9: workload 'tiny': scalar argument 'alpha': the value is outside the range "
                  "of dtype f32"},
        ErrorCase{"BufferWithValue", "shape = [\"rows\", \"columns\"]",
                  "shape = [\"rows\"]\nvalue = 3", ":10:9: only a scalar has a value"},
        ErrorCase{"NoOutput", "kind = \"out\"", "kind = \"in\"", "no argument is written"},
        ErrorCase{"DistributedOutput", "kind = \"out\"",
                  "kind = \"out\"\ndistributions = [\"normal\"]",
                  "only arguments of kind in or inout are drawn"},
        ErrorCase{"IndexRangeOfFloats", "kind = \"in\"",
                  "kind = \"in\"\ndistributions = [\"index_range\"]\nhigh = 3",
                  ":8:17: index_range needs an integer dtype, and argument 'x' is f32"},
        ErrorCase{
            "IndexRangeUpsideDown", "kind = \"in\"\ndtype = \"f32\"",
            "kind = \"in\"\ndtype = \"i32\"\ndistributions = [\"index_range\"]\nlow = 4\nhigh "
            "= 3",
            ":10:7: low is above high; swap them"},
        ErrorCase{"IndexRangeTooWide", "kind = \"in\"\ndtype = \"f32\"",
                  "kind = \"in\"\ndtype = \"u8\"\ndistributions = [\"index_range\"]\nhigh = 256",
                  ":10:8: the bounds of index_range must be integers that fit u8"},
        ErrorCase{"LowWithoutIndexRange", "kind = \"in\"", "kind = \"in\"\nlow = 1\nhigh = 2",
                  ":8:7: low and high belong to distributions"},
        ErrorCase{"RecordedWithoutRecord", "kind = \"in\"",
                  "kind = \"in\"\ndistributions = [\"recorded\"]",
                  ":8:17: 'recorded' needs [argument.recorded]"},
        ErrorCase{"RecordedUpsideDown", "kind = \"in\"",
                  "kind = \"in\"\nrecorded = { low = 4, high = 3 }",
                  "low is above high; swap them"},
        ErrorCase{"RecordedOutput", "kind = \"out\"",
                  "kind = \"out\"\nrecorded = { low = 3, high = 4 }",
                  "only arguments of kind in or inout are drawn"},
        ErrorCase{"ValuesElsewhere", "kind = \"in\"\ndtype = \"f32\"",
                  "kind = \"in\"\ndtype = \"i32\"\nrecorded = { values = \"../secret\" }",
                  "values is the name of a file in values/"},
        ErrorCase{"ValuesOfFloats", "kind = \"in\"",
                  "kind = \"in\"\nrecorded = { values = \"abc\" }",
                  "only integers have their values on record"},
        ErrorCase{"ContractionWithoutLength", "tolerance = \"elementwise\"",
                  "tolerance = \"contraction\"",
                  ":32:1: tolerance contraction needs the number of products in a sum; write "
                  "reduction_length"},
        ErrorCase{"LengthElsewhere", "tolerance = \"elementwise\"",
                  "tolerance = \"reduction\"\nreduction_length = 3",
                  ":34:20: reduction_length belongs to tolerance = \"contraction\""},
        ErrorCase{"IntegerAccumulate", "tolerance = \"elementwise\"",
                  "tolerance = \"elementwise\"\naccumulate = \"i32\"", "choose f32"},
        ErrorCase{"TooManyBytes", "rows = 512, columns = 1024", "rows = 65536, columns = 65536",
                  ":30:9: workload 'big' needs 34360786944 bytes of buffers, more than the limit "
                  "of 16 GiB"},
        ErrorCase{"OperatorFamily", "operator_family = \"elementwise\"",
                  "operator_family = \"two words\"", ":3:19: operator_family must be one word"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Plan, TaskFileErrors,
    testing::Values(
        ErrorCase{"GridTooLarge", "grid = [\"ceil_div(rows * columns, block_x)\"]",
                  "grid = [1, \"rows * 128\"]",
                  ":55:8: workload 'big': launch of 'scale': grid y: expression 'rows * 128' gives "
                  "65536, outside 1 to 65535"},
        ErrorCase{"BlockTooLarge", "block = [256]", "block = [64, 32]",
                  ":56:9: workload 'tiny': launch of 'scale': the block has 2048 threads, more "
                  "than 1024"},
        ErrorCase{"BlockZ", "block = [256]", "block = [1, 1, 65]", "block z: expression '65'"},
        ErrorCase{"SharedTooLarge", "block = [256]",
                  "block = [256]\nshared_bytes = \"block_x*909\"",
                  ":57:16: workload 'tiny': launch of 'scale': shared_bytes: expression "
                  "'block_x*909' gives 232704, outside 0 to 232448"},
        ErrorCase{"UnknownKernel", "kernel = \"scale\"", "kernel = \"scael\"",
                  ":54:10: the source has no __global__ function 'scael'; did you mean 'scale'?"},
        ErrorCase{"Arity", "\"spare\", ", "",
                  ":57:13: kernel 'scale' has 5 parameters and the launch gives 4 arguments; list "
                  "one for each parameter, in order"},
        ErrorCase{"UnknownArgument", "\"spare\", \"i32", "\"spade\", \"i32",
                  ":57:24: 'spade' is neither an argument of the task, nor a scratch buffer, nor "
                  "a scalar such as \"i32:rows\"; did you mean 'spare'?"},
        ErrorCase{"WrongScalar", "i32:rows*columns", "i33:rows",
                  ":57:33: workload 'tiny': scalar 'i33:rows': write <dtype>:<expression>"},
        ErrorCase{"OutputNotPassed", "[\"x\", \"y\",", "[\"x\", \"x\",",
                  "no launch is given the output 'y'"},
        ErrorCase{"ScratchElements", "elements = \"rows * TILE\"", "elements = \"rows * TITLE\"",
                  ":51:12: workload 'tiny': scratch buffer 'spare': expression 'rows * TITLE', "
                  "column 8: unknown size 'TITLE'"},
        ErrorCase{"NoLaunch", "[[kernel.launch]]", "[[kernel.scratch]]",
                  "unknown key 'kernel' in [[kernel.scratch]]"},
        ErrorCase{"EntryInTierA", "file = \"kernel.cu\"", "file = \"kernel.cu\"\nentry = \"run\"",
                  "entry belongs to tier b"},
        ErrorCase{"TierBWithLaunch", "file = \"kernel.cu\"",
                  "file = \"kernel.cu\"\ntier = \"b\"\nentry = \"scale\"",
                  "tier b launches by itself; remove [[kernel.launch]]"},
        ErrorCase{"TierBWithoutEntry", "file = \"kernel.cu\"", "file = \"kernel.cu\"\ntier = \"b\"",
                  "a kernel of tier b needs its host function; write entry"},
        ErrorCase{"TierC", "file = \"kernel.cu\"", "file = \"kernel.cu\"\ntier = \"c\"",
                  "tier c (whole programs) cannot be judged as a kernel"},
        ErrorCase{"Flag", "file = \"kernel.cu\"", "file = \"kernel.cu\"\nflags = [\"O3\"]",
                  ":44:10: 'O3' is no compiler flag; flags start with -"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Files, TaskFileErrors,
    testing::Values(
        ErrorCase{"Missing", "file = \"kernel.cu\"", "file = \"kernel2.cu\"",
                  ":43:8: 'kernel2.cu' does not exist; create it, or correct the name"},
        ErrorCase{"Climbing", "file = \"reference.cpp\"", "file = \"../task/reference.cpp\"",
                  ":40:8: '../task/reference.cpp' leaves the task folder; name a file inside it"},
        ErrorCase{"Absolute", "file = \"kernel.cu\"", "file = \"/etc/passwd\"",
                  ":43:8: '/etc/passwd' leaves the task folder"},
        ErrorCase{"Folder", "file = \"kernel.cu\"", "file = \".\"",
                  ":43:8: '.' is no regular file"},
        ErrorCase{"Empty", "file = \"kernel.cu\"", "file = \"\"", "leaves the task folder"}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(TaskFile, RefusesALinkThatLeavesTheFolder) {
  const fs::path outside = folder().parent_path() / "outside.cu";
  std::ofstream(outside) << kKernel;
  fs::remove(folder() / "kernel.cu");
  fs::create_symlink(outside, folder() / "kernel.cu");

  EXPECT_THAT(
      load_error().message,
      HasSubstr("'kernel.cu' is a link that leaves the task folder; copy the file into it"));
}

TEST_F(TaskFile, TheFolderItselfMayBeALink) {
  const fs::path link = folder().parent_path() / "link";
  fs::create_symlink(folder(), link);

  const auto loaded = load_task(link);

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->task.directory, fs::canonical(folder()).string());
}

TEST_F(TaskFile, DoesNotWaitForAFifo) {
  fs::remove(folder() / "kernel.cu");
  ASSERT_EQ(::mkfifo((folder() / "kernel.cu").c_str(), 0600), 0);

  EXPECT_THAT(load_error().message, HasSubstr("'kernel.cu' is no regular file"));
}

struct SourceCase {
  const char* name;
  const char* file;
  std::string text;
  const char* message;
};

TEST_F(TaskFile, RefusesSourcesThatCannotBeRight) {
  const std::string kernel(kKernel);
  const std::vector<SourceCase> cases{
      {"not UTF-8", "kernel.cu", kernel + "// \xff", ":43:8: the source is not UTF-8 at byte"},
      {"NUL", "kernel.cu", kernel + std::string(1, '\0'), "contains a NUL byte"},
      {"too large", "kernel.cu", kernel + std::string(std::size_t{4} << 20U, ' '),
       ":43:8: " /* read_file's sentence follows */},
      {"empty", "kernel.cu", "", ":43:8: the source is empty"},
      {"C++ linkage", "kernel.cu", replaced(kernel, "extern \"C\"", ""),
       ":43:8: the source has no extern \"C\" function"},
      {"kernel in a comment", "kernel.cu", "// " + kernel + "extern \"C\" __global__ void k() {}",
       "the source has no __global__ function 'scale'; known: k"},
      {"no reference", "reference.cpp", "void other() {}  // reference(",
       ":40:8: the reference defines no function reference(…)"},
  };
  for (const auto& each : cases) {
    write("kernel.cu", kKernel);
    write("reference.cpp", kReference);
    write(each.file, each.text);
    const Error error = load_error();
    EXPECT_EQ(error.code, Errc::invalid_argument) << each.name;
    EXPECT_THAT(error.message, HasSubstr(each.message)) << each.name;
  }
}

TEST_F(TaskFile, AKernelThatAMacroWritesIsAccepted) {
  write("kernel.cu",
        "#define MAKE(name) extern \"C\" __global__ void name(const float*, float*, float*, int, "
        "float) {}\nMAKE(scale)\n");

  EXPECT_TRUE(load_task(folder()).has_value());
}

}  // namespace
}  // namespace warpmind::config
