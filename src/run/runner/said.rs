//! What targets said, as it may be recorded and shown.

use protocol::secrets;
use record::Seen;

/// Masks secrets in what a target said, and escapes what a terminal would not show as text.
pub(super) fn make_harmless(seen: &mut Seen) {
    seen.reasons.replace_said(|text| secrets::quote(text));
    seen.groups.iter_mut().chain(&mut seen.requests).for_each(make_harmless);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_an_address_is_masked_wherever_it_is_repeated() {
        secrets::declare_login(b"pw-that-is-repeated");
        let mut part = Seen::default();
        part.reasons.said(b"no \x1b pw-that-is-repeated");
        let mut seen = Seen { groups: vec![part.clone()], requests: vec![part.clone()], ..part };
        make_harmless(&mut seen);
        let text = serde_json::to_string(&seen).expect("JSON");
        assert_eq!(text.matches(r"no \\u{1b} ****").count(), 3, "{text}");
    }
}
