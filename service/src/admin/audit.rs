//! The audit.

use super::field::{AFTER, Field, Rule};
use super::openapi::list;
use super::route::{Answering, Route};
use super::{Asked, LONGEST, page};
use crate::store::{AuditEntry, AuditPage};
use Scope::AuditRead;
use pos_connect_protocol::admin::Scope;

pub(super) const ROUTES: &[Route] =
    &[
        Route::new("get", "/admin/v1/audit", "readAudit", AuditRead, all)
            .says("Shows who did what, when and from where, the oldest first, 500 at a time.")
            .takes(&[
                Field::optional(
                    "since",
                    Rule::Time,
                    "Only what happened at this time or later.",
                ),
                Field::optional("event", Rule::Text, "Only events whose name begins so."),
                Field::optional("subject", Rule::Text, "Only what is about this."),
                AFTER,
            ])
            .answers(|schemas| list("entries", &schemas.of::<AuditEntry>())),
    ];

fn all(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let query = AuditPage {
            since: asked.values.time("since"),
            event: asked.values.text("event"),
            subject: asked.values.text("subject"),
            rows: asked.values.page(),
        };
        let (entries, seen) = asked.service.store.audit_page(query, LONGEST).await?;
        let seen = seen.map(|row| row.to_string());
        page("entries", entries, |entry| entry.row.to_string(), seen)
    })
}
