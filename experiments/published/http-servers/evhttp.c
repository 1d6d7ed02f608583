/* A page from memory on libevent's evhttp: one thread, one event loop.
 *
 *   evhttp PORT FILE          evhttp_new() and evhttp_bind_socket_with_handle()
 *   evhttp --old PORT FILE    event_init() and evhttp_start(), as in libevent 1.4
 */
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/event_compat.h>
#include <event2/http.h>
#include <event2/http_compat.h>
#include <event2/http_struct.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *page;
static size_t page_length;

static void answer(struct evhttp_request *request, void *unused)
{
    (void)unused;
    const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
    if (path == NULL || strcmp(path, "/") != 0) {
        evhttp_send_error(request, HTTP_NOTFOUND, NULL);
        return;
    }
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type", "text/html");
    struct evbuffer *body = evbuffer_new();
    evbuffer_add_reference(body, page, page_length, NULL, NULL);
    evhttp_send_reply(request, HTTP_OK, "OK", body);
    evbuffer_free(body);
}

static void stop(evutil_socket_t signal, short events, void *base)
{
    (void)signal;
    (void)events;
    event_base_loopbreak(base);
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void load(const char *file)
{
    FILE *from = fopen(file, "rb");
    if (from == NULL || fseek(from, 0, SEEK_END) != 0)
        die(file);
    page_length = (size_t)ftell(from);
    rewind(from);
    page = malloc(page_length);
    if (page == NULL || fread(page, 1, page_length, from) != page_length)
        die(file);
    fclose(from);
}

static struct event_base *listen_old(unsigned short port)
{
    struct event_base *base = event_init();
    struct evhttp *server = evhttp_start("127.0.0.1", port);
    if (server == NULL)
        die("evhttp_start");
    evhttp_set_gencb(server, answer, NULL);
    return base;
}

static struct event_base *listen_new(unsigned short port)
{
    struct event_base *base = event_base_new();
    struct evhttp *server = evhttp_new(base);
    if (server == NULL || evhttp_bind_socket_with_handle(server, "127.0.0.1", port) == NULL)
        die("evhttp_bind_socket_with_handle");
    evhttp_set_gencb(server, answer, NULL);
    return base;
}

int main(int count, char **arguments)
{
    int old = count > 1 && strcmp(arguments[1], "--old") == 0;
    if (count != 3 + old) {
        fprintf(stderr, "usage: %s [--old] PORT FILE\n", arguments[0]);
        return 2;
    }
    unsigned short port = (unsigned short)atoi(arguments[1 + old]);
    load(arguments[2 + old]);
    struct event_base *base = old ? listen_old(port) : listen_new(port);
    struct event *term = evsignal_new(base, SIGTERM, stop, base);
    event_add(term, NULL);
    event_base_dispatch(base);
    return 0;
}
