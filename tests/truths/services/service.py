"""Answers a page after it has written so many rows as JSON."""

import asyncio
import json
import sys

ROWS = int(sys.argv[2])
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ndone\n"


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.received = transport, b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            _, self.received = self.received.split(b"\r\n\r\n", 1)
            rows = [{"id": number, "name": f"item {number}"} for number in range(ROWS)]
            if json.dumps(rows):
                self.transport.write(REPLY)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
