<?php
// A WebSocket server on one stream_select loop: php server.php PORT. A message comes back to
// its sender; with `?room=NAME` in the URL it goes to all members of that room, the sender
// included.
declare(strict_types=1);

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Longest message: a client that announces more is closed with 1009. */
const MOST_BYTES = 16 * 1024 * 1024;
const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** Clients whose messages go to all of them. */
final class Rooms
{
    /** @var array<string, array<int, Client>> by the name of the room and the stream's number */
    private array $members = [];

    public function enter(string $name, Client $client): void
    {
        $this->members[$name][get_resource_id($client->stream)] = $client;
    }

    public function leave(string $name, Client $client): void
    {
        unset($this->members[$name][get_resource_id($client->stream)]);
        if ($this->members[$name] === []) {
            unset($this->members[$name]);
        }
    }

    /** @return array<int, Client> */
    public function members(string $name): array
    {
        return $this->members[$name];
    }
}

/** One client: what was read and not understood yet, and what was not sent yet. */
final class Client
{
    public string $input = '';
    public string $output = '';
    public bool $isUpgraded = false;
    public bool $closes = false;
    private ?string $room = null;
    private string $message = '';
    private int $kind = 0;

    public function __construct(public readonly mixed $stream, private readonly Rooms $rooms)
    {
    }

    /** The connection ends. */
    public function end(): void
    {
        if ($this->room !== null) {
            $this->rooms->leave($this->room, $this);
        }
        fclose($this->stream);
    }

    /** Answers all that is complete. */
    public function understand(): void
    {
        if (!$this->isUpgraded && !$this->upgrade()) {
            return;
        }
        while (!$this->closes && $this->frame()) {
        }
    }

    private function upgrade(): bool
    {
        $end = strpos($this->input, "\r\n\r\n");
        if ($end === false) {
            $this->closes = strlen($this->input) > 16384;
            return false;
        }
        $head = substr($this->input, 0, $end);
        $this->input = substr($this->input, $end + 4);
        if (!preg_match('/^Sec-WebSocket-Key:[ \t]*(\S+)/mi', $head, $key)) {
            $this->output .= "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n"
                . "Connection: close\r\nContent-Length: 0\r\n\r\n";
            $this->closes = true;
            return false;
        }
        if (preg_match('/^GET [^ ?]*\?(?:[^ ]*&)?room=([^& ]+)/', $head, $name)) {
            $this->room = $name[1];
            $this->rooms->enter($this->room, $this);
        }
        $accept = base64_encode(sha1($key[1] . GUID, true));
        $this->output .= "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
            . "Connection: Upgrade\r\nSec-WebSocket-Accept: $accept\r\n\r\n";
        $this->isUpgraded = true;
        return true;
    }

    /** Takes one frame. Returns false if more bytes must come first. */
    private function frame(): bool
    {
        $have = strlen($this->input);
        if ($have < 2) {
            return false;
        }
        $first = ord($this->input[0]);
        $second = ord($this->input[1]);
        [$length, $head] = [$second & 127, 2];
        if ($length === 126) {
            if ($have < 4) {
                return false;
            }
            [$length, $head] = [unpack('n', $this->input, 2)[1], 4];
        } elseif ($length === 127) {
            if ($have < 10) {
                return false;
            }
            [$length, $head] = [unpack('J', $this->input, 2)[1], 10];
        }
        if (($first & 0x70) !== 0 || ($second & 0x80) === 0) {
            return $this->close(1002);
        }
        if ($length < 0 || $length + strlen($this->message) > MOST_BYTES) {
            return $this->close(1009);
        }
        if ($have < $head + 4 + $length) {
            return false;
        }
        $key = substr($this->input, $head, 4);
        $payload = substr($this->input, $head + 4, $length);
        $payload ^= str_pad('', $length, $key);
        $this->input = substr($this->input, $head + 4 + $length);
        return $this->understandFrame($first & 15, ($first & 128) !== 0, $payload);
    }

    private function understandFrame(int $opcode, bool $isLast, string $payload): bool
    {
        if ($opcode === CLOSE) {
            $this->say(CLOSE, substr($payload, 0, 2));
            $this->closes = true;
        } elseif ($opcode === PING) {
            $this->say(PONG, $payload);
        } elseif ($opcode <= 2) {
            if (($opcode === CONTINUATION) === ($this->kind === 0)) {
                return $this->close(1002);
            }
            $this->kind = $opcode === CONTINUATION ? $this->kind : $opcode;
            $this->message .= $payload;
            if ($isLast) {
                if ($this->kind === TEXT && preg_match('//u', $this->message) !== 1) {
                    return $this->close(1007);
                }
                $all = $this->room === null ? [$this] : $this->rooms->members($this->room);
                foreach ($all as $member) {
                    if (!$member->closes) {
                        $member->say($this->kind, $this->message);
                    }
                }
                [$this->message, $this->kind] = ['', 0];
            }
        } elseif ($opcode !== PONG) {
            return $this->close(1002);
        }
        return true;
    }

    private function close(int $code): bool
    {
        $this->say(CLOSE, pack('n', $code));
        $this->closes = true;
        return false;
    }

    private function say(int $opcode, string $payload): void
    {
        $length = strlen($payload);
        $this->output .= chr(128 | $opcode) . match (true) {
            $length < 126 => chr($length),
            $length < 65536 => pack('Cn', 126, $length),
            default => pack('CJ', 127, $length),
        } . $payload;
    }
}

$port = filter_var($argv[1] ?? '', FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]]);
if ($port === false) {
    fwrite(STDERR, "usage: php server.php PORT\n");
    exit(2);
}
$options = stream_context_create(['socket' => ['backlog' => 1024, 'tcp_nodelay' => true]]);
$flags = STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;
$listener = stream_socket_server("tcp://127.0.0.1:$port", $errno, $error, $flags, $options);
if ($listener === false) {
    fwrite(STDERR, "port $port: $error\n");
    exit(1);
}
stream_set_blocking($listener, false);
/** @var array<int, Client> $clients */
$clients = [];
$rooms = new Rooms();
while (true) {
    $readable = [-1 => $listener] + array_map(fn (Client $of) => $of->stream, $clients);
    $owing = array_filter($clients, fn (Client $of) => $of->output !== '');
    $writable = array_map(fn (Client $of) => $of->stream, $owing);
    $except = null;
    if (@stream_select($readable, $writable, $except, null) === false) {
        continue;
    }
    foreach ($readable as $id => $stream) {
        if ($id === -1) {
            while ($accepted = @stream_socket_accept($listener, 0)) {
                stream_set_blocking($accepted, false);
                $clients[get_resource_id($accepted)] = new Client($accepted, $rooms);
            }
            continue;
        }
        $client = $clients[$id];
        $bytes = @fread($stream, 65536);
        if ($bytes === false || ($bytes === '' && feof($stream))) {
            $client->end();
            unset($clients[$id]);
            continue;
        }
        $client->input .= $bytes;
        $client->understand();
    }
    foreach ($clients as $id => $client) {
        if ($client->output !== '') {
            $sent = @fwrite($client->stream, $client->output);
            if ($sent === false) {
                $client->end();
                unset($clients[$id]);
                continue;
            }
            $client->output = (string) substr($client->output, $sent);
        }
        if ($client->closes && $client->output === '') {
            $client->end();
            unset($clients[$id]);
        }
    }
}
