//! The way from a new integration to the tokens at the host, on a page that is ended at every step, in front of each
//! kind of service and each fault of the network: the merchant consents once, no token is lost, and the host gets them
//! exactly as they were given.

use super::integrations::Integrations;
use super::session_page::{SessionPage, SessionPages};
use crate::core::error::{Error, ErrorCode, Operation};
use crate::core::failure::{Failure, Rejection};
use crate::crash::{self, Disk, Service, Trouble, step};
use crate::http::Call;
use crate::http::endpoint::Method;
use crate::platform::Platform;
use crate::vault::record::IntegrationRecord;
use crate::vault::storage::Storage;
use pos_connect_protocol::decode::{self, TokenSet};
use pos_connect_protocol::{PickupOwner, Status};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

mod resumable;

/// What stands behind the base URL.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// Gives the tokens once, as the specification says.
    Plain,
    /// Gives them anew to the pick-up that has taken them.
    Reissuing,
    /// A relay that repeats them until they are acknowledged.
    Repeating,
    /// A relay that holds them.
    Holding,
}

const TROUBLES: [Trouble; 8] = [
    Trouble::Nothing,
    Trouble::HostThrows,
    Trouble::HostThrowsAfterwards,
    Trouble::WriteFails(1),
    Trouble::WriteFails(2),
    Trouble::WriteFails(3),
    Trouble::WriteFails(4),
    Trouble::WriteFails(5),
];
/// Those of the network, which each of the calls can meet.
const NETWORK: [Trouble; 5] = [
    Trouble::RequestLost,
    Trouble::AnswerLost,
    Trouble::AnswerCut,
    Trouble::FailedAfterwards,
    Trouble::RateLimited,
];
const CALLS: [Operation; 4] = [
    Operation::CreateIntegration,
    Operation::Status,
    Operation::FetchTokens,
    Operation::AcknowledgeTokens,
];

/// The service or the relay, and the host.
struct Outside {
    kind: Kind,
    /// How many integrations were created.
    created: Cell<u32>,
    /// The one that the merchant has consented to, by its token.
    consented: RefCell<Option<String>>,
    /// How often its status was asked before.
    status_calls: Cell<u32>,
    /// The host knows of a connection.
    is_connected: Cell<bool>,
    /// The pick-up that has taken the tokens.
    taken_by: RefCell<Option<String>>,
    /// How often they were given anew: the ones before are worth nothing.
    issue: Cell<u32>,
    is_acknowledged: Cell<bool>,
    /// What the host has.
    accepted: RefCell<Vec<TokenSet>>,
    /// How the pick-ups ended that failed for good.
    told: RefCell<Vec<ErrorCode>>,
    /// Whether the tokens were on the disk at some time, or in a page that was not told that they are not.
    was_kept: Cell<bool>,
    /// Whether a page was told that.
    is_unkept: Cell<bool>,
}

type World = crash::World<Outside>;

impl Outside {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            created: Cell::default(),
            consented: RefCell::default(),
            status_calls: Cell::default(),
            is_connected: Cell::default(),
            taken_by: RefCell::default(),
            issue: Cell::new(1),
            is_acknowledged: Cell::default(),
            accepted: RefCell::default(),
            told: RefCell::default(),
            was_kept: Cell::default(),
            is_unkept: Cell::default(),
        }
    }

    /// The answer that holds the tokens.
    fn body(&self) -> String {
        if self.kind == Kind::Holding {
            return json!({"success": true, "held": true, "ereceipt": true}).to_string();
        }
        let issue = self.issue.get();
        json!({
            "success": true,
            "accessToken": format!("access {issue}"),
            "refreshToken": format!("refresh {issue}"),
            "expiration": "2030-01-01T00:00:00Z",
            "ereceipt": true,
            "account": {"id": "a", "name": "Café ☕"},
            "acknowledge": self.kind == Kind::Repeating,
        })
        .to_string()
    }

    /// The merchant consents before the third call, to the one integration that is shown.
    fn status(&self, token: String) -> &'static str {
        let mut consented = self.consented.borrow_mut();
        match &*consented {
            Some(known) => assert_eq!(*known, token, "the merchant is asked twice"),
            None => self.status_calls.set(self.status_calls.get() + 1),
        }
        if self.status_calls.get() > 2 {
            *consented = Some(token);
        }
        if consented.is_some() {
            "finished"
        } else {
            "pending"
        }
    }

    /// Notes whether the tokens are on the disk.
    fn look(&self, disk: &Disk) {
        let texts = disk.texts();
        let is_kept = texts.iter().any(|text| {
            let entry: Option<IntegrationRecord> = Disk::from_text(text);
            let body = entry.and_then(|entry| entry.token_response);
            body.is_some_and(|body| Page::read(&body, decode::token_set).is_ok())
        });
        self.was_kept.set(self.was_kept.get() || is_kept);
    }

    /// What must hold in the end.
    fn check(&self, disk: &Disk) {
        let (accepted, told) = (self.accepted.borrow(), self.told.borrow());
        let given = Page::read(&self.body(), decode::token_set).ok();
        let has_them = accepted.last() == given.as_ref();
        let is_lost = *told == [ErrorCode::TokensLost];
        match self.kind {
            Kind::Holding => assert!(accepted.is_empty() && told.is_empty()),
            // They come once: an answer that no disk has is lost, and the host is told.
            Kind::Plain => {
                assert!((has_them && told.is_empty()) || (is_lost && !self.was_kept.get()))
            }
            Kind::Reissuing => assert!(has_them && told.is_empty()),
            Kind::Repeating => {
                assert!(has_them && told.is_empty() && self.is_acknowledged.get());
            }
        }
        let texts = disk.texts().concat();
        assert!(!texts.contains("access "), "the disk has what the host has");
    }

    fn gone(&self, pickup_owner: Option<PickupOwner>) -> Error {
        Error {
            pickup_owner,
            ..crash::refusal(410, ErrorCode::TokensAlreadyRetrieved)
        }
    }
}

impl Service for Outside {
    fn answer(&self, call: Call, _: Trouble) -> Result<String, Error> {
        let token = call.url.split("integration_token=").nth(1);
        let token = token.map(|rest| rest.split('&').next().unwrap().to_owned());
        if call.operation == Operation::CreateIntegration {
            self.created.set(self.created.get() + 1);
            let token = format!("t{}", self.created.get());
            let reissues = self.kind == Kind::Reissuing;
            let created = json!({"success": true, "integrationToken": token, "pickup": reissues});
            return Ok(created.to_string());
        }
        if call.operation == Operation::Status {
            return Ok(json!({"success": true, "status": self.status(token.unwrap())}).to_string());
        }
        assert_eq!(*self.consented.borrow(), token, "tokens before the consent");
        if call.operation == Operation::AcknowledgeTokens {
            let has_them = !self.accepted.borrow().is_empty();
            assert!(has_them, "erased at the relay before the host has them");
            self.is_acknowledged.set(true);
            return Ok(json!({"success": true}).to_string());
        }
        let pickup = call
            .url
            .split_once("pickup_id=")
            .map(|(_, id)| id.to_owned());
        let is_own = *self.taken_by.borrow() == Some(pickup.clone().unwrap_or_default());
        let is_taken = self.taken_by.borrow().is_some();
        match self.kind {
            Kind::Repeating if self.is_acknowledged.get() => Err(self.gone(None)),
            Kind::Reissuing if call.method == Method::Post => {
                assert!(is_own, "only what was ours is given anew");
                self.issue.set(self.issue.get() + 1);
                Ok(self.body())
            }
            Kind::Reissuing if is_taken => Err(self.gone(is_own.then_some(PickupOwner::Yours))),
            Kind::Plain if is_taken => Err(self.gone(None)),
            _ => {
                self.taken_by.replace(Some(pickup.unwrap_or_default()));
                Ok(self.body())
            }
        }
    }
}

/// A page, and its side of one integration.
struct Page(Rc<World>);

impl crash::Page for Page {
    type Service = Outside;

    fn world(&self) -> &World {
        &self.0
    }
}

impl SessionPages for Page {
    type Page = Self;

    fn page(&self) -> Result<Self, Failure> {
        Ok(Self(self.0.clone()))
    }
}

impl SessionPage for Page {
    fn is_session_destroyed(&self) -> bool {
        false
    }

    fn tell_status(&self, _: Status) {}

    fn opened_elsewhere(&self) {}

    fn is_blocked(&self) -> bool {
        false
    }

    fn wants_tokens(&self) -> bool {
        true
    }

    async fn persist(&self, set: TokenSet) -> Result<(), Rejection> {
        step().await;
        if self.0.goes_wrong(Trouble::HostThrows) {
            return Err(Failure::new(ErrorCode::Timeout).into());
        }
        self.0.service.accepted.borrow_mut().push(set);
        step().await;
        if self.0.goes_wrong(Trouble::HostThrowsAfterwards) {
            return Err(Failure::new(ErrorCode::Timeout).into());
        }
        Ok(())
    }

    fn report(&self, _: &'static str, operation: Operation, _: Rejection) {
        let is_unkept = operation == Operation::FetchTokens;
        self.0
            .service
            .is_unkept
            .set(self.0.service.is_unkept.get() || is_unkept);
    }

    fn note_connection(&self, _: &TokenSet) {
        self.0.service.is_connected.set(true);
    }

    fn forget_key(&self) {}

    fn forget_tokens(&self) {}
}

/// What a page does: it goes on with what is left, or connects, and picks the tokens up.
async fn page(world: Rc<World>) {
    let outside = &world.service;
    let integrations = Integrations::new(Page(world.clone()));
    let undecided = integrations.resumable(None, &()).await;
    let left = match undecided {
        Some(session) => Some(session),
        None => integrations.resume(&()).await.unwrap_or(None),
    };
    let session = match left {
        Some(session) => session,
        None if outside.is_connected.get() || !outside.told.borrow().is_empty() => return,
        None => match integrations.create(&()).await {
            Ok(session) => session,
            Err(_) => return,
        },
    };
    assert_eq!(session.poll(&()).await.ok(), Some(Status::Finished));
    match session.fetch().await {
        Ok(_) => {
            let is_kept = outside.was_kept.get() || !outside.is_unkept.get();
            outside.was_kept.set(is_kept);
        }
        Err(failure) if failure.code().retryable() => {}
        Err(failure) => outside.told.borrow_mut().push(failure.code()),
    }
}

/// Ends the first pages after so many steps each, and gives which of them were ended. Two more run to their ends.
fn pages(world: &Rc<World>, ends: &[usize], is_begun: bool) -> Vec<bool> {
    let mut was_ended = Vec::new();
    for steps in ends {
        let ended = crash::run(page(world.clone()), *steps).is_none();
        world.disk.page_ended(is_begun || !ended);
        world.service.look(&world.disk);
        was_ended.push(ended);
    }
    for _ in 0..2 {
        let ended = crash::run(page(world.clone()), usize::MAX);
        assert!(ended.is_some());
        world.disk.page_ended(true);
    }
    was_ended
}

#[test]
fn no_token_is_lost_wherever_the_page_ends() {
    let kinds = [Kind::Plain, Kind::Reissuing, Kind::Repeating, Kind::Holding];
    let on_the_way = NETWORK.map(|trouble| CALLS.map(|call| (trouble, Some(call))));
    let troubles = TROUBLES.map(|trouble| (trouble, None));
    let troubles = [&troubles[..], on_the_way.as_flattened()].concat();
    let mut ways = 0;
    for (kind, (trouble, call)) in kinds
        .into_iter()
        .flat_map(|kind| troubles.iter().map(move |trouble| (kind, *trouble)))
    {
        // Two pages in a row, or one beside another trouble.
        let count = if trouble == Trouble::Nothing { 2 } else { 1 };
        for is_begun in [true, false] {
            ways += crash::end_everywhere(count, |ends| {
                let world = Rc::new(World::new(trouble, Outside::new(kind)));
                world.troubled.set(call);
                let checked = catch_unwind(AssertUnwindSafe(|| {
                    let was_ended = pages(&world, ends, is_begun);
                    world.service.check(&world.disk);
                    was_ended
                }));
                let way = || format!("{kind:?} {trouble:?} {call:?} {is_begun} {ends:?}");
                checked.unwrap_or_else(|_| panic!("{}", way()))
            });
        }
    }
    assert!(ways > 15_000, "only {ways} ways to end the pages");
}
