//! Text messages that were not delivered.

use super::field::AFTER;
use super::openapi::list;
use super::route::{Answering, Route};
use super::{Asked, Refusal, page};
use crate::store::MessageSummary;
use AdminProblemCode::MessageNotFound;
use Scope::{MessagesRead, MessagesWrite};
use pos_connect_foundation::refusal::Code::Own;
use pos_connect_protocol::admin::{AdminProblemCode, Scope};
use serde_json::Value;

pub(super) const ROUTES: &[Route] = &[
    Route::new(
        "get",
        "/admin/v1/messages",
        "listMessages",
        MessagesRead,
        all,
    )
    .says("Lists messages that were not delivered, the oldest first, 500 at a time.")
    .takes(&[AFTER])
    .answers(|schemas| list("messages", &schemas.of::<MessageSummary>())),
    Route::new(
        "post",
        "/admin/v1/messages/{id}/retry",
        "retryMessage",
        MessagesWrite,
        retry,
    )
    .says("Tries a message again, from the first attempt on.")
    .refuses(&[Own(MessageNotFound)]),
    Route::new(
        "post",
        "/admin/v1/messages/{id}/drop",
        "dropMessage",
        MessagesWrite,
        drop,
    )
    .says("Gives a message up: its number and its link are erased.")
    .refuses(&[Own(MessageNotFound)]),
];

fn all(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let messages = asked.service.store.undelivered_page(asked.values.page());
        page("messages", messages.await?, |message| {
            message.row.to_string()
        })
    })
}

fn retry(asked: Asked) -> Answering {
    Box::pin(async move {
        found(
            asked
                .store()
                .await?
                .retry_message(asked.id.clone(), asked.act)
                .await?,
        )
    })
}

fn drop(asked: Asked) -> Answering {
    Box::pin(async move {
        found(
            asked
                .store()
                .await?
                .drop_message(asked.id.clone(), asked.act)
                .await?,
        )
    })
}

fn found(is_there: bool) -> Result<Option<Value>, Refusal> {
    match is_there {
        true => Ok(None),
        false => Err(MessageNotFound.into()),
    }
}
