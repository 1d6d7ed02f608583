//! Settings of the whole run: flags, or keys at the top of the experiment file.

use crate::plan::Command::{self, Compare, Run};
use crate::plan::settings::declared::Heading::{Load, Rounds, Verdict};
use crate::plan::settings::declared::InFile::{
    Count, Duration as Time, Percent, Switch, Texts, Words,
};
use crate::plan::settings::declared::{Declared, Flag, Setting, declared, switch};
use crate::plan::settings::slo;
use crate::targets::exec::figures::kind_named;
use record::{Interleave, Metric, Objective};
use std::time::Duration;
use text::near;
use text::quantities;
use text::shown::shown;

/// The metrics by which contenders are ranked, as they are written.
const BY: [&str; 6] = ["throughput", "p50", "p99", "p99.9", "cpu", "memory"];

/// How contenders take turns, as it is written.
const INTERLEAVE: [&str; 3] = ["auto", "slices", "turns"];

/// A flag with a value that only a comparison has.
const fn flag(value: &'static str, help: &'static str) -> Flag {
    Flag::new(value, help).only(&[Compare])
}

/// A flag without a value that only a comparison has.
const fn switch_flag(help: &'static str) -> Flag {
    Flag::switch(help).only(&[Compare])
}

declared! {
    /// The settings of the run that were given. Flags on the command line take precedence over the
    /// experiment file.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct RunSettings;

    rounds: Option<u32>, above_0,
        Setting::new(Count, "Rounds; 10 by default.")
        .example("20")
        .flags(&[flag("N", "How many rounds: each is one replicate [default: 10 or more]")
            .more(
                "With --launches: rounds of each launch [default: 2]. With --until-decided and one \
                 launch: rounds before the first check [default: 10]. In a ranking whose rounds hold only some \
                 contenders: rounds that each pair shares.",
            )
            .common()
            .under(Rounds, 0),
            Flag::new("N", "With --sweep: how many rounds [default: 10]")
                .only(&[Run])
                .under(Rounds, 0),
        ]);

    round: Option<Duration>, quantities::duration,
        Setting::new(Time, "How long each contender is driven in a round; 1s by default.")
        .example("2s")
        .flags(&[flag(
            "TIME",
            "How long each contender is driven in a round [default: 1s; turns: 2.5s; with --slo: 6s]",
        )
        .under(Rounds, 1),
            Flag::new(
                "TIME",
                "With --sweep: how long each load point is driven in a round [default: 2.5s]",
            )
            .only(&[Run])
            .under(Rounds, 1),
        ]);

    warm_up: Option<Duration>, quantities::duration,
        Setting::new(
            Time,
            "How long each contender is driven before the pilot; until it has levelled by default.",
        )
        .example("5s")
        .flags(&[Flag::new(
            "TIME",
            "Drive each contender this long before anything counts [default: until it has levelled]",
        )
        .named("warm-up")
        .under(Load, 8)]);

    pilot: Option<Duration>, quantities::duration,
        Setting::in_no_file().flags(&[flag(
            "TIME",
            "How long the pilot drives each contender, for tests in which it decides nothing",
        )
        .hidden()
        .under(Rounds, 4)]);

    slice: Option<Duration>, quantities::duration,
        Setting::new(Time, "Length of a slice; the pilot chooses by default.")
        .example("50ms")
        .flags(&[flag("TIME", "Length of a turn within a round [default: the pilot chooses]")
            .under(Rounds, 2)]);

    interleave: Option<Interleave>, interleave,
        Setting::new(Words(&INTERLEAVE), "How contenders take turns.")
        .flags(&[flag(
            "HOW",
            "slices (many short turns per round) or turns (one per round) [default: the pilot \
             chooses]",
        )
        .under(Rounds, 3)]);

    duration: Option<Duration>, quantities::duration,
        Setting::in_no_file().flags(&[Flag::new(
            "TIME",
            "How long to drive [default: 10s; with -n: until N are done, 1h at most]",
        )
        .more("With --slo and without --rate: in all rounds together [default: 1min].")
        .only(&[Run])
        .common()
        .under(Load, 0)]);

    operations: Option<u64>, operations,
        Setting::in_no_file().flags(&[
            Flag::new("N", "Stop after this many requests")
                .short('n')
                .only(&[Run])
                .common()
                .under(Load, 1),
            flag("N", "Operations of one run of a program (exec:) that does not announce them")
            .more(
                "A program announces its operations by its last line of output: operations \
                 100000.",
            )
            .under(Rounds, 6),
        ]);

    figures: Option<String>, figures,
        Setting::in_no_file().flags(&[flag(
            "KIND",
            "Compare the cases of benchmark programs (exec:) by the figures that they print",
        )
        .more(
            "KIND names the tool, such as criterion, go or pytest-benchmark; `auto` finds it by looking at the \
             output. `tiebreak help suites` lists all and says how figures in files are read, and which are left \
             out. Each case has a verdict of its own.",
        )
        .under(Verdict, 8)]);

    control: bool, switch,
        Setting::new(
            Switch,
            "Also compare the last contender, a suite, with a copy of itself: every difference that is found there is \
             an error.",
        )
        .flags(&[switch_flag(
            "Also compare the last suite with itself: what differs there is an error",
        )
        .more(
            "A copy of the last contender takes part in every round. If one of its cases differs, the result is not \
             to be trusted, and the exit code is 3. In the long run that happens in at most 5 % of runs.",
        )
        .under(Verdict, 9)]);

    seed: Option<u64>, seed,
        Setting::new(
            Count,
            "Fixes the operations, the arrivals and the order of slices. Drawn for each run if it \
             is not given.",
        )
        .example("42")
        .flags(&[Flag::new(
            "N",
            "Fixes the operations, the arrivals and the order of slices [default: drawn for each \
             run]",
        )
        .under(Load, 9)]);

    cores: Option<u32>, above_0,
        Setting::new(Count, "How many cores the generator uses.")
        .key("generator_cores")
        .example("2")
        .flags(&[Flag::new(
            "N",
            "Number of cores that generate load [default: half of all, the last ones, at most 8]",
        )
        .named("cores")
        .under(Load, 10)]);

    /// The smallest difference that matters, as a share.
    matters: Option<f64>, quantities::percent,
        Setting::new(Percent, "The smallest difference that matters; 1% by default.")
        .example("2%")
        .flags(&[flag("PERCENT", "The smallest difference that matters [default: 1%]")
            .under(Verdict, 0)]);

    /// Level of the intervals, as a share.
    confidence: Option<f64>, quantities::percent,
        Setting::new(Percent, "Level of the intervals; 95% by default.")
        .example("99%")
        .flags(&[flag(
            "PERCENT",
            "Confidence of the verdicts, all comparisons together [default: 95%]",
        )
        .under(Verdict, 1)]);

    all_pairs: bool, switch,
        Setting::new(Switch, "Compare all pairs, not only with the first.")
        .flags(&[switch_flag("Compare every contender with every other, not only with the first")
            .named("all-pairs")
            .under(Verdict, 2)]);

    expect_different: bool, switch,
        Setting::new(Switch, "The contenders are expected to answer differently.")
        .flags(&[switch_flag("The contenders are expected to answer differently")
            .named("expect-different")
            .under(Verdict, 3)]);

    rank: bool, switch,
        Setting::new(
            Switch,
            "Rank the contenders: all pairs are compared, and contenders that cannot be told apart \
             share their ranks.",
        )
        .flags(&[switch_flag("Rank the contenders, with ties: as `tiebreak rank`")
            .under(Verdict, 5)]);

    slo: Vec<Objective>, slo::objective,
        Setting::new(
            Texts,
            "Objectives, such as p99 <= 5ms. The highest rate that meets them is sought; if `tiebreak run` has a \
             rate, it is checked whether that rate meets them.",
        )
        .example("p99 <= 5ms")
        .flags(&[Flag::new(
            "OBJECTIVE",
            "Find the highest rate that meets it, such as 'p99 <= 5ms', with an interval",
        )
        .more(
            "p50, p99 or p99.9 of response time, and errors ('errors <= 0.1%'). May be given several times: all \
             must be met. A comparison gives the ratio of these rates; it takes about two minutes, or as long as \
             --round says. `tiebreak run` with --rate checks that rate instead: exit code 1 if an objective is not \
             met.",
        )
        .repeated()
        .common()
        .under(Verdict, 7)]);

    by: Option<Metric>, by,
        Setting::new(
            Words(&BY),
            "The metric that ranks are made by: throughput by default, and p99 of a given rate.",
        )
        .flags(&[flag(
            "METRIC",
            "Rank by throughput, p50, p99, p99.9, cpu (CPU time of the target for an operation) or memory (its \
             peak in a launch) [default: throughput; at a given rate p99]",
        )
        .under(Verdict, 6)]);

    launches: Option<u32>, above_0,
        Setting::new(Count, "How many times every target is launched.")
        .example("10")
        .formerly("restarts")
        .flags(&[flag("N", "Launch every target N times; each launch is then one replicate")
            .more(
                "A server settles differently at each start. A verdict from one launch describes that \
                 launch; with several it describes the programs. Only for targets that tiebreak \
                 launches. With --until-decided: launches before the first check [default: 10]. In a \
                 ranking whose launches hold only some contenders: launches that each pair shares.",
            )
            .common()
            .under(Rounds, 5)]);

    until_decided: bool, switch,
        Setting::new(
            Switch,
            "Check five times whether the result is decided, instead of a fixed number of rounds.",
        )
        .flags(&[switch_flag("Check five times whether the result is decided, and stop when it is")
            .named("until-decided")
            .more(
                "After 10, 16, 26, 40 and 60 rounds (with --launches: launches), with a smaller error \
                 at each check, so that all checks together keep the requested confidence.",
            )
            .common()
            .under(Rounds, 7)]);

    /// The difference that the run must be able to see, as a share.
    see: Option<f64>, quantities::percent,
        Setting::new(
            Percent,
            "Drive as many rounds or launches as show a difference of this size with a chance of 80 %.",
        )
        .example("2%")
        .flags(&[flag(
            "PERCENT",
            "As many rounds (or launches) as call a true difference of this size with a chance of 80 %",
        )
        .more(
            "A first stage of 10 or more shows how much they vary; what is needed follows, at most 200 in \
             all. `tiebreak plan` says how long that takes. Sets --matters, too, unless that is given. Not \
             with --rounds, --launches, --until-decided or --within.",
        )
        .under(Rounds, 8)]);

    within: Option<Duration>, quantities::duration,
        Setting::new(
            Time,
            "Drive as many rounds or launches as fit into this time, with warm-up, pilot and launches.",
        )
        .example("2min")
        .flags(&[flag(
            "TIME",
            "As many rounds (or launches) as fit into this time, warm-up, pilot and launches included",
        )
        .more(
            "The number follows from the time that they take, never from what they show. With --slo, turns as \
             long as fit; launches come in addition. Not with --rounds, --launches, --until-decided or --see.",
        )
        .under(Rounds, 9)]);

    requirements: Vec<String>, text,
        Setting::in_no_file().key("require").flags(&[flag(
            "[B/A] METRIC [of PART] >= RATIO",
            "A requirement, such as 'new/old throughput >= 0.97'; exit code 1 if it is not met",
        )
        .more(
            "A ratio of two contenders, or of each pair if none is named: 'p99 <= 1.05x'. For one \
             group or request: 'p99 of writers <= 1.05x', 'throughput of search >= 0.97'. It must hold for the whole interval; `by estimate` \
             and `by favourable end` are less strict. May be given several times.",
        )
        .repeated()
        .common()
        .under(Verdict, 4)]);
}

impl RunSettings {
    /// Returns the settings of a file without the length that these ones, which were typed, say in another way.
    #[must_use]
    pub fn lengths_of(&self, file: &RunSettings) -> RunSettings {
        let counted = self.rounds.is_some() || self.launches.is_some() || self.until_decided;
        let follows = self.see.is_some() || self.within.is_some();
        let mut file = file.clone();
        if follows {
            (file.rounds, file.launches, file.until_decided) = (None, None, false);
        }
        if follows || counted {
            (file.see, file.within) = (None, None);
        }
        if !self.slo.is_empty() {
            // What is driven for objectives, and for how long, is fixed.
            (file.rounds, file.launches, file.until_decided) = (None, None, false);
            (file.see, file.within, file.slice, file.interleave) = (None, None, None, None);
        }
        file
    }

    /// Returns these settings without what sets how long a comparison is and what is judged: how it drives.
    #[must_use]
    pub fn of_load(self) -> RunSettings {
        RunSettings {
            rounds: None,
            launches: None,
            until_decided: false,
            see: None,
            within: None,
            slo: Vec::new(),
            requirements: Vec::new(),
            rank: false,
            by: None,
            all_pairs: false,
            control: false,
            ..self
        }
    }

    /// Refuses a setting of an experiment file that this command cannot use, because it has no flag
    /// for it.
    ///
    /// # Errors
    /// When there is one.
    pub fn refuse_in_file(&self, command: Command) -> Result<(), String> {
        // `load` itself ignores settings that do not change the load.
        if command != Command::Run {
            return Ok(());
        }
        let has_flag = |flag: &Flag| flag.commands.contains(&command);
        let mut given = RunSettings::table().filter(|row| row.is_given(self));
        match given.find(|row| !row.setting.flags.iter().any(has_flag)) {
            Some(row) => Err(format!(
                "{} in the experiment file is only for comparisons, and `tiebreak run` drives a \
                 single contender: remove it from the file",
                row.setting.key
            )),
            None => Ok(()),
        }
    }

    /// The first of these keys that is given.
    pub(crate) fn first_given(&self, keys: &[&'static str]) -> Option<&'static str> {
        let is_given = |key: &&str| {
            RunSettings::table().any(|row| row.setting.key == *key && row.is_given(self))
        };
        keys.iter().copied().find(is_given)
    }

    /// The flag of the first of these keys that is given, with its hyphens.
    pub(crate) fn first_flag(&self, keys: &[&'static str]) -> Option<String> {
        self.first_given(keys).map(|key| format!("--{}", key.replace('_', "-")))
    }
}

fn above_0(text: &str) -> Result<u32, String> {
    match quantities::count(text)? {
        0 => Err("must be above 0".to_owned()),
        count => u32::try_from(count).map_err(|_| format!("`{text}` is too large")),
    }
}

fn figures(text: &str) -> Result<String, String> {
    kind_named(text).map(|_| text.to_owned())
}

pub(in crate::plan) fn operations(text: &str) -> Result<u64, String> {
    match quantities::count(text)? {
        0 => Err("must be at least 1".to_owned()),
        count => Ok(count),
    }
}

fn by(text: &str) -> Result<Metric, String> {
    one_of(text, BY, Metric::RANKED)
}

/// Any number of 64 bits, as reports print it, or a short one such as `10k`.
fn seed(text: &str) -> Result<u64, String> {
    text.parse().or_else(|_| quantities::count(text).map_err(String::from))
}

fn interleave(text: &str) -> Result<Interleave, String> {
    one_of(text, INTERLEAVE, [Interleave::Auto, Interleave::Slices, Interleave::Turns])
}

/// Reads one of these words. The values are in the order of the words.
pub(in crate::plan) fn one_of<T, const N: usize>(
    text: &str,
    words: [&'static str; N],
    values: [T; N],
) -> Result<T, String> {
    let found = words.into_iter().zip(values).find(|(word, _)| *word == text);
    found.map(|(_, value)| value).ok_or_else(|| {
        let meant = near::did_you_mean(text, words);
        format!("`{}` is not one of {}{meant}", shown(text), words.join(", "))
    })
}

/// Requirements are read when the names of all contenders are known.
fn text(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::declared::InFile;

    #[test]
    fn flags_win_and_switches_stay_on() {
        let flags = RunSettings { rounds: Some(20), ..RunSettings::default() };
        let file = RunSettings {
            rounds: Some(12),
            seed: Some(7),
            all_pairs: true,
            ..RunSettings::default()
        };
        let both = RunSettings { rounds: Some(20), ..file.clone() };
        assert_eq!(flags.over(&file), both);
    }

    #[test]
    fn a_typed_length_replaces_that_of_the_file() {
        let file = RunSettings { rounds: Some(20), launches: Some(8), ..RunSettings::default() };
        let see = RunSettings { see: Some(0.02), ..RunSettings::default() };
        assert_eq!(see.lengths_of(&file), RunSettings::default());
        assert_eq!(RunSettings::default().lengths_of(&file), file);
        let rounds = RunSettings { rounds: Some(12), ..RunSettings::default() };
        assert_eq!(rounds.lengths_of(&see), RunSettings::default());
        assert_eq!(rounds.lengths_of(&file), file);
    }

    #[test]
    fn typed_objectives_replace_the_length_of_the_file() {
        let slo = RunSettings {
            slo: vec![Objective::Errors { fraction: 0.001 }],
            ..RunSettings::default()
        };
        let second = Some(Duration::from_secs(1));
        let kept = RunSettings { round: second, seed: Some(7), ..RunSettings::default() };
        let counted = RunSettings {
            rounds: Some(20),
            launches: Some(8),
            until_decided: true,
            slice: second,
            interleave: Some(Interleave::Slices),
            ..kept.clone()
        };
        assert_eq!(slo.lengths_of(&counted), kept);
        let follows = RunSettings { see: Some(0.02), within: second, ..kept.clone() };
        assert_eq!(slo.lengths_of(&follows), kept);
    }

    #[test]
    fn a_run_refuses_what_is_for_comparisons() {
        let file = RunSettings { seed: Some(7), cores: Some(1), ..RunSettings::default() };
        assert_eq!(file.refuse_in_file(Command::Run), Ok(()));
        let file = RunSettings { all_pairs: true, ..file };
        assert_eq!(file.refuse_in_file(Command::Compare), Ok(()));
        assert_eq!(
            file.refuse_in_file(Command::Run),
            Err("all_pairs in the experiment file is only for comparisons, and `tiebreak run` \
                 drives a single contender: remove it from the file"
                .to_owned())
        );
    }

    #[test]
    fn a_seed_can_be_copied_from_a_report() {
        assert_eq!(seed(&u64::MAX.to_string()), Ok(u64::MAX));
        assert_eq!(seed("10k"), Ok(10_000));
        assert!(seed("ten").is_err());
    }

    #[test]
    fn what_no_file_can_say_has_a_flag() {
        for row in RunSettings::table() {
            let somewhere = row.setting.in_file != InFile::Nowhere || !row.setting.flags.is_empty();
            assert!(somewhere, "{}", row.setting.key);
        }
    }
}
