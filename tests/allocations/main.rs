//! The hot path allocates nothing; a counting allocator of this program verifies it.

#[path = "../../protocols/http/tests/common.rs"]
mod common;
mod counting;
mod files;
mod http;
#[path = "../../protocols/memcached/tests/server.rs"]
mod memcached_server;
#[path = "../../protocols/redis/tests/server.rs"]
mod redis_server;
#[path = "../../protocols/files/tests/scratch.rs"]
mod scratch;
mod stores;
#[path = "../../protocols/thrift/tests"]
mod thrift_server {
    pub(crate) mod server;
    pub(crate) mod wide_rows;
}
mod toy;
#[allow(dead_code, reason = "the tests of lanes use the rest")]
#[path = "../lanes/toy"]
mod toy_codec {
    pub(crate) mod codec;
    pub(crate) mod dialogue;
    pub(crate) mod server;
}
mod websocket;
mod workload;

/// Tests run one after the other: the thread of another test would allocate at the same time.
#[test]
fn nothing_is_allocated_for_an_operation() {
    workload::nothing_is_allocated_for_an_operation();
    for (lane, ten_times_the_operations_make_no_allocation_more) in [
        ("HTTP", http::ten_times_the_operations_make_no_allocation_more as fn()),
        ("stores", stores::ten_times_the_operations_make_no_allocation_more),
        ("files", files::ten_times_the_operations_make_no_allocation_more),
        ("WebSocket", websocket::ten_times_the_operations_make_no_allocation_more),
        ("a toy protocol", toy::ten_times_the_operations_make_no_allocation_more),
    ] {
        println!("{lane}");
        ten_times_the_operations_make_no_allocation_more();
    }
}
