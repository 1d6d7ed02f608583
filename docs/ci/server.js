// A small service: a table of squares. docs/ci/try.sh makes its second commit.
const http = require('http');

function render() {
  const rows = Array.from({ length: 300 }, (_, n) => `<tr><td>${n}</td><td>${n * n}</td></tr>`);
  return Buffer.from(`<html><body><table>${rows.join('')}</table></body></html>`);
}

const page = render();
const server = http.createServer((request, reply) => {
  const body = page;
  reply.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': body.length });
  reply.end(body);
});
// Node closes after 5 s idle; a contender may rest for longer.
server.keepAliveTimeout = 75000;
server.listen({ host: '127.0.0.1', port: Number(process.argv[2]), backlog: 1024 });
