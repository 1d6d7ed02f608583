<?php
// A page from memory on libevent's evhttp, driven by PHP: with the extension `event` where
// it is installed, else through FFI. One thread, one event loop.
//
//   php evhttp.php PORT FILE
declare(strict_types=1);

[, $port, $file] = $argv;
$page = file_get_contents($file);
$serve = extension_loaded('event') ? 'serve_by_extension' : 'serve_by_ffi';
$serve((int) $port, $page);

function serve_by_extension(int $port, string $page): void
{
    $base = new EventBase();
    $http = new EventHttp($base);
    $http->setDefaultCallback(function (EventHttpRequest $request) use ($page) {
        if (parse_url($request->getUri(), PHP_URL_PATH) !== '/') {
            $request->sendError(404);
            return;
        }
        $request->addHeader('Content-Type', 'text/html', EventHttpRequest::OUTPUT_HEADER);
        $body = new EventBuffer();
        $body->add($page);
        $request->sendReply(200, 'OK', $body);
    });
    if (!$http->bind('127.0.0.1', $port)) {
        exit(1);
    }
    $base->dispatch();
}

function serve_by_ffi(int $port, string $page): void
{
    $event = FFI::cdef(<<<'C'
        struct event_base;
        struct evhttp;
        struct evhttp_request;
        struct evbuffer;
        struct evkeyvalq;
        struct event_base *event_base_new(void);
        int event_base_dispatch(struct event_base *);
        struct evhttp *evhttp_new(struct event_base *);
        void *evhttp_bind_socket_with_handle(struct evhttp *, const char *, unsigned short);
        void evhttp_set_gencb(struct evhttp *, void (*)(struct evhttp_request *, void *), void *);
        const char *evhttp_request_get_uri(const struct evhttp_request *);
        struct evkeyvalq *evhttp_request_get_output_headers(struct evhttp_request *);
        int evhttp_add_header(struct evkeyvalq *, const char *, const char *);
        void evhttp_send_reply(struct evhttp_request *, int, const char *, struct evbuffer *);
        void evhttp_send_error(struct evhttp_request *, int, const char *);
        struct evbuffer *evbuffer_new(void);
        int evbuffer_add(struct evbuffer *, const void *, size_t);
        void evbuffer_free(struct evbuffer *);
        C, 'libevent-2.1.so.7');
    $base = $event->event_base_new();
    $http = $event->evhttp_new($base);
    $length = strlen($page);
    $answer = function ($request, $unused) use ($event, $page, $length) {
        if ($event->evhttp_request_get_uri($request) !== '/') {
            $event->evhttp_send_error($request, 404, null);
            return;
        }
        $headers = $event->evhttp_request_get_output_headers($request);
        $event->evhttp_add_header($headers, 'Content-Type', 'text/html');
        $body = $event->evbuffer_new();
        $event->evbuffer_add($body, $page, $length);
        $event->evhttp_send_reply($request, 200, 'OK', $body);
        $event->evbuffer_free($body);
    };
    $event->evhttp_set_gencb($http, $answer, null);
    if ($event->evhttp_bind_socket_with_handle($http, '127.0.0.1', $port) === null) {
        fwrite(STDERR, "port $port cannot be listened on\n");
        exit(1);
    }
    $event->event_base_dispatch($base);
}
