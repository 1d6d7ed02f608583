//! User-defined statements: their texts, the values bound to their placeholders, and their expected
//! results.

use crate::dialect::Dialect;
use crate::driver::Driver;
use crate::events::Events;
use crate::request::CustomRequest;
use crate::request_error::RequestError;
use crate::sql::{has_rows, starts_with};
use engine::Template;
use engine::clock;
use engine::workload::{Argument, Arguments};
use record::{
    Custom, CustomOperation, LaneTask, OperationText, Outcome, Rows, Statement, Workload,
};

/// The statements of a workload's operations, and the tables that its load fills.
#[derive(Clone, Debug, Default)]
pub struct CustomStatements {
    operations: Vec<Vec<CustomStatement>>,
    /// The beginning of an insert into each table, and how many columns it names.
    inserts: Vec<(String, usize)>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct CustomStatement {
    /// Its number among all statements, which are prepared separately.
    pub at: usize,
    /// With placeholders, for bound values.
    pub with_placeholders: String,
    /// Which argument is bound to each placeholder.
    pub bound: Vec<usize>,
    with_values: Template,
    /// Whether it returns rows. Otherwise the changed rows count.
    pub returns_rows: bool,
    rows: Rows,
    /// The table and column whose value the last column of its first row must be.
    returns: Option<(u32, usize)>,
}

impl CustomStatements {
    /// The statements that a lane which does this will send; questions have none. `table` is the
    /// contender's table, whose name is the prefix of its other tables.
    pub fn of(doing: Option<&LaneTask>, dialect: &dyn Dialect, table: &str) -> CustomStatements {
        let custom = match doing {
            None | Some(LaneTask::Ask) => return CustomStatements::default(),
            Some(LaneTask::Load(of)) => &of.workload.custom,
            Some(LaneTask::Drive(of)) => &of.custom,
        };
        let mut count = 0;
        let operations = custom.operations.iter().map(|operation| {
            let OperationText::Sql(statements) = &operation.says else { return Vec::new() };
            let statement = |of: &Statement| {
                count += 1;
                CustomStatement::new(count - 1, of, operation, custom, dialect, table)
            };
            statements.iter().map(statement).collect()
        });
        let operations = operations.collect();
        let insert = |of: &record::Table| {
            let columns: Vec<String> = of.columns.iter().map(|of| dialect.name(&of.name)).collect();
            let (table, columns) = (dialect.name(&full(table, &of.name)), columns.join(", "));
            let (begin, _) = dialect.insert_missing();
            (format!("{begin} {table} ({columns}) VALUES "), of.columns.len())
        };
        CustomStatements { operations, inserts: custom.tables.iter().map(insert).collect() }
    }

    /// The statements of the operation of this number, in their order.
    pub fn statements(&self, number: usize) -> &[CustomStatement] {
        &self.operations[number]
    }

    /// Writes rows into a table, some of which may exist already.
    pub fn insert(&self, dialect: &dyn Dialect, table: u32, rows: &[&Arguments]) -> String {
        let mut text = self.inserts[table as usize].0.clone().into_bytes();
        for (at, row) in rows.iter().enumerate() {
            text.extend_from_slice(if at == 0 { b"(" } else { b", (" });
            for column in 0..row.len() {
                if column > 0 {
                    text.extend_from_slice(b", ");
                }
                literal(dialect, row.get(column), &mut text);
            }
            text.push(b')');
        }
        text.extend_from_slice(dialect.insert_missing().1.as_bytes());
        into_text(text)
    }

    /// Inserts one row into a table, with placeholders for its columns.
    pub fn insert_with_placeholders(&self, dialect: &dyn Dialect, table: u32) -> String {
        let (mut text, columns) = self.inserts[table as usize].clone();
        for number in 1..=columns {
            text.push_str(if number == 1 { "(" } else { ", " });
            dialect.placeholder(number, &mut text);
        }
        text.push(')');
        text
    }
}

impl CustomStatement {
    fn new(
        at: usize,
        of: &Statement,
        operation: &CustomOperation,
        custom: &Custom,
        dialect: &dyn Dialect,
        table: &str,
    ) -> CustomStatement {
        let text = with_tables(&of.text, custom, dialect, table);
        let names = || operation.parameters.iter().map(|of| of.name.as_str());
        let with_values = Template::new(&[text], names());
        let mut bound = Vec::new();
        let mut with_placeholders = Vec::new();
        let placeholder = |argument: usize, to: &mut Vec<u8>| {
            bound.push(argument);
            let mut placeholder = String::new();
            dialect.placeholder(bound.len(), &mut placeholder);
            to.extend_from_slice(placeholder.as_bytes());
        };
        with_values.fill(&mut with_placeholders, placeholder, |_| {});
        let returns = of.returns.as_ref().and_then(|of| column(custom, of));
        let returns_rows = has_rows(&of.text);
        let with_placeholders = into_text(with_placeholders);
        CustomStatement {
            at,
            with_placeholders,
            bound,
            with_values,
            returns_rows,
            rows: of.rows,
            returns,
        }
    }

    /// With its values as literals.
    pub fn with_values(&self, dialect: &dyn Dialect, arguments: &Arguments) -> String {
        let mut text = Vec::new();
        let put =
            |placeholder: usize, to: &mut Vec<u8>| literal(dialect, arguments.get(placeholder), to);
        self.with_values.fill(&mut text, put, |_| {});
        into_text(text)
    }

    /// The outcome of a complete reply with this number of rows, or of changed rows.
    fn outcome(&self, rows: u64, right: bool) -> Outcome {
        match self.rows {
            Rows::Exactly(wanted) | Rows::AtLeast(wanted) if rows < u64::from(wanted) => {
                Outcome::Miss
            }
            Rows::Exactly(wanted) if rows > u64::from(wanted) => Outcome::Wrong,
            _ if !right => Outcome::Wrong,
            _ => Outcome::Ok,
        }
    }
}

/// Receives the reply to one statement.
pub struct CustomReply<'s> {
    statement: &'s CustomStatement,
    rows: u64,
    right: bool,
}

impl<'s> CustomReply<'s> {
    /// The reply to this statement begins.
    pub fn new(statement: &'s CustomStatement, events: &mut Events<'_>) -> CustomReply<'s> {
        events.begins();
        CustomReply { statement, rows: 0, right: true }
    }

    /// Whether the last column of the next row is needed as text.
    pub fn wants_value(&self) -> bool {
        self.rows == 0 && self.statement.returns.is_some()
    }

    /// Records a row with this many bytes, and its last column as text if that is needed.
    pub fn row(&mut self, bytes: usize, last: Option<&[u8]>, events: &mut Events<'_>) {
        if let (Some(column), true) = (self.statement.returns, self.rows == 0) {
            self.right = last.is_some_and(|last| events.is_loaded(column, last));
        }
        self.rows += 1;
        events.row_of(bytes);
    }

    /// Ends the reply; this many rows were changed.
    pub fn ends(self, changed: u64, events: &mut Events<'_>) {
        let rows = if self.statement.returns_rows { self.rows } else { changed };
        events.statement_ended(self.statement.outcome(rows, self.right));
    }
}

/// A question that checks whether a server accepts a user-defined statement without executing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The name of the operation that the statement belongs to.
    pub operation: String,
    /// The statement, with placeholders for its values.
    pub statement: String,
    /// The question, which makes the server parse the statement.
    pub question: String,
    /// How many characters of the question come before the statement; 0 if the server counts from
    /// the beginning of the statement, or reports no position.
    pub before: u32,
}

/// One for each statement that reads or writes rows. Returns an empty list if an operation
/// creates or changes tables, because what follows cannot be parsed before it was executed.
/// `prepare` turns a statement into a question.
pub fn checks(
    of: &Workload,
    dialect: &dyn Dialect,
    table: &str,
    prepare: impl Fn(&str) -> (String, u32),
) -> Vec<Check> {
    let doing = LaneTask::Drive(of.clone());
    let statements = CustomStatements::of(Some(&doing), dialect, table);
    let named = of.custom.operations.iter().zip(&statements.operations);
    let all = named.flat_map(|(operation, of)| of.iter().map(|of| (&operation.name, of)));
    let tables_change = |text: &str| starts_with(text, &["CREATE", "ALTER", "DROP", "RENAME"]);
    if all.clone().any(|(_, of)| tables_change(&of.with_placeholders)) {
        return Vec::new();
    }
    let mut checks = Vec::new();
    for (operation, CustomStatement { with_placeholders, .. }) in all {
        if starts_with(
            with_placeholders,
            &["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES"],
        ) {
            let (question, before) = prepare(with_placeholders);
            let (operation, statement) = (operation.clone(), with_placeholders.clone());
            checks.push(Check { operation, statement, question, before });
        }
    }
    checks
}

/// The statements that create what the operations of a workload need, with the names of the
/// contender's tables.
pub fn setup(of: &Workload, dialect: &dyn Dialect, table: &str) -> Vec<String> {
    of.custom.setup.iter().map(|text| with_tables(text, &of.custom, dialect, table)).collect()
}

/// Names of the tables that a load of this workload creates: the contender's table, if the
/// workload has values or one of its statements names that table, and the tables that the
/// experiment file declares.
pub fn tables(of: &Workload, table: &str) -> Vec<String> {
    let speaks_of_it = of.custom.setup.iter().any(|text| text.contains("{table}"));
    let custom = (of.has_values() || speaks_of_it).then(|| table.to_owned());
    custom.into_iter().chain(of.custom.tables.iter().map(|of| full(table, &of.name))).collect()
}

/// The name of a user-defined table in the database.
fn full(table: &str, name: &str) -> String {
    format!("{table}_{name}")
}

/// Fills in the names of tables.
fn with_tables(text: &str, custom: &Custom, dialect: &dyn Dialect, table: &str) -> String {
    let text = text.replace("{table}", &dialect.name(table));
    custom.tables.iter().fold(text, |text, of| {
        text.replace(&format!("{{{}}}", of.name), &dialect.name(&full(table, &of.name)))
    })
}

/// Numbers of the table and the column of `table.column`.
fn column(custom: &Custom, of: &str) -> Option<(u32, usize)> {
    let (table, column) = of.split_once('.')?;
    let table = custom.tables.iter().position(|of| of.name == table)?;
    let column = custom.tables[table].columns.iter().position(|of| of.name == column)?;
    Some((table as u32, column))
}

/// Appends an argument as it is written in a statement.
fn literal(dialect: &dyn Dialect, of: Argument<'_>, to: &mut Vec<u8>) {
    match of {
        Argument::Integer(..0) => {
            let (before, behind) = dialect.around_negative();
            to.extend_from_slice(before.as_bytes());
            of.write(to);
            to.extend_from_slice(behind.as_bytes());
        }
        Argument::Integer(_) => of.write(to),
        Argument::Text(text) => {
            let mut quoted = String::with_capacity(text.len() + 2);
            dialect.text(&String::from_utf8_lossy(text), &mut quoted);
            to.extend_from_slice(quoted.as_bytes());
        }
        Argument::Bytes(bytes) => {
            let mut digits = String::with_capacity(2 * bytes.len() + 4);
            dialect.bytes(bytes, &mut digits);
            to.extend_from_slice(digits.as_bytes());
        }
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|not| String::from_utf8_lossy(not.as_bytes()).into_owned())
}

/// A driver that sends the statements of a user-defined operation one after the other.
pub trait CustomDriver: Driver {
    /// The error of the library.
    type Error;

    /// The statements of the workload.
    fn statements(&self) -> &CustomStatements;

    /// Prepares a statement, if that is done in advance and has not been done. Returns when the
    /// preparation began, or None if there was nothing to do.
    fn prepare(
        &self,
        _client: &mut Self::Client,
        _statement: &CustomStatement,
    ) -> impl Future<Output = Result<Option<u64>, Self::Error>> {
        async { Ok(None) }
    }

    /// Sends a statement without a result.
    fn execute(
        &self,
        client: &mut Self::Client,
        text: &str,
    ) -> impl Future<Output = Result<(), Self::Error>>;

    /// Sends a statement with its arguments, and receives its reply.
    fn perform_statement(
        &self,
        client: &mut Self::Client,
        statement: &CustomStatement,
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> impl Future<Output = Result<(), Self::Error>>;

    /// Classifies a failure, and records the server's words.
    fn failed(&self, error: &Self::Error, events: &mut Events<'_>) -> RequestError;
}

/// Carries out one operation; several statements are one transaction, which is rolled
/// back at an error.
pub async fn operate<D: CustomDriver>(
    driver: &D,
    client: &mut D::Client,
    request: &CustomRequest,
    events: &mut Events<'_>,
) -> Result<(), RequestError> {
    let statements = driver.statements().statements(request.number);
    let prepared = prepare(driver, client, statements, events).await;
    prepared.map_err(|error| driver.failed(&error, events))?;
    events.request_sent();
    if let [only] = statements {
        let done = driver.perform_statement(client, only, request, events).await;
        return done.map_err(|error| driver.failed(&error, events));
    }
    match transaction(driver, client, statements, request, events).await {
        Ok(()) => Ok(()),
        Err(error) => {
            let rolled_back = driver.execute(client, "ROLLBACK").await;
            Err(match (driver.failed(&error, events), rolled_back) {
                // The state of the session is unknown.
                (RequestError::ServerError { code, .. }, Err(_)) => {
                    RequestError::ServerError { code, closes: true }
                }
                (request_error, _) => request_error,
            })
        }
    }
}

async fn transaction<D: CustomDriver>(
    driver: &D,
    client: &mut D::Client,
    statements: &[CustomStatement],
    request: &CustomRequest,
    events: &mut Events<'_>,
) -> Result<(), D::Error> {
    driver.execute(client, "BEGIN").await?;
    for statement in statements {
        driver.perform_statement(client, statement, request, events).await?;
    }
    driver.execute(client, "COMMIT").await
}

/// Prepares what has not been prepared on this connection.
async fn prepare<D: CustomDriver>(
    driver: &D,
    client: &mut D::Client,
    statements: &[CustomStatement],
    events: &mut Events<'_>,
) -> Result<(), D::Error> {
    let mut first = None;
    for statement in statements {
        let began = driver.prepare(client, statement).await?;
        first = first.or(began);
    }
    if let Some(began) = first {
        events.prepared(began);
    }
    Ok(())
}

/// Prepares the statement with this number, unless that has been done on this connection. Returns
/// when the preparation began, or None if there was nothing to do.
pub async fn prepare_once<P: Clone, E, F: Future<Output = Result<P, E>>>(
    known: &mut Vec<Option<P>>,
    at: usize,
    prepare: impl FnOnce() -> F,
) -> Result<Option<u64>, E> {
    if known.len() <= at {
        known.resize(at + 1, None);
    }
    if known[at].is_some() {
        return Ok(None);
    }
    let began = clock::now();
    known[at] = Some(prepare().await?);
    Ok(Some(began))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PlainDialect, custom_workload as workload};
    use engine::{Encoder, Task};

    #[test]
    fn places_and_values_are_those_of_the_dialect() {
        let of = workload();
        let mut encoder = Encoder::new(&of, 1, 1, Task::Drive).expect("sound");
        let drawn = encoder.drawn(0);
        let arguments = encoder.parts(&drawn).arguments.clone();
        let custom = CustomStatements::of(Some(&LaneTask::Drive(of.clone())), &PlainDialect, "t");
        let [update, select] = custom.statements(0) else { panic!("two statements") };
        assert_eq!(
            update.with_placeholders,
            "UPDATE [t_rows] SET k = k - ? WHERE id = ? OR id = ?"
        );
        assert_eq!(update.bound, [1, 0, 0]);
        assert_eq!(
            update.with_values(&PlainDialect, &arguments),
            "UPDATE [t_rows] SET k = k - (-7) WHERE id = 1 OR id = 1"
        );
        assert_eq!((update.returns_rows, select.returns_rows, select.at), (false, true, 1));
        assert_eq!(select.returns, Some((0, 1)));
        assert_eq!(setup(&of, &PlainDialect, "t"), ["CREATE TABLE [t_rows] (id INT)"]);
    }

    #[test]
    fn rows_are_inserted_unless_they_exist() {
        let of = workload();
        let mut encoder = Encoder::new(&of, 1, 1, Task::Load).expect("sound");
        let drawn = encoder.drawn(0);
        let row = encoder.parts(&drawn).arguments.clone();
        let custom = CustomStatements::of(Some(&LaneTask::load(of)), &PlainDialect, "t");
        assert_eq!(
            custom.insert(&PlainDialect, 0, &[&row, &row]),
            r"INSERT INTO [t_rows] ([id], [c]) VALUES (1, 'it''s\'), (1, 'it''s\') UNLESS THERE"
        );
        assert_eq!(
            custom.insert_with_placeholders(&PlainDialect, 0),
            "INSERT INTO [t_rows] ([id], [c]) VALUES (?, ?)"
        );
    }

    #[test]
    fn fewer_rows_are_a_miss_and_more_are_wrong() {
        let of = CustomStatements::of(Some(&LaneTask::Drive(workload())), &PlainDialect, "t");
        let mut statement = of.statements(0)[1].clone();
        assert_eq!(
            [0, 1, 2].map(|n| statement.outcome(n, true)),
            [Outcome::Miss, Outcome::Ok, Outcome::Wrong]
        );
        assert_eq!(statement.outcome(1, false), Outcome::Wrong);
        statement.rows = Rows::AtLeast(1);
        assert_eq!(
            [0, 1, 2].map(|n| statement.outcome(n, true)),
            [Outcome::Miss, Outcome::Ok, Outcome::Ok]
        );
    }
}
