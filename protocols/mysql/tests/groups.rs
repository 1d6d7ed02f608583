//! Several workloads at once on a real MariaDB.

use crate::common::groups::{holds, readers_and_writers, reads_and_writes};
use crate::common::mariadb::{Mariadb, driven};
use crate::common::{MS, with};
use engine::Numbers;
use record::{Maintenance, Pool, Reuse};

pub(crate) fn counted_and_pooled(server: &Mariadb) {
    let of = reads_and_writes();
    let pool = Reuse::Pool(Pool { max: 2, wait_ns: 5_000 * MS, maintenance: Maintenance::Neither });
    for (reuse, wanted) in [(Reuse::Always, [4, 1]), (pool, [2, 1])] {
        let access = with(server.loaded("groups", "InnoDB", &of), |of| {
            of.common.numbers = Numbers::new(2);
        });
        let mut order = readers_and_writers(server.tcp(), &of, 1);
        order.lanes[0].reuse = reuse;
        let counters = || ["Com_select", "Com_insert"].map(|name| server.counter(name));
        let before = counters();
        let seen = driven(&order, &access);
        let after = counters();
        holds(&seen, (after[0] - before[0], after[1] - before[1]), &format!("{reuse:?}"));
        let opened = [0, 1].map(|group: usize| seen.groups[group].connections.opened);
        assert_eq!(opened, wanted, "{reuse:?}");
    }
}
