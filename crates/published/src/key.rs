//! What a figure or a text of a run is, and what one line says.

/// What a figure is. Times are in seconds, sizes in bytes, rates per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// How long it was measured.
    Duration,
    /// How long it was asked to measure.
    AskedDuration,
    /// Operations that ended, well or not.
    Operations,
    /// Samples that percentiles are made of, where the tool says how many.
    Samples,
    /// Operations per second.
    Rate,
    /// Operations per second that the tool was asked for.
    AskedRate,
    /// Connections, or clients, at a time.
    Connections,
    /// The same of each thread.
    ConnectionsPerThread,
    /// Threads of the generator.
    Threads,
    /// Operations that each client was asked for.
    PerClient,
    /// Operations over a connection that was open already.
    KeptAlive,
    /// Bytes received.
    Bytes,
    /// Bytes received without headers.
    BodyBytes,
    /// Bytes received per second.
    BytesPerSecond,
    /// Bytes of one reply's body, or of one value.
    ReplyBytes,
    /// Mean response time.
    Mean,
    /// Shortest response time.
    Min,
    /// Longest response time.
    Max,
    /// A percentile of the response time; in parts of a million: 990 000 is the p99.
    Percentile(u32),
    /// Mean time to connect.
    ConnectMean,
    /// Replies with this status; of a class (200, 300 …) where only the class is told.
    Status(u16),
    /// Replies with a status that is no success.
    BadStatus,
    /// Replies whose length differs from the first one's.
    OtherLength,
    /// Operations that failed, in the tool's own count.
    Failed,
    /// Connections that could not be opened.
    ConnectErrors,
    /// Reads that failed.
    ReadErrors,
    /// Writes that failed.
    WriteErrors,
    /// Operations without a reply in time.
    Timeouts,
    /// Other errors.
    Errors,
    /// Operations that the tool broke off at its end.
    Aborted,
    /// Checks of the reply's content that failed.
    FailedChecks,
    /// Operations that were due and never sent.
    Unsent,
    /// Scale of pgbench's tables.
    Scale,
    /// Statements that were executed.
    Queries,
    /// Rows per second.
    Rows,
    /// Reads per second that found something.
    Hits,
    /// Reads per second that found nothing.
    Misses,
    /// Keys that operations are spread over.
    Keys,
}

impl Key {
    /// Name in JSON and in sentences on what is missing, and the unit.
    pub fn name(self) -> (String, &'static str) {
        let (name, unit) = match self {
            Key::Duration => ("duration", "s"),
            Key::AskedDuration => ("asked duration", "s"),
            Key::Operations => ("operations", ""),
            Key::Samples => ("samples", ""),
            Key::Rate => ("rate", "/s"),
            Key::AskedRate => ("asked rate", "/s"),
            Key::Connections => ("connections", ""),
            Key::ConnectionsPerThread => ("connections per thread", ""),
            Key::Threads => ("threads", ""),
            Key::PerClient => ("operations per client", ""),
            Key::KeptAlive => ("kept-alive operations", ""),
            Key::Bytes => ("bytes", "B"),
            Key::BodyBytes => ("bytes of bodies", "B"),
            Key::BytesPerSecond => ("transfer rate", "B/s"),
            Key::ReplyBytes => ("bytes per reply", "B"),
            Key::Mean => ("mean response time", "s"),
            Key::Min => ("shortest response time", "s"),
            Key::Max => ("longest response time", "s"),
            Key::Percentile(part) => {
                return (format!("p{}", f64::from(part) / 1e4), "s");
            }
            Key::ConnectMean => ("mean connect time", "s"),
            Key::Status(code) => return (format!("status {code}"), ""),
            Key::BadStatus => ("unsuccessful statuses", ""),
            Key::OtherLength => ("replies of another length", ""),
            Key::Failed => ("failed operations", ""),
            Key::ConnectErrors => ("connect errors", ""),
            Key::ReadErrors => ("read errors", ""),
            Key::WriteErrors => ("write errors", ""),
            Key::Timeouts => ("timeouts", ""),
            Key::Errors => ("errors", ""),
            Key::Aborted => ("aborted operations", ""),
            Key::FailedChecks => ("failed checks", ""),
            Key::Unsent => ("operations never sent", ""),
            Key::Scale => ("scale", ""),
            Key::Queries => ("queries", ""),
            Key::Rows => ("rows", "/s"),
            Key::Hits => ("hits", "/s"),
            Key::Misses => ("misses", "/s"),
            Key::Keys => ("keys", ""),
        };
        (name.to_owned(), unit)
    }
}

/// A text of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// Address or host of the target.
    Target,
    /// Path of the page.
    Path,
    /// Port of the target, where it stands apart.
    Port,
    /// Software of the server, as it names itself.
    Server,
    /// What was done: kind of command, script, transaction.
    Subject,
    /// Mode of the queries.
    Mode,
    /// The command line, where it was printed or pasted along.
    Command,
}

/// What one line says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact {
    /// Here a run begins.
    Begins,
    /// A figure.
    Figure(Key, f64),
    /// A figure that adds to others of its kind in the run.
    Adds(Key, f64),
    /// A text.
    Text(Label, String),
    /// A figure that cannot be read.
    Unclear,
    /// The run is one of this other tool, which prints the same lines and this one besides.
    Tool(&'static str),
}

/// Something with the number of the line it stands in, from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At<T> {
    /// What it is.
    pub value: T,
    /// Line of the file.
    pub line: u64,
}
