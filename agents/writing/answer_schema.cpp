// candidate_schema() of answer_parser.h and critique_schema() of critique_parser.h. In the subset
// that endpoints with structured output take: every member is required, what may be absent is null.
#include "agents/writing/answer_parser.h"
#include "agents/writing/critique_parser.h"

namespace warpmind::agents::writing {

std::string_view candidate_schema() {
  return R"({
"type": "object", "additionalProperties": false,
"required": ["technique", "parameters", "rationale", "predicted_gain", "launches", "constants",
  "scratch", "host_entry", "source"],
"properties": {
  "technique": {"type": "string"},
  "parameters": {"type": "string"},
  "rationale": {"type": "string"},
  "predicted_gain": {"type": "number"},
  "launches": {"type": ["array", "null"], "items": {
    "type": "object", "additionalProperties": false,
    "required": ["kernel", "grid", "block", "shared_bytes", "arguments", "cooperative"],
    "properties": {
      "kernel": {"type": "string"},
      "grid": {"type": "array", "items": {"type": "string"}},
      "block": {"type": "array", "items": {"type": "string"}},
      "shared_bytes": {"type": "string"},
      "arguments": {"type": "array", "items": {"type": "string"}},
      "cooperative": {"type": "boolean"}}}},
  "constants": {"type": ["array", "null"], "items": {
    "type": "object", "additionalProperties": false, "required": ["name", "value"],
    "properties": {"name": {"type": "string"}, "value": {"type": "integer"}}}},
  "scratch": {"type": ["array", "null"], "items": {
    "type": "object", "additionalProperties": false,
    "required": ["name", "dtype", "elements", "zeroed"],
    "properties": {
      "name": {"type": "string"}, "dtype": {"type": "string"}, "elements": {"type": "string"},
      "zeroed": {"type": "boolean"}}}},
  "host_entry": {"type": ["string", "null"]},
  "source": {"type": "string"}}})";
}

std::string_view critique_schema() {
  return R"({
"type": "object", "additionalProperties": false, "required": ["claims", "deltas"],
"properties": {
  "claims": {"type": "array", "items": {
    "type": "object", "additionalProperties": false,
    "required": ["kind", "text", "mechanism", "technique", "parameters", "bottleneck", "steps",
      "log_gain", "confidence"],
    "properties": {
      "kind": {"type": "string",
        "enum": ["positive", "negative", "precondition", "diagnosis_error"]},
      "text": {"type": "string"}, "mechanism": {"type": "string"},
      "technique": {"type": "string"}, "parameters": {"type": "string"},
      "bottleneck": {"type": "string"},
      "steps": {"type": "array", "items": {"type": "integer"}},
      "log_gain": {"type": "number"}, "confidence": {"type": "number"}}}},
  "deltas": {"type": "array", "items": {
    "type": "object", "additionalProperties": false,
    "required": ["kind", "claim", "target", "into", "technique", "field", "text", "bottlenecks"],
    "properties": {
      "kind": {"type": "string", "enum": ["add", "amend", "split_scope", "merge", "deprecate"]},
      "claim": {"type": "integer"},
      "target": {"type": "string"}, "into": {"type": "string"},
      "technique": {"type": "string"}, "field": {"type": "string"}, "text": {"type": "string"},
      "bottlenecks": {"type": "array", "items": {"type": "string"}}}}}}})";
}

}  // namespace warpmind::agents::writing
