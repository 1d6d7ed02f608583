// Answers a page after it has written so many rows as JSON.
const [port, rows] = process.argv.slice(2).map(Number);

function work() {
  const list = [];
  for (let id = 0; id < rows; id++) list.push({ id, name: `item ${id}` });
  return JSON.stringify(list).length > 0;
}

require('http')
  .createServer((request, response) => response.end(work() ? 'done\n' : ''))
  .listen(port, '127.0.0.1');
