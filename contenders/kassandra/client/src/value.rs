//! What is read and written.

/// A value of a cell, or several with their names.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer of any size up to 64 bits.
    Int(i64),
    /// A number of single or double precision.
    Float(f64),
    /// Bytes; text is UTF-8.
    Bytes(Vec<u8>),
    /// A super column, a clustered row or a collection.
    Columns(Columns),
}

/// Names and values, in the server's order.
pub type Columns = Vec<(Value, Value)>;

impl Value {
    /// The value with these bytes.
    pub fn text(text: &str) -> Value {
        Value::Bytes(text.as_bytes().to_vec())
    }

    /// What an error message calls the value's type.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Bytes(_) => "string",
            Value::Columns(_) => "array",
        }
    }
}
