//! The identifier of an experiment. It is the same for the same question, independent of time,
//! machine and ports.

use protocol::secrets;
use record::{Host, Metric, Plan};
use text::fnv::fnv1a;

/// Returns 16 hexadecimal digits. They do not depend on ports (also in names and targets), on the
/// seed, which is drawn for each run, on the blocks of a ranking, or on the machine and what follows from it: the generator's
/// cores and the limits of ports.
pub fn of(plan: &Plan) -> String {
    let mut bare = secrets::without_secrets(plan.clone());
    bare.host = Host::default();
    bare.seed = 0;
    bare.generator_cores.clear();
    bare.question.shares_core = false;
    bare.question.workers = 0;
    bare.question.generator_cores.clear();
    bare.question.allowed_cores.clear();
    bare.question.sharing.clear();
    // Blocks follow from the seed, and so does how many there are.
    if !bare.question.blocks.is_empty() {
        bare.question.blocks.clear();
        let each = bare.question.rounds_of_a_launch().unwrap_or(0);
        (bare.rounds, bare.question.rounds) = (each, each);
        bare.question.restarts = bare.question.restarts.min(1);
    }
    bare.question.secondary.retain(|metric| *metric != Metric::TargetCpu);
    for question in &mut bare.question.contenders {
        question.name.clear();
        question.cpu_in_sight = false;
        question.target_cores.clear();
        question.machine = 0;
        question.port_limit = None;
    }
    for contender in &mut bare.contenders {
        for node in contender.address.nodes() {
            let port = node.port();
            contender.target = without_port(&contender.target, port);
            contender.name = without_port(&contender.name, port);
        }
        contender.address.forget_ports();
        contender.watch = None;
    }
    let text = serde_json::to_string(&bare).expect("a plan has only text keys");
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// The text without the first `:port` that no digit follows.
fn without_port(text: &str, port: u16) -> String {
    let mark = format!(":{port}");
    let ends = |at: &usize| !text[at + mark.len()..].starts_with(|c: char| c.is_ascii_digit());
    match text.match_indices(&mark).map(|(at, _)| at).find(ends) {
        Some(at) => format!("{}{}", &text[..at], &text[at + mark.len()..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_alone_is_left_out() {
        for (text, port, left) in [
            ("http://h:80/", 80, "http://h/"),
            ("http://h:8080/", 80, "http://h:8080/"),
            ("http://h:8080/a:80", 80, "http://h:8080/a"),
            ("h:80#2", 80, "h#2"),
            ("name", 80, "name"),
        ] {
            assert_eq!(without_port(text, port), left);
        }
    }
}
