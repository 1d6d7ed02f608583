//! Turns an order into measurements on real cores.
