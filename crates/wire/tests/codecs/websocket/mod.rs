//! The WebSocket codec, from outside.

mod check;
mod closing;
mod connection;
mod corpus;
mod frames;
mod independent;
mod member;
mod properties;
mod streaming;
mod texts;
mod upgrade;
