//! From text to a requirement.

use super::{By, Comparator, METRICS, Names, Requirement, name_of};
use record::{Metric, Pair, Question};
use text::{lists::listed, near, shown::shown};

/// An example of a requirement, for the end of an error.
const EXAMPLE: &str = "write it like `new/old throughput >= 0.97` or `p99 <= 1.05x`";

pub(super) fn requirement(text: &str, question: &Question) -> Result<Requirement, String> {
    let wrong = |why| wrong(text, why);
    if question.is_suite {
        return Err(wrong(
            "the figures of a suite are required by their cases: write it like `every case <= \
             1.03x` or `case \"parse/*\" <= 1.03x`"
                .to_owned(),
        ));
    }
    let (left, sense, right) = at_the_sign(text).map_err(wrong)?;
    let (left, part) = match left.rsplit_once(" of ") {
        Some((left, name)) if has_parts(question) => {
            (left.trim(), Some(part_of(name.trim(), question).map_err(wrong)?))
        }
        Some((left, _)) if metric_named(left).is_some() => {
            return Err(wrong(
                "this run has no groups, and no requests that are compared one by one: see \
                 [[groups]], and by_request in [workload]"
                    .to_owned(),
            ));
        }
        _ => (left, None),
    };
    let (pair, metric) = match left.rsplit_once(char::is_whitespace) {
        Some((pair, metric)) => (pair.trim(), metric),
        None => ("", left),
    };
    let metric = metric_of(metric, part.as_ref(), question).map_err(wrong)?;
    let part = part.map(|part| part.name.to_owned());
    let pairs = match pair {
        "" => None,
        names => Some(pairs_of(names, question).map_err(wrong)?),
    };
    let (bound, by) = bound_of(right).map_err(wrong)?;
    let text = text.trim().to_owned();
    Ok(Requirement { text, pairs, metric, part, cases: None, sense, bound, by })
}

/// What is wrong with this requirement.
pub(super) fn wrong(text: &str, why: String) -> String {
    format!("--require `{}`: {why}", shown(text))
}

/// The text before the sign, the sign, and the text after it.
pub(super) fn at_the_sign(text: &str) -> Result<(&str, Comparator, &str), String> {
    let is_sign = |c: char| "<>=!≤≥".contains(c);
    let starts =
        text.find(is_sign).ok_or_else(|| format!("the comparison sign is missing; {EXAMPLE}"))?;
    let sign: &str = &text[starts..];
    let sign = &sign[..sign.find(|c| !is_sign(c)).unwrap_or(sign.len())];
    let sense = match sign {
        ">=" | "≥" => Comparator::AtLeast,
        ">" => Comparator::MoreThan,
        "<=" | "≤" => Comparator::AtMost,
        "<" => Comparator::LessThan,
        "=" | "==" | "!=" => {
            return Err(format!(
                "a measured ratio never equals a bound exactly: use >= or <= instead of {sign}"
            ));
        }
        _ => return Err(format!("`{sign}` is not a comparison sign; {EXAMPLE}")),
    };
    let (left, right) = (text[..starts].trim(), text[starts + sign.len()..].trim());
    if left.is_empty() {
        return Err(format!("the metric is missing; {EXAMPLE}"));
    }
    Ok((left, sense, right))
}

/// A group or a request, and the metrics in which it is compared.
struct Part<'a> {
    name: &'a str,
    metrics: &'a [Metric],
}

fn has_parts(question: &Question) -> bool {
    !question.groups.is_empty() || !question.requests.is_empty()
}

/// Returns the group or the request of this name.
fn part_of<'a>(name: &str, question: &'a Question) -> Result<Part<'a>, String> {
    let groups =
        question.groups.iter().map(|group| Part { name: &group.name, metrics: &group.metrics });
    let of_request = |name: &'a String| Part { name, metrics: &[Metric::Throughput] };
    let mut parts = groups.chain(question.requests.iter().map(of_request));
    let names: Vec<&str> = parts.clone().map(|part| part.name).collect();
    parts.find(|part| part.name == name).ok_or_else(|| {
        let what = if question.groups.is_empty() { "request" } else { "group" };
        let meant = near::did_you_mean(name, names.iter().copied());
        format!("no {what} is called `{}`: there are {}{meant}", shown(name), listed(&names))
    })
}

/// Returns the metric with this short name or this path.
fn metric_named(name: &str) -> Option<&'static (&'static str, Metric)> {
    let name = name.trim();
    let name = name.rsplit_once(char::is_whitespace).map_or(name, |(_, metric)| metric);
    METRICS.iter().find(|(short, metric)| {
        *short == name || metric.path() == name || (*short == "p99.9" && name == "p999")
    })
}

/// Returns a metric by its short name or its path in the report; of a group or request, or of all operations.
fn metric_of(name: &str, part: Option<&Part<'_>>, question: &Question) -> Result<Metric, String> {
    let known = metric_named(name);
    let judged = std::iter::once(question.primary).chain(question.secondary.iter().copied());
    let judged: Vec<Metric> = match part {
        None => judged.collect(),
        Some(part) => part.metrics.to_vec(),
    };
    let names = || listed(&judged.iter().map(|metric| name_of(*metric)).collect::<Vec<_>>());
    match known {
        None if !question.numbers_of(name).is_empty() || pairs_of(name, question).is_ok() => {
            Err(format!("the metric is missing after the contenders; {EXAMPLE}"))
        }
        None => {
            let meant = near::did_you_mean(name, judged.iter().map(|metric| name_of(*metric)));
            let judges = names();
            Err(format!("no metric is called `{}`: this run judges {judges}{meant}", shown(name)))
        }
        Some((_, metric)) if judged.contains(metric) => Ok(*metric),
        Some((short, _)) => {
            let of_part = part.map_or(String::new(), |part| format!(" of {}", shown(part.name)));
            Err(format!(
                "this run does not judge {short}{of_part}, only {}: require one of these",
                names()
            ))
        }
    }
}

/// Splits `B/A` by the known names, since names may contain a `/`. In a sweep the two are a pair at each load point.
pub(super) fn pairs_of(text: &str, question: &Question) -> Result<Vec<Names>, String> {
    let numbers = |name: &str| {
        let numbers = question.numbers_of(name.trim());
        (!numbers.is_empty()).then_some(numbers)
    };
    let splits = text
        .match_indices('/')
        .filter_map(|(at, _)| Some((numbers(&text[..at])?, numbers(&text[at + 1..])?)));
    let (b, a) = match <[_; 1]>::try_from(splits.collect::<Vec<_>>()) {
        Ok([pair]) => pair,
        Err(none) if none.is_empty() => {
            let names: Vec<_> =
                question.contenders.iter().map(|contender| shown(&contender.name)).collect();
            return Err(format!(
                "`{}` does not name two contenders: write B/A with two of {}",
                shown(text),
                listed(&names)
            ));
        }
        Err(_) => {
            return Err(format!("`{}` can be read in two ways: rename a contender", shown(text)));
        }
    };
    let is_named = |pair: &&Pair| {
        let (one, other) = (pair.a as usize, pair.b as usize);
        a.contains(&one) && b.contains(&other) || a.contains(&other) && b.contains(&one)
    };
    let name = |number: usize| question.contenders[number].name.clone();
    let named = |pair: &Pair| {
        let (one, other) = (pair.a as usize, pair.b as usize);
        let (a, b) = if a.contains(&one) { (one, other) } else { (other, one) };
        Names { a: name(a), b: name(b) }
    };
    let pairs: Vec<Names> = question.pairs.iter().filter(is_named).map(named).collect();
    match pairs.is_empty() {
        false => Ok(pairs),
        true if a == b => Err(format!("{} is not compared with itself", shown(name(a[0])))),
        true => Err(format!(
            "{} and {} are not compared with each other: --all-pairs compares all",
            shown(name(a[0])),
            shown(name(b[0]))
        )),
    }
}

/// The ratio, and which figure must satisfy it.
pub(super) fn bound_of(text: &str) -> Result<(f64, By), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (bound, by) = match words[..] {
        [] => return Err(format!("the ratio is missing after the comparison sign; {EXAMPLE}")),
        [bound] => (bound.to_owned(), By::default()),
        [bound, "by", "estimate"] => (bound.to_owned(), By::Estimate),
        [bound, "by", "favourable", "end"] => (bound.to_owned(), By::FavourableEnd),
        [bound, "by", "unfavourable", "end"] => (bound.to_owned(), By::UnfavourableEnd),
        [_, "by", ..] => {
            return Err("`by` must be followed by `estimate`, `favourable end` or `unfavourable \
                        end` (the default)"
                .to_owned());
        }
        _ => (words.concat(), By::default()),
    };
    Ok((ratio(&bound)?, by))
}

fn ratio(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix(['x', '×']).unwrap_or(text);
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match number.parse::<f64>().ok().filter(|_| plain) {
        Some(ratio) if ratio > 0.0 => return Ok(ratio),
        Some(_) => return Err("a ratio must be above 0; 1 means equal".to_owned()),
        None => {}
    }
    let text = shown(text);
    if text.ends_with('%') {
        return Err(format!(
            "`{text}` is ambiguous: write the ratio, such as 1.05x for 5 % more or 0.95x for 5 % \
             less"
        ));
    }
    // A figure such as `5ms` or `5k/s`.
    if text.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with('s') {
        return Err(format!(
            "`{text}` is a figure of one contender, which depends on the machine as much as on the \
             program: require a ratio to another contender, such as 1.05x"
        ));
    }
    Err(format!("`{text}` is not a ratio; {EXAMPLE}"))
}
