//! The customers of a store, as a vendor's tills know them.

use super::repeatable::{Answered, Repeatable, Scope};
use super::{Growth, Store, StoreError, json};
use crate::seal::{self, Purpose};
use pos_connect_foundation::database::Transaction;
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
use pos_connect_protocol::customer::{
    Customer, CustomerChange, CustomerOutcome, CustomerResult, CustomersResponse,
};

/// A change as it is written. It is sealed before: everybody waits for the one writer.
struct Prepared {
    id: String,
    row: Hash,
    /// Nothing if the customer is deleted.
    sealed: Option<Vec<u8>>,
}

impl Store {
    /// Makes the changes of a list in its order. A wrong item changes nothing, and takes no other with it.
    pub async fn change_customers(
        &self,
        changes: Vec<Result<CustomerChange, CustomerResult>>,
        call: Repeatable,
    ) -> Result<Answered, StoreError> {
        let scope = call.scope;
        let mut prepared = Vec::with_capacity(changes.len());
        for change in changes {
            prepared.push(match change {
                Ok(change) => Ok(self.prepared_customer(scope, change)?),
                Err(refused) => Err(refused),
            });
            // There can be a thousand: this thread serves others, too.
            tokio::task::yield_now().await;
        }
        self.once(call, move |transaction, _, scope| {
            let mut grown = Growth::default();
            let one = |change: &Result<Prepared, CustomerResult>| match change {
                Ok(change) => apply(transaction, scope, change, &mut grown),
                Err(refused) => Ok(refused.clone()),
            };
            let results = prepared
                .iter()
                .map(one)
                .collect::<Result<_, StoreError>>()?;
            let answer = json(&CustomersResponse {
                success: true,
                results,
            })?;
            Ok(Answered::Done(answer, grown))
        })
        .await
    }

    fn prepared_customer(
        &self,
        scope: Scope,
        change: CustomerChange,
    ) -> Result<Prepared, StoreError> {
        let id = change.external_id().to_owned();
        let row = seal::row(
            &self.sealer,
            Purpose::Customer,
            scope.vendor,
            scope.store,
            &[&id],
        );
        let sealed = match change {
            CustomerChange::Delete(_) => None,
            CustomerChange::Upsert(customer) => Some(self.sealer.seal(
                Purpose::Customer,
                &row,
                &json(&customer)?,
            )?),
        };
        Ok(Prepared { id, row, sealed })
    }

    /// A customer by its external id.
    pub async fn customer(
        &self,
        vendor: i64,
        store: i64,
        external_id: &str,
    ) -> Result<Option<Customer>, StoreError> {
        let row = seal::row(
            &self.sealer,
            Purpose::Customer,
            vendor,
            store,
            &[external_id],
        );
        let sql = "SELECT sealed FROM customer WHERE hash = ?1";
        let sealed: Option<Vec<u8>> = self.row(sql, values![row], |row| row.get(0)).await?;
        let Some(sealed) = sealed else {
            return Ok(None);
        };
        let content = self.sealer.open(Purpose::Customer, &row, &sealed)?;
        let customer = serde_json::from_slice(&content);
        customer
            .map(Some)
            .map_err(|_| StoreError::Fault("a stored customer cannot be read".into()))
    }
}

fn apply(
    transaction: &Transaction<'_>,
    scope: Scope,
    change: &Prepared,
    grown: &mut Growth,
) -> Result<CustomerResult, StoreError> {
    let row = change.row;
    let result = match &change.sealed {
        None => {
            let sql = "DELETE FROM customer WHERE hash = ?1 RETURNING length(sealed)";
            let deleted = transaction.row(sql, values![row], |row| row.get(0))?;
            match deleted {
                None => CustomerOutcome::NotFound,
                Some(length) => {
                    grown.erase(length);
                    CustomerOutcome::Deleted
                }
            }
        }
        Some(sealed) => upsert(transaction, scope, row, sealed, grown)?,
    };
    Ok(CustomerResult {
        external_id: Some(change.id.clone()),
        result,
        code: None,
        pointer: None,
        rule: None,
    })
}

fn upsert(
    transaction: &Transaction<'_>,
    scope: Scope,
    row: Hash,
    sealed: &[u8],
    grown: &mut Growth,
) -> Result<CustomerOutcome, StoreError> {
    grown.add(sealed.len());
    let sql = "SELECT length(sealed) FROM customer WHERE hash = ?1";
    let Some(before) = transaction.row(sql, values![row], |row| row.get(0))? else {
        let sql = "INSERT INTO customer (hash, vendor_id, store_id, sealed, updated_at)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = values![row, scope.vendor, scope.store, sealed, scope.now];
        transaction.execute(sql, values)?;
        return Ok(CustomerOutcome::Created);
    };
    grown.erase(before);
    let sql = "UPDATE customer SET sealed = ?2, updated_at = ?3 WHERE hash = ?1";
    transaction.execute(sql, values![row, sealed, scope.now])?;
    Ok(CustomerOutcome::Updated)
}
