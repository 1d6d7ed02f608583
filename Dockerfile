# docker build --tag tiebreak .
# docker run --rm --network host --user "$(id -u):$(id -g)" --read-only --tmpfs /tmp --volume "$PWD:/runs" \
#     tiebreak compare a=http://127.0.0.1:8080/ b=http://127.0.0.1:8081/
#
# It writes to /runs and /tmp alone, and needs no rights of root. With --user the runs belong to you.
#
# The image holds the static binary and the certificates of public authorities. Servers that
# tiebreak launches itself (recipes) are not in it: launch them beside it, and give addresses.
FROM rust:1.95-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends musl-tools
RUN rustup target add "$(uname -m)-unknown-linux-musl"
WORKDIR /source
COPY . .
RUN mkdir -p /image/usr/bin /image/etc/ssl/certs /image/runs /image/tmp && chmod 1777 /image/runs /image/tmp
RUN cp "$(packaging/build --binary)" /image/usr/bin/tiebreak
RUN cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/

FROM scratch
COPY --from=build /image/ /
USER 65532:65532
WORKDIR /runs
ENTRYPOINT ["/usr/bin/tiebreak"]
