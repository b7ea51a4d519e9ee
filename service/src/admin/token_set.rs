//! Token sets.

use super::field::{Field, Rule};
use super::openapi::{count, flag, list, object};
use super::route::{Answering, Route};
use super::{Asked, Code, LONGEST, PAGE, Refusal, absent, page};
use crate::store::{Progress, RevocationScope, TokenSetPage, TokenSetSummary};
use AdminProblemCode::{AccountNotFound, StoreNotFound, VendorNotFound};
use Scope::{TokenSetsRead, TokenSetsWrite};
use pos_connect_foundation::refusal::Code::Own;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::admin::{AdminProblemCode, Scope};
use serde_json::json;

const VENDOR: Field = Field::optional("vendor", Rule::Text, "The vendor that holds them.");
const ACCOUNT: Field = Field::optional("account", Rule::Text, "The merchant's account: its ID.");
const STORE: Field = Field::optional("store", Rule::Text, "The store, by its ID.");

/// The refusals of a scope of which a part is not there.
const ABSENT: &[Code] = &[
    Own(VendorNotFound),
    Own(AccountNotFound),
    Own(StoreNotFound),
];

pub(super) const ROUTES: &[Route] = &[
    Route::new("get", "/admin/v1/token-sets", "listTokenSets", TokenSetsRead, all)
        .says("Lists token sets that are valid or wait to be picked up, 500 at a time.")
        .takes(&[
            VENDOR,
            ACCOUNT,
            STORE,
            Field::optional("after", Rule::Digest, "`next` of the page before."),
        ])
        .refuses(ABSENT)
        .answers(|schemas| list("tokenSets", &schemas.of::<TokenSetSummary>())),
    Route::new("post", "/admin/v1/token-sets/revoke", "revokeTokenSets", TokenSetsWrite, revoke)
        .says("Ends token sets of a vendor, account, store, or all together, for 20 seconds; unless done, ask again.")
        .contains()
        .takes(&[VENDOR, ACCOUNT, STORE])
        .refuses(ABSENT)
        .answers(|_| object(json!({ "revoked": count(), "done": flag() }))),
];

fn scope(asked: &mut Asked) -> RevocationScope {
    RevocationScope {
        vendor: asked.values.text("vendor"),
        account: asked.values.text("account"),
        store: asked.values.text("store"),
    }
}

fn all(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let query = TokenSetPage {
            scope: scope(&mut asked),
            after: asked.values.digest("after"),
            limit: PAGE + 1,
        };
        let (store, now) = (&asked.service.store, asked.act.now);
        let found = store.token_sets(query, LONGEST, now).await?;
        let (sets, seen) = found.map_err(absent)?;
        let seen = seen.map(|hash| hash.to_hex());
        page("tokenSets", sets, |set| set.hash.to_hex(), seen)
    })
}

fn revoke(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let scope = scope(&mut asked);
        if [&scope.vendor, &scope.account, &scope.store]
            .iter()
            .all(|part| part.is_none())
        {
            return Err(Refusal {
                pointer: Some("/vendor".into()),
                ..ProblemCode::MissingMember.into()
            });
        }
        let store = asked.store().await?;
        let revoked = store.revoke_all(scope, Some(LONGEST), asked.act).await?;
        let Progress { count, is_done } = revoked.map_err(absent)?;
        Ok(Some(json!({ "revoked": count, "done": is_done })))
    })
}
