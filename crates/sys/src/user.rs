//! The users of this machine.

use std::ffi::{CStr, CString};

/// The system's record of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its number.
    pub uid: u32,
    /// The number of its group.
    pub gid: u32,
    /// Its group and the other groups that it belongs to.
    pub groups: Vec<u32>,
    /// Its home directory.
    pub home: String,
}

/// Looks a user up by name. Returns None if there is none.
pub fn find(name: &str) -> Option<User> {
    let c_name = CString::new(name).ok()?;
    let mut buffer = vec![0u8; 16 * 1024];
    // SAFETY: all pointers are valid for the call; the strings of `entry`
    // lie in `buffer`, which outlives their use.
    let (uid, gid, home) = unsafe {
        let mut entry: libc::passwd = std::mem::zeroed();
        let mut found = std::ptr::null_mut();
        let (at, size) = (buffer.as_mut_ptr().cast(), buffer.len());
        let result = libc::getpwnam_r(c_name.as_ptr(), &mut entry, at, size, &mut found);
        if result != 0 || found.is_null() {
            return None;
        }
        let home = CStr::from_ptr(entry.pw_dir).to_string_lossy().into_owned();
        (entry.pw_uid, entry.pw_gid, home)
    };
    Some(User { uid, gid, groups: groups(&c_name, gid), home })
}

fn groups(name: &CStr, gid: u32) -> Vec<u32> {
    let mut groups = vec![0u32; 64];
    loop {
        let mut count = groups.len() as libc::c_int;
        // SAFETY: `groups` has room for `count` numbers.
        let result =
            unsafe { libc::getgrouplist(name.as_ptr(), gid, groups.as_mut_ptr(), &mut count) };
        if result >= 0 {
            groups.truncate(result as usize);
            return groups;
        }
        groups.resize((count as usize).max(groups.len() * 2), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name() {
        let root = find("root").expect("every system has root");
        assert_eq!((root.uid, root.gid, root.home.as_str()), (0, 0, "/root"));
        assert!(root.groups.contains(&0));
        assert_eq!(find("no-such-user"), None);
        assert_eq!(find("nul\0byte"), None);
    }
}
