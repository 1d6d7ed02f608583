//! `[[workload.statements]]`, `[[workload.requests]]`, `[[workload.tables]]` and
//! `[workload.feeds]`.

use super::placeholders::{Placeholders, is_identifier};
use super::scope::Scope;
use super::table::{Table, Value};
use crate::plan::experiment::feeds;
use crate::plan::experiment::feeds::FeedRead;
use crate::plan::settings;
use crate::plan::settings::custom::{CustomSettings, MOST, RequestTemplate};
use crate::plan::settings::run_settings::one_of;
use crate::plan::settings::{commands, workload};
use crate::protocols::PROTOCOLS;
use crate::targets::launch::Values;
use engine::workload::Feeds;
use protocol::{Error, Protocol};
use record::{
    CustomOperation, Feed, FeedOrder, Generator, OperationText, Parameter, Rows, Statement,
};
use text::quantities;
use text::shown::shown;

/// Keys of `[workload]` that are read here.
pub(super) const KEYS: [&str; 5] = ["statements", "requests", "setup", "tables", "feeds"];

pub(super) const STATEMENT_KEYS: [&str; 8] =
    ["name", "weight", "sql", "command", "parameters", "rows", "at_least", "returns"];
pub(super) const REQUEST_KEYS: [&str; 8] =
    ["name", "weight", "method", "path", "query", "headers", "body", "parameters"];
pub(super) const TABLE_KEYS: [&str; 3] = ["name", "columns", "keys_per_row"];
/// Keys of one of the `feeds`, if it is a table.
pub(super) const FEED_KEYS: [&str; 2] = ["file", "order"];

/// Reads the user-defined operations, tables and feeds of `[workload]`.
pub(super) fn read(table: &Table<'_>) -> Result<CustomSettings, Error> {
    let mut reader = Reader { custom: CustomSettings::default(), feeds: Vec::new() };
    // Feeds and tables first: operations refer to them.
    if let Some(feeds) = table.get("feeds") {
        reader.feeds(&feeds)?;
    }
    for value in listed(table, "tables")? {
        reader.table(&value)?;
    }
    for value in listed(table, "setup")? {
        reader.setup(&value)?;
    }
    let (statements, requests) = (listed(table, "statements")?, listed(table, "requests")?);
    if let (Some(_), Some(second)) = (statements.first(), requests.first()) {
        return Err(second.error("a workload has statements or requests, not both"));
    }
    for value in &statements {
        reader.statement(value)?;
    }
    for value in &requests {
        reader.request(value)?;
    }
    if let Some(idle) = table.get("tables").or(table.get("setup")).or(table.get("feeds"))
        && reader.custom.is_empty()
    {
        return Err(idle.error("requires custom operations: add [[workload.statements]]"));
    }
    let Reader { mut custom, feeds } = reader;
    custom.feeds = Feeds::new(feeds.into_iter().map(|feed| feed.rows).collect());
    Ok(custom)
}

fn listed<'a>(table: &Table<'a>, key: &str) -> Result<Vec<Value<'a>>, Error> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    match value.list()? {
        list if list.is_empty() => Err(value.error("the list is empty: leave it out")),
        list if list.len() > MOST => {
            Err(value.error(&format!("has {} entries: at most {MOST} are supported", list.len())))
        }
        list => Ok(list),
    }
}

struct Reader {
    custom: CustomSettings,
    /// In the order of `custom.definition.feeds`.
    feeds: Vec<FeedRead>,
}

impl Reader {
    fn feeds(&mut self, value: &Value<'_>) -> Result<(), Error> {
        for (name, value) in value.table()?.entries() {
            if !is_identifier(name) {
                return Err(value.error("the name of a feed must consist of letters, digits and _"));
            }
            let (file, order) = if value.is_text() {
                (value.clone(), FeedOrder::Sequential)
            } else {
                file_and_order(&value)?
            };
            let path = file.source.directory.join(file.word()?);
            let read = feeds::read(&path, file.word()?).map_err(|why| file.error(&why))?;
            self.custom.definition.feeds.push(Feed {
                name: name.to_owned(),
                file: file.word()?.to_owned(),
                columns: read.columns.clone(),
                rows: read.rows.rows(),
                order,
                hash: read.hash.clone(),
            });
            self.feeds.push(read);
        }
        Ok(())
    }

    fn table(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let table = value.table()?;
        table.only(&TABLE_KEYS)?;
        let name = table.needed("name", "give the name that statements use in braces")?;
        let known = |table: &record::Table| name.word().is_ok_and(|name| table.name == name);
        if !is_identifier(name.word()?) || self.custom.definition.tables.iter().any(known) {
            return Err(name.error("must be a unique name of letters, digits and _"));
        }
        let columns = parameters(&table, "columns")?;
        let keys_per_row = table.read("keys_per_row", |keys| keys.quantity(workload::keys))?;
        let keys_per_row = keys_per_row.unwrap_or(1);
        let name = name.word()?.to_owned();
        self.custom.definition.tables.push(record::Table { name, keys_per_row, columns });
        Ok(())
    }

    /// Returns the names of tables that statements can use.
    fn tables(&self) -> Vec<String> {
        let custom = self.custom.definition.tables.iter().map(|table| table.name.clone());
        custom.chain(["table".to_owned()]).collect()
    }

    fn setup(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let text = open(value)?;
        let tables = self.tables();
        let mut placeholders = Placeholders::new(&[], &[], &tables);
        let wanted = placeholders.read(text).map_err(|why| value.error(&why))?;
        if !wanted.is_empty() {
            let why = "setup runs once, so it can contain no placeholders except tables";
            return Err(value.error(why));
        }
        self.custom.definition.setup.push(text.to_owned());
        Ok(())
    }

    fn statement(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let table = value.table()?;
        table.only(&STATEMENT_KEYS)?;
        let declared = parameters(&table, "parameters")?;
        let tables = self.tables();
        let feeds = self.custom.definition.feeds.clone();
        let others: &[String] = if table.get("sql").is_some() { &tables } else { &[] };
        let mut placeholders = Placeholders::new(&declared, &feeds, others);
        let says = match (table.get("sql"), table.get("command")) {
            (Some(sql), None) => OperationText::Sql(self.sql(&table, &sql, &mut placeholders)?),
            (None, Some(command)) => {
                OperationText::Command(command_words(&table, &command, &mut placeholders)?)
            }
            _ => {
                return Err(value.error(
                    "requires either `sql` (for databases) or `command` (for stores with commands)",
                ));
            }
        };
        let parameters = placeholders.parameters().map_err(|why| value.error(&why))?;
        self.add(&table, "statement", parameters, says)
    }

    fn sql(
        &self,
        table: &Table<'_>,
        sql: &Value<'_>,
        placeholders: &mut Placeholders<'_>,
    ) -> Result<Vec<Statement>, Error> {
        let texts = if sql.is_list() { sql.list()? } else { vec![sql.clone()] };
        if texts.is_empty() {
            return Err(sql.error("the list is empty: write statements"));
        }
        let mut statements = Vec::new();
        for value in &texts {
            let text = open(value)?;
            check_sql(text).map_err(|why| value.error(&why))?;
            placeholders.read(text).map_err(|why| value.error(&why))?;
            let rows = expected(text);
            statements.push(Statement { text: text.to_owned(), rows, returns: None });
        }
        expect_rows(table, &mut statements)?;
        if let Some(returns) = table.get("returns") {
            let column = self.column(&returns)?;
            let reads = |statement: &&mut Statement| first_word(&statement.text) == "SELECT";
            let Some(statement) = statements.iter_mut().find(reads) else {
                return Err(returns.error("no statement begins with SELECT"));
            };
            statement.returns = Some(column);
        }
        Ok(statements)
    }

    /// Reads `table.column` of a table that the load fills.
    fn column(&self, value: &Value<'_>) -> Result<String, Error> {
        let text = value.word()?;
        let found = text.split_once('.').and_then(|(table, column)| {
            let table = self.custom.definition.tables.iter().find(|known| known.name == table)?;
            Some((table, table.columns.iter().find(|known| known.name == column)?))
        });
        match found {
            None => Err(value.error("must be TABLE.COLUMN of one of [[workload.tables]]")),
            Some((table, _)) if table.keys_per_row != 1 => {
                Err(value.error(&format!("`{}` has no row for each key", table.name)))
            }
            Some((_, column)) if column.from.is_binary() => {
                Err(value.error("must be a column of text or numbers: bytes cannot be compared"))
            }
            Some(_) => Ok(text.to_owned()),
        }
    }

    fn request(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let table = value.table()?;
        table.only(&REQUEST_KEYS)?;
        let declared = parameters(&table, "parameters")?;
        let feeds = self.custom.definition.feeds.clone();
        let mut placeholders = Placeholders::new(&declared, &feeds, &[]);
        let (target, target_shown) = target(&table, &mut placeholders)?;
        let headers = self.headers(&table, &mut placeholders)?;
        let body = table.read("body", |body| secret_text(body, &mut placeholders))?;
        let body = body.map(|(real, _)| real);
        let method = match (table.get("method"), &body) {
            (Some(method), _) => method.word()?.to_owned(),
            (None, Some(_)) => "POST".to_owned(),
            (None, None) => "GET".to_owned(),
        };
        let says = OperationText::Request {
            method: method.clone(),
            target: target_shown.unwrap_or_default(),
            header_names: headers.iter().map(|(name, _)| name.clone()).collect(),
            body_bytes: body.as_ref().map_or(0, |body| body.len() as u64),
        };
        let parameters = placeholders.parameters().map_err(|why| value.error(&why))?;
        self.add(&table, "request", parameters, says)?;
        let template = RequestTemplate { method, target, headers, body };
        let definition = self.custom.definition.operations.last().expect("added");
        // Any host can be used, because whether the request is valid does not depend on it.
        let target = template.target.as_deref().unwrap_or("/");
        let operation = template.operation(definition, (target, "host"), &[]);
        for requests in PROTOCOLS.iter().filter_map(Protocol::requests) {
            (requests.check)(&operation).map_err(|why| value.error(&why))?;
        }
        self.custom.requests.push(template);
        Ok(())
    }

    fn headers(
        &self,
        table: &Table<'_>,
        placeholders: &mut Placeholders<'_>,
    ) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let Some(headers) = table.get("headers") else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for (name, value) in headers.table()?.entries() {
            let text = value.text_in(Scope::Attached)?;
            let wanted = placeholders.read(&text.to_string()).map_err(|why| value.error(&why))?;
            if let Some(why) = wanted.iter().find_map(|from| self.not_in_a_header(from)) {
                return Err(value.error(&why));
            }
            let header = settings::header(&format!("{name}:{}", text.fill(&Values::default())));
            all.push(header.map_err(|why| value.error(&why))?);
        }
        Ok(all)
    }

    /// Returns why a value is not allowed in a header: a line end would begin another header.
    fn not_in_a_header(&self, from: &Generator) -> Option<String> {
        let control = |text: &str| text.contains(char::is_control);
        let bad = match from {
            Generator::Bytes(_) | Generator::Value => true,
            Generator::Pattern(text) => control(text),
            Generator::Pick(each) => {
                each.iter().any(|one| matches!(one, record::Picked::Text(text) if control(text)))
            }
            Generator::Feed { feed, column } => {
                let at = self.custom.definition.feeds.iter().position(|known| known.name == *feed);
                let cell = |at: usize| {
                    self.custom.definition.feeds[at].columns.iter().position(|c| c == column)
                };
                at.and_then(|at| Some(self.feeds[at].unprintable[cell(at)?])) == Some(true)
            }
            _ => false,
        };
        bad.then(|| {
            format!("{from} may contain line ends or arbitrary bytes, which a header cannot hold")
        })
    }

    fn add(
        &mut self,
        table: &Table<'_>,
        what: &str,
        parameters: Vec<Parameter>,
        says: OperationText,
    ) -> Result<(), Error> {
        let number = self.custom.definition.operations.len() + 1;
        let name = match table.get("name") {
            Some(value) => {
                let name = value.word()?;
                let known = self
                    .custom
                    .definition
                    .operations
                    .iter()
                    .any(|operation| operation.name == name);
                if name.is_empty() || name.len() > 80 || name.contains(char::is_control) || known {
                    return Err(value.error("must be a short, unique text"));
                }
                name.to_owned()
            }
            None => format!("{what} {number}"),
        };
        let weight = table.read("weight", |value| value.quantity(workload::weight))?;
        self.custom.weights.push(weight.unwrap_or(1.0));
        self.custom.definition.operations.push(CustomOperation { name, parameters, says });
        Ok(())
    }
}

fn file_and_order<'a>(value: &Value<'a>) -> Result<(Value<'a>, FeedOrder), Error> {
    let table = value.table()?;
    table.only(&FEED_KEYS)?;
    let file = table.needed("file", "a CSV file, relative to this one")?;
    let orders = [FeedOrder::Sequential, FeedOrder::Uniform];
    let order = table.read("order", |order| {
        let read = one_of(order.word()?, ["sequential", "uniform"], orders);
        read.map_err(|message| order.error(&message))
    })?;
    Ok((file, order.unwrap_or(FeedOrder::Sequential)))
}

/// Reads the parameters under this key. Empty if the table does not have it.
fn parameters(table: &Table<'_>, key: &str) -> Result<Vec<Parameter>, Error> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for (name, value) in value.table()?.entries() {
        let taken = ["key", "value", "number", "table"].contains(&name);
        if taken || !is_identifier(name) {
            return Err(value.error(
                "the name of a parameter must consist of letters, digits and _, and must not be \
                 key, value, number or table",
            ));
        }
        let from = value.quantity(str::parse::<Generator>)?;
        all.push(Parameter { name: name.to_owned(), from });
    }
    Ok(all)
}

/// Reads a text that is recorded, and so must not contain secrets.
fn open<'a>(value: &Value<'a>) -> Result<&'a str, Error> {
    let text = value.word()?;
    if text.contains("${") {
        Err(value
            .error("`${…}` is not filled in: this text is recorded, so it must not hold a secret"))
    } else {
        Ok(text)
    }
}

/// Returns the real text, and the text that may be shown.
fn secret_text(
    value: &Value<'_>,
    placeholders: &mut Placeholders<'_>,
) -> Result<(String, String), Error> {
    let text = value.text_in(Scope::Attached)?;
    let shown = text.to_string();
    placeholders.read(&shown).map_err(|why| value.error(&why))?;
    Ok((text.fill(&Values::default()), shown))
}

/// Returns path and query, the real ones and those that may be shown. None means those of the
/// address.
fn target(
    table: &Table<'_>,
    placeholders: &mut Placeholders<'_>,
) -> Result<(Option<String>, Option<String>), Error> {
    let path = table.read("path", |value| secret_text(value, placeholders))?;
    let Some(query) = table.get("query") else {
        return Ok(path.map_or((None, None), |(real, shown)| (Some(real), Some(shown))));
    };
    let Some((real, shown)) = path else {
        return Err(query.error("requires `path`: write path = \"/\""));
    };
    let (query, query_shown) = if query.is_text() {
        secret_text(&query, placeholders)?
    } else {
        let (mut real, mut shown) = (Vec::new(), Vec::new());
        for (name, value) in query.table()?.entries() {
            let (text, as_shown) = secret_text(&value, placeholders)?;
            real.push(format!("{name}={text}"));
            shown.push(format!("{name}={as_shown}"));
        }
        (real.join("&"), shown.join("&"))
    };
    Ok((Some(format!("{real}?{query}")), Some(format!("{shown}?{query_shown}"))))
}

fn command_words(
    table: &Table<'_>,
    command: &Value<'_>,
    placeholders: &mut Placeholders<'_>,
) -> Result<Vec<String>, Error> {
    for key in ["rows", "at_least", "returns"] {
        if let Some(value) = table.get(key) {
            return Err(value.error("requires SQL statements"));
        }
    }
    let words = commands::fixed_name(command.word()?).map_err(|why| command.error(&why))?;
    for word in &words {
        placeholders.read(word).map_err(|why| command.error(&why))?;
    }
    Ok(words)
}

fn first_word(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("").to_ascii_uppercase()
}

fn check_sql(text: &str) -> Result<(), String> {
    match first_word(text).as_str() {
        "" => Err("the statement is empty".to_owned()),
        word @ ("BEGIN" | "START" | "COMMIT" | "ROLLBACK" | "END" | "SAVEPOINT") => Err(format!(
            "`{word}` is sent by tiebreak itself: the statements of a list are one transaction"
        )),
        _ if text.contains("'{") || text.contains("\"{") || text.contains("`{") => {
            Err("a placeholder must not be in quotes: write {name}, and quotes are added where \
                 they are needed"
                .to_owned())
        }
        _ => Ok(()),
    }
}

/// Returns the number of rows that the first word of a statement implies.
fn expected(text: &str) -> Rows {
    match first_word(text).as_str() {
        "SELECT" | "WITH" | "VALUES" | "TABLE" | "SHOW" => Rows::AtLeast(1),
        "INSERT" | "UPDATE" | "REPLACE" | "MERGE" => Rows::AtLeast(1),
        _ => Rows::AtLeast(0),
    }
}

/// `rows = 1`, `at_least = 1`, or a list with one for each statement.
fn expect_rows(table: &Table<'_>, statements: &mut [Statement]) -> Result<(), Error> {
    let (value, make): (_, fn(u32) -> Rows) = match (table.get("rows"), table.get("at_least")) {
        (None, None) => return Ok(()),
        (Some(rows), None) => (rows, Rows::Exactly),
        (None, Some(rows)) => (rows, Rows::AtLeast),
        (Some(_), Some(second)) => {
            return Err(second
                .error("`rows` is the exact number of rows: give either `rows` or `at_least`"));
        }
    };
    let count = |text: &str| {
        let count = quantities::count(text)?;
        u32::try_from(count).map_err(|_| format!("`{}` is too large", shown(text)))
    };
    let each = if value.is_list() {
        value.list()?.iter().map(|one| one.quantity(count)).collect::<Result<Vec<_>, _>>()?
    } else {
        vec![value.quantity(count)?; statements.len()]
    };
    if each.len() != statements.len() {
        let (each, all) = (each.len(), statements.len());
        return Err(value.error(&format!("has {each} numbers for {all} statements")));
    }
    for (statement, rows) in statements.iter_mut().zip(each) {
        statement.rows = make(rows);
    }
    Ok(())
}
