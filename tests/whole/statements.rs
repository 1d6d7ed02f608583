//! User-defined statements in the dialect of each database. It takes no server.

use cassandra::CassandraDialect;
use drivers::custom::{CustomStatements, setup};
use drivers::dialect::Dialect;
use drivers::testing::custom_workload as workload;
use engine::workload::Arguments;
use engine::{Encoder, Task};
use mysql::MysqlDialect;
#[cfg(feature = "oracle")]
use oracle::OracleDialect;
use postgres::PostgresDialect;
use record::LaneTask;

/// The values of the first operation, or row, of the workload.
fn arguments(task: Task) -> Arguments {
    let mut encoder = Encoder::new(&workload(), 1, 1, task).expect("sound");
    let drawn = encoder.drawn(0);
    encoder.parts(&drawn).arguments.clone()
}

fn places_and_values(dialect: &dyn Dialect) -> (String, String) {
    let custom = CustomStatements::of(Some(&LaneTask::Drive(workload())), dialect, "t");
    let update = &custom.statements(0)[0];
    assert_eq!(update.bound, [1, 0, 0]);
    let created = setup(&workload(), dialect, "t").remove(0);
    assert_eq!(created, format!("CREATE TABLE {} (id INT)", dialect.name("t_rows")));
    (update.with_placeholders.clone(), update.with_values(dialect, &arguments(Task::Drive)))
}

#[test]
fn places_and_values_are_those_of_the_dialect() {
    let of = |dialect, places: &str, values: &str| {
        assert_eq!(places_and_values(dialect), (places.to_owned(), values.to_owned()));
    };
    of(
        &PostgresDialect,
        r#"UPDATE "t_rows" SET k = k - $1 WHERE id = $2 OR id = $3"#,
        r#"UPDATE "t_rows" SET k = k - (-7) WHERE id = 1 OR id = 1"#,
    );
    of(
        &MysqlDialect,
        "UPDATE `t_rows` SET k = k - ? WHERE id = ? OR id = ?",
        "UPDATE `t_rows` SET k = k - (-7) WHERE id = 1 OR id = 1",
    );
    #[cfg(feature = "oracle")]
    of(
        &OracleDialect,
        r#"UPDATE "T_ROWS" SET k = k - :1 WHERE id = :2 OR id = :3"#,
        r#"UPDATE "T_ROWS" SET k = k - (-7) WHERE id = 1 OR id = 1"#,
    );
    of(
        &CassandraDialect,
        r#"UPDATE "t_rows" SET k = k - ? WHERE id = ? OR id = ?"#,
        r#"UPDATE "t_rows" SET k = k -  -7 WHERE id = 1 OR id = 1"#,
    );
}

#[test]
fn rows_are_inserted_unless_they_exist() {
    let inserted = |dialect: &dyn Dialect| {
        let custom = CustomStatements::of(Some(&LaneTask::load(workload())), dialect, "t");
        let row = arguments(Task::Load);
        (custom.insert(dialect, 0, &[&row, &row]), custom.insert_with_placeholders(dialect, 0))
    };
    assert_eq!(
        inserted(&MysqlDialect).0,
        r"INSERT IGNORE INTO `t_rows` (`id`, `c`) VALUES (1, 'it''s\\'), (1, 'it''s\\')"
    );
    assert_eq!(
        inserted(&PostgresDialect).0,
        r#"INSERT INTO "t_rows" ("id", "c") VALUES (1, 'it''s\'), (1, 'it''s\') ON CONFLICT DO NOTHING"#
    );
    #[cfg(feature = "oracle")]
    assert_eq!(inserted(&OracleDialect).1, r#"INSERT INTO "T_ROWS" ("ID", "C") VALUES (:1, :2)"#);
}
