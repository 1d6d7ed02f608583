//! Values as PHP has them.

use ext_php_rs::boxed::ZBox;
use ext_php_rs::types::{ArrayKey, ZendHashTable, ZendStr, Zval};
use kassandra_client::{Columns, Error, Kind, Value};
use std::borrow::Cow;

/// Arrays within arrays that are taken, at most.
const DEEPEST: u32 = 8;

/// A value that PHP gives.
///
/// # Errors
/// An object or a resource, and arrays that are too deep.
pub(crate) fn from_php(value: &Zval) -> Result<Value, Error> {
    from_php_within(value, DEEPEST)
}

/// The elements of an array that PHP gives.
///
/// # Errors
/// As [`from_php`].
pub(crate) fn columns(array: &ZendHashTable) -> Result<Columns, Error> {
    columns_within(array, DEEPEST)
}

fn from_php_within(value: &Zval, depth: u32) -> Result<Value, Error> {
    let depth = depth.checked_sub(1).ok_or_else(|| Error::invalid("the arrays are too deep"))?;
    let value = value.dereference();
    Ok(if value.is_null() {
        Value::Null
    } else if let Some(truth) = value.bool() {
        Value::Bool(truth)
    } else if let Some(number) = value.long() {
        Value::Int(number)
    } else if let Some(number) = value.double() {
        Value::Float(number)
    } else if let Some(text) = value.zend_str() {
        Value::Bytes(text.as_bytes().to_vec())
    } else if let Some(array) = value.array() {
        Value::Columns(columns_within(array, depth)?)
    } else {
        return Err(Error::invalid("objects and resources are no values of Cassandra"));
    })
}

fn columns_within(array: &ZendHashTable, depth: u32) -> Result<Columns, Error> {
    let column = |(name, value): (Zval, &Zval)| {
        Ok((from_php_within(&name, 1)?, from_php_within(value, depth)?))
    };
    pairs(array).map(column).collect()
}

/// Keys and values of an array. Keys may be any bytes, which the iterator of the library does
/// not take.
pub(crate) fn pairs(array: &ZendHashTable) -> impl Iterator<Item = (Zval, &Zval)> {
    let mut all = array.iter();
    std::iter::from_fn(move || all.next_zval())
}

/// The key of an array as text, for messages and to compare.
pub(crate) fn name_of(key: &Zval) -> Cow<'_, str> {
    match (key.zend_str(), key.long()) {
        (Some(text), _) => String::from_utf8_lossy(text.as_bytes()),
        (None, Some(number)) => Cow::Owned(number.to_string()),
        (None, None) => Cow::Borrowed(""),
    }
}

/// An array of PHP with these columns.
///
/// # Errors
/// PHP cannot take one.
pub(crate) fn to_php(columns: Columns) -> Result<Zval, Error> {
    let mut zval = Zval::new();
    zval.set_hashtable(array(columns)?);
    Ok(zval)
}

fn array(columns: Columns) -> Result<ZBox<ZendHashTable>, Error> {
    let mut array = ZendHashTable::with_capacity(u32::try_from(columns.len()).unwrap_or(0));
    for (name, value) in columns {
        let value = zval(value)?;
        let inserted = match name {
            Value::Int(number) => array.insert(ArrayKey::Long(number), value),
            Value::Bytes(bytes) => array.insert(&*ZendStr::new(bytes, false), value),
            Value::Bool(truth) => array.insert(ArrayKey::Long(i64::from(truth)), value),
            Value::Float(number) => array.insert(number.to_string(), value),
            Value::Null => array.insert("", value),
            Value::Columns(_) => {
                let message = "collections as names of columns are not supported";
                return Err(Error::new(Kind::Unsupported, message));
            }
        };
        inserted.map_err(refused)?;
    }
    Ok(array)
}

fn zval(value: Value) -> Result<Zval, Error> {
    let mut zval = Zval::new();
    match value {
        Value::Null => zval.set_null(),
        Value::Bool(truth) => zval.set_bool(truth),
        Value::Int(number) => zval.set_long(number),
        Value::Float(number) => zval.set_double(number),
        Value::Bytes(bytes) => zval.set_zend_string(ZendStr::new(bytes, false)),
        Value::Columns(columns) => zval.set_hashtable(array(columns)?),
    }
    Ok(zval)
}

fn refused(error: ext_php_rs::error::Error) -> Error {
    Error::new(Kind::Unsupported, format!("PHP cannot take a value: {error}"))
}
