//! Choices that the user of a launch can make: `{choice.NAME}` in its commands and files.

use crate::plan::experiment::table::{Table, Value};
use crate::plan::settings::names;
use crate::targets::launch::Choice;
use protocol::Error;
use text::near;
use text::shown::shown;

/// Reads the choices of a launch. A text is the default, which the user can replace by any other. A
/// table lists the possible texts by name; the first is the default.
pub(super) fn read(table: &Table<'_>) -> Result<Vec<Choice>, Error> {
    let Some(value) = table.get("choices") else { return Ok(Vec::new()) };
    let choice = |(name, value): (&str, Value<'_>)| {
        names::check_key(name).map_err(|message| value.error(&message))?;
        if value.is_text() {
            let chosen = word(&value)?;
            return Ok(Choice { name: name.to_owned(), chosen, options: Vec::new() });
        }
        let options = value
            .table()?
            .entries()
            .into_iter()
            .map(|(word, value)| Ok((word.to_owned(), value.word()?.to_owned())));
        let options: Vec<(String, String)> = options.collect::<Result<_, Error>>()?;
        let Some((first, _)) = options.first() else {
            return Err(value.error("the table is empty: list the options"));
        };
        Ok(Choice { name: name.to_owned(), chosen: first.clone(), options })
    };
    value.table()?.entries().into_iter().map(choice).collect()
}

/// Applies the choices of the user of a recipe.
pub(super) fn change(choices: &mut [Choice], recipe: &str, table: &Table<'_>) -> Result<(), Error> {
    let Some(value) = table.get("choices") else { return Ok(()) };
    for (name, value) in value.table()?.entries() {
        let names: Vec<String> = choices.iter().map(|choice| choice.name.clone()).collect();
        let Some(choice) = choices.iter_mut().find(|choice| choice.name == name) else {
            if names.is_empty() {
                return Err(value.error(&format!("the recipe `{recipe}` has no choices")));
            }
            return Err(value.error(&unknown(&format!("a choice of `{recipe}`"), name, &names)));
        };
        let chosen = word(&value)?;
        let words: Vec<String> = choice.options.iter().map(|(word, _)| word.clone()).collect();
        if !words.is_empty() && !words.contains(&chosen) {
            return Err(value.error(&unknown(&format!("one of `{name}`"), &chosen, &words)));
        }
        choice.chosen = chosen;
    }
    Ok(())
}

/// Returns a word that is safe in a command and in a file, whatever their quotes.
fn word(value: &Value<'_>) -> Result<String, Error> {
    let word = value.word()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.+".contains(c);
    if !word.is_empty() && word.chars().all(fits) {
        Ok(word.to_owned())
    } else {
        Err(value.error("a choice must be a word of letters, digits and `_-.+`"))
    }
}

fn unknown(expected: &str, word: &str, known: &[String]) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    near::unknown(format!("`{}` is not {expected}", shown(word)), word, &known)
}
