//! What a run costs, and what a program finds when it starts.

use crate::Test;
use crate::drive::{good, once, program, script, started};
use crate::programs;
use tiebreak::targets::exec::Program;

pub(crate) const TESTS: &[Test] = &[
    ("costs::cpu_time_is_the_programs_and_its_childrens", cpu),
    ("costs::memory_is_the_largest_process", memory),
    ("costs::our_own_memory_is_not_the_programs", not_ours),
    ("costs::programs_run_on_their_cores", pinned),
    ("costs::programs_find_nothing_of_ours", clean),
];

const BURN_MS: u64 = 60;

fn cpu() {
    let direct = program(&programs::text("burn", BURN_MS));
    let child = script(&format!(
        "{}; echo operations 1",
        programs::text("burn", BURN_MS).replace('\'', "\"")
    ));
    for program in [direct, child] {
        let exec = started(&program);
        let seen = once(&exec);
        let cpu_ns = seen.programs.user_ns + seen.programs.system_ns;
        // The kernel counts in microseconds, and may round each part down.
        assert!(cpu_ns >= BURN_MS * 1_000_000 - 10_000, "{cpu_ns}");
        assert_eq!(seen.slices[0].target_cpu_ns, [Some(cpu_ns)]);
    }
    let idle = good(&script("sleep 0.2; echo operations 1"));
    assert!(idle.user_ns + idle.system_ns < idle.wall_ns / 2, "{idle:?}");
}

fn memory() {
    let held = 100_000_000;
    let exec = started(&program(&programs::text("hold", held)));
    assert_eq!(exec.peak_memory(), None);
    let peak = once(&exec).programs.peak_memory_bytes;
    assert!(peak >= held && peak < held * 3 / 2, "{peak}");
    assert_eq!(exec.peak_memory(), Some(peak));
}

fn not_ours() {
    let ours = vec![1u8; 200_000_000];
    let peak = good(&script("echo operations 1")).peak_memory_bytes;
    std::hint::black_box(&ours);
    assert!(peak > 0 && peak < 50_000_000, "{peak}");
}

fn pinned() {
    let cores = sys::affinity::allowed_cores(std::process::id()).expect("Linux");
    let (first, last) = (cores[0], cores[cores.len() - 1]);
    let check = format!("grep -q \"^Cpus_allowed_list:.{first}$\" /proc/self/status");
    let program =
        Program { cores: vec![first], ..script(&format!("{check} && echo operations 1")) };
    let exec = started(&program);
    // The keeper is put elsewhere, and the program is not.
    let mut order = crate::drive::order(1, 1, 1);
    order.cores = vec![last];
    for _ in 0..2 {
        let seen = crate::drive::once_by(&exec, &order);
        assert_eq!(exec.failure_message(), None);
        assert_eq!(seen.outcomes.ok, 1);
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", exec.keeper()));
    let line = format!("Cpus_allowed_list:\t{last}");
    assert!(status.expect("it runs").lines().any(|now| now == line));
    let nowhere = Program { cores: vec![1023], ..program };
    let why = tiebreak::targets::exec::Exec::start(&nowhere).err();
    assert_eq!(why.as_deref(), Some("core 1023 is not among those that this process may use"));
}

fn clean() {
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some(),
        "cargo gives us what is not passed on"
    );
    let check = "[ -z \"$CARGO_MANIFEST_DIR\" ] && [ -n \"$PATH\" ] && ! read line \
                 && [ \"$(ls /proc/self/fd | wc -l)\" -eq 4 ] \
                 && ! ls -l /proc/self/fd | grep -q socket && echo operations 1";
    good(&script(check));
    let named = Program {
        env: vec![("TOKEN".into(), "CANARY".into())],
        ..script("[ \"$TOKEN\" = CANARY ] && echo operations 1")
    };
    let path = named.env.iter().cloned().chain([("PATH".into(), "/usr/bin:/bin".into())]);
    good(&Program { env: path.collect(), ..named });
}
