//! Values of every setting of a contender, for tests that try them all. No value is a default.

/// A text that this key accepts.
pub(in crate::plan) fn of(key: &str) -> &'static str {
    match key {
        "reuse" => "never",
        "connections" | "depth" | "pool.max" => "2",
        "dialect" => "meta",
        "distribution" => "ketama",
        "consistency" => "quorum",
        "locking" => "none",
        "fsync" | "failover" | "expect_empty" => "true",
        "expires" | "timeout" | "pool.wait" => "1s",
        "charset" => "AL32UTF8",
        "protocol" => "text",
        "table" => "memory",
        "pool.upkeep" => "ping",
        "reply.max" => "1MB",
        "rate" => "6k/s",
        "arrivals" => "poisson",
        "expect" => "200",
        "header" => "A: b",
        "message" => "binary",
        "message_size" => "1kB",
        "members" => "4",
        "routing" => "round-robin",
        "compression" => "lz4",
        "page_size" => "100",
        "batch" => "unlogged",
        "write_coalescing" => "true",
        "sockets_per_node" | "replication" | "batch_size" => "3",
        "pid" => "4711",
        "process" => "nginx",
        "watch" => "127.0.0.1:9310",
        "watch_token_file" => "src/system/remote/fixtures/token",
        "query" | "method" | "data" => "x",
        new => panic!("give a value of {new} here"),
    }
}
