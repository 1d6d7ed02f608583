//! What tests of several crates are made from.

use crate::{ContenderQuestion, LengthRule, Metric, Pair, Question};

/// The question whether any of these contenders differs in throughput from the first one, in rounds of one launch.
/// All metrics together have an error rate of 5 %, and a difference of 1 % matters.
pub fn question(names: &[&str], rounds: u32) -> Question {
    Question {
        contenders: names.iter().map(|name| ContenderQuestion::named(name)).collect(),
        primary: Metric::Throughput,
        secondary: vec![Metric::ResponseP50, Metric::ResponseP99],
        groups: Vec::new(),
        requests: Vec::new(),
        is_ranked: false,
        is_suite: false,
        control: None,
        load_points: Vec::new(),
        blocks: Vec::new(),
        objectives: Vec::new(),
        pairs: (1..names.len() as u32).map(|b| Pair { a: 0, b }).collect(),
        alpha: 0.05,
        matters: 0.01,
        rounds,
        restarts: 0,
        dear: None,
        interim_looks: Vec::new(),
        length: LengthRule::Fixed,
        sharing: Vec::new(),
        generator_cores: Vec::new(),
        allowed_cores: Vec::new(),
        one_target: Vec::new(),
        expect_different: false,
        shares_core: false,
        workers: 1,
    }
}
