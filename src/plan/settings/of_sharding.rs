//! How keys are spread over several servers.

use crate::plan::settings::Settings;
use record::{ShardRule, Sharding};
use text::near;
use text::shown::shown;

impl Settings {
    /// Returns how keys are spread over this many servers, or None if there is only one.
    ///
    /// # Errors
    /// When a setting requires several servers and there is one, or when the rule has no failover.
    pub(in crate::plan) fn sharding(&self, servers: usize) -> Result<Option<Sharding>, String> {
        if servers < 2 {
            return match (self.distribution, self.failover) {
                (None, None) => Ok(None),
                _ => Err("distribution and failover require several servers: \
                          SCHEME://HOST:PORT,HOST:PORT"
                    .to_owned()),
            };
        }
        let rule = self.distribution.unwrap_or_default();
        let failover = self.failover.unwrap_or(false);
        if failover && !rule.has_failover() {
            let name = rule.name();
            let with_failover = ShardRule::ALL.iter().filter(|rule| rule.has_failover());
            let with_failover = with_failover.map(|rule| rule.name());
            return Err(format!(
                "the distribution `{name}` has no failover: set distribution \
                 to one of {}",
                with_failover.collect::<Vec<_>>().join(", ")
            ));
        }
        Ok(Some(Sharding { servers: servers as u32, rule, failover }))
    }
}

/// The rule by which a key finds its server.
///
/// # Errors
/// When there is no such rule.
pub(super) fn distribution(text: &str) -> Result<ShardRule, String> {
    let rules: Vec<_> = ShardRule::ALL.iter().map(|rule| (rule.name(), *rule)).collect();
    near::choice(text, "a distribution", &rules)
}

/// Whether keys of a server that cannot be reached go to others.
///
/// # Errors
/// When it is neither word.
pub(super) fn failover(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("`{}`: write failover=true or failover=false", shown(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(distribution: &str, is_on: &str) -> Settings {
        Settings {
            distribution: Some(self::distribution(distribution).expect("a rule")),
            failover: Some(failover(is_on).expect("a switch")),
            ..Settings::default()
        }
    }

    #[test]
    fn several_servers_have_a_rule() {
        let usual = Sharding { servers: 2, rule: ShardRule::Modula, failover: false };
        assert_eq!(Settings::default().sharding(2), Ok(Some(usual)));
        assert_eq!(Settings::default().sharding(1), Ok(None));
        let ketama = Sharding { servers: 3, rule: ShardRule::Ketama, failover: true };
        assert_eq!(settings("ketama", "true").sharding(3), Ok(Some(ketama)));
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_remedy() {
        let error_of =
            |settings: Settings, servers| settings.sharding(servers).expect_err("refused");
        let one = error_of(settings("ketama", "false"), 1);
        assert!(one.contains("://HOST:PORT,HOST:PORT"), "{one}");
        let modula = error_of(settings("modula", "true"), 2);
        assert!(modula.ends_with(
            "one of consistent, ketama, php-memcache, php-memcache-fnv, php-memcache-standard"
        ));
        let near = distribution("ketamma").expect_err("no rule");
        assert!(near.ends_with("did you mean `ketama`?"), "{near}");
    }
}
