//! cargo-criterion: the messages of `--message-format=json` on standard output. The figure is the median, else the
//! mean. The messages about whole groups are no cases.

use super::{ONE_PROGRAM, Tool, USUAL, criterion};
use crate::input::Document;
use crate::rows::Rows;

pub(super) static TOOL: Tool = Tool {
    name: "cargo-criterion",
    read,
    one_case: criterion::TOOL.one_case,
    all_cases: criterion::TOOL.all_cases,
    shorter_runs: criterion::TOOL.shorter_runs,
    twice: ONE_PROGRAM,
    ..USUAL
};

fn read(documents: &[Document], rows: &mut Rows) {
    let messages = documents.iter().flat_map(|document| document.json("\"benchmark-complete\""));
    for message in messages.filter(|message| message["reason"] == "benchmark-complete") {
        let estimate = ["median", "mean"].into_iter().find_map(|key| {
            let estimate = &message[key];
            Some((estimate["estimate"].as_f64()?, estimate["unit"].as_str()?))
        });
        match (message["id"].as_str(), estimate) {
            (Some(name), Some((figure, unit))) => rows.add(name, "", figure, unit),
            _ => rows.without_figure(),
        }
    }
}
