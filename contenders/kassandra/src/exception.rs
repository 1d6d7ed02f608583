//! The class `KassandraException`: its code is the number of the error's class, and its
//! property `kind` the name. Each class is a constant, too: `KassandraException::TIMEOUT`.

use ext_php_rs::builders::{ClassBuilder, ClassProperty};
use ext_php_rs::convert::IntoZval;
use ext_php_rs::exception::PhpException;
use ext_php_rs::flags::{ConstantFlags, PropertyFlags};
use ext_php_rs::types::{ZendObject, Zval};
use ext_php_rs::zend::{ClassEntry, ce};
use kassandra_client::{Error, Kind};

const NAME: &str = "KassandraException";

/// The exception that PHP gets from a function that failed.
const FAILURE: i32 = -1;

/// Called by PHP when it loads the extension.
pub(crate) extern "C" fn register(_type: i32, _module: i32) -> i32 {
    match class().and_then(ClassBuilder::register) {
        Ok(()) => crate::state::SUCCESS,
        Err(_) => FAILURE,
    }
}

fn class() -> ext_php_rs::error::Result<ClassBuilder> {
    // Not by the macro for classes: its objects would have no trace.
    let kind = ClassProperty {
        name: "kind".to_owned(),
        flags: PropertyFlags::Public,
        default: Some(Box::new(|| Ok(Zval::null()))),
        docs: &[],
        ty: None,
        nullable: true,
        readonly: false,
        default_stub: None,
    };
    let class = ClassBuilder::new(NAME)
        .extends((ce::exception, "\\Exception"))
        .property(kind)
        .registration(|_, _| {});
    Kind::ALL.into_iter().try_fold(class, |class, kind| {
        let name = kind.name().to_uppercase();
        class.constant(name, kind as i64, &[], ConstantFlags::Public)
    })
}

/// The exception that tells of this error.
pub(crate) fn thrown(error: Error) -> PhpException {
    let Some(class) = ClassEntry::try_find(NAME) else {
        return PhpException::from_message(error.to_string());
    };
    let plain = PhpException::new(error.message.clone(), error.kind as i32, class);
    match object(class, error) {
        Ok(object) => plain.with_object(object),
        Err(_) => plain,
    }
}

fn object(class: &ClassEntry, error: Error) -> ext_php_rs::error::Result<Zval> {
    let mut object = ZendObject::new(class);
    object.try_call_method("__construct", vec![&error.message, &(error.kind as i64)])?;
    object.set_property("kind", error.kind.name())?;
    object.into_zval(false)
}
