//! Messages as a server writes them.

/// Types of values.
pub(crate) const BOOL: u8 = 2;
pub(crate) const I32: u8 = 8;
pub(crate) const I64: u8 = 10;
pub(crate) const STRING: u8 = 11;
pub(crate) const STRUCT: u8 = 12;
pub(crate) const MAP: u8 = 13;
pub(crate) const LIST: u8 = 15;

/// A field with its value.
pub(crate) fn field(of: u8, id: i16, value: &[u8]) -> Vec<u8> {
    [&[of][..], &id.to_be_bytes(), value].concat()
}

/// A struct of these fields.
pub(crate) fn object(fields: &[Vec<u8>]) -> Vec<u8> {
    [fields.concat(), vec![0]].concat()
}

pub(crate) fn text(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u32).to_be_bytes()[..], text].concat()
}

pub(crate) fn list(of: u8, all: &[Vec<u8>]) -> Vec<u8> {
    [vec![of], (all.len() as u32).to_be_bytes().to_vec(), all.concat()].concat()
}

pub(crate) fn map(from: u8, of: u8, all: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = [vec![from, of], (all.len() as u32).to_be_bytes().to_vec()].concat();
    all.iter().for_each(|(key, value)| bytes.extend([&key[..], value].concat()));
    bytes
}

/// A frame with a message of this kind: 2 a reply, 3 an exception of the server as a whole.
pub(crate) fn message(kind: u8, name: &str, number: u32, fields: &[Vec<u8>]) -> Vec<u8> {
    let message = [
        vec![0x80, 1, 0, kind],
        text(name.as_bytes()),
        number.to_be_bytes().to_vec(),
        object(fields),
    ]
    .concat();
    text(&message)
}

pub(crate) fn reply(name: &str, number: u32, fields: &[Vec<u8>]) -> Vec<u8> {
    message(2, name, number, fields)
}

/// A `ColumnOrSuperColumn` that holds a column.
pub(crate) fn column(name: &[u8], value: &[u8]) -> Vec<u8> {
    object(&[field(STRUCT, 1, &bare_column(name, value))])
}

/// A `Column`.
pub(crate) fn bare_column(name: &[u8], value: &[u8]) -> Vec<u8> {
    object(&[
        field(STRING, 1, &text(name)),
        field(STRING, 2, &text(value)),
        field(I64, 3, &7i64.to_be_bytes()),
    ])
}

/// A `ColumnOrSuperColumn` that holds a super column.
pub(crate) fn super_column(name: &[u8], columns: &[Vec<u8>]) -> Vec<u8> {
    let fields = [field(STRING, 1, &text(name)), field(LIST, 2, &list(STRUCT, columns))];
    object(&[field(STRUCT, 2, &object(&fields))])
}

/// An exception with a reason.
pub(crate) fn exception(id: i16, why: &str) -> Vec<u8> {
    field(STRUCT, id, &object(&[field(STRING, 1, &text(why.as_bytes()))]))
}
