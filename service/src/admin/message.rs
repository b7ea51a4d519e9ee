//! Text messages that were not delivered.

use super::field::AFTER;
use super::openapi::list;
use super::route::{Answering, Route};
use super::{Asked, found, page};
use crate::store::MessageSummary;
use AdminProblemCode::MessageNotFound;
use Scope::{MessagesRead, MessagesWrite};
use pos_connect_foundation::refusal::Code::Own;
use pos_connect_protocol::admin::{AdminProblemCode, Scope};

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
        let row = |message: &MessageSummary| message.row.to_string();
        page("messages", messages.await?, row, None)
    })
}

fn retry(asked: Asked) -> Answering {
    Box::pin(async move {
        let store = &asked.service.store;
        let retried = store.retry_message(asked.id, asked.act).await?;
        found(retried, MessageNotFound)
    })
}

fn drop(asked: Asked) -> Answering {
    Box::pin(async move {
        let store = &asked.service.store;
        let dropped = store.drop_message(asked.id, asked.act).await?;
        found(dropped, MessageNotFound)
    })
}
