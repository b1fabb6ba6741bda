// The official SDK as a client of `warpmind mcp`: sdk_client.mjs MODULES WARPMIND TASK
// It validates every structured result against the tool's output schema.
import assert from 'node:assert';
import { pathToFileURL } from 'node:url';
const [modules, warpmind, task] = process.argv.slice(2);
const sdk = (file) => import(pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/client/${file}`));
const { Client } = await sdk('index.js');
const { StdioClientTransport } = await sdk('stdio.js');
const client = new Client({ name: 'check', version: '1' });
await client.connect(new StdioClientTransport({ command: warpmind, args: ['mcp'], env: process.env }));
const { tools } = await client.listTools();
assert.strictEqual(tools.length, 9);
const call = (name, args) => client.callTool({ name, arguments: args }, undefined, { onprogress: () => {} });
assert.ok((await call('device_info', {})).structuredContent.mode);
assert.ok((await call('kb_search', { query: 'softmax' })).structuredContent.insights.length > 0);
const source = 'extern "C" __global__ void k(float* a) { a[threadIdx.x] *= 2; }';
const analysed = await call('kernel_analyze', { source });
assert.strictEqual(analysed.structuredContent.kernels[0].name, 'k');
assert.ok((await call('kernel_analyze', { path: '/etc/passwd' })).isError);
const started = await call('kernel_optimize', { directory: task, provider: 'sim', evaluations: 1 });
let ended;
for (let tries = 0; tries < 20; ++tries) {
  ended = await call('job', { action: 'wait', job: started.structuredContent.job });
  if (ended.structuredContent.status === 'done') break;
}
assert.strictEqual(ended.structuredContent.state, 'done');
for (const link of ended.content.filter((part) => part.type === 'resource_link')) {
  assert.ok((await client.readResource({ uri: link.uri })).contents[0].text.length > 0);
}
assert.strictEqual((await client.listPrompts()).prompts.length, 2);
await client.close();
console.log(`9 tools, a job that ended ${ended.structuredContent.outcome}`);
