//! The character references of XML and HTML.

/// Replaces the character references of XML and HTML (`&lt;`, `&#xb5;`). Unknown ones are kept.
pub fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        out.push_str(before);
        let end = entity.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, character(&entity[1..end])?))) {
            Some((end, c)) => {
                out.push(c);
                rest = &entity[end + 1..];
            }
            None => {
                out.push('&');
                rest = &entity[1..];
            }
        }
    }
    out + rest
}

fn character(entity: &str) -> Option<char> {
    Some(match entity {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "thinsp" => '\u{2009}',
        "micro" | "mu" => 'µ',
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn references_become_characters_and_others_are_kept() {
        for (text, expected) in [
            ("a &lt;b&gt; &quot;c&quot; &apos;d&apos; &amp;amp;", "a <b> \"c\" 'd' &amp;"),
            ("0.2 &micro;s &#181;s &#xb5;s", "0.2 µs µs µs"),
            ("&unknown; & &#xffffffff; &", "&unknown; & &#xffffffff; &"),
        ] {
            assert_eq!(decoded(text), expected);
        }
    }
}
