// A catalogue of products as JSON: GET /?below=PRICE returns the products that cost less, the cheapest first.
const http = require('http');

const products = Array.from({ length: 400 }, (_, number) => ({
  id: number,
  name: `product ${number}`,
  price: (number * 7919) % 1000,
}));

function cheaperThan(price) {
  return products
    .filter((product) => product.price < price)
    .sort((one, other) => one.price - other.price || one.id - other.id);
}

const server = http.createServer((request, reply) => {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname !== '/') {
    reply.writeHead(404).end();
    return;
  }
  const found = cheaperThan(Number(url.searchParams.get('below') || 100));
  const body = Buffer.from(JSON.stringify(found));
  reply.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  reply.end(body);
});
// Node closes after 5 s idle; a contender may rest for longer.
server.keepAliveTimeout = 75000;
server.listen({ host: '127.0.0.1', port: Number(process.env.PORT || 3000), backlog: 1024 });
