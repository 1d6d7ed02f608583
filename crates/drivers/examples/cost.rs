//! Measures what a client library costs by itself: the CPU time of the lane's own thread for each
//! `SELECT 1`. The library's runtime runs on that thread, so all of the library is included, and
//! nothing of the server.
//!
//! `cost postgres|mysql IP:PORT USER DATABASE SERIES` drives the lane SERIES times for a
//! second with 1 and with 32 connections, in each protocol. The password, where one is
//! needed, is taken from the variable PASSWORD.

use drivers::Database;
use drivers::{MysqlAccess, PostgresAccess, mysql, postgres};
use engine::{MakeLane, Stop};
use record::{Address, Arrivals, DriveOrder, Intensity, LaneOrder, LaneTask, Reuse};
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::process::ExitCode;

const SECOND: u64 = 1_000_000_000;
const CONNECTIONS: [u32; 2] = [1, 32];

/// A protocol's name, and the lanes that speak it.
type Way = (&'static str, Box<dyn Fn(&DriveOrder) -> Vec<MakeLane>>);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [which, address, user, database, series] = &arguments[..] else { return usage() };
    let (Ok(address), Ok(series)) = (address.parse(), series.parse()) else { return usage() };
    let password = std::env::var("PASSWORD").ok();
    let ways = match &**which {
        "postgres" => of_postgres(user, database, password),
        "mysql" => of_mysql(user, database, password),
        _ => return usage(),
    };
    println!("{:<10} {:>11} {:>26} {:>10}", "", "connections", "CPU us each: least..most", "per s");
    for (name, lanes) in ways {
        for connections in CONNECTIONS {
            let order = order(address, connections, series);
            if let Err(why) = tell(name, connections, &order, lanes(&order)) {
                eprintln!("{name}: {why}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: cost postgres|mysql IP:PORT USER DATABASE SERIES");
    ExitCode::from(2)
}

fn of_postgres(user: &str, database: &str, password: Option<String>) -> Vec<Way> {
    use postgres::Protocol::{Extended, Prepared, Simple};
    let access = PostgresAccess {
        user: user.to_owned(),
        password,
        database: database.to_owned(),
        ..PostgresAccess::without_log_in(Simple)
    };
    let way = |(name, protocol)| -> Way {
        let access = PostgresAccess { protocol, ..access.clone() };
        (name, Box::new(move |order| access.lanes(order, 0)))
    };
    [("simple", Simple), ("extended", Extended), ("prepared", Prepared)].map(way).into()
}

fn of_mysql(user: &str, database: &str, password: Option<String>) -> Vec<Way> {
    use mysql::Protocol::{Prepared, Text};
    let access = MysqlAccess {
        user: user.to_owned(),
        password,
        database: database.to_owned(),
        ..MysqlAccess::without_log_in(Text)
    };
    let way = |(name, protocol)| -> Way {
        let access = MysqlAccess { protocol, ..access.clone() };
        (name, Box::new(move |order| access.lanes(order, 0)))
    };
    [("text", Text), ("prepared", Prepared)].map(way).into()
}

fn order(address: SocketAddr, connections: u32, rounds: u32) -> DriveOrder {
    DriveOrder {
        seed: 1,
        cores: Vec::new(),
        warm_up: record::WarmUp::fixed(SECOND / 2),
        rounds,
        first_round: 1,
        round_ns: SECOND,
        slice_ns: SECOND,
        requests: 0,
        lanes: vec![LaneOrder {
            address: Address::Tcp(address),
            intensity: Intensity { connections, depth: 1, arrivals: Arrivals::Closed },
            reuse: Reuse::Always,
            doing: LaneTask::Ask,
            timeout_ns: 10 * SECOND,
            burn_in_ns: 0,
            operations: None,
            groups: Vec::new(),
        }],
    }
}

fn tell(
    name: &str,
    connections: u32,
    order: &DriveOrder,
    lanes: Vec<MakeLane>,
) -> Result<(), String> {
    let stop = Stop::new().map_err(|error| error.to_string())?;
    let (mut each, mut rates) = (Vec::new(), Vec::new());
    let mut errors = 0;
    engine::run(order, vec![lanes], Vec::new(), &stop, &mut |trial| {
        let seen = &trial.seen;
        errors += seen.outcomes.errors();
        let cpu_ns: u64 = seen.slices.iter().map(|slice| slice.generator_cpu_ns).sum();
        each.push(cpu_ns as f64 / 1e3 / seen.operations.max(1) as f64);
        rates.push(seen.throughput().unwrap_or(0.0));
        ControlFlow::Continue(())
    })
    .map_err(|error| error.to_string())?;
    if errors > 0 {
        return Err(format!("{errors} operations failed"));
    }
    each.sort_by(f64::total_cmp);
    rates.sort_by(f64::total_cmp);
    let middle = |of: &[f64]| of.get(of.len() / 2).copied().unwrap_or(f64::NAN);
    let ends = [each.first(), each.last()].map(|end| end.copied().unwrap_or(f64::NAN));
    let message = format!("{:.1} ({:.1}..{:.1})", middle(&each), ends[0], ends[1]);
    println!("{name:<10} {connections:>11} {message:>26} {:>10.0}", middle(&rates));
    Ok(())
}
