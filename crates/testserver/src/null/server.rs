//! The null server's loop: one read, as many replies as there are requests, one
//! write.

use super::{Consumed, NullService, Room};
use std::collections::HashMap;
use std::io::{self, ErrorKind, PipeReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use sys::{Epoll, ReadyEvent};

const STOP: u64 = u64::MAX;
/// Keys of listeners begin here; below are places of connections.
const SERVICES: u64 = 1 << 32;
const BUFFER: usize = 64 * 1024;
/// Events taken at once.
const EVENTS: usize = 64;

/// A listening socket, and what is spoken there.
struct Listening {
    listener: TcpListener,
    service: Box<dyn NullService>,
}

struct Client {
    stream: TcpStream,
    service: usize,
    /// The beginning of an incomplete request.
    held: Vec<u8>,
    /// Replies that the system has not accepted yet: nothing is read before they are sent.
    pending: Vec<u8>,
    /// The room to whose members all of its messages are sent.
    room: Option<Room>,
}

pub(super) struct Server {
    poll: Epoll,
    /// Open as long as the server should run.
    _stop: PipeReader,
    services: Vec<Listening>,
    clients: Vec<Option<Client>>,
    free: Vec<usize>,
    /// The places of the clients in each room.
    rooms: HashMap<Room, Vec<usize>>,
    buffer: Box<[u8]>,
    out: Vec<u8>,
    /// What is to be sent to the members of a room.
    shared: Vec<u8>,
}

/// Whether a connection continues.
type Continues = io::Result<bool>;

impl Server {
    pub(super) fn new(services: &[super::Service], stop: PipeReader) -> io::Result<Server> {
        let mut poll = Epoll::new(EVENTS)?;
        poll.add(stop.as_fd(), STOP)?;
        let open = |(number, service): (usize, &super::Service)| {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            sys::net::listen(&listener, sys::net::BACKLOG)?;
            poll.add(listener.as_fd(), SERVICES + number as u64)?;
            Ok(Listening { listener, service: service() })
        };
        let services = services.iter().enumerate().map(open).collect::<io::Result<_>>()?;
        // A kernel without this call reports it here, not in the loop.
        poll.wait(Some(0))?;
        Ok(Server {
            poll,
            _stop: stop,
            services,
            clients: Vec::new(),
            free: Vec::new(),
            rooms: HashMap::new(),
            buffer: vec![0; BUFFER].into(),
            out: Vec::with_capacity(BUFFER),
            shared: Vec::with_capacity(BUFFER),
        })
    }

    pub(super) fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        self.services.iter().map(|service| service.listener.local_addr()).collect()
    }

    pub(super) fn run(mut self) {
        // Connections that came before the first wait are not announced again.
        (0..self.services.len()).for_each(|service| self.accept(service));
        loop {
            self.poll.wait(None).expect("our own epoll");
            while let Some(ready) = self.poll.next() {
                match ready.key {
                    STOP => return,
                    service if service >= SERVICES => self.accept((service - SERVICES) as usize),
                    index => self.serve(index as usize, ready),
                }
            }
        }
    }

    /// Accepts waiting connections. One that cannot be accepted is closed or keeps waiting; its
    /// lane counts the failure.
    fn accept(&mut self, service: usize) {
        loop {
            match self.services[service].listener.accept() {
                Ok((stream, _)) => self.welcome(stream, service),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(_) => return,
            }
        }
    }

    fn welcome(&mut self, stream: TcpStream, service: usize) {
        let set = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
        let index = self.free.pop().unwrap_or(self.clients.len());
        if set.and_then(|()| self.poll.add(stream.as_fd(), index as u64)).is_err() {
            self.free.extend((index < self.clients.len()).then_some(index));
            return;
        }
        let pending = self.services[service].service.greeting();
        let mut client = Client { stream, service, held: Vec::new(), pending, room: None };
        // A greeting that cannot be sent at once is queued like a reply.
        let _ = client.pay(&[]);
        match self.clients.get_mut(index) {
            Some(empty) => *empty = Some(client),
            None => self.clients.push(Some(client)),
        }
    }

    fn serve(&mut self, index: usize, ready: ReadyEvent) {
        let Some(client) = &mut self.clients[index] else { return };
        let spoken = &mut *self.services[client.service].service;
        let was_in = client.room;
        let goes_on = client.pay(&[]).and_then(|_| {
            let (out, shared) = (&mut self.out, &mut self.shared);
            client.receive(ready.ended, spoken, &mut self.buffer, out, shared)
        });
        if let Some(room) = client.room {
            if was_in.is_none() {
                self.rooms.entry(room).or_default().push(index);
            }
            self.broadcast(room);
        }
        if !goes_on.unwrap_or(false) {
            self.remove(index);
        }
    }

    /// Sends the shared messages to the members of the room. A member that cannot be reached is
    /// closed when the end of its stream is read.
    fn broadcast(&mut self, room: Room) {
        if self.shared.is_empty() {
            return;
        }
        for index in self.rooms.get(&room).into_iter().flatten() {
            if let Some(member) = &mut self.clients[*index] {
                let _ = member.pay(&self.shared);
            }
        }
        self.shared.clear();
    }

    fn remove(&mut self, index: usize) {
        let room = self.clients[index].take().and_then(|client| client.room);
        if let Some((room, members)) =
            room.and_then(|room| Some((room, self.rooms.get_mut(&room)?)))
        {
            members.retain(|member| *member != index);
            if members.is_empty() {
                self.rooms.remove(&room);
            }
        }
        self.free.push(index);
    }
}

impl Client {
    /// Answers everything received. A short read means that there is no more data, unless `to_end`
    /// is set: the end of the stream is not announced again, so it must be read now.
    fn receive(
        &mut self,
        to_end: bool,
        service: &mut dyn NullService,
        buffer: &mut [u8],
        out: &mut Vec<u8>,
        shared: &mut Vec<u8>,
    ) -> Continues {
        while self.pending.is_empty() {
            let got = match self.stream.read(buffer) {
                Ok(0) => return Ok(false),
                Ok(got) => got,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            out.clear();
            if !self.answer(&buffer[..got], service, out) {
                return Ok(false);
            }
            if self.room.is_some() {
                shared.extend_from_slice(out);
            } else if !self.pay(out)? {
                return Ok(false);
            } else {
                // A client sends no messages before it is upgraded.
                self.room = service.room(&buffer[..got]);
            }
            if got < buffer.len() && !to_end {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Answers the requests received so far. Returns false if one of them is unknown.
    fn answer(&mut self, fresh: &[u8], service: &mut dyn NullService, out: &mut Vec<u8>) -> bool {
        let whole;
        let mut input = fresh;
        if !self.held.is_empty() {
            self.held.extend_from_slice(fresh);
            whole = std::mem::take(&mut self.held);
            input = &whole;
        }
        while !input.is_empty() {
            match service.answer(input, out) {
                Consumed::Bytes(consumed) => input = &input[consumed..],
                Consumed::NotAll => break,
                Consumed::Unknown => return false,
            }
        }
        self.held.extend_from_slice(input);
        true
    }

    /// Sends queued data and these replies; the rest stays queued.
    fn pay(&mut self, replies: &[u8]) -> Continues {
        self.pending.extend_from_slice(replies);
        while !self.pending.is_empty() {
            match self.stream.write(&self.pending) {
                Ok(0) => return Ok(false),
                Ok(took) => drop(self.pending.drain(..took)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}
