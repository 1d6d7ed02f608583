//! What is requested of web servers, in words.

use super::units;
use record::{Contender, Plan, RequestPlan, RequestSettings};
use text::shown::shown;

/// The method of a request, and what is sent with it.
pub(crate) fn request(of: &RequestSettings) -> String {
    let mut asked = shown(&of.method);
    if of.body_bytes > 0 {
        asked += &format!(", {} of body", units::bytes(of.body_bytes));
    }
    if !of.header_names.is_empty() {
        let names: Vec<String> = of.header_names.iter().map(shown).collect();
        asked += &format!(", with {}", names.join(", "));
    }
    asked
}

/// Says what the requests are unless all of them are GET, which needs no mention.
pub fn methods(plan: &Plan) -> Option<String> {
    let of_web_server = |of: &Contender| match &of.asks {
        RequestPlan::Request(settings) => Some((shown(&of.name), settings.clone())),
        _ => None,
    };
    let all: Vec<(String, RequestSettings)> =
        plan.contenders.iter().filter_map(of_web_server).collect();
    if all.iter().all(|(_, settings)| settings.method == "GET") {
        return None;
    }
    let (_, first) = all.first()?;
    if all.iter().all(|(_, settings)| settings == first) {
        return Some(format!("every request is {}", request(first)));
    }
    let each = all.iter().map(|(name, settings)| format!("{name} {}", request(settings)));
    Some(format!("requests: {}", each.collect::<Vec<_>>().join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn post(of: &mut Contender) {
        let RequestPlan::Request(settings) = &mut of.asks else { panic!("a web server") };
        (settings.method, settings.body_bytes) = ("POST".to_owned(), 2000);
    }

    #[test]
    fn methods_are_named_unless_all_are_get() {
        let mut plan = samples::faster().header.plan;
        assert_eq!(methods(&plan), None);
        post(&mut plan.contenders[1]);
        assert_eq!(
            methods(&plan).as_deref(),
            Some("requests: old GET; new POST, 2\u{a0}kB of body")
        );
        post(&mut plan.contenders[0]);
        assert_eq!(methods(&plan).as_deref(), Some("every request is POST, 2\u{a0}kB of body"));
    }
}
