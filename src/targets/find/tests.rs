//! Listeners in real processes.

use super::*;
use crate::not_tested::{Lack, lacks, not_installed};
use crate::scratch::Scratch;
use crate::targets::child::Child;
use crate::targets::cpu::Meter;
use crate::targets::ports;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn tcp(address: &str) -> Address {
    Address::Tcp(address.parse().expect("an address"))
}

/// The roots that serve an address.
#[track_caller]
fn roots(address: &Address) -> Vec<u32> {
    serving(address).unwrap_or_else(|why| panic!("{address:?}: {why}")).pids()
}

fn why_not(address: &Address) -> String {
    serving(address).expect_err("not visible").0
}

/// The same port on another address.
fn port_of(listening: &str, ip: &str) -> Address {
    let port = listening.parse::<SocketAddr>().expect("an address").port();
    Address::Tcp(SocketAddr::new(ip.parse().expect("an address"), port))
}

#[test]
fn a_listener_on_one_address_or_on_all() {
    for (listens, dialled) in
        [("127.0.0.1:0", "127.0.0.1"), ("0.0.0.0:0", "127.0.0.1"), ("0.0.0.0:0", "127.0.0.7")]
    {
        let mut child = Child::start();
        let address = child.send(&format!("listen {listens}"));
        assert_eq!(roots(&port_of(&address, dialled)), [child.pid()], "{listens}");
    }
}

#[test]
fn ipv6_and_ipv4_over_it() {
    if lacks(Lack::Ipv6) {
        return;
    }
    let mut child = Child::start();
    let one = child.send("listen [::1]:0");
    let all = child.send("listen [::]:0");
    assert_eq!(roots(&tcp(&one)), [child.pid()]);
    for dialled in ["::1", "127.0.0.1", "::ffff:127.0.0.1"] {
        assert_eq!(roots(&port_of(&all, dialled)), [child.pid()], "{dialled}");
    }
}

#[test]
fn workers_that_inherit_the_socket_belong_to_their_master() {
    let mut master = Child::start();
    let address = tcp(&master.send("listen 127.0.0.1:0"));
    let worker = u32::try_from(master.ask("fork")).expect("a pid");
    let found = serving(&address).expect("ours");
    assert_eq!(found.pids(), [master.pid()]);
    assert_eq!(found.roots[0].ancestors[0].pid, std::process::id());
    let mut meter = Meter::of_trees(&found.pids()).expect("ours");
    let before = meter.read();
    master.send("sub burn 30");
    assert!(meter.read() - before >= 30_000_000, "the worker is in the tree");
    // The master closes its socket, so that only its worker holds it.
    master.send("close");
    assert_eq!(roots(&address), [worker]);
}

#[test]
fn servers_that_share_a_port() {
    let (mut one, mut two) = (Child::start(), Child::start());
    let address = one.send("listen-too 127.0.0.1:0");
    two.send(&format!("listen-too {address}"));
    let mut both = [one.pid(), two.pid()];
    both.sort_unstable();
    assert_eq!(roots(&tcp(&address)), both);
    // One that is the other's child belongs to its tree.
    one.ask("start");
    one.send(&format!("sub listen-too {address}"));
    assert_eq!(roots(&tcp(&address)), both);
}

#[test]
fn the_more_exact_listener_is_the_one_that_is_reached() {
    let (mut exact, mut all) = (Child::start(), Child::start());
    // The kernel chooses the port and holds it on every address at once. A port that is looked
    // for first may be taken by another test before both listeners have it.
    let everywhere = all.send("listen-too 0.0.0.0:0");
    let (_, port) = everywhere.rsplit_once(':').expect("a port");
    let address = exact.send(&format!("listen-too 127.0.0.1:{port}"));
    assert_eq!(roots(&tcp(&address)), [exact.pid()]);
    assert_eq!(roots(&port_of(&address, "127.0.0.2")), [all.pid()]);
}

#[test]
fn a_unix_socket_by_its_path_and_by_a_link_to_it() {
    let directory = Scratch::new();
    let (path, link) = (directory.path().join("a socket"), directory.path().join("link"));
    let mut child = Child::start();
    child.send(&format!("unix {}", path.display()));
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    for path in [&path, &link] {
        assert_eq!(roots(&Address::Unix(path.display().to_string())), [child.pid()]);
    }
    let nobody = directory.path().join("nobody").display().to_string();
    assert!(why_not(&Address::Unix(nobody)).starts_with("nothing listens on"));
}

#[test]
fn what_is_out_of_sight_says_why() {
    let mut child = Child::start();
    // A port that the kernel chooses could be another test's when this child has ended.
    let address = format!("127.0.0.1:{}", ports::free().expect("a port"));
    child.send(&format!("listen {address}"));
    assert!(child.send(&format!("find {address}")).starts_with("only tiebreak itself"));
    child.end();
    assert!(why_not(&tcp(&address)).starts_with("nothing listens on 127.0.0.1:"));
    let far = why_not(&tcp("192.0.2.1:80"));
    assert!(far.starts_with("192.0.2.1 is not an address of this machine"), "{far}");
    assert!(process(u32::MAX).is_err());
}

#[test]
fn another_users_process_needs_rights_or_its_number() {
    // Only root can ask as another user.
    if lacks(Lack::Root) {
        return;
    }
    let mut server = Child::start();
    let address = server.send("listen 127.0.0.1:0");
    let found = Child::ask_as_nobody(&format!("find {address}"));
    let expected = "this user may not see which process listens on";
    assert!(found.starts_with(expected) && found.contains("(user 0)"), "{found}");
    let metered = Child::ask_as_nobody(&format!("meter {}", server.pid()));
    assert!(metered.parse::<u64>().is_ok_and(|ns| ns > 0), "{metered}");
}

#[test]
fn contenders_that_share_a_process_are_one_group() {
    let (mut one, mut two) = (Child::start(), Child::start());
    let found_at = |address: &str| serving(&tcp(address)).ok();
    let (a, b) = (one.send("listen 127.0.0.1:0"), one.send("listen 127.0.0.1:0"));
    let c = two.send("listen 127.0.0.1:0");
    one.ask("start");
    let d = one.send("sub listen 127.0.0.1:0");
    let found = [found_at(&a), found_at(&c), None, found_at(&b), found_at(&d), found_at(&c)];
    assert_eq!(groups(&found, ProcessTrees::shares_process_with), [vec![0, 3, 4], vec![1, 5]]);
    // The server of a child is in one group with that of its parent, even if the child's comes
    // first.
    assert_eq!(
        groups(&[found_at(&d), found_at(&c), found_at(&a)], ProcessTrees::shares_process_with),
        [vec![0, 2], vec![1]]
    );
    assert_eq!(groups(&[None, None], ProcessTrees::shares_process_with), Vec::<Vec<usize>>::new());
}

#[test]
fn one_contender_can_join_two_groups() {
    let root = |pid, ancestors: &[u32]| Root {
        process: Identity { pid, started: 1 },
        name: String::new(),
        ancestors: ancestors.iter().map(|pid| Identity { pid: *pid, started: 1 }).collect(),
    };
    let found = |root: &Root| Some(ProcessTrees { roots: vec![root.clone()] });
    let (left, right) = (root(11, &[10, 1]), root(12, &[10, 1]));
    let apart = [found(&left), found(&right)];
    assert_eq!(groups(&apart, ProcessTrees::shares_process_with), [[0], [1]]);
    let both = [found(&left), found(&right), found(&root(10, &[1]))];
    assert_eq!(groups(&both, ProcessTrees::shares_process_with), [[0, 1, 2]]);
    // The ID of a process that has ended belongs to another process now.
    let later = Root { process: Identity { pid: 11, started: 2 }, ..left.clone() };
    assert_eq!(
        groups(&[found(&left), found(&later)], ProcessTrees::shares_process_with),
        [[0], [1]]
    );
}

/// nginx with two workers; stopped at the end.
struct Nginx {
    master: std::process::Child,
    _folder: Scratch,
}

impl Nginx {
    fn start(program: &Path, port: u16) -> Nginx {
        let directory = Scratch::new();
        let at = directory.path().display();
        let config = directory.path().join("nginx.conf");
        let text = format!(
            "daemon off; pid {at}/pid; worker_processes 2; events {{}}\n\
             http {{ access_log off; client_body_temp_path {at}/b; proxy_temp_path {at}/p;\n\
             fastcgi_temp_path {at}/f; uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;\n\
             server {{ listen 127.0.0.1:{port}; location / {{ return 200 ok; }} }} }}\n"
        );
        fs::write(&config, text).expect("a configuration");
        let mut command = Command::new(program);
        command.arg("-c").arg(&config).args(["-e", "stderr"]);
        Nginx { master: command.spawn().expect("nginx starts"), _folder: directory }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // It is our child and was not waited for yet, so the ID is still its own.
        let _ = sys::process::kill(self.master.id() as i32, libc::SIGTERM, false);
        let _ = self.master.wait();
    }
}

#[test]
fn nginx_is_its_master_and_the_workers_cpu_time_is_counted() {
    let program = Path::new("/usr/sbin/nginx");
    if !program.exists() {
        return not_installed("nginx: apt-get install nginx-light");
    }
    let port = ports::free().expect("a port");
    let nginx = Nginx::start(program, port);
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let answers = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        get(address).is_ok_and(|reply| reply.ends_with("ok"))
    });
    assert!(answers, "nginx answers");
    let found = serving(&Address::Tcp(address)).expect("ours");
    assert_eq!(found.pids(), [nginx.master.id()]);
    assert_eq!(found.roots[0].name, "nginx");
    let mut meter = Meter::of_attached(&found.pids()).expect("ours");
    let before = meter.read();
    for _ in 0..200 {
        get(address).expect("a reply");
    }
    let each = (meter.read() - before) / 200;
    eprintln!("nginx: {each} ns of CPU for a request on a fresh connection");
    assert!((1_000..5_000_000).contains(&each), "{each} ns");
}

fn get(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply)?;
    Ok(reply)
}

#[test]
fn a_listener_is_told_from_a_strangers() {
    let us = std::process::id() as i32;
    for address in ["127.0.0.1:0", "[::]:0"] {
        let Ok(listener) = TcpListener::bind(address) else { continue };
        let port = listener.local_addr().expect("bound").port();
        assert_eq!(listens(port, &[us]), Some(true));
        assert_eq!(listens(port, &[]), Some(false));
        let client = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        let held = client.local_addr().expect("connected").port();
        assert_eq!(listens(held, &[us]), None, "a client does not listen");
    }
}

#[test]
fn a_server_behind_a_proxy_is_named_and_its_own_listener_is_not() {
    let (mut proxy, mut server) = (Child::start(), Child::start());
    let behind = server.send("listen 127.0.0.1:0");
    let own = proxy.send("listen 127.0.0.1:0");
    let seen = |pid| {
        let mut found = Behind::default();
        found.look(&[pid]);
        found.names()
    };
    proxy.send(&format!("connect {own}"));
    server.send(&format!("connect {behind}"));
    assert_eq!(seen(proxy.pid()), [""; 0], "connections to itself");
    proxy.send(&format!("connect {behind}"));
    let name = &process(server.pid()).expect("it runs").roots[0].name;
    assert_eq!(seen(proxy.pid()), [format!("{name} ({behind})")]);
    // A connection from a client, as a server has it, is not one to a server behind it.
    assert_eq!(seen(server.pid()), [""; 0]);
    let mut both = Behind::default();
    both.look(&[proxy.pid(), server.pid()]);
    assert_eq!(both.names(), [""; 0], "it is included");
}

#[test]
fn named_processes_are_all_measured() {
    let (one, two) = (Child::start(), Child::start());
    let pids = [one.pid(), two.pid()].map(NamedProcess::Pid);
    assert_eq!(named(&pids).expect("both run").pids(), [one.pid(), two.pid()]);
    let twice = [pids[0].clone(), pids[0].clone()];
    assert_eq!(named(&twice).expect("it runs").pids(), [one.pid()]);
    let gone = [pids[0].clone(), NamedProcess::Pid(u32::MAX)];
    assert!(
        named(&gone)
            .expect_err("not there")
            .0
            .ends_with("does not exist, or this user may not see it")
    );
    let unknown = NamedProcess::Program("no-such-program".to_owned());
    assert_eq!(
        named(&[unknown]).expect_err("not there").0,
        "no visible process is called `no-such-program`"
    );
}

/// Between fork and exec a child has the sockets of the process that starts it, which is the one that
/// started tiebreak here.
#[test]
fn a_process_that_is_about_to_run_another_program_is_no_server() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = Address::Tcp(listener.local_addr().expect("bound"));
    let start = || {
        let mut command = Command::new("true");
        let wait = || {
            std::thread::sleep(Duration::from_millis(100));
            Ok(())
        };
        // SAFETY: the child only sleeps before it runs its program.
        unsafe { command.pre_exec(wait) };
        assert!(command.status().expect("it runs").success());
    };
    std::thread::scope(|scope| {
        let starting = scope.spawn(start);
        let mut looks = 0;
        while looks == 0 || !starting.is_finished() {
            let why = why_not(&address);
            assert!(why.starts_with("only tiebreak itself, a process that started it"), "{why}");
            looks += 1;
        }
    });
}
