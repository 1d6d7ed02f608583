/* Answers HTTP requests on the port that it is given, one at a time, after as many thousands of steps as work.h says. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "work.h"

static const char REPLY[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";

static void answer(int connection) {
    char request[4096];
    /* A request is small and comes as one piece. */
    if (read(connection, request, sizeof request) <= 0) {
        close(connection);
        return;
    }
    volatile unsigned long state = 1;
    for (unsigned long step = 0; step < WORK * 1000UL; step++) {
        state = state * 6364136223846793005UL + 1442695040888963407UL;
    }
    if (write(connection, REPLY, strlen(REPLY)) < 0) {
        close(connection);
    }
}

int main(int count, char **words) {
    if (count != 2) return 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0), events = epoll_create1(0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 128)) return 1;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(events, EPOLL_CTL_ADD, listener, &event);
    while (epoll_wait(events, &event, 1, -1) >= 0) {
        if (event.data.fd != listener) {
            answer(event.data.fd);
            continue;
        }
        struct epoll_event added = {.events = EPOLLIN, .data.fd = accept(listener, NULL, NULL)};
        epoll_ctl(events, EPOLL_CTL_ADD, added.data.fd, &added);
    }
    return 1;
}
