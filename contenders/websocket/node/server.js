// A WebSocket echo on Node's `ws`: node server.js PORT. Compression is off, as tiebreak's
// lane asks for none.
'use strict';
const { WebSocketServer } = require('ws');

const port = Number(process.argv[2]);
if (!Number.isInteger(port) || port < 1 || port > 65535) {
  console.error('usage: node server.js PORT');
  process.exit(2);
}
const server = new WebSocketServer({ host: '127.0.0.1', port, perMessageDeflate: false });
server.on('connection', (socket) => {
  // The kind of the message is kept: ws hands texts over as bytes, too.
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  socket.on('error', () => socket.terminate());
});
