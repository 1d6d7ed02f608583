//! The plan, what the pilot decided and why, the machine, and how to repeat the run.

use super::node::{Node, el, foreign};
use super::parts;
use crate::{View, words};
use record::{Contender, Interleave, PilotSeen, Plan, RequestPlan, Work};
use text::shown::{shown, shown_sentence};
use text::units;

/// The sections.
pub(super) fn sections(view: &View) -> Vec<Node> {
    vec![plan(view), pilot(view), machine(view), again(view)]
}

/// A section without figures, which is not marked in a void run.
fn context(heading: &str) -> Node {
    parts::section(heading).class("context")
}

fn plan(view: &View) -> Node {
    let plan = view.plan();
    let interleaving = match plan.interleave {
        Interleave::Auto => "chosen by the pilot",
        Interleave::Slices => "slices",
        Interleave::Turns => "turns",
    };
    let round = if plan.question.is_suite {
        "one figure of each case".to_owned()
    } else {
        units::round_nanoseconds(plan.round_ns)
    };
    let facts = [
        ("planned", words::planned(&plan.question)),
        ("round", round),
        ("warm-up", words::warm_up(view)),
        ("interleaving", interleaving.to_owned()),
        ("primary metric", words::metric(plan.question.primary).to_owned()),
        ("smallest difference that matters", units::percent(view.matters())),
    ];
    let head = [
        "contender",
        "target and dialled address",
        "request",
        "connections",
        "policy",
        "arrivals",
        "timeout",
        "TLS",
    ];
    context("The plan")
        .with(parts::facts(facts))
        .with(parts::table(&head, plan.contenders.iter().map(|of| asked_of(plan, of))))
        .with_all(launched(&plan.contenders))
}

/// The commands of the targets that tiebreak launched. Returns None if all were running already.
fn launched(contenders: &[Contender]) -> Option<Node> {
    let launched = contenders.iter().filter(|of| !of.launch.is_empty());
    let commands: Vec<Node> = launched
        .map(|of| {
            let commands = of.launch.iter().map(|it| el("code").text(shown_sentence(it)));
            let about = el("p").text("launched with");
            el("li")
                .with(el("span").with(foreign(shown(&of.name))))
                .with(el("div").with(about).with_all(commands))
        })
        .collect();
    (!commands.is_empty()).then(|| el("ul").class("behind").with_all(commands))
}

fn work_words(of: &Contender, work: &Work) -> Vec<String> {
    let skew = work.skew.as_ref().map(|skew| words::kinds::skew(&work.workload, skew));
    std::iter::once(words::workload(&work.workload, of.intensity.depth))
        .chain(words::groups::loads(of))
        .chain(skew)
        .chain(words::database(&of.asks))
        .chain(words::consistency(of))
        .chain(words::sharding(of))
        .collect()
}

fn asked_of(plan: &Plan, of: &Contender) -> Vec<Node> {
    let arrivals = if plan.question.seeks_capacity() {
        "Poisson, at rates around its capacity".to_owned()
    } else {
        words::arrivals(of.intensity.arrivals)
    };
    let asked: Vec<String> = match &of.asks {
        RequestPlan::Request(request) => {
            std::iter::once(words::request(request)).chain(words::groups::loads(of)).collect()
        }
        RequestPlan::Messages(messages) => {
            std::iter::once(words::messages(messages)).chain(words::groups::loads(of)).collect()
        }
        RequestPlan::Requests { work, .. }
        | RequestPlan::Store(work)
        | RequestPlan::Database { work, .. }
        | RequestPlan::Files(work) => work_words(of, work),
        RequestPlan::Statement { .. } | RequestPlan::Program => {
            words::database(&of.asks).into_iter().chain(words::consistency(of)).collect()
        }
    };
    vec![
        el("th").at("scope", "row").with(foreign(shown(&of.name))),
        el("td")
            .class("target")
            .with(foreign(shown(&of.target)))
            .with(el("span").class("quiet").text(dialled(of))),
        parts::cell(asked.join("; ")),
        parts::cell(of.intensity.connections),
        parts::cell(words::reuse(of)),
        parts::cell(arrivals),
        parts::cell(units::round_nanoseconds(of.timeout_ns)),
        parts::cell(of.tls.as_ref().map_or_else(|| "none".to_owned(), shown)),
    ]
}

/// The address that is dialled. Its port is not known before the launch.
fn dialled(of: &Contender) -> String {
    let nodes = of.address.nodes();
    if nodes.is_empty() || nodes.iter().any(|node| node.port() != 0) {
        return shown(of.address.to_string());
    }
    let hosts: Vec<String> = nodes.iter().map(|node| node.ip().to_string()).collect();
    format!("{}, a new port at each launch", hosts.join(", "))
}

fn pilot(view: &View) -> Node {
    let decided = el("p").class("decided").text(words::turns(view));
    let Some(pilot) = view.pilot else {
        return context("How it was driven").with(decided);
    };
    let section = context("What the pilot decided");
    let why = pilot.why.iter().map(|why| el("li").text(shown_sentence(why)));
    let questions = &view.plan().question.contenders;
    let rows = pilot.saw.iter().zip(questions).enumerate().map(|(number, (saw, question))| {
        let burn_in = pilot.burn_in_ns.get(number).copied();
        saw_row(&question.name, saw, burn_in)
    });
    let head =
        ["contender", "throughput", "p50", "p99", "generator idle", "CPU at rest", "burn-in"];
    section
        .with(decided)
        .with(el("ul").class("why").with_all(why))
        .with(parts::folded("Table of its measurements", parts::table(&head, rows)))
}

fn saw_row(name: &str, saw: &PilotSeen, burn_in: Option<u64>) -> Vec<Node> {
    vec![
        parts::row_name(name),
        parts::cell(units::rate(Some(saw.throughput))),
        parts::cell(units::round_nanoseconds(saw.p50_ns)),
        parts::cell(units::round_nanoseconds(saw.p99_ns)),
        parts::cell(units::percent(saw.generator_idle)),
        parts::cell(words::or_missing(saw.cpu_at_rest.map(units::percent))),
        parts::cell(words::or_missing(burn_in.map(units::round_nanoseconds))),
    ]
}

fn machine(view: &View) -> Node {
    let host = &view.plan().host;
    let listed = |cores: &[u32]| {
        if cores.is_empty() {
            "not pinned".to_owned()
        } else {
            cores.iter().map(u32::to_string).collect::<Vec<String>>().join(", ")
        }
    };
    context("The machine").with(parts::facts([
        ("processor", shown(&host.cpu)),
        ("kernel", shown(&host.kernel)),
        ("memory", units::bytes(host.memory_bytes)),
        ("available cores", listed(&host.cores)),
        ("cores of the generator", listed(&view.plan().generator_cores)),
        ("clock", shown(&host.clock)),
        ("descriptors", units::count(host.descriptors)),
        ("client ports", format!("{} to {}", host.client_ports.0, host.client_ports.1)),
    ]))
}

fn again(view: &View) -> Node {
    let header = view.header;
    let run = shown(view.run);
    let code = |text: String| el("code").text(text);
    context("To repeat it")
        .with(parts::facts([
            ("seed", header.plan.seed.to_string()),
            ("plan", shown(&header.plan_hash)),
            ("tiebreak", shown(&header.version)),
        ]))
        .with(
            el("p")
                .text("The same arguments with ")
                .with(code(format!("--seed {}", header.plan.seed)))
                .text(
                    " give the same operations in the same order of slices, and the same plan \
                     hash. ",
                )
                .with(code(format!("tiebreak report {run}")))
                .text(
                    " judges this run’s journal again, on any machine, without driving anything.",
                ),
        )
        .with(parts::caption(
            "This page is self-contained. It also contains the whole report as JSON, in the \
             element with the id “report”.",
        ))
}
