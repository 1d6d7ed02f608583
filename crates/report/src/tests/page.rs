//! The page is well-formed, self-contained and harmless. `TIEBREAK_PICTURES=DIR cargo test`
//! writes the pages of all samples to DIR for review.

use super::super::{html, json, samples};

fn pages() -> Vec<(&'static str, String)> {
    let samples = samples::all().into_iter();
    let pages: Vec<(&str, String)> =
        samples.map(|(name, input)| (name, html::page(&input.view()))).collect();
    if let Some(directory) = std::env::var_os("TIEBREAK_PICTURES") {
        for (name, page) in &pages {
            let path = std::path::Path::new(&directory).join(format!("{name}.html"));
            std::fs::write(path, page).expect("the page can be written");
        }
    }
    pages
}

/// A tag: its name, whether it ends an element, and the rest.
struct Tag<'a> {
    name: &'a str,
    ends: bool,
    attributes: &'a str,
}

/// The tags of a page. Style and script are skipped as a browser does.
fn tags(page: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").expect("doctype");
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("an open tag ends");
        let inside = &rest[start + 1..end];
        let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        let ends = name.starts_with('/');
        let name = name.trim_start_matches('/');
        rest = &rest[end + 1..];
        tags.push(Tag { name, ends, attributes });
        if !ends && ["style", "script"].contains(&name) {
            rest = &rest[rest.find(&format!("</{name}")).expect("raw text ends")..];
        }
    }
    tags
}

#[test]
fn tags_balance() {
    for (name, page) in pages() {
        let mut open = Vec::new();
        for tag in tags(&page) {
            if tag.ends {
                assert_eq!(open.pop(), Some(tag.name), "{name}");
            } else if !["meta", "br"].contains(&tag.name) {
                open.push(tag.name);
            }
        }
        assert!(open.is_empty(), "{name}: {open:?}");
    }
}

#[test]
fn nothing_is_fetched_and_nothing_runs() {
    let fetching = ["src", "srcset", "href", "action", "data", "poster", "background", "style"];
    let elements = ["link", "img", "iframe", "object", "embed", "base", "image", "use", "form"];
    for (name, page) in pages() {
        for tag in tags(&page) {
            assert!(!elements.contains(&tag.name), "{name}: <{}>", tag.name);
            for piece in tag.attributes.split("=\"").map(|piece| piece.rsplit(' ').next()) {
                let attribute = piece.unwrap_or_default();
                if tag.name == "a" && attribute == "href" && leads_to_a_load_point(tag.attributes) {
                    continue;
                }
                assert!(!fetching.contains(&attribute), "{name}: {attribute} of <{}>", tag.name);
                assert!(!attribute.starts_with("on"), "{name}: {attribute} of <{}>", tag.name);
            }
        }
        let sheet = between(&page, "<style>", "</style>");
        assert!(!sheet.contains("url(") && !sheet.contains("@import"), "{name}");
        let policy = "content=\"default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;;";
        assert!(page.contains(policy), "{name}");
        let scripts: Vec<Tag> =
            tags(&page).into_iter().filter(|tag| tag.name == "script" && !tag.ends).collect();
        assert_eq!(scripts.len(), 1, "{name}");
        assert!(scripts[0].attributes.contains("type=\"application/json\""), "{name}");
    }
}

/// Whether a link leads to a load point beside the page, which is loaded only by a click.
fn leads_to_a_load_point(attributes: &str) -> bool {
    let value = attributes.strip_prefix("href=\"").and_then(|rest| rest.strip_suffix("\""));
    let directory = value.and_then(|value| value.strip_suffix("/report.html"));
    directory.and_then(|directory| directory.split_once('-')).is_some_and(|(factor, number)| {
        ["connections", "rate", "value", "depth"].contains(&factor) && number.parse::<f64>().is_ok()
    })
}

#[test]
fn the_data_in_the_page_is_the_report() {
    for (name, input) in samples::all() {
        let page = html::page(&input.view());
        let data = between(&page, "id=\"report\">", "</script>");
        assert_eq!(data.replace("\\u003c", "<"), json::report(&input.view()), "{name}");
        let read: serde_json::Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(read["schema"], "tiebreak.report/1", "{name}");
    }
}

#[test]
fn hostile_names_are_text() {
    let page = html::page(&samples::hostile().view());
    assert!(!page.contains("<script>"));
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(page.contains("\\u{202e}"));
}

#[test]
fn void_comes_before_any_figure() {
    for (name, page) in pages() {
        let body = between(&page, "<body>", "<script");
        let stamp = body.find("class=\"stamp\"");
        assert_eq!(
            stamp.is_some(),
            ["void", "empty", "sweep", "crowded-void", "suite-void"].contains(&name),
            "{name}"
        );
        if let Some(stamp) = stamp {
            assert!(stamp < body.find("class=\"verdict\"").expect("a verdict"), "{name}");
            assert!(page.contains("<title>VOID"), "{name}");
        }
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).expect("start") + start.len();
    let length = text[from..].find(end).expect("end");
    &text[from..from + length]
}

#[test]
fn pages_say_that_verdicts_are_about_launches() {
    let pages: std::collections::BTreeMap<_, _> = pages().into_iter().collect();
    let about = "he verdicts are about these launches of the servers; others may differ";
    for name in ["twelve", "sweep"] {
        assert!(pages[name].contains(&format!("T{about}")), "{name}");
    }
    assert!(pages["launched"].contains("this launch of "));
    assert!(pages["launched"].contains("Next: the same command with --launches 8 compares"));
    assert!(!pages["restarts"].contains("this launch of "));
    let of_loads = &pages["loads"];
    assert!(!of_loads.contains(about) && !of_loads.contains("this launch of "));
}

/// The page has every case, the slowest first, and one of which more is better is said to be inverted.
#[test]
fn a_page_of_a_suite_has_all_cases_sorted() {
    let page = html::page(&samples::suite().view());
    let body = between(&page, "<h2>Cases</h2>", "<script");
    let forest = between(body, "class=\"forest\"", "class=\"row axis\"");
    let places: Vec<Option<usize>> =
        ["parse/large", "encode/throughput", "read", "hash", "write", "parse/small"]
            .map(|name| forest.find(&format!("<title>{name}: ")))
            .to_vec();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    assert!(forest.contains("shown by the inverse of MB/s"));
    assert!(body.contains("Failed: sort (new: a run failed in round 3)"), "{body}");
    let large = html::page(&samples::large_suite().view());
    let rows = between(&large, "class=\"forest\"", "class=\"row axis\"").matches("<title>").count();
    assert_eq!(rows, record::figures::MOST_CASES);
}

#[test]
fn requests_that_are_judged_apart_are_cases_of_the_page() {
    let page = html::page(&samples::requests().view());
    let section = between(&page, "<h2>Requests</h2>", "<h2>");
    assert!(section.contains("1 of 3 slower (worst: order 1.05x"), "{section}");
    let ratios = between(&page, "<h2>Ratios</h2>", "<h2>");
    assert!(!ratios.contains("throughput of order"), "{ratios}");
}
