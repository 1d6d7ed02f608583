//! The lane of WebSocket, with echoes and with rooms, against servers with another implementation.

mod chat;
mod echo;
