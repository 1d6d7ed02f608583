/* A WebSocket server on libevent's bufferevents: echo PORT. One thread. A message comes back to
   its sender; with `?room=NAME` in the URL it goes to all members of that room, the sender
   included. */
#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A client that announces a longer message is closed with 1009. */
#define MOST_BYTES (16u << 20)
#define MOST_HEAD 16384
#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

enum { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

#define MOST_NAME 64
#define BUCKETS 4096

/* Rooms whose names have the same hash are a list. */
struct room {
    struct room *next;
    struct client *members;
    char name[MOST_NAME + 1];
};

static struct room *rooms[BUCKETS];

/* One client. The fragments of its message wait in `message`. */
struct client {
    struct bufferevent *bev;
    struct evbuffer *message;
    struct room *room;
    struct client *next, *previous;
    int kind;
    int upgraded;
    int closes;
};

static struct room **bucket(const char *name)
{
    unsigned hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return &rooms[hash % BUCKETS];
}

/* Returns 0 if there is no memory for it. */
static int enter(struct client *client, const char *name)
{
    struct room **first = bucket(name), *room = *first;
    while (room && strcmp(room->name, name) != 0)
        room = room->next;
    if (!room) {
        if (!(room = calloc(1, sizeof *room)))
            return 0;
        strcpy(room->name, name);
        room->next = *first;
        *first = room;
    }
    client->room = room;
    client->next = room->members;
    if (client->next)
        client->next->previous = client;
    room->members = client;
    return 1;
}

static void leave(struct client *client)
{
    struct room *room = client->room;
    if (client->next)
        client->next->previous = client->previous;
    if (client->previous)
        client->previous->next = client->next;
    else
        room->members = client->next;
    if (room->members)
        return;
    struct room **at = bucket(room->name);
    while (*at != room)
        at = &(*at)->next;
    *at = room->next;
    free(room);
}

static void drop(struct bufferevent *bev, struct client *client)
{
    if (client->room)
        leave(client);
    evbuffer_free(client->message);
    free(client);
    bufferevent_free(bev);
}

/* The value of a header in a head that ends with a zero; its length in `len`. */
static const char *header(const char *head, const char *name, size_t *len)
{
    size_t known = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, known) == 0 && line[known] == ':') {
            const char *value = line + known + 1;
            value += strspn(value, " \t");
            *len = strcspn(value, " \t\r\n");
            return value;
        }
    }
    return NULL;
}

/* The name of the room in the query of a request. Returns 0 if there is no name, or if it is too long. */
static int room_of(const char *head, char name[MOST_NAME + 1])
{
    size_t line = strcspn(head, "\r\n"), query = strcspn(head, "?\r\n");
    for (const char *at = head + query; at < head + line && *at != ' '; at += strcspn(at, "& \r\n")) {
        at++;
        if (strncmp(at, "room=", 5) == 0) {
            size_t len = strcspn(at + 5, "& \r\n");
            if (len == 0 || len > MOST_NAME)
                return 0;
            memcpy(name, at + 5, len);
            name[len] = 0;
            return 1;
        }
    }
    return 0;
}

/* Answers the request for the upgrade. Returns 0 while it is not complete. */
static int upgrade(struct client *client, struct evbuffer *in, struct evbuffer *out)
{
    struct evbuffer_ptr end = evbuffer_search(in, "\r\n\r\n", 4, NULL);
    if (end.pos < 0) {
        client->closes = evbuffer_get_length(in) > MOST_HEAD;
        return 0;
    }
    char head[MOST_HEAD + 1], joined[128];
    size_t size = (size_t)end.pos + 4, len = 0;
    if (size > MOST_HEAD) {
        client->closes = 1;
        return 0;
    }
    evbuffer_remove(in, head, size);
    head[size] = 0;
    const char *key = header(head, "Sec-WebSocket-Key", &len);
    if (!key || len == 0 || len + sizeof GUID > sizeof joined) {
        evbuffer_add_printf(out, "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n"
                                 "Connection: close\r\nContent-Length: 0\r\n\r\n");
        client->closes = 1;
        return 0;
    }
    char name[MOST_NAME + 1];
    if (room_of(head, name) && !enter(client, name)) {
        client->closes = 1;
        return 0;
    }
    unsigned char digest[SHA_DIGEST_LENGTH], accept[32];
    memcpy(joined, key, len);
    memcpy(joined + len, GUID, sizeof GUID - 1);
    SHA1((unsigned char *)joined, len + sizeof GUID - 1, digest);
    EVP_EncodeBlock(accept, digest, sizeof digest);
    evbuffer_add_printf(out,
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
                        accept);
    client->upgraded = 1;
    return 1;
}

static void say_head(struct evbuffer *out, int opcode, uint64_t length)
{
    unsigned char head[10] = {(unsigned char)(0x80 | opcode)};
    size_t bytes = 2;
    if (length < 126) {
        head[1] = (unsigned char)length;
    } else {
        head[1] = length < 65536 ? 126 : 127;
        bytes = length < 65536 ? 4 : 10;
        for (size_t at = bytes - 1; at >= 2; at--, length >>= 8)
            head[at] = (unsigned char)length;
    }
    evbuffer_add(out, head, bytes);
}

static int close_with(struct client *client, struct evbuffer *out, unsigned code)
{
    unsigned char payload[2] = {(unsigned char)(code >> 8), (unsigned char)code};
    say_head(out, CLOSE, 2);
    evbuffer_add(out, payload, 2);
    client->closes = 1;
    return 0;
}

/* RFC 3629, with the shortest forms alone. */
static int is_utf8(const unsigned char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        unsigned char first = text[at++], low = 0x80, high = 0xBF;
        int more;
        if (first < 0x80)
            continue;
        if (first >= 0xC2 && first <= 0xDF)
            more = 1;
        else if (first >= 0xE0 && first <= 0xEF) {
            more = 2;
            if (first == 0xE0)
                low = 0xA0;
            if (first == 0xED)
                high = 0x9F;
        } else if (first >= 0xF0 && first <= 0xF4) {
            more = 3;
            if (first == 0xF0)
                low = 0x90;
            if (first == 0xF4)
                high = 0x8F;
        } else
            return 0;
        for (; more > 0; more--, low = 0x80, high = 0xBF)
            if (at == len || text[at] < low || text[at++] > high)
                return 0;
    }
    return 1;
}

static void say(struct client *client, int opcode, const unsigned char *payload, size_t len)
{
    struct evbuffer *out = bufferevent_get_output(client->bev);
    say_head(out, opcode, len);
    evbuffer_add(out, payload, len);
}

/* A complete message. Returns 0 if it is a text that is no UTF-8. */
static int deliver(struct client *client, const unsigned char *message, size_t len)
{
    int kind = client->kind;
    client->kind = 0;
    if (kind == TEXT && !is_utf8(message, len))
        return 0;
    if (!client->room)
        say(client, kind, message, len);
    else
        for (struct client *member = client->room->members; member; member = member->next)
            if (!member->closes)
                say(member, kind, message, len);
    return 1;
}

/* What a frame with this payload, which is unmasked, leads to. Returns 0 if that is a close. */
static int understand(struct client *client, struct evbuffer *out, int opcode, int last,
                      const unsigned char *payload, size_t len)
{
    if (opcode == CLOSE) {
        say_head(out, CLOSE, len < 2 ? 0 : 2);
        evbuffer_add(out, payload, len < 2 ? 0 : 2);
        client->closes = 1;
        return 0;
    }
    if (opcode == PING) {
        say_head(out, PONG, len);
        evbuffer_add(out, payload, len);
        return 1;
    }
    if (opcode == PONG)
        return 1;
    if (opcode > BINARY || (opcode == CONTINUATION) == (client->kind == 0))
        return close_with(client, out, 1002);
    if (opcode != CONTINUATION)
        client->kind = opcode;
    if (last && evbuffer_get_length(client->message) == 0) {
        /* The usual case: one frame, which is not gathered. */
        return deliver(client, payload, len) || close_with(client, out, 1007);
    }
    evbuffer_add(client->message, payload, len);
    if (!last)
        return 1;
    size_t whole = evbuffer_get_length(client->message);
    int goes_on = deliver(client, evbuffer_pullup(client->message, -1), whole);
    evbuffer_drain(client->message, whole);
    return goes_on || close_with(client, out, 1007);
}

/* Takes one frame. Returns 0 if more bytes must come first, or the connection closes. */
static int frame(struct client *client, struct evbuffer *in, struct evbuffer *out)
{
    unsigned char head[14];
    ev_ssize_t have = evbuffer_copyout(in, head, sizeof head);
    if (have < 2)
        return 0;
    if ((head[0] & 0x70) || !(head[1] & 0x80))
        return close_with(client, out, 1002);
    uint64_t length = head[1] & 0x7F;
    size_t bytes = length == 126 ? 4 : length == 127 ? 10 : 2;
    if ((size_t)have < bytes + 4)
        return 0;
    if (bytes > 2) {
        length = 0;
        for (size_t at = 2; at < bytes; at++)
            length = length << 8 | head[at];
    }
    if (length > MOST_BYTES - evbuffer_get_length(client->message))
        return close_with(client, out, 1009);
    size_t whole = bytes + 4 + length;
    if (evbuffer_get_length(in) < whole)
        return 0;
    unsigned char *payload = evbuffer_pullup(in, (ev_ssize_t)whole) + bytes + 4;
    for (size_t at = 0; at < length; at++)
        payload[at] ^= head[bytes + (at & 3)];
    int goes_on = understand(client, out, head[0] & 15, head[0] & 0x80, payload, length);
    evbuffer_drain(in, whole);
    return goes_on;
}

static void on_written(struct bufferevent *bev, void *arg)
{
    struct client *client = arg;
    if (client->closes && evbuffer_get_length(bufferevent_get_output(bev)) == 0)
        drop(bev, client);
}

static void on_read(struct bufferevent *bev, void *arg)
{
    struct client *client = arg;
    struct evbuffer *in = bufferevent_get_input(bev), *out = bufferevent_get_output(bev);
    if (client->upgraded || upgrade(client, in, out))
        while (!client->closes && frame(client, in, out))
            ;
    if (client->closes) {
        bufferevent_disable(bev, EV_READ);
        on_written(bev, client);
    }
}

static void on_event(struct bufferevent *bev, short events, void *arg)
{
    if (events & (BEV_EVENT_EOF | BEV_EVENT_ERROR))
        drop(bev, arg);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from,
                      int len, void *arg)
{
    (void)listener, (void)from, (void)len;
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct client *client = calloc(1, sizeof *client);
    struct bufferevent *bev = bufferevent_socket_new(arg, fd, BEV_OPT_CLOSE_ON_FREE);
    if (!client || !bev || !(client->message = evbuffer_new())) {
        free(client);
        if (bev)
            bufferevent_free(bev);
        else
            evutil_closesocket(fd);
        return;
    }
    client->bev = bev;
    bufferevent_setcb(bev, on_read, on_written, on_event, client);
    bufferevent_enable(bev, EV_READ | EV_WRITE);
}

int main(int argc, char **argv)
{
    int port = argc == 2 ? atoi(argv[1]) : 0;
    if (port < 1 || port > 65535) {
        fprintf(stderr, "usage: echo PORT\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct event_base *base = event_base_new();
    struct evconnlistener *listener =
        base ? evconnlistener_new_bind(base, on_accept, base,
                                       LEV_OPT_CLOSE_ON_FREE | LEV_OPT_REUSEABLE, 1024,
                                       (struct sockaddr *)&at, sizeof at)
             : NULL;
    if (!listener) {
        fprintf(stderr, "port %d: %s\n", port, strerror(errno));
        return 1;
    }
    event_base_dispatch(base);
    return 1;
}
