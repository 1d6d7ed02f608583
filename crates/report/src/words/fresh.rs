//! What would decide an undecided comparison.

use super::capacity;
use crate::View;
use judge::stats::rounds;
use judge::verdict::{Comparison, Word};
use record::limits::MOST_ROUNDS;
use record::{Contender, LengthRule, Metric, Pair, RequestPlan};
use text::shown::{short_case, shown};
use text::{lists, shell_words, units};

/// More rounds (or launches) than this take too long: other measures help sooner.
const MOST_REPLICATES: u64 = 200;
/// The largest value that is suggested for the smallest difference that matters, as a share.
const LARGEST_MATTERS: f64 = 0.1;

/// The most useful next step after a run that the audit did not refuse.
pub(crate) struct Next {
    /// What it is.
    pub(crate) sentence: String,
    /// The command of a fresh run, if such a run probably decides what is undecided.
    pub(crate) command: Option<String>,
    /// Whether `tiebreak plan` takes the words of the command.
    pub(crate) can_be_planned: bool,
}

/// What to do next: compare several launches, find sharper capacities, or decide the comparison that needs the most
/// rounds. Returns None if there is nothing to do, or if the audit refused the run.
pub(crate) fn next(view: &View) -> Option<Next> {
    if view.void {
        return None;
    }
    if let Some(sentence) = several_launches(view).or_else(|| capacity::next(view)) {
        return Some(Next { sentence, command: None, can_be_planned: false });
    }
    let undecided = view.primaries().filter(|comparison| comparison.verdict == Word::Undecided);
    let hardest = hardest(undecided)?;
    Some(Next {
        sentence: fresh_sentence(view, hardest, &decides(view, hardest))?,
        command: next_command(view, hardest),
        can_be_planned: takes_a_difference(view) && view.plan().agents == 0,
    })
}

/// How many rounds, or launches, would decide, and the command for that, or what would help instead if those
/// are too many. Returns None if the judge gives no number, or if nothing is to be decided.
pub(crate) fn fresh_run(view: &View, comparison: &Comparison) -> Option<String> {
    let sentence = fresh_sentence(view, comparison, "decide it")?;
    Some(match next_command(view, comparison) {
        Some(command) => format!("{sentence}: {command}"),
        None => sentence,
    })
}

/// What a fresh run would do, beside the answer of the whole run, which has many pairs or cases. What decides the one
/// that needs the most decides each of the others at least as often, but not all of them together.
fn decides(view: &View, comparison: &Comparison) -> String {
    match view.ranking {
        None => match &comparison.case {
            Some(case) => format!("decide the case that needs the most ({})", short_case(case)),
            None => "decide it".to_owned(),
        },
        Some(_) => format!("tell {} and {} apart", shown(&comparison.a), shown(&comparison.b)),
    }
}

/// How many rounds, or launches, would do this.
fn fresh_sentence(view: &View, comparison: &Comparison, decide: &str) -> Option<String> {
    let (about, up_to) = fresh_replicates(view, comparison)?;
    let question = &view.plan().question;
    let what = match question.restarts {
        _ if view.plan().is_rebuilt() => "build",
        0 => "round",
        _ => "launch",
    };
    // Each launch drives all load points.
    let has_all_pairs = question.restarts > 0 && question.has_load_points_apart();
    let of_pair = if question.blocks.is_empty() || has_all_pairs { "" } else { " of each pair" };
    let counted = |of: u64| format!("{}{of_pair}", units::counted(of, what));
    if are_too_many(view, comparison, about) {
        // How many more is a guess from few rounds, and nobody runs so many.
        let many = if about > MOST_REPLICATES {
            format!("more than {}", counted(MOST_REPLICATES))
        } else {
            counted(about)
        };
        return Some(format!("{many} would be needed to {decide}; {}", instead(view, comparison)));
    }
    let many = counted(about);
    let perhaps = if up_to > about {
        format!(", perhaps up to {},", units::count(up_to))
    } else {
        String::new()
    };
    let fixed = if question.interim_looks.is_empty() { "" } else { " without looks" };
    Some(format!("a fresh run of about {many}{perhaps}{fixed} would probably {decide}"))
}

/// The estimate and the upper figure of the judge. Short rounds are counted as the whole rounds that a fresh run
/// has, which are at least as many as its comparisons need. Load points of one target and capacities are not decided
/// by more rounds.
fn fresh_replicates(view: &View, comparison: &Comparison) -> Option<(u64, u64)> {
    let is_decided_by_rounds = !view.plan().sweeps_one_target() && !capacity::are_sought(view);
    let (about, up_to) = comparison.fresh_rounds.filter(|_| is_decided_by_rounds)?;
    let question = &view.plan().question;
    let of_pair = view.suite.map_or(question.requests.len(), |suite| suite.cases.len());
    let compared = question.pairs.len() * of_pair.max(1);
    let fewest = u64::from(rounds::fewest(compared, question.alpha));
    let whole = |rounds: u64| match question.length {
        LengthRule::ShortRounds { round_ns, .. } if !question.interim_looks.is_empty() => {
            rounds.saturating_mul(round_ns).div_ceil(view.plan().round_ns.max(1))
        }
        _ => rounds,
    };
    Some((whole(about).max(fewest), whole(up_to).max(fewest)))
}

/// Whether a run of so many rounds, or launches, takes too long, or has more rounds than a plan may have.
fn are_too_many(view: &View, comparison: &Comparison, replicates: u64) -> bool {
    let question = &view.plan().question;
    let number_of = |name: &str| question.number_of(name).unwrap_or(usize::MAX) as u32;
    let pair = Pair { a: number_of(&comparison.a), b: number_of(&comparison.b) };
    let planned = u64::from(question.replicates_of(pair));
    let rounds = replicates.saturating_mul(question.rounds.into()) / planned.max(1);
    replicates > MOST_REPLICATES || rounds > MOST_ROUNDS.into()
}

/// The command of a run that probably decides it. Returns None if that would take too long.
fn next_command(view: &View, comparison: &Comparison) -> Option<String> {
    let (about, _) = fresh_replicates(view, comparison)?;
    let ratio = comparison.ratio.filter(|_| !are_too_many(view, comparison, about))?;
    let matters = view.matters();
    let option = if takes_a_difference(view) {
        see_option(ratio, matters)
    } else {
        number_option(view, about)
    };
    let words = &view.header.words;
    if words.is_empty() {
        // Lengths are refused beside each other.
        let is_within = matches!(view.plan().question.length, LengthRule::WithinNs(_));
        let within = if is_within { " in place of --within" } else { "" };
        return Some(format!("the same command with {option}{within}"));
    }
    let words = without_rebuilds(words).map(|word| shell_words::quote_if_needed(word));
    Some(format!("tiebreak {} {option}", words.collect::<Vec<String>>().join(" ")))
}

/// The words of a command without `--rebuilds N`, which the next command sets. Other lengths are not among them.
fn without_rebuilds(words: &[String]) -> impl Iterator<Item = &String> {
    let is_flag = |word: &String| word == "--rebuilds";
    let values = std::iter::once(false).chain(words.iter().map(is_flag));
    words.iter().zip(values).filter(move |(word, value)| !is_flag(word) && !value).map(|of| of.0)
}

/// Whether a run of this kind takes `--see`: not at several load points, not in a suite, not with rebuilds, and not in
/// a ranking whose rounds hold only some of the contenders.
fn takes_a_difference(view: &View) -> bool {
    let has_rounds_alike = view.plan().sweep.is_none() && view.plan().question.blocks.is_empty();
    has_rounds_alike && view.suite.is_none() && !view.plan().is_rebuilt()
}

/// The number of rounds, launches or builds, and what matters, which is not among the words of a command.
fn number_option(view: &View, replicates: u64) -> String {
    let flag = match view.plan().question.restarts {
        _ if view.plan().is_rebuilt() => "--rebuilds",
        0 => "--rounds",
        _ => "--launches",
    };
    let matters = view.matters();
    if (matters - judge::MATTERS).abs() < 1e-9 {
        return format!("{flag} {replicates}");
    }
    format!("{flag} {replicates} --matters {}", units::show_level(matters).replace(' ', ""))
}

/// The difference that must be seen to decide it: the estimate from nothing, or from what matters, whichever is
/// further away. `--see` alone says what matters, too.
fn see_option(ratio: f64, matters: f64) -> String {
    let estimate = ratio.ln().abs();
    let see = estimate.max(matters.ln_1p() - estimate).exp_m1();
    // In tenths of a percent, rounded down, since a smaller difference needs more.
    let tenths = ((see * 1000.0 + 1e-6).floor() / 1000.0).clamp(0.001, 0.5);
    let percent = |share: f64| units::show_level(share).replace(' ', "");
    if (tenths - matters).abs() < 1e-9 {
        format!("--see {}", percent(matters))
    } else {
        format!("--see {} --matters {}", percent(tenths), percent(matters))
    }
}

/// What a run sees whose length followed from a difference or a time: that of the pair that varies most.
pub(crate) fn sees(view: &View) -> Option<String> {
    let of_pairs = view.primaries().filter_map(|comparison| comparison.sees);
    let sees = of_pairs.max_by(f64::total_cmp).filter(|_| !view.void)?;
    let of_case = if view.suite.is_some() { " in the case that varies most" } else { "" };
    Some(format!(
        "with a chance of 80 %, a run like this one calls a true difference of {}{of_case}",
        units::show_percent(sees)
    ))
}

/// What compares the programs, and how long it takes, if there was one launch of each because a launch is
/// dear: each is as long as what was measured of one, and several cost launches, loads and warm-ups.
pub(crate) fn several_launches(view: &View) -> Option<String> {
    let dear = view.plan().question.dear?;
    let pilot = view.pilot?;
    pilot.launches.filter(|chosen| chosen.launches == 1)?;
    let seconds = |ns: u64| ns as f64 / 1e9;
    // Later launches repeat the warm-up that was found.
    let warm_up_ns = pilot.warm_up_ns.unwrap_or(view.plan().warm_up_ns);
    let each = seconds(warm_up_ns.saturating_add(dear.round_of_one_ns));
    let of_one = view.contenders.iter().map(|of| {
        let loaded = of.store.as_ref().and_then(|store| store.loaded.as_ref());
        let load = loaded.map_or(0.0, |loaded| seconds(loaded.whole_ns()));
        of.target.launch_took.unwrap_or(0.0) + load + each
    });
    // Each block of a ranking is then a launch of those that it holds.
    let question = &view.plan().question;
    let held: usize = question.blocks.iter().map(Vec::len).sum();
    let launches = match question.blocks.as_slice() {
        [_, ..] if !question.has_load_points_apart() => held as f64 / view.contenders.len() as f64,
        _ => f64::from(dear.launches),
    };
    let takes = launches * of_one.sum::<f64>().ceil();
    Some(format!(
        "the same command with --launches {} compares the programs, in about {}",
        dear.launches,
        units::show_ns((takes * 1e9) as u64)
    ))
}

/// Says that a run of a launched server has one launch. Verdicts of a comparison say it themselves.
pub(crate) fn one_launch(view: &View) -> Option<&'static str> {
    let plan = view.plan();
    let has_verdicts = !plan.question.pairs.is_empty() && !plan.sweeps_one_target();
    let is_launched = |of: &Contender| !of.launch.is_empty() && of.asks != RequestPlan::Program;
    let says_it = !has_verdicts && plan.contenders.iter().any(is_launched);
    says_it.then_some("one launch of the server; another may differ")
}

/// The comparison that needs the most rounds: what decides it decides the others, too.
fn hardest<'a>(all: impl Iterator<Item = &'a Comparison>) -> Option<&'a Comparison> {
    all.filter(|comparison| comparison.fresh_rounds.is_some())
        .max_by_key(|comparison| comparison.fresh_rounds)
}

/// What helps if more rounds do not: `a quieter machine or --matters 3% would help more`. A suite can also measure each
/// case for longer.
fn instead(view: &View, comparison: &Comparison) -> String {
    let mut all = vec!["a quieter machine".to_owned()];
    if comparison.case.is_some() {
        let arguments = view.pilot.and_then(|pilot| pilot.run_length.as_ref());
        let arguments = arguments.map_or(String::new(), |names| format!(" ({})", shown(names)));
        all.push(format!("longer runs of the program{arguments}"));
    }
    all.extend(larger_matters(view, comparison));
    let sharper = sharper_cpu(view, comparison);
    let cpu = sharper.map(|(low, high)| {
        format!("; the interval of CPU/op is narrower here ({low}x to {high}x)")
    });
    format!("{} would help more{}", lists::either(&all), cpu.unwrap_or_default())
}

/// The smallest difference that matters, in whole percents, within which the interval
/// lies. Returns None if that is too large a difference to be called equivalent.
fn larger_matters(view: &View, comparison: &Comparison) -> Option<String> {
    let (low, high) = comparison.judged_bounds()?;
    let largest = (1.0 / low).max(high) - 1.0;
    // A whole percent is not rounded up because of a rounding error in the last bit.
    let percent = (largest * 100.0 - 1e-9).ceil();
    let helps = largest > view.matters() && percent <= LARGEST_MATTERS * 100.0;
    helps.then(|| format!("--matters {percent}%"))
}

/// The interval of CPU per operation. Returns None unless it was compared and is narrower.
fn sharper_cpu(view: &View, comparison: &Comparison) -> Option<(String, String)> {
    let of_pair = |other: &&Comparison| other.a == comparison.a && other.b == comparison.b;
    let cpu = view.comparisons.iter().filter(of_pair);
    let cpu =
        cpu.filter(|other| other.part().is_none()).find(|it| it.metric == Metric::TargetCpu)?;
    let (ours, theirs) = (comparison.judged_bounds()?, cpu.judged_bounds()?);
    let width = |(low, high): (f64, f64)| (high / low).ln();
    (width(theirs) < width(ours)).then(|| {
        let ratios = units::ratios(cpu.ratio.unwrap_or(theirs.0), Some(theirs), view.matters());
        (ratios[1].clone(), ratios[2].clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn described(change: impl FnOnce(&mut samples::Parts)) -> Option<String> {
        let mut input = samples::undecided();
        change(&mut input);
        let view = input.view();
        fresh_run(&view, &view.comparisons[0]).map(|text| text.replace(units::JOINT, " "))
    }

    fn sample(name: &str) -> samples::Parts {
        samples::all().into_iter().find(|(of, _)| *of == name).expect("a sample").1
    }

    fn many(input: &mut samples::Parts) {
        input.comparisons[0].fresh_rounds = Some((1593, 3437));
    }

    #[test]
    fn a_few_rounds_are_named() {
        // The estimate is 2 %.
        let wanted = "a fresh run of about 34 rounds, perhaps up to 71, would probably decide it: the \
                      same command with --see 2% --matters 1%";
        assert_eq!(described(|_| {}).as_deref(), Some(wanted));
        let at_the_limit = described(|input| input.comparisons[0].fresh_rounds = Some((200, 200)));
        let wanted = "a fresh run of about 200 rounds would probably decide it: the same command with \
                      --see 2% --matters 1%";
        assert_eq!(at_the_limit.as_deref(), Some(wanted));
        assert_eq!(described(|input| input.comparisons[0].fresh_rounds = None), None);
    }

    #[test]
    fn the_words_of_the_command_are_those_that_were_typed() {
        let command = described(|input| {
            let words = ["compare", "a=http://127.0.0.1:1/", "b=http://127.0.0.1:2/", "--require"];
            input.header.words = words.map(str::to_owned).to_vec();
            input.header.words.push("p99 <= 1.1x".to_owned());
            input.comparisons[0].ratio = Some(1.0);
        });
        let wanted = "tiebreak compare a=http://127.0.0.1:1/ b=http://127.0.0.1:2/ --require \
                      'p99 <= 1.1x' --see 1%";
        assert!(command.as_ref().is_some_and(|command| command.ends_with(wanted)), "{command:?}");
    }

    #[test]
    fn lengths_that_are_refused_beside_each_other_are_not_named_together() {
        let within = described(|input| {
            input.header.plan.question.length = LengthRule::WithinNs(60_000_000_000);
        });
        let wanted = "the same command with --see 2% --matters 1% in place of --within";
        assert!(within.as_ref().is_some_and(|of| of.ends_with(wanted)), "{within:?}");
        let rebuilt = described(|input| {
            let words = ["compare", "--against", "HEAD~3", "--rebuilds", "10", "--allow-file"];
            input.header.words = words.map(str::to_owned).to_vec();
            let text = String::new;
            let (id, short, subject, author, authored) = (text(), text(), text(), text(), text());
            let rebuilds = 10;
            input.header.plan.contenders[1].revision = Some(record::Revision {
                id,
                short,
                subject,
                author,
                authored,
                work_tree: None,
                rebuilds,
            });
            input.header.plan.question.restarts = 10;
        });
        let wanted = "a fresh run of about 34 builds, perhaps up to 71, would probably decide it: tiebreak compare --against 'HEAD~3' --allow-file --rebuilds 34";
        assert_eq!(rebuilt.as_deref(), Some(wanted));
    }

    #[test]
    fn the_hardest_case_of_a_suite_is_named() {
        let input = samples::suite();
        let next = next(&input.view()).expect("a next step");
        let wanted = "a fresh run of about 32 rounds, perhaps up to 61, would probably decide the case that needs the \
                      most (read)";
        assert_eq!(next.sentence.replace(units::JOINT, " "), wanted);
        let view = input.view();
        let mut many = samples::suite();
        let undecided = many.comparisons.iter_mut().find(|of| of.fresh_rounds.is_some());
        undecided.expect("one").fresh_rounds = Some((1206, 2411));
        many.pilot.as_mut().expect("a listing").run_length = Some("-benchtime".to_owned());
        let sentence = super::next(&many.view()).expect("a next step").sentence;
        let wanted = "more than 200 rounds would be needed to decide the case that needs the most (read); a quieter \
                      machine, longer runs of the program (-benchtime) or --matters 5% would help more";
        assert_eq!(sentence.replace(units::JOINT, " "), wanted);
        let mut undecided = view.comparisons[5].clone();
        undecided.fresh_rounds = Some((2, 3));
        // 2^(1-n) is at most 5 % / 8 from 9 rounds on.
        assert_eq!(fresh_replicates(&view, &undecided), Some((9, 9)));
    }

    #[test]
    fn what_must_be_seen_follows_from_the_estimate() {
        for (ratio, option) in [
            (1.0, "--see 1%"),
            (1.003, "--see 0.6% --matters 1%"),
            (0.993, "--see 0.7% --matters 1%"),
            (1.05, "--see 5% --matters 1%"),
        ] {
            assert_eq!(see_option(ratio, 0.01), option, "{ratio}");
        }
        assert_eq!(see_option(1.02, 0.02), "--see 2%");
    }

    #[test]
    fn short_rounds_are_counted_as_whole_ones() {
        let described = described(|input| {
            let looks = vec![record::InterimLook { replicates: 32, level: 0.035 }];
            let question = &mut input.header.plan.question;
            question.interim_looks = vec![32];
            question.length = LengthRule::ShortRounds { round_ns: 300_000_000, looks };
            input.header.plan.round_ns = 1_000_000_000;
            input.comparisons[0].fresh_rounds = Some((300, 600));
        });
        let wanted = "a fresh run of about 90 rounds, perhaps up to 180, without looks";
        assert!(described.as_ref().is_some_and(|it| it.starts_with(wanted)), "{described:?}");
    }

    #[test]
    fn whole_rounds_are_at_least_as_many_as_one_comparison_needs() {
        let replicates = |fresh| {
            let mut input = samples::undecided();
            let looks = vec![record::InterimLook { replicates: 32, level: 0.035 }];
            let question = &mut input.header.plan.question;
            question.interim_looks = vec![32];
            question.length = LengthRule::ShortRounds { round_ns: 300_000_000, looks };
            input.header.plan.round_ns = 1_000_000_000;
            input.comparisons[0].fresh_rounds = Some(fresh);
            fresh_replicates(&input.view(), &input.comparisons[0])
        };
        // 2.7 and 6 whole rounds; the smallest n with 2^(1-n) <= 5 % is 6.
        assert_eq!(replicates((9, 20)), Some((6, 6)));
        assert_eq!(replicates((9, 21)), Some((6, 7)));
    }

    /// A sentence, its command and whether it can be planned.
    type NextStep = (String, Option<String>, bool);

    /// The next step, and what both forms for terminals and the page say.
    fn next_of(input: &samples::Parts) -> (Option<NextStep>, [String; 3]) {
        let view = input.view();
        let plain = crate::Style { colour: false, width: 400 };
        let texts = [
            crate::terminal::short::report(&view, plain),
            crate::terminal::report(&view, plain),
            crate::html::page(&view),
        ];
        let next = next(&view).map(|next| {
            (next.sentence.replace(units::JOINT, " "), next.command, next.can_be_planned)
        });
        (next, texts.map(|text| text.replace(units::JOINT, " ")))
    }

    fn undecided_sweep() -> samples::Parts {
        let mut input = sample("sweep-value");
        input.findings.clear();
        input.comparisons[3].fresh_rounds = Some((34, 71));
        input
    }

    #[test]
    fn a_sweep_is_told_its_rounds_and_no_refused_option() {
        let input = undecided_sweep();
        let (next, texts) = next_of(&input);
        let sentence =
            "a fresh run of about 34 rounds, perhaps up to 71, would probably decide it".to_owned();
        let command = "the same command with --rounds 34".to_owned();
        assert_eq!(next, Some((sentence, Some(command.clone()), false)));
        for text in &texts {
            assert!(!text.contains("--see "));
        }
        assert!(texts[..2].iter().all(|text| text.contains(&command)), "{texts:?}");
        assert!(texts[..2].iter().all(|text| !text.contains("tiebreak plan")), "{texts:?}");
        let mut launched = input;
        let question = &mut launched.header.plan.question;
        (question.restarts, question.matters) = (10, 0.02);
        // Each launch drives one load point after the other.
        question.blocks = [vec![vec![0, 1]; 10], vec![vec![2, 3]; 10]].concat();
        question.rounds = 40;
        let (sentence, command, _) = next_of(&launched).0.expect("a next step");
        let wanted = "the same command with --launches 34 --matters 2%";
        assert_eq!(command.as_deref(), Some(wanted));
        assert!(sentence.starts_with("a fresh run of about 34 launches, perhaps"), "{sentence}");
    }

    #[test]
    fn a_ranking_in_blocks_is_told_the_rounds_of_each_pair_and_no_refused_option() {
        let mut input = samples::ranked();
        let undecided = input.comparisons.iter_mut().find(|of| of.verdict == Word::Undecided);
        undecided.expect("one").fresh_rounds = Some((34, 71));
        let whole = next_of(&input).0.expect("a next step");
        assert!(whole.1.is_some_and(|command| command.contains("--see")) && whole.2);
        let plan = &mut input.header.plan;
        let two = [vec![0, 1, 3], vec![1, 2, 3]];
        plan.question.blocks = two.into_iter().cycle().take(10).collect();
        let (next, texts) = next_of(&input);
        let sentence = "a fresh run of about 34 rounds of each pair, perhaps up to 71, would probably tell nginx and lighttpd apart";
        let command = "the same command with --rounds 34".to_owned();
        assert_eq!(next, Some((sentence.to_owned(), Some(command.clone()), false)));
        for text in &texts {
            assert!(!text.contains("--see "));
        }
        assert!(texts[..2].iter().all(|text| text.contains(&command)), "{texts:?}");
        assert!(texts[..2].iter().all(|text| !text.contains("tiebreak plan")), "{texts:?}");
        // The pair meets in 1 of 1000 rounds: 34 meetings need more than a plan may have.
        let question = &mut input.header.plan.question;
        question.blocks = vec![vec![0, 2]; 1000];
        question.blocks[0] = vec![1, 3];
        question.rounds = 1000;
        let (sentence, command, _) = next_of(&input).0.expect("a next step");
        assert!(sentence.starts_with("34 rounds of each pair would be needed"), "{sentence}");
        assert_eq!(command, None);
    }

    #[test]
    fn with_agents_there_is_no_plan() {
        let mut input = samples::undecided();
        let says_plan = |input: &samples::Parts| {
            let (next, texts) = next_of(input);
            (next.is_some_and(|next| next.2), texts.iter().any(|of| of.contains("tiebreak plan")))
        };
        assert_eq!(says_plan(&input), (true, true));
        input.header.plan.agents = 2;
        assert_eq!(says_plan(&input), (false, false));
    }

    #[test]
    fn capacities_and_load_points_of_one_target_have_no_fresh_run() {
        let mut capacities = sample("capacities");
        let first = &mut capacities.comparisons[0];
        (first.verdict, first.fresh_rounds) = (Word::Undecided, Some((34, 71)));
        let (next, texts) = next_of(&capacities);
        let sentence = "a run with turns four times as long (--round 24s) halves the interval";
        assert!(texts[..2].iter().all(|text| text.contains(sentence)), "{texts:?}");
        assert_eq!(next, Some((sentence.to_owned(), None, false)));
        assert!(texts.iter().all(|text| !text.contains("a fresh run")), "{texts:?}");
        let mut loads = sample("loads-noisy");
        loads.comparisons = samples::undecided().comparisons;
        loads.comparisons[0].fresh_rounds = Some((34, 71));
        assert_eq!(next_of(&loads).0, None);
        assert_eq!(fresh_run(&loads.view(), &loads.comparisons[0]), None);
    }

    #[test]
    fn too_many_rounds_suggest_something_else() {
        // The interval of the sample is 0.995 to 1.060.
        let wanted = "more than 200 rounds would be needed to decide it; a quieter machine or --matters 6% \
                      would help more";
        assert_eq!(described(many).as_deref(), Some(wanted));
        let wide = described(|input| {
            many(input);
            (input.comparisons[0].low, input.comparisons[0].high) = (Some(0.7), Some(1.3));
        });
        let wanted =
            "more than 200 rounds would be needed to decide it; a quieter machine would help more";
        assert_eq!(wide.as_deref(), Some(wanted));
    }

    #[test]
    fn in_a_ranking_the_pair_is_named() {
        let mut input = samples::ranked();
        let is_undecided = |of: &&mut Comparison| of.verdict == Word::Undecided;
        let pair = input.comparisons.iter_mut().find(is_undecided).expect("a pair");
        pair.fresh_rounds = Some((1593, 2000));
        let sentence = next(&input.view()).expect("a next step").sentence.replace('\u{a0}', " ");
        let wanted = "more than 200 rounds would be needed to tell nginx and lighttpd apart; ";
        assert!(sentence.starts_with(wanted), "{sentence}");
    }

    #[test]
    fn cpu_is_named_only_where_it_is_sharper() {
        let with_cpu = |low: f64, high: f64| {
            described(|input| {
                many(input);
                let cpu = Comparison {
                    metric: Metric::TargetCpu,
                    primary: false,
                    ratio: Some((low * high).sqrt()),
                    low: Some(low),
                    high: Some(high),
                    ..input.comparisons[0].clone()
                };
                input.comparisons.push(cpu);
            })
        };
        let sharper = with_cpu(1.81, 1.9);
        let narrower = "; the interval of CPU/op is narrower here (1.81x to 1.90x)";
        assert!(sharper.is_some_and(|it| it.ends_with(narrower)));
        assert!(
            with_cpu(0.8, 1.2).is_some_and(|described| described.ends_with(" would help more"))
        );
    }

    #[test]
    fn a_run_says_that_there_is_one_launch_only_if_tiebreak_launched_it() {
        let plain = crate::Style { colour: false, width: 100 };
        let of = |launch: &[&str], asks: Option<RequestPlan>| {
            let mut input = samples::run();
            let contender = &mut input.header.plan.contenders[0];
            contender.launch = launch.iter().map(|line| (*line).to_owned()).collect();
            contender.asks = asks.unwrap_or(contender.asks.clone());
            let view = input.view();
            let reports = [
                crate::terminal::short::report(&view, plain),
                crate::terminal::report(&view, plain),
            ];
            let says = |report: &String| {
                report.contains("  one launch of the server; another may differ\n")
            };
            reports.each_ref().map(says)
        };
        assert_eq!(of(&["node server.js"], None), [true; 2]);
        assert_eq!(of(&[], None), [false; 2]);
        assert_eq!(of(&["./program"], Some(RequestPlan::Program)), [false; 2]);
        assert_eq!(one_launch(&samples::launched().view()), None, "its verdicts say it");
    }

    #[test]
    fn several_launches_are_named_where_one_was_too_dear() {
        let named = |input: &samples::Parts| several_launches(&input.view());
        assert_eq!(named(&samples::faster()), None);
        let mut dear = samples::launched();
        // 8 × (0.4 s + 31.2 s to launch, and twice 1 s of warm-up and 1 s of rounds).
        let command =
            "the same command with --launches 8 compares the programs, in about 4 min 48 s";
        assert_eq!(named(&dear).as_deref(), Some(command));
        let mut slow_to_warm = dear.clone();
        slow_to_warm.pilot.as_mut().expect("a pilot").warm_up_ns = Some(21_000_000_000);
        // Both are warmed for 20 s longer in each of 8 launches.
        let named_time = named(&slow_to_warm);
        assert!(
            named_time.as_ref().is_some_and(|it| it.ends_with("in about 10 min 8 s")),
            "{named_time:?}"
        );
        let mut in_blocks = dear.clone();
        in_blocks.header.plan.question.blocks = vec![vec![0, 1]; 10];
        let named_time = named(&in_blocks);
        assert!(
            named_time.as_ref().is_some_and(|it| it.ends_with("in about 6 min")),
            "{named_time:?}"
        );
        let pilot = dear.pilot.as_mut().expect("compare has one");
        pilot.launches = Some(record::Launches { launches: 8, rounds: 2 });
        assert_eq!(named(&dear), None);
    }
}
