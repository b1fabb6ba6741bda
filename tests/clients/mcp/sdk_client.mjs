/** sdk_client.mjs MODULES 1|2 stdio|http legacy|modern WARPMIND TASK [URL TOKEN]
 *
 * The official SDK as a client of the daemon. It validates every structured result against the tool's output schema. */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, version, way, era, warpmind, task, url, token] = process.argv.slice(2);
const find = createRequire(path.join(modules, "package.json"));
const sdk = (name) => import(pathToFileURL(find.resolve(name)));

/** Client and transports; version 2 has all in two places, version 1 in one file each. */
async function parts() {
  if (version === "2") {
    const [{ Client, StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all([
      import(pathToFileURL(path.join(modules, "@modelcontextprotocol/client/dist/index.mjs"))),
      import(pathToFileURL(path.join(modules, "@modelcontextprotocol/client/dist/stdio.mjs"))),
    ]);
    return { Client, StreamableHTTPClientTransport, StdioClientTransport };
  }
  const at = "@modelcontextprotocol/sdk/client";
  const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = await Promise.all([
    sdk(`${at}/index.js`), sdk(`${at}/stdio.js`), sdk(`${at}/streamableHttp.js`),
  ]);
  return { Client, StreamableHTTPClientTransport, StdioClientTransport };
}

const { Client, StreamableHTTPClientTransport, StdioClientTransport } = await parts();
const options = version === "2" ? { versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } } : {};
const client = new Client({ name: "check", version: "1" }, options);
const transport = way === "stdio"
  ? new StdioClientTransport({ command: warpmind, args: ["mcp"], env: process.env })
  : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
await client.connect(transport);
if (version === "2") assert.equal(client.getProtocolEra(), era);

/** One call; what it tells meanwhile must grow. */
function call(name, args) {
  const asked = { name, arguments: args };
  let last = 0;
  const onprogress = ({ progress }) => {
    assert.ok(progress > last, `progress ${progress} after ${last}`);
    last = progress;
  };
  return version === "2" ? client.callTool(asked, { onprogress }) : client.callTool(asked, undefined, { onprogress });
}
/** The data of a call that must succeed; a handle is followed to its end, as its sentence asks. */
async function data(name, args) {
  let result = await call(name, args);
  while (result.structuredContent?.handle) {
    result = await call("job", { action: "wait", job: result.structuredContent.handle });
  }
  assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
  return result.structuredContent;
}

const { tools } = await client.listTools();
assert.equal(tools.length, 9);
assert.ok(tools.every((tool) => tool.outputSchema && tool.annotations));
assert.ok((await data("device_info", {})).mode);
assert.ok((await data("kb_search", { query: "softmax" })).insights.length > 0);
const source = 'extern "C" __global__ void k(float* a) { a[threadIdx.x] *= 2; }';
assert.equal((await data("kernel_analyze", { source })).kernels[0].name, "k");
assert.ok((await call("kernel_analyze", { path: "/etc/passwd" })).isError);

const { job } = await data("kernel_optimize", { directory: task, provider: "sim", evaluations: 1 });
let ended;
do ended = await call("job", { action: "wait", job });
while (ended.structuredContent.status !== "done");
assert.equal(ended.structuredContent.state, "done");
const links = ended.content.filter((part) => part.type === "resource_link");
assert.ok(links.length > 0);
for (const link of links) {
  assert.ok((await client.readResource({ uri: link.uri })).contents[0].text.length > 0, link.uri);
}
assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0);
const { prompts } = await client.listPrompts();
assert.equal(prompts.length, 2);
const shown = await client.getPrompt({ name: "optimize-kernel", arguments: { directory: task } });
assert.ok(shown.messages.length > 0);
await assert.rejects(client.readResource({ uri: "warpmind://kernel/../../etc/passwd" }));
await client.close();
console.log(`${ended.structuredContent.outcome}`);
