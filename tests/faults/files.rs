//! Invalid experiment files are refused before anything is launched, with file, line and key.

use crate::case::{Case, SHORT};
use crate::{Test, test};
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;

/// One row: a name, the file, and what the error must contain.
struct Wrong {
    name: &'static str,
    text: &'static [u8],
    says: &'static str,
}

/// The beginning of most of them: two contenders that would leave a trace.
const SOUND: &str = "[contender.a]\nlaunch = ['touch', 'launched']\n\
                     [contender.b]\nlaunch = ['touch', 'launched']\n";

/// In files whose lines must not be quoted.
const CANARY: &str = "CANARY-6e02";

const FILES: &[Wrong] = &[
    Wrong {
        name: "not_utf_8",
        text: b"rounds = 6\n[contender.a]\nurl = 'http://127.0.0.1:1/\xff'\n",
        says: "error: e.toml:3: the file is not UTF-8: save it as UTF-8\n",
    },
    Wrong { name: "empty", text: b"", says: "error: e.toml:1: there is no contender: describe one as [contender.NAME]\n" },
    Wrong { name: "binary", text: b"\x7fELF\x02\x01\x01\0\0\0", says: "error: e.toml:1: the file is not valid TOML: " },
    Wrong {
        name: "an_unknown_key",
        text: b"[contender.a]\nurl = 'http://127.0.0.1:1/'\nconections = 4\n",
        says: "error: e.toml:3: contender.a.conections: this key is not known; did you mean `connections`?\n",
    },
    Wrong {
        name: "an_unknown_key_at_the_top",
        text: b"\n\nronuds = 6\n[contender.a]\nurl = 'http://127.0.0.1:1/'\n",
        says: "error: e.toml:3: ronuds: this key is not known; did you mean `rounds`?\n",
    },
    Wrong {
        name: "an_unknown_key_below_ready",
        text: b"[contender.a]\nlaunch = ['touch', 'launched']\nready = { tiemout = '1s' }\n",
        says: "error: e.toml:3: contender.a.ready.tiemout: this key is not known; did you mean `timeout`?\n",
    },
    Wrong {
        name: "an_unknown_recipe",
        text: b"contenders = ['ngnix', 'node']\n",
        says: "error: e.toml:1: contenders[0]: there is no [contender.ngnix], and no recipe of that name",
    },
    Wrong {
        name: "a_wrong_unit",
        text: b"round = '100 parsecs'\n[contender.a]\nurl = 'http://127.0.0.1:1/'\n",
        says: "error: e.toml:1: round: ",
    },
    Wrong {
        name: "a_missing_unit",
        text: b"[contender.a]\nurl = 'http://127.0.0.1:1/'\ntimeout = 5\n",
        says: "error: e.toml:3: contender.a.timeout: ",
    },
    Wrong {
        name: "a_rate_in_bytes",
        text: b"[contender.a]\nurl = 'http://127.0.0.1:1/'\nrate = '5 MB/s'\n",
        says: "error: e.toml:3: contender.a.rate: ",
    },
    Wrong {
        name: "a_wrong_kind",
        text: b"[contender.a]\nurl = ['http://127.0.0.1:1/']\n",
        says: "error: e.toml:2: contender.a.url: must be a text, not a list\n",
    },
    Wrong {
        name: "a_duplicate_contender",
        text: b"[contender.a]\nurl = 'http://127.0.0.1:1/'\n[contender.a]\nurl = 'http://127.0.0.1:2/'\n",
        says: "error: e.toml:3: the file is not valid TOML: duplicate key",
    },
    Wrong {
        name: "a_duplicate_key",
        text: b"[contender.a]\nurl = 'http://127.0.0.1:1/'\nurl = 'http://127.0.0.1:2/'\n",
        says: "error: e.toml:3: the file is not valid TOML: duplicate key",
    },
    Wrong {
        name: "a_contender_named_twice",
        text: b"contenders = ['nginx', 'node', 'nginx']\n",
        says: "error: e.toml:1: contenders[2]: `nginx` is named twice\n",
    },
    Wrong {
        name: "two_processes_of_one_name",
        text: b"[contender.a]\nprocess = [\n{ name = 'x', launch = ['touch', 'launched'] },\n{ name = 'x', launch = ['true'] },\n]\n",
        says: "error: e.toml:4: contender.a.process[1].name: two processes are called `x`\n",
    },
    Wrong {
        name: "a_name_that_is_a_path",
        text: b"[contender.'../a']\nlaunch = ['touch', 'launched']\n",
        says: "error: e.toml:1: contender.../a: a name must consist of letters, digits and - _ .",
    },
    Wrong {
        name: "a_variable_that_is_not_set",
        text: b"[contender.a]\nurl = 'http://127.0.0.1:1/'\nheaders = { X-Key = '${NO_SUCH_VARIABLE}' }\n",
        says: "error: e.toml:3: contender.a.headers.X-Key: the environment variable `NO_SUCH_VARIABLE` is not set",
    },
    Wrong {
        name: "a_line_that_is_no_toml_and_holds_a_secret",
        text: b"[contender.a]\nurl = 'http://user:CANARY-6e02@127.0.0.1:1/\n",
        says: "error: e.toml:2: the file is not valid TOML: ",
    },
    Wrong {
        name: "an_address_that_is_none_and_holds_a_secret",
        text: b"[contender.a]\nurl = 'htp://user:CANARY-6e02@127.0.0.1:1/?token=CANARY-6e02'\n",
        says: "error: e.toml:2: contender.a.url: the scheme `htp` is not known",
    },
    Wrong {
        name: "a_header_that_is_none_and_holds_a_secret",
        text: b"[contender.a]\nurl = 'http://127.0.0.1:1/'\nheaders = { X-Key = \"CANARY-6e02\\r\\nX: y\" }\n",
        says: "error: e.toml:3: contender.a.headers.X-Key: ",
    },
    Wrong {
        name: "a_secret_among_arguments",
        text: b"[contender.a]\nlaunch = ['touch', 'launched', '${PATH}']\n",
        says: "error: e.toml:2: contender.a.launch[2]: everyone on this machine can read the arguments",
    },
    Wrong {
        name: "terminal_escapes_in_a_key",
        text: b"\"\\u001b[31mred\" = 1\n",
        says: r"error: e.toml:1: \u{1b}[31mred: this key is not known",
    },
];

pub(crate) fn cases() -> Vec<Test> {
    let files =
        FILES.iter().map(|wrong| test(&format!("files::{}", wrong.name), || is_refused(wrong)));
    let others = [
        test("files::of_100_mb_are_not_read", huge),
        test("files::without_an_end_are_not_read", endless),
        test("files::nested_without_an_end", nested),
        test("files::that_may_not_be_read", forbidden),
    ];
    files.chain(others).collect()
}

/// Checks that both ways to read it report the same, with exit code 2, and that nothing begins.
fn refused(case: &Case, what: &str, says: &str) {
    for words in [format!("check {what}"), format!("compare {what} {SHORT}")] {
        let ended = case.run(&words);
        ended.expect(2, &[says]);
        assert!(!ended.err.contains(CANARY) && !ended.err.contains('\u{1b}'), "{}", ended.err);
        assert_eq!(ended.err.lines().count(), 1, "one line: {}", ended.err);
        // `check` shows what the file says before it judges it, and no secret of it.
        assert!(!ended.out.contains(CANARY) && !ended.out.contains('\u{1b}'), "{}", ended.out);
        assert!(words.starts_with("check") || ended.out.is_empty(), "{}", ended.out);
    }
    for trace in ["launched", "run", "tiebreak-runs"] {
        assert!(!case.file(trace).exists(), "{trace}");
    }
    case.left_nothing(true);
}

fn is_refused(wrong: &Wrong) {
    let case = Case::new();
    case.write("e.toml", wrong.text);
    refused(&case, "e.toml", wrong.says);
}

/// A hole of 100 MB after a valid beginning: refusing it needs no memory.
fn huge() {
    let case = Case::new();
    for (bytes, says) in [
        (100_000_000, "e.toml has 100000000 bytes, but an experiment file may have at most 1 MiB"),
        ((1 << 20) + 1, "e.toml has 1048577 bytes, but an experiment file may have at most 1 MiB"),
    ] {
        case.write("e.toml", SOUND);
        let file = File::options().write(true).open(case.file("e.toml")).expect("just written");
        file.set_len(bytes).expect("a hole");
        refused(&case, "e.toml", says);
    }
    // It is refused even with less memory than the file has bytes, because it is not read.
    case.write("e.toml", SOUND);
    let file = File::options().write(true).open(case.file("e.toml")).expect("just written");
    file.set_len(2_000_000_000).expect("a hole");
    let limited = case.command("prlimit", "tiebreak");
    let tiebreak = env!("CARGO_BIN_EXE_tiebreak");
    let ended = case.start_as(limited, &format!("--as=1000000000 {tiebreak} check e.toml")).wait();
    ended.expect(2, &["2000000000 bytes"]);
}

fn endless() {
    let case = Case::new();
    let pipe = std::ffi::CString::new(case.path("pipe.toml")).expect("a path");
    // SAFETY: a valid path.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    std::fs::create_dir(case.file("directory.toml")).expect("a directory");
    for file in ["/dev/zero", "./pipe.toml"] {
        refused(&case, file, &format!("error: {file} is not a plain file\n"));
    }
    refused(
        &case,
        "directory.toml",
        "error: directory.toml is a directory without an experiment.toml\n",
    );
    refused(&case, "none.toml", "error: the file none.toml cannot be read: No such file");
}

/// Deep nesting is an error and does not overflow the stack.
fn nested() {
    let case = Case::new();
    let deep = 500_000;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{a=".repeat(deep / 2)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
    ] {
        case.write("e.toml", text);
        refused(&case, "e.toml", "error: e.toml:1: ");
    }
}

/// Root may read everything, so what it is refused is something that cannot be a file.
fn forbidden() {
    let case = Case::new();
    // SAFETY: cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        return refused(&case, "/proc/self/mem", "/proc/self/mem");
    }
    case.write("e.toml", SOUND);
    std::fs::set_permissions(case.file("e.toml"), Permissions::from_mode(0o000)).expect("chmod");
    refused(&case, "e.toml", "error: the file e.toml cannot be read: Permission denied");
}
