//! One task of a lane. It acts as a worker of an application, which has one operation at a time and
//! waits for its outcome.

use crate::driver::{Driver, Unopened};
use crate::events::Events;
use crate::pool::Grant;
use crate::request::{Request, Row};
use crate::request_error::RequestError;
use crate::scheduler::{Connection, Cut, Scheduler, TaskWork};
use crate::serving::Serving;
use engine::workload::Arguments;
use engine::{LOOPBACK_SOURCES, Memo, OPENING_NS, Take, clock, redial_pause_ns};
use record::{Failure, LaneOrder, Maintenance, Moments, Outcome, Reuse};
use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

/// Maximum rows and bytes that one request of a load writes.
const BATCH: (usize, usize) = (500, 1 << 20);

/// What the tasks of a lane share.
pub(crate) struct Shared<D: Driver> {
    pub(crate) driver: D,
    pub(crate) scheduler: RefCell<Scheduler<D::Client>>,
    serving: RefCell<Serving>,
    reuse: Reuse,
    timeout_ns: u64,
    /// Whether rows are written in batches.
    loads: bool,
    /// Fresh connections to loopback use many source addresses, because one address has too few
    /// local ports.
    spread: bool,
    source: Cell<u8>,
}

/// The buffers of a task, which are reused for each operation.
#[derive(Default)]
struct TaskBuffers {
    takes: Vec<Take>,
    memo: Memo,
    request: Request,
    rows: Vec<Row>,
}

/// The progress of one operation.
struct Attempt<C> {
    at: Moments,
    /// Whether it has one of the pool's connections, or the right to open one.
    granted: bool,
    connection: Option<Connection<C>>,
    /// When its first half was answered.
    read: Option<u64>,
    bytes: u64,
    rows: u32,
    /// Whether no connection could be opened.
    unconnected: bool,
}

/// Why an operation got no complete reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailedEnd {
    RequestError(RequestError),
    TimedOut,
    Starved,
    /// The run was stopped.
    Left,
    /// The run or the launch ended first.
    Waiting,
}

impl From<Cut> for FailedEnd {
    fn from(cut: Cut) -> FailedEnd {
        match cut {
            Cut::TimeUp => FailedEnd::TimedOut,
            Cut::Leave => FailedEnd::Left,
            Cut::End => FailedEnd::Waiting,
            Cut::TooLarge => FailedEnd::RequestError(RequestError::Failed(Failure::TooLarge)),
        }
    }
}

/// The main loop of a task.
pub(crate) async fn live<D: Driver>(shared: Rc<Shared<D>>, slot: usize) {
    let mut bench = TaskBuffers::default();
    let next = || poll_fn(|context| shared.scheduler.borrow_mut().next_work(slot, context));
    while let Some(work) = next().await {
        match work {
            TaskWork::Open => shared.open(slot).await,
            TaskWork::Operate(take) => shared.operate(slot, take, &mut bench).await,
        }
    }
}

impl<D: Driver> Shared<D> {
    pub(crate) fn new(
        driver: D,
        scheduler: Scheduler<D::Client>,
        serving: Serving,
        lane_order: &LaneOrder,
        worker: usize,
    ) -> Shared<D> {
        let loopback = lane_order.address.is_loopback_v4();
        let fresh = matches!(lane_order.reuse, Reuse::Never | Reuse::Times(_));
        Shared {
            driver,
            scheduler: RefCell::new(scheduler),
            serving: RefCell::new(serving),
            reuse: lane_order.reuse,
            timeout_ns: lane_order.timeout_ns,
            loads: matches!(lane_order.doing, record::LaneTask::Load(_)),
            spread: loopback && fresh,
            source: Cell::new(worker as u8 % LOOPBACK_SOURCES),
        }
    }

    /// Opens a connection before the operations. If that fails, the first operation that needs
    /// the connection tries again, and the failure is counted there.
    async fn open(&self, slot: usize) {
        let until = clock::now() + self.timeout_ns.min(OPENING_NS);
        let grant = {
            let mut scheduler = self.scheduler.borrow_mut();
            scheduler.set_deadline(slot, until);
            scheduler.pool.as_mut().map(|pool| {
                let grant = pool.take(slot);
                if grant.is_none() {
                    pool.leave(slot);
                }
                grant
            })
        };
        match grant {
            // Without a pool the slot keeps its own connection.
            None => {
                let opened = self.connect(slot).await.ok();
                self.scheduler.borrow_mut().slots[slot].connection = opened;
            }
            Some(Some(Grant::MayOpen)) => match self.connect(slot).await {
                Ok(connection) => self.scheduler.borrow_mut().give_back(connection),
                Err(_) => self.scheduler.borrow_mut().lost(),
            },
            Some(Some(Grant::Open(connection))) => {
                self.scheduler.borrow_mut().give_back(connection)
            }
            Some(None) => {}
        }
        self.scheduler.borrow_mut().opened(slot);
    }

    async fn connect(&self, slot: usize) -> Result<Connection<D::Client>, FailedEnd> {
        let connected = self.guarded(slot, self.driver.connect(self.source())).await?;
        let mut scheduler = self.scheduler.borrow_mut();
        match connected {
            Ok((client, opening)) => {
                match opening.connect_ns {
                    Some(connect_ns) => {
                        scheduler.seen.opened(connect_ns, opening.tls_ns);
                        scheduler.seen.logged_in(opening.log_in_ns);
                    }
                    None => scheduler.seen.opened_in_one(opening.log_in_ns),
                }
                scheduler.slots[slot].failures = 0;
                Ok(Connection { client, served: 0 })
            }
            Err(Unopened { error, said, refusal }) => {
                refusal.iter().for_each(|why| scheduler.seen.fault(why));
                if let Some(words) = said {
                    scheduler.seen.said(words.as_bytes());
                }
                Err(FailedEnd::RequestError(error))
            }
        }
    }

    /// Returns the outcome of a future, unless the slot must stop waiting first: then the future is dropped,
    /// and the caller must drop the connection that it used, too.
    async fn guarded<T>(&self, slot: usize, future: impl Future<Output = T>) -> Result<T, Cut> {
        let mut future = pin!(future);
        poll_fn(|context| {
            if let Poll::Ready(done) = future.as_mut().poll(context) {
                return Poll::Ready(Ok(done));
            }
            match self.scheduler.borrow_mut().watch(slot, context) {
                Some(cut) => Poll::Ready(Err(cut)),
                None => Poll::Pending,
            }
        })
        .await
    }

    /// The source address of the next connection. None if the system chooses.
    fn source(&self) -> Option<IpAddr> {
        self.spread.then(|| {
            let next = (self.source.get() + 1) % LOOPBACK_SOURCES;
            self.source.set(next);
            // 127.0.0.1 itself is left to other programs.
            IpAddr::V4(Ipv4Addr::new(127, 0, 0, next + 2))
        })
    }

    /// Carries out an operation, or a batch of a load.
    async fn operate(&self, slot: usize, take: Take, bench: &mut TaskBuffers) {
        let begun = clock::now();
        self.scheduler.borrow_mut().begins(slot, begun, self.timeout_ns);
        self.write_request(take, bench);
        let mut attempt = Attempt {
            at: Moments { could: take.could, sent: begun, ..Moments::default() },
            granted: false,
            connection: None,
            read: None,
            bytes: 0,
            rows: 0,
            unconnected: false,
        };
        let ended = self.attempt(slot, bench, &mut attempt).await;
        if ended.is_err() {
            attempt.at.done = clock::now();
        }
        self.note(bench, &attempt, ended);
        let whole = match ended {
            Ok(_) => true,
            Err(FailedEnd::RequestError(error)) => !error.closes(),
            Err(_) => false,
        };
        match attempt.connection.take().filter(|_| whole) {
            Some(connection) => self.put_back(slot, connection).await,
            None if attempt.granted => self.scheduler.borrow_mut().lost(),
            None => {}
        }
        let left = ended == Err(FailedEnd::Left);
        self.scheduler.borrow_mut().finished(slot, bench.takes.len(), left, clock::now());
        if attempt.unconnected {
            self.back_off(slot).await;
        }
        self.scheduler.borrow_mut().freed(slot);
    }

    /// Writes the operation into the request; for a load, as many operations as fit.
    fn write_request(&self, take: Take, bench: &mut TaskBuffers) {
        let mut serving = self.serving.borrow_mut();
        let TaskBuffers { takes, memo, request, rows } = bench;
        takes.clear();
        rows.clear();
        let (mut next, mut bytes) = (Some(take), 0);
        while let Some(take) = next {
            serving.ask(take.number, memo, request);
            takes.push(take);
            if !self.loads {
                return;
            }
            bytes += request.row.value.len();
            rows.push(std::mem::take(&mut request.row));
            let full = rows.len() == BATCH.0 || bytes >= BATCH.1;
            next = if full { None } else { self.scheduler.borrow_mut().one_more() };
        }
    }

    async fn attempt(
        &self,
        slot: usize,
        bench: &mut TaskBuffers,
        attempt: &mut Attempt<D::Client>,
    ) -> Result<Outcome, FailedEnd> {
        self.acquire(slot, bench.takes[0].due, attempt).await?;
        if self.loads {
            return self.load(slot, bench, attempt).await;
        }
        loop {
            let outcome = self.request(slot, bench, attempt).await?;
            let Some(kind) = bench.request.half.filter(|_| outcome == Outcome::Ok) else {
                return Ok(outcome);
            };
            attempt.read = Some(attempt.at.done);
            self.serving.borrow_mut().go_on(kind, &mut bench.memo, &mut bench.request);
        }
    }

    /// Gets a connection: the slot's own, one of the pool, or a fresh one.
    async fn acquire(
        &self,
        slot: usize,
        due: u64,
        attempt: &mut Attempt<D::Client>,
    ) -> Result<(), FailedEnd> {
        let Reuse::Pool(asked) = self.reuse else {
            attempt.connection = self.scheduler.borrow_mut().slots[slot].connection.take();
            if attempt.connection.is_none() {
                return self.open_for(slot, attempt).await;
            }
            return Ok(());
        };
        let begun = attempt.at.sent;
        let granted = self.wait_for_grant(slot, begun, asked.wait_ns).await;
        // Nothing could be sent until now: waiting for the pool counts against the contender.
        attempt.at.could = clock::now();
        attempt.at.sent = attempt.at.could;
        let result = match granted {
            Ok(grant) => {
                attempt.granted = true;
                self.take_up(slot, asked.maintenance, grant, attempt).await
            }
            Err(end) => Err(end),
        };
        self.scheduler.borrow_mut().seen.acquired(due, clock::now() - begun);
        result
    }

    async fn wait_for_grant(
        &self,
        slot: usize,
        begun: u64,
        wait_ns: u64,
    ) -> Result<Grant<Connection<D::Client>>, FailedEnd> {
        {
            let mut scheduler = self.scheduler.borrow_mut();
            let at_once = scheduler.pool.as_mut().expect("a pool was asked for").take(slot);
            if let Some(grant) = at_once {
                return Ok(grant);
            }
            scheduler.set_deadline(slot, begun + wait_ns.min(self.timeout_ns));
        }
        let granted = poll_fn(|context| self.scheduler.borrow_mut().granted(slot, context)).await;
        if granted.is_ok() {
            self.scheduler.borrow_mut().set_deadline(slot, begun + self.timeout_ns);
        }
        granted.map_err(|cut| match cut {
            Cut::TimeUp if wait_ns < self.timeout_ns => FailedEnd::Starved,
            cut => cut.into(),
        })
    }

    /// Turns what the pool granted into a usable connection.
    async fn take_up(
        &self,
        slot: usize,
        maintenance: Maintenance,
        grant: Grant<Connection<D::Client>>,
        attempt: &mut Attempt<D::Client>,
    ) -> Result<(), FailedEnd> {
        let Grant::Open(mut connection) = grant else {
            return self.open_for(slot, attempt).await;
        };
        if maintenance == Maintenance::Ping {
            let answers = self.guarded(slot, self.driver.ping(&mut connection.client));
            if answers.await?.is_err() {
                // This is the reason why a pool checks its connections.
                drop(connection);
                return self.open_for(slot, attempt).await;
            }
        }
        attempt.connection = Some(connection);
        Ok(())
    }

    /// Opens a connection within the time of the operation.
    async fn open_for(
        &self,
        slot: usize,
        attempt: &mut Attempt<D::Client>,
    ) -> Result<(), FailedEnd> {
        attempt.unconnected = true;
        attempt.connection = Some(self.connect(slot).await?);
        attempt.unconnected = false;
        Ok(())
    }

    /// Sends one request and receives its reply.
    async fn request(
        &self,
        slot: usize,
        bench: &mut TaskBuffers,
        attempt: &mut Attempt<D::Client>,
    ) -> Result<Outcome, FailedEnd> {
        let client = &mut attempt.connection.as_mut().expect("acquired").client;
        let mut events = Events::new(&self.serving, &mut bench.memo);
        let performed = self.driver.perform(client, &bench.request, &mut events);
        let performed = self.guarded(slot, performed).await;
        let Events { prepare_ns, asked, began, rows, bytes, custom, said, .. } = events;
        if let Some(words) = said {
            self.scheduler.borrow_mut().seen.said(words.as_bytes());
        }
        if let Some(took_ns) = prepare_ns {
            self.scheduler.borrow_mut().seen.prepared(took_ns);
        }
        // An operation of two requests counts as sent once the first was sent.
        attempt.at.asked = asked.max(attempt.at.asked);
        attempt.at.done = clock::now();
        attempt.at.began = if began == 0 { attempt.at.done } else { began };
        performed?.map_err(FailedEnd::RequestError)?;
        (attempt.bytes, attempt.rows) = (bytes, rows);
        Ok(custom.unwrap_or_else(|| self.serving.borrow_mut().outcome(&mut bench.memo, rows)))
    }

    async fn load(
        &self,
        slot: usize,
        bench: &TaskBuffers,
        attempt: &mut Attempt<D::Client>,
    ) -> Result<Outcome, FailedEnd> {
        let client = &mut attempt.connection.as_mut().expect("acquired").client;
        attempt.at.asked = clock::now();
        let loaded = self.guarded(slot, self.write_rows(client, &bench.rows)).await;
        attempt.at.done = clock::now();
        attempt.at.began = attempt.at.done;
        loaded?.map_err(FailedEnd::RequestError)?;
        Ok(Outcome::Ok)
    }

    /// Writes rows, table by table.
    async fn write_rows(&self, client: &mut D::Client, rows: &[Row]) -> Result<(), RequestError> {
        let table = |row: &Row| row.of_table.as_ref().map(|of| of.0);
        for rows in rows.chunk_by(|one, other| table(one) == table(other)) {
            match table(&rows[0]) {
                None => self.driver.load(client, rows).await?,
                Some(table) => {
                    let columns = rows.iter().filter_map(|row| row.of_table.as_ref());
                    let columns: Vec<&Arguments> = columns.map(|of| &of.1).collect();
                    self.driver.fill(client, table, &columns).await?;
                }
            }
        }
        Ok(())
    }

    /// Records how the operations ended.
    fn note(
        &self,
        bench: &TaskBuffers,
        attempt: &Attempt<D::Client>,
        ended: Result<Outcome, FailedEnd>,
    ) {
        let seen = &mut self.scheduler.borrow_mut().seen;
        let share = bench.request.share;
        let asked = attempt.at.asked > 0;
        for take in &bench.takes {
            let could = attempt.at.could.max(take.could);
            let at = Moments { due: take.due, could, ..attempt.at };
            match ended {
                Ok(outcome) => {
                    seen.replied(&at, 0, outcome, attempt.bytes);
                    seen.replied_of_kind(share, &at, outcome, attempt.read);
                    seen.fetched(&at, attempt.rows);
                }
                Err(FailedEnd::RequestError(RequestError::ServerError { code, .. })) if asked => {
                    let at = Moments { began: at.done, ..at };
                    seen.replied(&at, code, Outcome::Unexpected, 0);
                    seen.replied_of_kind(share, &at, Outcome::Unexpected, attempt.read);
                }
                Err(end @ (FailedEnd::TimedOut | FailedEnd::Waiting)) => {
                    let waits = end == FailedEnd::Waiting;
                    let failure = if waits { Failure::Waiting } else { Failure::Timeout };
                    seen.given_up(failure, &at, asked);
                    seen.lost_of_kind(share, Some(&at), attempt.read);
                }
                Err(FailedEnd::Left) if asked => seen.unfinished(1),
                Err(FailedEnd::Left) => seen.unsent(1),
                Err(FailedEnd::RequestError(RequestError::ServerError { code, .. })) => {
                    seen.refused(code, at.done, false);
                    seen.lost_of_kind(share, None, attempt.read);
                }
                Err(FailedEnd::RequestError(RequestError::Failed(failure))) => {
                    seen.failed(failure, at.done, asked);
                    seen.lost_of_kind(share, None, attempt.read);
                }
                Err(FailedEnd::Starved) => {
                    seen.failed(Failure::Starved, at.done, false);
                    seen.lost_of_kind(share, None, None);
                }
            }
        }
    }

    /// Treats a connection as the policy requires. This is part of the operation's turn, but not
    /// of its time: its own requester does not wait for it, but the next one may.
    async fn put_back(&self, slot: usize, mut connection: Connection<D::Client>) {
        connection.served += 1;
        match self.reuse {
            Reuse::Times(times) if connection.served >= times => self.close(slot, connection).await,
            Reuse::Never => self.close(slot, connection).await,
            Reuse::Always | Reuse::Times(_) => {
                self.scheduler.borrow_mut().slots[slot].connection = Some(connection);
            }
            Reuse::Pool(pool) if pool.maintenance == Maintenance::Reset => {
                self.set_follow_up_deadline(slot);
                let reset = self.driver.reset(&mut connection.client);
                match self.guarded(slot, reset).await {
                    Ok(Ok(())) => self.scheduler.borrow_mut().give_back(connection),
                    Ok(Err(_)) | Err(_) => self.scheduler.borrow_mut().lost(),
                }
            }
            Reuse::Pool(_) => self.scheduler.borrow_mut().give_back(connection),
        }
    }

    async fn close(&self, slot: usize, connection: Connection<D::Client>) {
        self.set_follow_up_deadline(slot);
        // A connection that does not close in time is abandoned.
        let _ = self.guarded(slot, self.driver.close(connection.client)).await;
    }

    /// What follows an operation has a timeout of its own.
    fn set_follow_up_deadline(&self, slot: usize) {
        self.scheduler.borrow_mut().set_deadline(slot, clock::now() + self.timeout_ns);
    }

    /// Pauses after a failed connect. A refused connect takes no time: without a pause it would
    /// be counted ten thousand times a second.
    async fn back_off(&self, slot: usize) {
        {
            let mut scheduler = self.scheduler.borrow_mut();
            let failures = &mut scheduler.slots[slot].failures;
            let wait = redial_pause_ns(*failures);
            *failures += 1;
            scheduler.set_deadline(slot, clock::now() + wait);
        }
        let _ = self.guarded(slot, pending::<()>()).await;
    }
}
