//! Experiment files for the cases.

use crate::server;

/// How a contender's server is started; `PORT` is replaced by its port.
#[derive(Clone)]
pub(crate) struct Program(Vec<String>);

impl Program {
    /// tiebreak's own test server. Unless the flags say something else, its replies take a millisecond in
    /// which nobody works: most cases need no more operations.
    pub(crate) fn testserver(flags: &str) -> Program {
        let mut argv = vec![env!("CARGO_BIN_EXE_tiebreak").to_owned(), "testserver".to_owned()];
        argv.extend(["--listen".to_owned(), "127.0.0.1:PORT".to_owned()]);
        if !flags.contains("--delay") {
            argv.extend(["--delay".to_owned(), "1ms".to_owned()]);
        }
        argv.extend(flags.split_whitespace().map(str::to_owned));
        Program(argv)
    }

    /// Returns the server that misbehaves on demand.
    pub(crate) fn habits(orders: &[String]) -> Program {
        let us = std::env::current_exe().expect("a program");
        let us = us.to_str().expect("a plain path").to_owned();
        let argv = [us, server::ARGUMENT.to_owned(), "PORT".to_owned()];
        Program(argv.into_iter().chain(orders.iter().cloned()).collect())
    }

    pub(crate) fn other(argv: &[&str]) -> Program {
        Program(argv.iter().map(|part| (*part).to_owned()).collect())
    }

    pub(crate) fn argv(&self, port: &str) -> Vec<String> {
        self.0.iter().map(|part| part.replace("PORT", port)).collect()
    }

    /// Returns the same program with a child that ignores SIGTERM and a daemon, because a
    /// started program may start more.
    pub(crate) fn in_company(&self) -> Program {
        let script = "(trap '' TERM HUP; exec sleep 1000) & \
                      (setsid sh -c 'sleep 1001 & wait' &) ; exec \"$@\"";
        let shell = ["sh", "-c", script, "sh"].map(str::to_owned);
        Program(shell.into_iter().chain(self.0.iter().cloned()).collect())
    }

    /// Returns a contender that is launched, with additional keys.
    pub(crate) fn contender(&self, name: &str, keys: &str) -> String {
        let argv: Vec<String> =
            self.argv("{port}").iter().map(|part| format!("'''{part}'''")).collect();
        // Its company never ends by SIGTERM. A server alone does, and then prints what it counted.
        let grace = if self.0[0] == "sh" { "stop_grace = '300ms'\n" } else { "" };
        format!("[contender.{name}]\nlaunch = [{}]\n{grace}{keys}\n", argv.join(", "))
    }
}

/// Returns a contender that runs already.
pub(crate) fn attached(name: &str, port: u16, keys: &str) -> String {
    format!("[contender.{name}]\nurl = 'http://127.0.0.1:{port}/'\n{keys}\n")
}
