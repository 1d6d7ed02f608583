//! Users that a target may run as, because some servers refuse to run as root.

pub use sys::process::user as ours;
pub use sys::user::User;
use thiserror::Error;

/// A name that no user of this machine has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no user `{}` on this machine", text::shown::shown(.0))]
pub struct NoSuchUser(String);

/// Looks a user up by name.
///
/// # Errors
/// If there is none of that name.
pub fn find(name: &str) -> Result<User, NoSuchUser> {
    sys::user::find(name).ok_or_else(|| NoSuchUser(name.to_owned()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_user_that_does_not_exist_is_named() {
        assert_eq!(
            super::find("no-such-user").unwrap_err().to_string(),
            "there is no user `no-such-user` on this machine"
        );
    }
}
