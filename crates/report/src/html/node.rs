//! Markup as a tree. Tags balance and text is escaped by construction: a string cannot get into
//! the page unescaped.

use crate::words::{Sentence, SentencePart};
use std::fmt::Display;

/// One element of HTML or SVG.
#[derive(Clone, Debug)]
pub(super) struct Node {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Child>,
}

#[derive(Clone, Debug)]
enum Child {
    Node(Node),
    Text(String),
    /// tiebreak's own style sheet: `<style>` has no escapes.
    Style(&'static str),
    /// JSON for an inert `<script>`, which has no escapes either.
    Data(String),
}

/// HTML elements without an end tag.
const EMPTY: [&str; 2] = ["meta", "br"];

/// An empty element.
pub(super) fn el(name: &'static str) -> Node {
    Node { name, attributes: Vec::new(), children: Vec::new() }
}

/// Text that others wrote, such as a name or an address. It is isolated, so that its writing
/// direction cannot reorder the text beside it, and it is written from left to right.
pub(super) fn foreign(text: impl Display) -> Node {
    el("bdi").class("name").at("dir", "ltr").text(text)
}

impl Node {
    /// Adds an attribute.
    pub(super) fn at(mut self, key: &'static str, value: impl Display) -> Self {
        self.attributes.push((key, value.to_string()));
        self
    }

    /// Sets these classes.
    pub(super) fn class(self, value: impl Display) -> Self {
        self.at("class", value)
    }

    /// Appends text.
    pub(super) fn text(mut self, text: impl Display) -> Self {
        self.children.push(Child::Text(text.to_string()));
        self
    }

    /// Appends an element.
    pub(super) fn with(mut self, node: Node) -> Self {
        self.children.push(Child::Node(node));
        self
    }

    /// Appends several elements, or an optional one.
    pub(super) fn with_all(mut self, nodes: impl IntoIterator<Item = Node>) -> Self {
        self.children.extend(nodes.into_iter().map(Child::Node));
        self
    }

    /// Appends a style sheet.
    pub(super) fn style(mut self, sheet: &'static str) -> Self {
        self.children.push(Child::Style(sheet));
        self
    }

    /// Appends JSON, for an inert `<script>`.
    pub(super) fn data(mut self, json: String) -> Self {
        self.children.push(Child::Data(json));
        self
    }

    /// Appends a sentence.
    pub(super) fn say(self, sentence: &Sentence) -> Self {
        sentence.0.iter().fold(self, |node, part| match part {
            SentencePart::Plain(text) => node.text(text),
            SentencePart::Name(name) => node.with(foreign(name)),
            SentencePart::Lead(ratio) => {
                node.with(el("strong").class("lead").text(format!("{ratio}×")))
            }
            SentencePart::Ratio(ratio) => node.text(format!("{ratio}×")),
        })
    }

    /// Writes the element as HTML.
    pub(super) fn render(&self, out: &mut String) {
        out.push('<');
        out.push_str(self.name);
        for (key, value) in &self.attributes {
            out.push(' ');
            out.push_str(key);
            out.push_str("=\"");
            escape(value, out);
            out.push('"');
        }
        out.push('>');
        if EMPTY.contains(&self.name) {
            return;
        }
        for child in &self.children {
            match child {
                Child::Node(node) => node.render(out),
                Child::Text(text) => escape(text, out),
                Child::Style(sheet) => out.push_str(sheet),
                // Valid JSON has `<` only inside strings, where this escape means the same.
                Child::Data(json) => out.push_str(&json.replace('<', "\\u003c")),
            }
        }
        out.push_str("</");
        out.push_str(self.name);
        out.push('>');
    }
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(node: Node) -> String {
        let mut out = String::new();
        node.render(&mut out);
        out
    }

    #[test]
    fn text_and_attributes_are_escaped() {
        let node = el("p").at("title", "\"><script>").text("a < b & 'c'").with(el("br"));
        let expected = "<p title=\"&quot;&gt;&lt;script&gt;\">a &lt; b &amp; &#39;c&#39;<br></p>";
        assert_eq!(rendered(node), expected);
    }

    #[test]
    fn data_cannot_end_its_script() {
        let node = el("script").data("{\"a\": \"</script><!--\"}".to_owned());
        let expected = "<script>{\"a\": \"\\u003c/script>\\u003c!--\"}</script>";
        assert_eq!(rendered(node), expected);
    }
}
