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
fn invalid_histograms_are_rejected() {
    for text in ["?", "AAAA", "SElTVA=="] {
        assert!(Histogram::decode(text).is_err(), "{text}");
    }
}

/// What was read back owns other memory than what was recorded, and says the same.
fn read_back(values: &[u64]) -> Histogram {
    Histogram::decode(&of(values).encode().expect("memory")).expect("our own text")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_decoded_histogram_equals_the_recorded_one(
        values in values(),
        others in values(),
        asked in values(),
        q in 0.0..=1.0f64,
    ) {
        let (mut recorded, mut read) = (of(&values), read_back(&values));
        for round in 0..3 {
            prop_assert_eq!(read.len(), recorded.len());
            prop_assert_eq!((read.min(), read.max()), (recorded.min(), recorded.max()));
            for q in [0.0, 1e-9, 0.5, 0.99, 1.0, 2.0, q] {
                prop_assert_eq!(read.quantile(q), recorded.quantile(q), "{}", q);
            }
            for value in asked.iter().chain(&values) {
                let shares = [read.share_at_or_below(*value), recorded.share_at_or_below(*value)];
                prop_assert_eq!(shares[0], shares[1], "{}", value);
            }
            prop_assert_eq!(read.encode().expect("memory"), recorded.encode().expect("memory"));
            prop_assert_eq!(&read, &recorded);
            // Read and read, then read and recorded.
            recorded.merge(&of(&others));
            read.merge(&if round == 0 { read_back(&others) } else { of(&others) });
        }
        read.record(7);
        recorded.record(7);
        prop_assert_eq!(read, recorded);
    }
}

/// A histogram as HdrHistogram packs it, with this in its header.
fn packed(counts_bytes: u32, digits: u32, highest: u64, counts: &[u8]) -> String {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    use std::io::Write;
    let mut plain = 0x1c84_9313u32.to_be_bytes().to_vec();
    for number in [counts_bytes, 0, digits] {
        plain.extend(number.to_be_bytes());
    }
    plain.extend(1u64.to_be_bytes());
    plain.extend(highest.to_be_bytes());
    plain.extend(1f64.to_be_bytes());
    plain.extend(counts);
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&plain).expect("memory");
    let body = packer.finish().expect("memory");
    let mut bytes = 0x1c84_9314u32.to_be_bytes().to_vec();
    bytes.extend((body.len() as u32).to_be_bytes());
    bytes.extend(body);
    BASE64_STANDARD.encode(bytes)
}

const DAY_NS: u64 = 86_400_000_000_000;

#[test]
fn lengths_in_the_text_are_compared_with_what_there_is() {
    let good = Histogram::decode(&packed(1, 3, DAY_NS, &[2])).expect("one sample of 0");
    assert_eq!((good.len(), good.max()), (1, Some(0)));
    let zeros = vec![0; 64 << 20];
    for (what, text) in [
        ("4 GiB of counts announced", packed(u32::MAX, 3, DAY_NS, &[2])),
        ("64 MiB of counts packed in 64 kB", packed(zeros.len() as u32, 3, DAY_NS, &zeros)),
        ("five digits: 60 MB of buckets", packed(1, 5, u64::MAX / 2, &[2])),
        ("other bounds", packed(1, 3, 2 * DAY_NS, &[2])),
        ("a count behind the last bucket", packed(6, 3, DAY_NS, &[0xff, 0xff, 0xff, 0x0f, 2, 2])),
        ("more samples than a number can count", {
            let most = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
            packed(27, 3, DAY_NS, &[most, most, most].concat())
        }),
    ] {
        assert!(Histogram::decode(&text).is_err(), "{what}");
    }
}

#[test]
fn the_median_of_what_came_later_is_known() {
    let mut histogram = of(&[5, 5, 100, 100, 100]);
    let before = histogram.clone();
    assert_eq!(histogram.median_since(&before), None);
    [7, 7, 7, 5, 900].into_iter().for_each(|value| histogram.record(value));
    assert_eq!(histogram.median_since(&before), Some((5, 7)));
    assert_eq!(of(&[3, 9]).median_since(&Histogram::new()), Some((2, 3)));
}
