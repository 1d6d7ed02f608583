// A WebSocket server on Node's `ws`: node server.js PORT. A message comes back to its sender;
// with `?room=NAME` in the URL it goes to all members of that room, the sender included.
// Compression is off, as tiebreak's lane asks for none.
'use strict';
const { WebSocketServer } = require('ws');

const port = Number(process.argv[2]);
if (!Number.isInteger(port) || port < 1 || port > 65535) {
  console.error('usage: node server.js PORT');
  process.exit(2);
}
const server = new WebSocketServer({ host: '127.0.0.1', port, perMessageDeflate: false });
/** Sockets by the name of their room. */
const rooms = new Map();

function enter(name, socket) {
  const members = rooms.get(name) ?? new Set();
  rooms.set(name, members.add(socket));
  socket.on('close', () => {
    members.delete(socket);
    if (members.size === 0) {
      rooms.delete(name);
    }
  });
  return members;
}

server.on('connection', (socket, request) => {
  const room = new URL(request.url, 'ws://localhost').searchParams.get('room');
  const members = room === null ? [socket] : enter(room, socket);
  socket.on('message', (data, isBinary) => {
    for (const member of members) {
      // The kind of the message is kept: ws hands texts over as bytes, too.
      member.send(data, { binary: isBinary });
    }
  });
  socket.on('error', () => socket.terminate());
});
