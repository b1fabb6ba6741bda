#include "daemon/mcp/argument_schema.h"

#include "base/model/bottleneck.h"
#include "daemon/mcp/tool.h"
#include "daemon/protocol/method_table.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;

std::string complaint(const std::string& schema, const std::string& arguments) {
  const auto checked = check_arguments(json::parse(schema), json::parse(arguments));
  return checked ? "" : checked.error().message;
}

constexpr auto kSchema = R"({"type":"object","additionalProperties":false,"required":["name"],
"properties":{"name":{"type":"string","minLength":1,"maxLength":5},
"kind":{"type":"string","enum":["a","b"]},"count":{"type":"integer","minimum":1,"maximum":9},
"tags":{"type":"array","maxItems":2,"items":{"type":"string"}},
"inner":{"type":"object","additionalProperties":false,"required":["x"],
"properties":{"x":{"type":"number"}}}}})";

TEST(ArgumentSchema, WhatFitsPasses) {
  EXPECT_EQ(complaint(kSchema, R"({"name":"n","kind":"a","count":9,"tags":["t"],"inner":{"x":1}})"),
            "");
}

TEST(ArgumentSchema, EveryComplaintNamesThePlaceAndTheWayOut) {
  EXPECT_EQ(complaint(kSchema, "{}"), "argument 'name' is missing");
  EXPECT_EQ(complaint(kSchema, R"({"name":7})"),
            "argument 'name' must be of type string, not number");
  EXPECT_EQ(complaint(kSchema, R"({"name":""})"), "argument 'name' must not be empty");
  EXPECT_EQ(complaint(kSchema, R"({"name":"123456"})"),
            "argument 'name' may have at most 5 bytes, not 6");
  EXPECT_EQ(complaint(kSchema, R"({"name":"n","kind":"c"})"),
            R"(argument 'kind' must be one of ["a","b"], not 'c')");
  EXPECT_EQ(complaint(kSchema, R"({"name":"n","count":0})"), "argument 'count' must be at least 1");
  EXPECT_EQ(complaint(kSchema, R"({"name":"n","count":1.5})"),
            "argument 'count' must be of type integer, not number");
  EXPECT_EQ(complaint(kSchema, R"({"name":"n","tags":["a",2]})"),
            "argument 'tags[1]' must be of type string, not number");
  EXPECT_EQ(complaint(kSchema, R"({"name":"n","tags":["a","b","c"]})"),
            "argument 'tags' may have at most 2 items");
  EXPECT_EQ(complaint(kSchema, "[]"), "the arguments must be of type object, not array");
  EXPECT_NE(complaint(kSchema, R"({"name":"n","cuont":1})").find("did you mean 'count'?"),
            std::string::npos);
  EXPECT_EQ(complaint(kSchema, R"({"name":"n","inner":{"y":1}})").find("argument 'inner.y' is not"),
            0U);
  EXPECT_EQ(complaint(kSchema, R"({"name":"n","inner":{}})"), "argument 'inner.x' is missing");
}

TEST(Tools, AtMostNineWithStrictSchemas) {
  EXPECT_LE(tools().size(), 9U);
  std::set<std::string_view> names;
  for (const auto& tool : tools()) {
    EXPECT_TRUE(names.insert(tool.name).second) << tool.name;
    const json input = json::parse(tool.input_schema);
    EXPECT_EQ(input["type"], "object") << tool.name;
    EXPECT_EQ(input["additionalProperties"], false) << tool.name;
    for (const auto& [name, property] : input["properties"].items()) {
      EXPECT_TRUE(property.contains("type")) << tool.name << "." << name;
      const bool bounded = property["type"] != "string" || property.contains("maxLength") ||
                           property.contains("enum");
      EXPECT_TRUE(bounded) << tool.name << "." << name;
    }
    const json output = json::parse(tool.output_schema);
    EXPECT_EQ(output["required"], json::array({"status"})) << tool.name;
    EXPECT_TRUE(output["properties"].contains("handle")) << tool.name;
    EXPECT_NE(tool.where, nullptr);
    EXPECT_NE(tool.run, nullptr);
  }
}

std::string meaning_of(std::string_view tool, const char* argument) {
  const json input = json::parse(find_tool(tool)->input_schema);
  return input["properties"][argument].value("description", "");
}

TEST(Tools, WhatIsForwardedIsDescribedByItsMethod) {
  const auto said = [](std::string_view method, std::string_view parameter) {
    for (const auto& field : protocol::find_method(method)->params) {
      if (field.name == parameter) return std::string(field.doc);
    }
    return std::string("no such parameter");
  };

  EXPECT_EQ(meaning_of("kernel_optimize", "evaluations"),
            "start, open: " + said("task.submit", "evaluations"));
  EXPECT_EQ(
      meaning_of("kernel_optimize", "seconds"),
      "start: " + said("task.submit", "seconds") + ". open: " + said("episode.open", "seconds"));
  EXPECT_EQ(meaning_of("kernel_optimize", "device"),
            "start, open: " + said("task.submit", "device"));
  EXPECT_EQ(meaning_of("kernel_analyze", "device").substr(1),
            said("kernel.analyze", "device").substr(1));
}

TEST(Tools, SearchNamesEveryClassOfBottlenecks) {
  const std::string meaning = meaning_of("kb_search", "bottlenecks");
  for (const auto& [value, name] : EnumNames<BottleneckClass>::table) {
    EXPECT_NE(meaning.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace warpmind::daemon::mcp
