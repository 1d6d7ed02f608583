//! Arguments of user-defined statements in the form that the library binds.

use engine::workload::{Argument, Arguments};
use scylla::cluster::metadata::{ColumnType, NativeType};
use scylla::errors::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::value::SerializeValue;
use scylla::serialize::writers::{CellWriter, RowWriter, WrittenCellProof};
use std::io;

/// The arguments of one statement, in the order of its placeholders.
pub(crate) struct Bound<'a> {
    pub(crate) arguments: &'a Arguments,
    /// Which argument is bound to each placeholder. None: argument *n* to placeholder *n*.
    pub(crate) places: Option<&'a [usize]>,
}

impl Bound<'_> {
    fn at(&self, position: usize) -> usize {
        self.places.map_or(position, |places| places[position])
    }

    fn len(&self) -> usize {
        self.places.map_or(self.arguments.len(), <[usize]>::len)
    }
}

impl SerializeRow for Bound<'_> {
    fn serialize(
        &self,
        context: &RowSerializationContext<'_>,
        to: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        let columns = context.columns();
        if columns.len() != self.len() {
            return Err(unfit("the number of placeholders differs from the number of values"));
        }
        for (position, column) in columns.iter().enumerate() {
            let value = Value(self.arguments.get(self.at(position)));
            value.serialize(column.typ(), to.make_cell_writer())?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn unfit(why: &str) -> SerializationError {
    SerializationError::new(io::Error::other(format!("a value does not fit: {why}")))
}

struct Value<'a>(Argument<'a>);

impl SerializeValue for Value<'_> {
    fn serialize<'b>(
        &self,
        of: &ColumnType<'_>,
        to: CellWriter<'b>,
    ) -> Result<WrittenCellProof<'b>, SerializationError> {
        let ColumnType::Native(native) = of else {
            return Err(unfit("collections are not supported yet"));
        };
        match &self.0 {
            Argument::Integer(number) => integer(*number, native, of, to),
            Argument::Text(bytes) | Argument::Bytes(bytes) => match native {
                NativeType::Ascii | NativeType::Text | NativeType::Blob => {
                    to.set_value(bytes).map_err(SerializationError::new)
                }
                _ => {
                    Err(unfit("text and bytes can only be bound to columns of type text and blob"))
                }
            },
        }
    }
}

fn integer<'b>(
    number: i64,
    native: &NativeType,
    of: &ColumnType<'_>,
    to: CellWriter<'b>,
) -> Result<WrittenCellProof<'b>, SerializationError> {
    let too_large = |_| unfit("the number is too large for its column");
    match native {
        NativeType::TinyInt => i8::try_from(number).map_err(too_large)?.serialize(of, to),
        NativeType::SmallInt => i16::try_from(number).map_err(too_large)?.serialize(of, to),
        NativeType::Int => i32::try_from(number).map_err(too_large)?.serialize(of, to),
        NativeType::BigInt => number.serialize(of, to),
        NativeType::Counter | NativeType::Timestamp => {
            to.set_value(&number.to_be_bytes()).map_err(SerializationError::new)
        }
        NativeType::Float => (number as f32).serialize(of, to),
        NativeType::Double => (number as f64).serialize(of, to),
        NativeType::Boolean => (number != 0).serialize(of, to),
        NativeType::Ascii | NativeType::Text => number.to_string().serialize(of, to),
        _ => Err(unfit("a number cannot be bound to a column of this type")),
    }
}
