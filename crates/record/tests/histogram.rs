//! Histograms keep every sample to 3 digits, merge, and survive the journal.

use proptest::prelude::*;
use record::Histogram;

/// Up to a day in nanoseconds, small and large values alike.
fn values() -> impl Strategy<Value = Vec<u64>> {
    let value =
        (0u32..47, any::<u64>()).prop_map(|(bits, n)| (n >> (63 - bits)).min(86_400_000_000_000));
    prop::collection::vec(value, 0..60)
}

fn of(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|value| histogram.record(*value));
    histogram
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn decoding_gives_back_what_was_encoded(values in values()) {
        let histogram = of(&values);
        let text = histogram.encode().expect("memory");
        prop_assert_eq!(&Histogram::decode(&text).expect("our own text"), &histogram);
        let json = serde_json::to_string(&histogram).expect("a string");
        let read: Histogram = serde_json::from_str(&json).expect("our own JSON");
        prop_assert_eq!(read, histogram);
    }

    #[test]
    fn every_rank_is_right_to_3_digits(values in values()) {
        let histogram = of(&values);
        let mut sorted = values;
        sorted.sort_unstable();
        prop_assert_eq!(histogram.len(), sorted.len() as u64);
        for (rank, value) in (1..).zip(&sorted) {
            let got = histogram.at_rank(rank).expect("samples");
            prop_assert!(got >= *value && got as f64 <= *value as f64 * 1.001, "{} {}", got, value);
        }
        prop_assert_eq!(histogram.at_rank(0), histogram.at_rank(1));
        let beyond = histogram.at_rank(sorted.len() as u64 + 1);
        prop_assert_eq!(beyond, histogram.at_rank(sorted.len() as u64));
    }

    #[test]
    fn merged_parts_are_the_whole(values in values(), cut in any::<prop::sample::Index>()) {
        let (left, right) = values.split_at(cut.index(values.len() + 1));
        let mut merged = of(right);
        merged.merge(&of(left));
        prop_assert_eq!(merged, of(&values));
    }
}

#[test]
fn an_empty_histogram_has_no_figures() {
    let empty = Histogram::new();
    assert_eq!((empty.quantile(0.5), empty.at_rank(1), empty.max()), (None, None, None));
    assert_eq!(serde_json::to_string(&empty).expect("a string"), "\"\"");
    assert_eq!(serde_json::from_str::<Histogram>("\"\"").expect("our own JSON"), empty);
}

#[test]
fn what_is_no_histogram_is_refused() {
    for text in ["?", "AAAA", "SElTVA=="] {
        assert!(Histogram::decode(text).is_err(), "{text}");
    }
}
