//! Apache with mod_php and, behind it, php-fpm: both with the extension.

use crate::common::TestDirectory;
use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::php::Php;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tiebreak::targets::ports;

/// Paths of the two ways to run PHP.
pub(crate) const SAPIS: [&str; 2] = ["mod", "fpm"];

/// Processes of each.
pub(crate) const PROCESSES: u32 = 2;

/// What the page writes and reads in it.
pub(crate) fn title(sapi: &str) -> &'static str {
    if sapi == "mod" { "of apache2handler" } else { "of fpm-fcgi" }
}

pub(crate) struct Web {
    // Ended before their directory is removed.
    _apache: Server,
    _fpm: Server,
    _place: TestDirectory,
    port: u16,
}

/// A server that ends its own processes on request.
pub(crate) struct Server(Running);

impl Server {
    pub(crate) fn new(child: Child) -> Server {
        Server(Running::new(child))
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.0.runs()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.0.runs() {
            self.0.signal(libc::SIGTERM);
            self.0.status();
        }
    }
}

/// What `page.php` tells of a request.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u32,
    pub(crate) pid: u64,
    /// Whether a connection was opened.
    pub(crate) opened: bool,
    pub(crate) title: Option<String>,
    /// Sockets before the request and at its end.
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
    pub(crate) memory_kb: u64,
    /// Shown where a test fails.
    #[allow(dead_code)]
    message: String,
}

impl Web {
    pub(crate) fn start(php: &Php) -> Web {
        let directory = TestDirectory::new();
        let (port, behind) = (ports::free().expect("a port"), ports::free().expect("a port"));
        let path = directory.path().display();
        let extension = format!("extension={}", php.extension().display());
        fs::write(directory.file("php.ini"), format!("{extension}\n")).expect("a file");
        fs::write(directory.file("fpm.conf"), fpm(&path.to_string(), behind)).expect("a file");
        let scripts = php.directory().display().to_string();
        let settings = apache(&path.to_string(), &scripts, port, behind);
        fs::write(directory.file("apache.conf"), settings).expect("a file");
        let file = |name| directory.file(name).display().to_string();
        let fpm = ["-F", "-d", &extension, "-y", &file("fpm.conf")];
        let fpm = spawned(&directory, &format!("php-fpm{}", php_version()), &fpm, &[]);
        let apache = ["-DFOREGROUND", "-f", &file("apache.conf")];
        let apache = spawned(&directory, "apache2", &apache, &[]);
        let (apache, fpm) = (Server::new(apache), Server::new(fpm));
        let mut web = Web { _apache: apache, _fpm: fpm, _place: directory, port };
        for port in [port, behind] {
            wait_at_most(Duration::from_secs(60), "Apache and php-fpm", || {
                let runs = web._apache.runs() && web._fpm.runs();
                assert!(runs, "{}", web._place.text("log"));
                TcpStream::connect(("127.0.0.1", port)).is_ok()
            });
        }
        web
    }

    /// Status and body of a reply.
    pub(crate) fn get(&self, sapi: &str, script: &str, query: &str) -> (u32, String) {
        let (head, body) = fetched(self.port, &format!("/{sapi}/{script}?{query}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), body)
    }

    pub(crate) fn page(&self, sapi: &str, protocol: &str, persistent: bool, query: &str) -> Page {
        let persistent = u8::from(persistent);
        let query = format!("{query}&protocol={protocol}&persistent={persistent}");
        let (status, message) = self.get(sapi, "page.php", &query);
        let page: Value = serde_json::from_str(&message).unwrap_or_else(|_| panic!("{message}"));
        let texts = |name: &str| {
            let all = page[name].as_array().expect("a list");
            all.iter().map(|it| it.as_str().expect("a text").to_owned()).collect()
        };
        Page {
            status,
            pid: page["pid"].as_u64().expect("a process"),
            opened: page["opened"] == true,
            title: page["title"].as_str().map(str::to_owned),
            before: texts("before"),
            after: texts("after"),
            memory_kb: page["memory_kb"].as_u64().expect("a size"),
            message,
        }
    }
}

/// Head and body of the reply to a GET request.
pub(crate) fn fetched(port: u16, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("Apache listens");
    let request = format!("GET {path} HTTP/1.0\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_owned(), body.to_owned())
}

/// Starts a server that logs to the file `log` of the directory.
pub(crate) fn spawned(
    directory: &TestDirectory,
    program: &str,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Child {
    let log = fs::OpenOptions::new().create(true).append(true).open(directory.file("log"));
    let log = log.expect("a file");
    Command::new(program)
        .args(arguments)
        .envs(variables.iter().copied())
        // Apache sends its own signals to its whole group.
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a descriptor"))
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error} (./test installs it)"))
}

/// The version of PHP for which the extension was built, as names of Debian's files contain it.
fn php_version() -> String {
    let script = "echo PHP_MAJOR_VERSION, '.', PHP_MINOR_VERSION;";
    let output = Command::new("php").args(["-r", script]).output().expect("./test installs it");
    String::from_utf8(output.stdout).expect("text")
}

fn fpm(directory: &str, port: u16) -> String {
    format!(
        "[global]\ndaemonize = no\nerror_log = {directory}/log\n\
         [www]\nuser = www-data\ngroup = www-data\nlisten = 127.0.0.1:{port}\n\
         pm = static\npm.max_children = {PROCESSES}\n"
    )
}

fn apache(directory: &str, scripts: &str, port: u16, fpm: u16) -> String {
    let php = php_version();
    format!(
        "ServerRoot /usr/lib/apache2\nServerName 127.0.0.1\nPidFile {directory}/apache.pid\n\
         DefaultRuntimeDir {directory}\nMutex posixsem\nListen 127.0.0.1:{port}\n\
         ErrorLog {directory}/log\nUser www-data\nGroup www-data\n\
         LoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n\
         LoadModule authz_core_module modules/mod_authz_core.so\n\
         LoadModule alias_module modules/mod_alias.so\n\
         LoadModule proxy_module modules/mod_proxy.so\n\
         LoadModule proxy_fcgi_module modules/mod_proxy_fcgi.so\n\
         LoadModule php_module modules/libphp{php}.so\nPHPINIDir {directory}\n\
         StartServers {PROCESSES}\nServerLimit {PROCESSES}\nMaxRequestWorkers {PROCESSES}\n\
         MinSpareServers {PROCESSES}\nMaxSpareServers {PROCESSES}\n\
         Alias /mod {scripts}\nAlias /fpm {scripts}\n\
         <Directory {scripts}>\nRequire all granted\n</Directory>\n\
         <Location /mod>\nSetHandler application/x-httpd-php\n</Location>\n\
         <Location /fpm>\nSetHandler \"proxy:fcgi://127.0.0.1:{fpm}\"\n</Location>\n"
    )
}
