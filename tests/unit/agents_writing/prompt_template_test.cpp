#include "config/prompt_template.h"

#include "base/file.h"
#include "config/prompt_library.h"

#include <filesystem>

#include <gmock/gmock.h>

namespace warpmind::config {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(std::string_view text) {
  const auto parsed = PromptTemplate::parse(text, "p.md");
  return parsed ? "" : parsed.error().message;
}

TEST(PromptTemplate, WritesEachTypeOfSlotInItsWay) {
  const auto prompt =
      PromptTemplate::parse("A {{a|text}} {{l|line}}\n{{c|code}}\n{{d|data}}\n", "p.md");
  ASSERT_TRUE(prompt);

  const auto text = prompt->render({{"a", {SlotType::text, "x\ny"}},
                                    {"l", {SlotType::line, "x\ny"}},
                                    {"c", {SlotType::code, "int i;\n"}},
                                    {"d", {SlotType::data, "say ```` and\n````\nfree"}}});

  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text,
            "A x\ny x y\n```cuda\nint i;\n```\n`````data\nsay ```` and\n````\nfree\n`````\n");
}

TEST(PromptTemplate, ListsItsSlots) {
  const auto prompt = PromptTemplate::parse("{{b|data}}{{a|line}}{{b|data}}", "p.md");
  ASSERT_TRUE(prompt);

  EXPECT_EQ(prompt->slots(), (SlotTypes{{"a", SlotType::line}, {"b", SlotType::data}}));
}

TEST(PromptTemplate, RefusesWhatIsNoSlotWithItsLine) {
  EXPECT_THAT(refusal_of("a\nb {{x"), HasSubstr("p.md:2: a slot is opened"));
  EXPECT_THAT(refusal_of("{{x}}"), HasSubstr("p.md:1: slot 'x' has no type"));
  EXPECT_THAT(refusal_of("{{x|html}}"), HasSubstr("'html'"));
  EXPECT_THAT(refusal_of("{{x y|text}}"), HasSubstr("is no name"));
  EXPECT_THAT(refusal_of("{{x|text}}{{x|data}}"), HasSubstr("two types"));
}

TEST(PromptTemplate, RefusesValuesThatDoNotFit) {
  const auto prompt = PromptTemplate::parse("{{a|data}}", "p.md").value();

  EXPECT_THAT(prompt.render({}).error().message, HasSubstr("nothing was given for slot 'a'"));
  EXPECT_THAT(prompt.render({{"a", {SlotType::text, ""}}}).error().message,
              HasSubstr("slot 'a' is of type data, its value is text"));
  EXPECT_THAT(
      prompt.render({{"a", {SlotType::data, ""}}, {"b", {SlotType::data, ""}}}).error().message,
      HasSubstr("no slot takes the value 'b'"));
}

class PromptOverrides : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file_atomic(directory_.path() / name, text));
  }
  std::string refusal() {
    const auto library = PromptLibrary::load(directory_.path());
    return library ? "" : library.error().message;
  }

  ScratchDirectory directory_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-prompts").value();
};

TEST_F(PromptOverrides, AFileTakesThePlaceOfTheBuiltInOne) {
  put("reask.md", "Again: {{reason|data}}");
  put("notes.txt", "not a prompt");

  const auto library = PromptLibrary::load(directory_.path());

  ASSERT_TRUE(library) << library.error().message;
  EXPECT_EQ(library->render("reask", {{"reason", {SlotType::data, "no"}}}).value(),
            "Again: ```data\nno\n```");
  EXPECT_TRUE(library->render("answer_fenced", {}));
}

TEST_F(PromptOverrides, MayNotTurnDataIntoInstructions) {
  put("reask.md", "Do this: {{reason|text}}");
  EXPECT_THAT(refusal(), HasSubstr("slot 'reason' must be of type data"));
}

TEST_F(PromptOverrides, MayNotLeaveASlotOutOrAddOne) {
  put("reask.md", "Again.");
  EXPECT_THAT(refusal(), HasSubstr("slot 'reason' of the built-in prompt is left out"));
  put("reask.md", "{{reason|data}} {{mood|text}}");
  EXPECT_THAT(refusal(), HasSubstr("the built-in prompt has no slot 'mood'"));
}

TEST_F(PromptOverrides, RefusesUnknownNamesAndOddBytes) {
  put("reasks.md", "x");
  EXPECT_THAT(refusal(), HasSubstr("did you mean 'reask'?"));
  std::filesystem::remove(directory_.path() / "reasks.md");
  put("reask.md", "{{reason|data}}\xff");
  EXPECT_THAT(refusal(), HasSubstr("byte 15 is not UTF-8"));
  put("reask.md", "{{reason|data}}" + std::string(kPromptBytesLimit, 'x'));
  EXPECT_FALSE(refusal().empty());
}

TEST_F(PromptOverrides, AMissingFolderIsSaid) {
  const auto library = PromptLibrary::load(directory_.path() / "absent");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, Errc::not_found);
}

}  // namespace
}  // namespace warpmind::config
