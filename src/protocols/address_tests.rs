//! Addresses of all protocols.

use super::PROTOCOLS;
use proptest::prelude::*;
use protocol::address::harmless;

fn error(text: &str) -> String {
    PROTOCOLS.url(text).err().unwrap_or_else(|| panic!("`{text}` was taken"))
}

#[test]
fn good_addresses() {
    // (typed, Host, request line, recorded, short)
    let table = [
        ("http://a.test", "a.test", "/", "http://a.test/", "a.test:80"),
        ("http://A.test:8080", "a.test:8080", "/", "http://a.test:8080/", "a.test:8080"),
        ("https://a.test:443/x", "a.test", "/x", "https://a.test/x", "a.test:443"),
        ("http://a.test?k=v", "a.test", "/?k=v", "http://a.test/?k=…", "a.test:80"),
        ("http://[::1]:81/", "[::1]:81", "/", "http://[::1]:81/", "[::1]:81"),
        (
            "https://[2001:DB8::1]/",
            "[2001:db8::1]",
            "/",
            "https://[2001:db8::1]/",
            "[2001:db8::1]:443",
        ),
        (
            "http://127.0.0.1:9/a%20b#part",
            "127.0.0.1:9",
            "/a%20b",
            "http://127.0.0.1:9/a%20b",
            "127.0.0.1:9",
        ),
        (
            "HTTP://u:p@h/p?token=abc&x=1&flag",
            "h",
            "/p?token=abc&x=1&flag",
            "http://h/p?token=…&x=…&…",
            "h:80",
        ),
        ("http://h/p?", "h", "/p?", "http://h/p?…", "h:80"),
        (
            "http+unix://%2Ftmp%2Fx.sock/p?q=1",
            "localhost",
            "/p?q=1",
            "http+unix://%2Ftmp%2Fx.sock/p?q=…",
            "x.sock",
        ),
        ("http+unix://x.sock", "localhost", "/", "http+unix://x.sock/", "x.sock"),
        ("memcached://h", "h", "/", "memcached://h", "h:11211"),
        ("redis://:secret@h:1", "h:1", "/", "redis://h:1", "h:1"),
        ("redis://h/3", "h", "/3", "redis://h/3", "h:6379"),
        ("redis+unix://r.sock", "localhost", "/", "redis+unix://r.sock", "r.sock"),
        ("postgres://me@h/b", "h", "/b", "postgres://h/b", "h:5432"),
        (
            "postgres://me:p@h:1/b?sslmode=verify-full",
            "h:1",
            "/b?sslmode=verify-full",
            "postgres://h:1/b?sslmode=verify-full",
            "h:1",
        ),
        ("cassandra://me:p@h,i:1/k", "h", "/k", "cassandra://h,i:1/k", "h:9042+1"),
        ("cassandra+thrift://h/k", "h", "/k", "cassandra+thrift://h/k", "h:9160"),
        ("cassandra+thrift://me:p@h:1/K_2", "h:1", "/K_2", "cassandra+thrift://h:1/K_2", "h:1"),
        ("mysql://me:p@h/my%20b", "h", "/my%20b", "mysql://h/my%20b", "h:3306"),
        ("mysql+unix://me@m.sock/b", "localhost", "/b", "mysql+unix://m.sock/b", "m.sock"),
    ];
    for (typed, host, line, recorded, short) in table {
        let url = PROTOCOLS.url(typed).unwrap_or_else(|message| panic!("{typed}: {message}"));
        assert_eq!(url.host_header(), host, "{typed}");
        assert_eq!(url.request_target(), line, "{typed}");
        assert_eq!(url.recorded(), recorded, "{typed}");
        assert_eq!(url.short(), short, "{typed}");
    }
}

#[test]
fn logins_are_decoded_and_split_at_the_last_at() {
    for (typed, user, password) in [
        ("http://me:secret@h/", "me", "secret"),
        ("http://me@h/", "me", ""),
        ("http://me%40work:p%3Aq@h/", "me@work", "p:q"),
        ("http://me:p@ss:w@h/", "me", "p@ss:w"),
    ] {
        let login = PROTOCOLS.url(typed).ok().and_then(|url| url.login).expect(typed);
        assert_eq!(login.user, user.as_bytes(), "{typed}");
        assert_eq!(login.password, password.as_bytes(), "{typed}");
    }
    assert!(PROTOCOLS.url("http://@h/").ok().is_some_and(|url| url.login.is_none()));
}

#[test]
fn bad_addresses_name_the_remedy() {
    let table = [
        (
            "localhost:8080",
            "`localhost:8080` is not an address: did you mean `http://localhost:8080/`?",
        ),
        (
            "localhost:8080/x",
            "`localhost:8080/x` is not an address: did you mean `http://localhost:8080/x`?",
        ),
        ("a.test", "`a.test` is not an address: did you mean `http://a.test/`?"),
        // A host of this name.
        ("docker:80", "`docker:80` is not an address: did you mean `http://docker:80/`?"),
        (
            "docker:library/nginx",
            "`docker:` is not supported: tiebreak does not start images; start the container \
             yourself, with a published port (docker run -p 127.0.0.1:8080:80 IMAGE), and give \
             its address, such as http://127.0.0.1:8080/",
        ),
        (
            "rediss://:CANARY@h/0",
            "`rediss:` is not supported: TLS to Redis is not supported yet; drive a port \
             without TLS as redis://HOST:PORT, or let a proxy on this machine speak TLS to the \
             server",
        ),
        ("exec:", "exec: the program is missing: write for example exec:php check.php"),
        (
            "cassandra+thrift://h/",
            "the path of a cassandra+thrift address must be the name of a keyspace, such as \
             cassandra+thrift://127.0.0.1:9160/KEYSPACE",
        ),
        (
            "cassandra+thrift://h/a-b",
            "the path of a cassandra+thrift address must be the name of a keyspace, such as \
             cassandra+thrift://127.0.0.1:9160/KEYSPACE",
        ),
        (
            "cassandra://h/a.b",
            "the path of a cassandra address must be the name of a keyspace (letters, digits, \
             `_`), such as cassandra://USER:PASSWORD@HOST/KEYSPACE",
        ),
        ("mysql://h/x", "the user is missing: write mysql://USER:PASSWORD@HOST/DATABASE"),
        (
            "postgres://me@h/",
            "the path of a postgres address must be the name of a database, such as \
             postgres://USER:PASSWORD@HOST/DATABASE",
        ),
        (
            "mysql://me:CANARY@h/b?ssl=CANARY",
            "the query (`?`) of a mysql address supports sslmode=verify-full and \
             allow-public-key-retrieval=true. sslmode=verify-full requires TLS: --cacert \
             names the trusted authorities, --insecure accepts any certificate",
        ),
        (
            "postgres://me@h/b?allow-public-key-retrieval=true",
            "the query (`?`) of a postgres address supports sslmode=verify-full. \
             sslmode=verify-full requires TLS: --cacert names the trusted authorities, \
             --insecure accepts any certificate",
        ),
        (
            "https+unix://x.sock/",
            "the scheme `https+unix` is not known; supported schemes: http, https, http+unix, \
             ws, wss, ws+unix, memcached, memcached+unix, redis, redis+unix, cassandra, \
             cassandra+thrift, postgres, postgres+unix, mysql, mysql+unix, file, exec; did you \
             mean `http+unix`?",
        ),
        (
            "memcached://me@h/",
            "tiebreak does not support authentication for memcached: remove \
                               the part before `@`",
        ),
        (
            "memcached://h/x",
            "memcached addresses do not have a path: write memcached://127.0.0.1:11211",
        ),
        (
            "redis://h/x",
            "the path of a redis address must be a database number or empty, such as \
             redis://127.0.0.1:6379/0",
        ),
        (
            "htpp://h/",
            "the scheme `htpp` is not known; supported schemes: http, https, http+unix, ws, \
             wss, ws+unix, memcached, memcached+unix, redis, redis+unix, cassandra, \
             cassandra+thrift, postgres, postgres+unix, mysql, mysql+unix, file, exec; did you \
             mean `http`?",
        ),
        (
            "gopher://h/",
            "the scheme `gopher` is not known; supported schemes: http, https, http+unix, ws, \
             wss, ws+unix, memcached, memcached+unix, redis, redis+unix, cassandra, \
             cassandra+thrift, postgres, postgres+unix, mysql, mysql+unix, file, exec",
        ),
        ("http:///x", "the host is missing: write http://HOST:PORT/"),
        ("http://:80/", "the host is missing: write http://HOST:PORT/"),
        ("http://h:0/", "the port `0` is not a number from 1 to 65535"),
        ("http://h:+1/", "the port `+1` is not a number from 1 to 65535"),
        ("http://h:65536/", "the port `65536` is not a number from 1 to 65535"),
        ("http://::1/", "an IPv6 address must be in brackets: http://[::1]:8080/"),
        ("http://[::1/", "the `]` of the IPv6 address is missing"),
        ("http://[fe80::1%25eth0]/", "IPv6 addresses with a zone (%eth0) are not supported"),
        ("http://[nonsense]/", "`[nonsense]` is not an IPv6 address"),
        ("http://a b/", "`a b` is not a host name"),
        ("http://käse.test/", "write the host `käse.test` in its ASCII form (xn--…)"),
        (
            "http://h/a b",
            "the path and the query must be percent-encoded: ASCII only, spaces as %20",
        ),
        (
            "http+unix:///run/x.sock",
            "the socket's path must come before the first slash, percent-encoded: \
             http+unix://%2Frun%2Fapp.sock/path",
        ),
        (
            "http://u:%zz@h/",
            "the login before `@` contains a `%` that is not followed by two \
                             hex digits",
        ),
    ];
    for (typed, message) in table {
        // A build with Oracle's driver has one more scheme.
        let text = error(typed).replace("mysql+unix, oracle, ", "mysql+unix, ");
        assert_eq!(text, message, "{typed}");
    }
    assert!(error(&format!("http+unix://{}/", "x".repeat(108))).contains("108 bytes"));
}

#[test]
fn oracle_says_how_it_is_built_in_or_what_it_lacks() {
    if !cfg!(feature = "oracle") {
        let message = error("oracle://me:CANARY@h/s");
        assert!(message.contains("--features oracle") && !message.contains("CANARY"), "{message}");
        return;
    }
    let url =
        PROTOCOLS.url("oracle://me:p@h/FREEPDB1").unwrap_or_else(|message| panic!("{message}"));
    assert_eq!((url.recorded().as_str(), url.short()), ("oracle://h/FREEPDB1", "h:1521".into()));
    for wrong in [
        "oracle://h/s",
        "oracle://me@h/s",
        "oracle://me:CANARY@h/",
        "oracle://me:CANARY@h/a)(b",
        "oracle://me:CANARY@h/s?x",
    ] {
        let message = error(wrong);
        assert!(message.contains("oracle://USER:PASSWORD@HOST:1521/SERVICE"), "{wrong}: {message}");
        assert!(!message.contains("CANARY"), "{message}");
    }
    assert!(error("oracle+unix://x/").contains("oracle+unix"));
}

#[test]
fn messages_never_quote_a_login_or_a_query() {
    for typed in [
        "u:CANARY@h",
        "u:a?CANARY@h",
        "http://u:a#CANARY@h",
        "h?mail=a@CANARY",
        "u:CANARY@h:8080/x.toml",
        "u:CANARY@./file",
        "h?token=CANARY",
        "foo://u:CANARY@h/?CANARY",
        "http://u:CANARY@h:bad/?CANARY",
        "http://u:CANARY@/",
        "http://u:CANARY%@h/",
        "http://h/a b?CANARY",
    ] {
        assert!(!error(typed).contains("CANARY"), "{typed}: {}", error(typed));
        assert!(!harmless(typed).contains("CANARY"), "{typed}");
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_what_is_recorded_reads_back(text: String, path in "[a-z/]{0,9}", port: u16) {
        let _ = PROTOCOLS.url(&text);
        if let Ok(url) = PROTOCOLS.url(&format!("http://host:{port}/{path}")) {
            let back = PROTOCOLS.url(&url.recorded()).map_err(TestCaseError::fail)?;
            prop_assert_eq!(back.recorded(), url.recorded());
        }
    }
}

#[test]
fn directories() {
    for (text, recorded, short) in [
        ("file:///dev/shm/cache", "file:///dev/shm/cache", "cache"),
        ("FILE://localhost/tmp/a%20b/", "file:///tmp/a b", "a b"),
    ] {
        let url = PROTOCOLS.url(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((url.recorded().as_str(), url.short().as_str()), (recorded, short));
    }
    for (text, message) in [
        (
            "file://cache",
            "file:// addresses do not have a host; write the directory with \
                          three slashes",
        ),
        ("file:///", "the root directory cannot be used as a cache"),
        ("file:///a/../b", "the directory's path must not contain `..`"),
        ("file:///a?fsync=true", "file:// addresses do not support a query"),
        ("file:///a%0ab", "the directory's path contains a control character"),
        ("file:///a%ffb", "the path is malformed"),
    ] {
        let output = PROTOCOLS.url(text).err().expect(text);
        assert!(output.starts_with(message), "{text}: {output}");
    }
}

#[test]
fn programs() {
    let url = PROTOCOLS.url("exec:php 'check a.php'").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(url.recorded(), "exec:php check a.php");
    assert_eq!(url.short(), "php check a.php");
    let message = PROTOCOLS.url("exec:a | b").err().expect("a pipe");
    assert!(message.contains("is shell syntax"), "{message}");
}
