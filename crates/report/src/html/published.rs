//! A published experiment on the page: the paragraph at the top, and the result of the article's
//! own method on this machine.

use super::node::{Node, el, foreign};
use super::parts;
use crate::View;
use crate::words::published;
use record::Published;
use text::shown::shown_sentence;

/// The first paragraph of the page. Returns None if no article is repeated.
pub(super) fn paragraph(view: &View) -> Option<Node> {
    let of = view.plan().published.as_ref()?;
    let sentence = foreign(published::paragraph(view, of, '×'));
    Some(el("section").class("published").with(el("p").class("lead").with(sentence)))
}

/// The result of the article's method here, and the published figures. Returns None if no
/// article is repeated.
pub(super) fn section(view: &View) -> Option<Node> {
    let of = view.plan().published.as_ref()?;
    let article = el("p").with(foreign(shown_sentence(&of.article)));
    let would_mislead = published::would_mislead(view);
    let would_mislead =
        would_mislead.iter().map(|sentence| el("li").with(foreign(parts::capitalised(sentence))));
    Some(
        parts::section("The article's method on this machine")
            .with(article)
            .with(table(view, of))
            .with(parts::caption(
                "One run of the article's method is one run of its command against each \
                 contender, after the rounds. Published figures were measured on another machine.",
            ))
            .with_all(commands(view).map(parts::command))
            .with(el("ul").with_all(would_mislead)),
    )
}

fn table(view: &View, of: &Published) -> Node {
    let head = ["", "here, all rounds", "here, one run of the article's method", "published"];
    let rows = published::rows(view, of).into_iter().map(|row| {
        let [measured, single, published] = published::cells(&row, of);
        let [single, published] = [single, published].map(|cell| el("td").with(foreign(cell)));
        vec![parts::row_name(row.name), parts::cell(measured), single, published]
    });
    parts::table(&head, rows)
}

/// The commands that were run, each once.
fn commands<'a>(view: &View<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let all = view.single_runs;
    let is_first = move |(at, command): &(usize, &str)| {
        !all[..*at].iter().any(|earlier| earlier.command == *command)
    };
    let commands = all.iter().map(|run| run.command.as_str()).enumerate();
    commands.filter(is_first).map(|(_, command)| command)
}
