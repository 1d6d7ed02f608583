//! The kinds of figures and texts of a run, and the facts of one line.

use std::collections::BTreeMap;

/// The kind of a figure. Times are in seconds, sizes in bytes, rates per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The measured duration.
    Duration,
    /// The requested duration.
    AskedDuration,
    /// Operations that ended, successful or not.
    Operations,
    /// Samples behind the percentiles, if the tool states their number.
    Samples,
    /// Operations per second.
    Rate,
    /// Operations per second, if the time to connect is counted as well. Only pgbench before version
    /// 14 prints both.
    RateWithConnecting,
    /// The requested operations per second.
    AskedRate,
    /// Concurrent connections or clients.
    Connections,
    /// Concurrent connections or clients of each thread.
    ConnectionsPerThread,
    /// Threads of the generator.
    Threads,
    /// Operations requested per client.
    PerClient,
    /// Operations over a connection that was already open.
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
    /// Replies with this status, or of a class (200, 300 …) if only the class is shown.
    Status(u16),
    /// Replies with an unsuccessful status.
    BadStatus,
    /// Replies whose length differs from the first one's.
    OtherLength,
    /// Operations that succeeded, in the tool's own count.
    Succeeded,
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
    /// Operations that the tool aborted at its end.
    Aborted,
    /// Checks of the reply's content that failed.
    FailedChecks,
    /// All checks of the reply's content.
    Checks,
    /// Limits that the user set and that the run crossed.
    Crossed,
    /// Operations that were due and never sent.
    Unsent,
    /// Operations that each connection may have in flight.
    Pipeline,
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
    /// Keys that the operations use.
    Keys,
}

impl Key {
    /// Whether it says how much was sent, not what came of it.
    pub(crate) fn is_of_load(self) -> bool {
        matches!(
            self,
            Key::AskedDuration
                | Key::AskedRate
                | Key::Connections
                | Key::ConnectionsPerThread
                | Key::Threads
                | Key::PerClient
                | Key::Pipeline
                | Key::Scale
        )
    }

    /// Whether it is a time of responses.
    pub(crate) fn is_time(self) -> bool {
        matches!(self, Key::Mean | Key::Min | Key::Max | Key::Percentile(_))
    }

    /// Its name in JSON and in messages about missing figures, and its unit.
    pub fn name(self) -> (String, &'static str) {
        let (name, unit) = match self {
            Key::Duration => ("duration", "s"),
            Key::AskedDuration => ("requested duration", "s"),
            Key::Operations => ("operations", ""),
            Key::Samples => ("samples", ""),
            Key::Rate => ("rate", "/s"),
            Key::RateWithConnecting => ("rate with connecting", "/s"),
            Key::AskedRate => ("requested rate", "/s"),
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
            Key::Succeeded => ("successful operations", ""),
            Key::Failed => ("failed operations", ""),
            Key::ConnectErrors => ("connect errors", ""),
            Key::ReadErrors => ("read errors", ""),
            Key::WriteErrors => ("write errors", ""),
            Key::Timeouts => ("timeouts", ""),
            Key::Errors => ("errors", ""),
            Key::Aborted => ("aborted operations", ""),
            Key::FailedChecks => ("failed checks", ""),
            Key::Checks => ("checks", ""),
            Key::Crossed => ("crossed thresholds", ""),
            Key::Unsent => ("operations never sent", ""),
            Key::Pipeline => ("operations in flight per connection", ""),
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
    /// Port of the target, if it is printed separately.
    Port,
    /// Software of the server, as it identifies itself.
    Server,
    /// The work: kind of command, script, transaction.
    Subject,
    /// Mode of the queries.
    Mode,
    /// The command line, if it was printed or pasted above.
    Command,
}

/// The meaning of one line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact {
    /// A run begins here.
    Begins,
    /// A figure.
    Figure(Key, f64),
    /// A figure that is added to others of its kind in the run.
    Adds(Key, f64),
    /// A text.
    Text(Label, String),
    /// A figure that cannot be read.
    Unclear,
    /// The run belongs to this other tool, which prints the same lines and this one as well.
    Tool(&'static str),
    /// The tool repeats its summary with newer figures: the earlier ones are dropped.
    Restarts,
    /// A figure of one row of a table: it is added to those of the other rows.
    Part(Key, f64),
    /// A table with rows begins again.
    ClearsParts,
    /// An older version of the tool printed this, with fewer figures.
    Older,
    /// There are several kinds of operations, each with its own times.
    Mixed,
}

/// The figures of a run.
pub(crate) type Figures = BTreeMap<Key, At<f64>>;

/// A value with the number of its line, from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Line of the file.
    pub line: u64,
}
