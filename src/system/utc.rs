//! UTC as text. Two formats of one clock do not require a crate.

use std::time::{SystemTime, UNIX_EPOCH};

/// Formats a time as `2026-11-22T00:06:49Z`.
pub(crate) fn rfc3339(at: SystemTime) -> String {
    let ([year, month, day], [hour, minute, second]) = parts(at);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Formats a time as `20261122T000649Z`, for the names of directories.
pub(crate) fn stamp(at: SystemTime) -> String {
    rfc3339(at).replace(['-', ':'], "")
}

/// Days to a date of the Gregorian calendar, counted in eras of 400 years that
/// start on 1 March (the method published by Howard Hinnant).
fn parts(at: SystemTime) -> ([u64; 3], [u64; 3]) {
    let seconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let second = seconds % 86_400;
    ([year, month, day], [second / 3600, second / 60 % 60, second % 60])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn known_moments() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_234_567_890, "2009-02-13T23:31:30Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
        assert_eq!(stamp(UNIX_EPOCH), "19700101T000000Z");
    }
}
