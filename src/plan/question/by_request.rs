//! Which requests of a workload are compared one by one, each in slices of its own. One server does the work of
//! all its requests, so a slow one slows the others down in slices of the mix.

use crate::plan::{Command, Spec};
use protocol::Error;
use record::{Arrivals, Contender, CustomOperation, OperationText};

/// So many are compared one by one unless the workload says otherwise.
const MOST_UNASKED: usize = 12;

/// Returns the names of the requests that are compared one by one. Empty if they are not.
///
/// # Errors
/// If `by_request = true` is not possible, or a request has the name of a group.
pub(in crate::plan) fn names(spec: &Spec, contenders: &[Contender]) -> Result<Vec<String>, Error> {
    let operations = &spec.workload.custom.definition.operations;
    refuse_group_names(operations, contenders)?;
    let asked = spec.workload.by_request;
    let why_not = why_not(spec, operations, contenders);
    match (asked, why_not) {
        (Some(true), Some(why)) => {
            Err(Error::usage(format!("by_request = true: {why}; leave it out")))
        }
        (Some(false), _) | (None, Some(_)) => Ok(Vec::new()),
        (None, None) if operations.len() > MOST_UNASKED || !operations.iter().all(only_reads) => {
            Ok(Vec::new())
        }
        _ => Ok(operations.iter().map(|operation| operation.name.clone()).collect()),
    }
}

/// Requirements and reports name groups and requests in the same way.
fn refuse_group_names(
    operations: &[CustomOperation],
    contenders: &[Contender],
) -> Result<(), Error> {
    let mut groups = contenders.iter().flat_map(|contender| &contender.groups);
    match groups.find(|group| operations.iter().any(|operation| operation.name == group.name)) {
        None => Ok(()),
        Some(group) => Err(Error::usage(format!(
            "`{}` is the name of a group and of a request: give one of them another name",
            group.name
        ))),
    }
}

/// Returns why requests cannot have slices of their own, or None if they can.
fn why_not(
    spec: &Spec,
    operations: &[CustomOperation],
    contenders: &[Contender],
) -> Option<&'static str> {
    let has_rate =
        |contender: &Contender| !matches!(contender.intensity.arrivals, Arrivals::Closed);
    let is_mixed = spec.workload.mix.is_some() || !spec.workload.commands.0.is_empty();
    if operations.len() < 2 || is_mixed {
        Some("the workload does not consist of two or more requests or statements with names")
    } else if spec.command != Command::Compare {
        Some("only a comparison has slices of single requests")
    } else if spec.sweep.is_some() {
        Some("a sweep has no slices of single requests")
    } else if spec.agents > 0 {
        Some("agents drive no slices of single requests")
    } else if contenders.iter().any(|contender| !contender.groups.is_empty()) {
        Some("groups are driven at once, and their requests with them")
    } else if contenders.iter().any(has_rate) {
        Some("with a rate, one request would be driven at the rate of all")
    } else {
        None
    }
}

/// Whether it is known to change nothing in the target. Slices of its own change how often an operation is
/// done.
fn only_reads(operation: &CustomOperation) -> bool {
    match &operation.says {
        OperationText::Request { method, .. } => matches!(method.as_str(), "GET" | "HEAD"),
        OperationText::Sql(statements) => {
            statements.iter().all(|statement| selects(&statement.text))
        }
        OperationText::Command(_) => false,
    }
}

/// Whether a statement is a `SELECT` that neither locks nor stores what it reads.
fn selects(statement: &str) -> bool {
    let words = statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut words = words.filter(|word| !word.is_empty()).map(str::to_ascii_uppercase);
    let is_select = words.next().is_some_and(|word| word == "SELECT");
    is_select && !words.any(|word| matches!(word.as_str(), "FOR" | "INTO" | "LOCK"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use crate::plan::settings::commands;
    use crate::plan::settings::custom::RequestTemplate;
    use record::Group;

    #[test]
    fn statements_that_select_are_known() {
        for reads in ["SELECT a FROM t WHERE id = {id}", " select 1", "(SELECT forename FROM t)"] {
            assert!(selects(reads), "{reads}");
        }
        for other in [
            "UPDATE t SET a = 1",
            "SELECT a FROM t FOR UPDATE",
            "select a into b from t",
            "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
            "",
        ] {
            assert!(!selects(other), "{other}");
        }
    }

    /// The requests that are compared one by one if there are requests with these methods.
    fn compared(methods: &[&str], change: impl FnOnce(&mut Spec)) -> Vec<String> {
        let operation = |(at, method): (usize, &&str)| CustomOperation {
            name: format!("r{at}"),
            parameters: Vec::new(),
            says: OperationText::Request {
                method: (*method).to_owned(),
                target: "/".to_owned(),
                header_names: Vec::new(),
                body_bytes: 0,
            },
        };
        let request = |method: &&str| RequestTemplate {
            method: (*method).to_owned(),
            target: None,
            headers: Vec::new(),
            body: None,
        };
        let plan = example::plan(|spec| {
            let custom = &mut spec.workload.custom;
            custom.definition.operations = methods.iter().enumerate().map(operation).collect();
            custom.weights = vec![1.0; methods.len()];
            custom.requests = methods.iter().map(request).collect();
            change(spec);
        });
        plan.question.requests
    }

    #[test]
    fn requests_that_only_read_are_compared_one_by_one_in_closed_loop() {
        assert_eq!(compared(&["GET", "HEAD"], |_| {}), ["r0", "r1"]);
        assert_eq!(compared(&["GET"; 12], |_| {}).len(), 12);
        assert!(compared(&["GET"; 13], |_| {}).is_empty(), "too many");
        assert!(compared(&["GET"], |_| {}).is_empty(), "the mix is the request");
        assert!(compared(&["GET", "POST"], |_| {}).is_empty());
        assert!(compared(&["GET", "GET"], |spec| spec.common.rate = Some(100.0)).is_empty());
        assert!(compared(&["GET", "GET"], |spec| spec.agents = 2).is_empty());
        assert!(
            compared(&["GET", "GET"], |spec| spec.workload.by_request = Some(false)).is_empty()
        );
        let asked = |spec: &mut Spec| spec.workload.by_request = Some(true);
        assert_eq!(compared(&["GET", "POST"], asked), ["r0", "r1"]);
        assert_eq!(compared(&["GET"; 13], asked).len(), 13);
    }

    /// A request is known by its index in the mix, in which commands come first.
    #[test]
    fn beside_commands_no_request_is_driven_alone() {
        let operation = |name: &str| CustomOperation {
            name: name.to_owned(),
            parameters: Vec::new(),
            says: OperationText::Command(Vec::new()),
        };
        let operations = ["one", "two"].map(operation);
        let mut spec = Spec::new(Command::Compare, Vec::new());
        assert_eq!(why_not(&spec, &operations, &[]), None);
        spec.workload.commands.0.push(commands::custom("PING").expect("a command"));
        assert!(why_not(&spec, &operations, &[]).is_some());
    }

    #[test]
    fn a_group_and_a_request_must_have_different_names() {
        let operation = CustomOperation {
            name: "readers".to_owned(),
            parameters: Vec::new(),
            says: OperationText::Command(Vec::new()),
        };
        let plan = example::plan(|_| {});
        let group = Group { name: "readers".to_owned(), intensity: plan.contenders[0].intensity };
        let with_group = Contender { groups: vec![group], ..plan.contenders[0].clone() };
        let why = refuse_group_names(&[operation], &[with_group]).expect_err("the same name").text;
        assert!(why.starts_with("`readers` is the name of a group and of a request"), "{why}");
    }
}
