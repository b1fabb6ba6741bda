// Adds the daemon's token to what passes, because the suite can send none: relay.mjs DAEMON_URL TOKEN
// Prints its own URL. Names of the relay in Host and Origin become the daemon's; all else stays as it
// is, so that the daemon judges what the suite sent.
import http from 'node:http';
const [target, token] = process.argv.slice(2);
const { port: daemonPort } = new URL(target);
const server = http.createServer((request, answer) => {
  const own = `:${server.address().port}`;
  const named = (value) => value?.endsWith(own) ? value.slice(0, -own.length) + `:${daemonPort}` : value;
  const headers = { ...request.headers, host: named(request.headers.host), authorization: `Bearer ${token}` };
  if (request.headers.origin) headers.origin = named(request.headers.origin);
  const onward = http.request(
    { host: '127.0.0.1', port: daemonPort, method: request.method, path: request.url, headers, setHost: false },
    (reply) => {
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
    },
  );
  onward.on('error', () => answer.destroy());
  answer.on('close', () => onward.destroy());
  request.pipe(onward);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
