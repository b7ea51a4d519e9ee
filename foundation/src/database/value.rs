//! Values that go into a statement, and rows that come out of one: SQLite's four kinds, on both engines.

use crate::clock::Timestamp;
use crate::sqlite::StoreError;
use crate::token::Hash;
use rusqlite::types::{FromSql, FromSqlError, Value, ValueRef};
use std::error::Error;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{self as pg, IsNull, Type};

/// What can be a value of a statement.
pub trait Bind {
    /// The value as SQLite keeps it.
    fn bind(&self) -> Value;
}

/// The values of a statement, in the order of its places: `values![hash, now]`.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        vec![$($crate::database::Bind::bind(&$value)),*]
    };
}

impl<T: Bind + ?Sized> Bind for &T {
    fn bind(&self) -> Value {
        (**self).bind()
    }
}

impl<T: Bind> Bind for Option<T> {
    fn bind(&self) -> Value {
        self.as_ref().map_or(Value::Null, Bind::bind)
    }
}

impl Bind for str {
    fn bind(&self) -> Value {
        Value::Text(self.to_owned())
    }
}

impl Bind for String {
    fn bind(&self) -> Value {
        Value::Text(self.clone())
    }
}

impl Bind for [u8] {
    fn bind(&self) -> Value {
        Value::Blob(self.to_owned())
    }
}

impl Bind for Vec<u8> {
    fn bind(&self) -> Value {
        Value::Blob(self.clone())
    }
}

impl Bind for Hash {
    fn bind(&self) -> Value {
        Value::Blob(self.bytes().to_vec())
    }
}

impl Bind for Timestamp {
    fn bind(&self) -> Value {
        Value::Integer(self.0)
    }
}

impl Bind for i64 {
    fn bind(&self) -> Value {
        Value::Integer(*self)
    }
}

impl Bind for u32 {
    fn bind(&self) -> Value {
        Value::Integer((*self).into())
    }
}

impl Bind for bool {
    fn bind(&self) -> Value {
        Value::Integer((*self).into())
    }
}

/// A row of an answer.
pub enum Row<'r> {
    /// SQLite's.
    Sqlite(&'r rusqlite::Row<'r>),
    /// PostgreSQL's.
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// The value of a column, from 0.
    pub fn get<T: FromSql>(&self, column: usize) -> Result<T, StoreError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => {
                let Cell(value) = row.try_get(column).map_err(crate::postgres::fault)?;
                let unfit =
                    |error: FromSqlError| StoreError::Fault(format!("column {column}: {error}"));
                T::column_result(value).map_err(unfit)
            }
        }
    }
}

/// A value on its way to PostgreSQL, which says what type it wants.
#[derive(Debug)]
pub(super) struct Sent(pub(super) Value);

impl pg::ToSql for Sent {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match &self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) => match *ty {
                Type::BOOL => (*number != 0).to_sql(ty, out),
                Type::INT2 => i16::try_from(*number)?.to_sql(ty, out),
                Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
                _ => number.to_sql(ty, out),
            },
            Value::Real(number) => number.to_sql(ty, out),
            // PostgreSQL knows no NUL in a text. Whoever sends one looks for something that is not there.
            Value::Text(text) if text.contains('\0') => {
                text.replace('\0', "\u{fffd}").to_sql(ty, out)
            }
            Value::Text(text) => text.to_sql(ty, out),
            Value::Blob(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // A statement's types show only when it is prepared; a wrong pair is refused by the server.
        true
    }

    pg::to_sql_checked!();
}

/// A value on its way from PostgreSQL.
struct Cell<'r>(ValueRef<'r>);

impl<'r> pg::FromSql<'r> for Cell<'r> {
    fn from_sql(ty: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *ty {
            Type::BOOL => ValueRef::Integer(bool::from_sql(ty, raw)?.into()),
            Type::INT2 => ValueRef::Integer(i16::from_sql(ty, raw)?.into()),
            Type::INT4 => ValueRef::Integer(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => ValueRef::Integer(i64::from_sql(ty, raw)?),
            Type::BYTEA => ValueRef::Blob(raw),
            _ => ValueRef::Text(raw),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(ValueRef::Null))
    }

    fn accepts(ty: &Type) -> bool {
        [
            Type::BOOL,
            Type::INT2,
            Type::INT4,
            Type::INT8,
            Type::TEXT,
            Type::VARCHAR,
            Type::BYTEA,
        ]
        .contains(ty)
    }
}
