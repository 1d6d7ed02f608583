pub(crate) fn cases() -> Vec<crate::Test> { Vec::new() }
