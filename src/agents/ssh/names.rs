//! The hosts that a user names.

use record::limits::MOST_AGENTS;
use text::shown::shown;

/// The characters of a name besides letters and digits. A name may reach a shell, in the
/// `ProxyCommand` of ssh's configuration, so no others are accepted.
const ACCEPTED: &str = "._-@:[]%/+";

/// Reads the list after `ssh:`.
///
/// # Errors
/// If a name is empty, invalid or given twice, or there are too many.
pub(crate) fn hosts(list: &str) -> Result<Vec<String>, String> {
    let mut hosts: Vec<String> = Vec::new();
    for name in list.split(',') {
        let is_accepted = |c: char| c.is_ascii_alphanumeric() || ACCEPTED.contains(c);
        if name.is_empty() {
            return Err("ssh: requires the names of hosts, such as ssh:h1,h2,h3".to_owned());
        }
        if name.starts_with('-') || !name.chars().all(is_accepted) {
            return Err(format!("`{}` is not the name of a host", shown(name)));
        }
        if hosts.iter().any(|known| known == name) {
            return Err(format!(
                "{name} is named twice: each host runs one agent, which uses several cores with \
                 --cores"
            ));
        }
        hosts.push(name.to_owned());
    }
    if hosts.len() > MOST_AGENTS {
        return Err(format!(
            "{} hosts were named, but at most {MOST_AGENTS} are supported",
            hosts.len()
        ));
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_as_ssh_knows_them() {
        assert_eq!(hosts("h1").expect("one"), ["h1"]);
        let all = ["h1", "me@10.0.0.5", "ssh://h3:2222", "fe80::1%eth0"];
        assert_eq!(hosts(&all.join(",")).expect("four"), all);
    }

    #[test]
    fn what_is_no_name_is_rejected() {
        for (list, says) in [
            ("", "requires the names of hosts"),
            ("h1,,h2", "requires the names of hosts"),
            ("h1,", "requires the names of hosts"),
            ("-oProxyCommand=x", "is not the name of a host"),
            ("h1,a b", "is not the name of a host"),
            ("$(x)", "is not the name of a host"),
            ("h1,h2,h1", "h1 is named twice"),
        ] {
            let why = hosts(list).expect_err(list);
            assert!(why.contains(says), "{list}: {why}");
        }
        let many: Vec<String> = (0..=MOST_AGENTS).map(|number| format!("h{number}")).collect();
        assert!(hosts(&many.join(",")).expect_err("too many").contains("are supported"));
    }
}
