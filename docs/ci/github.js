// The part of GitHub's interface that action.yml uses for comments, for docs/ci/try.sh.
// It prints its port, keeps comments in memory, and writes them to a file at each change.
//
//   node github.js COMMENTS.json [read-only]
const fs = require('fs');
const http = require('http');

const [file, mode] = process.argv.slice(2);
const comments = [];

function answer(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

function change(request, response, text) {
  const { body } = JSON.parse(text);
  const known = request.url.match(/^\/repos\/owner\/service\/issues\/comments\/(\d+)$/);
  if (request.method === 'PATCH' && known) {
    comments.find((comment) => comment.id === Number(known[1])).body = body;
  } else if (request.method === 'POST' && request.url === '/repos/owner/service/issues/7/comments') {
    comments.push({ id: comments.length + 1, body, user: { type: 'Bot' } });
  } else {
    return answer(response, 404, {});
  }
  fs.writeFileSync(file, JSON.stringify(comments));
  return answer(response, 200, {});
}

http.createServer((request, response) => {
  if (request.headers.authorization !== 'Bearer a-token') return answer(response, 401, {});
  if (request.method === 'GET') return answer(response, 200, comments);
  if (mode === 'read-only') {
    fs.writeFileSync(file, '"refused"');
    return answer(response, 403, {});
  }
  let text = '';
  request.on('data', (part) => { text += part; });
  request.on('end', () => change(request, response, text));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
