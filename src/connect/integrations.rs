//! The integrations of one vendor account and store: those that this object has created, and those that earlier pages
//! left.

use super::session::Session;
use super::session_page::{SessionPage, SessionPages};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::http::Call;
use crate::http::endpoint::Method;
use crate::vault::record::{IntegrationRecord, RecordState};
use crate::vault::storage::Storage;
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::{self, Created};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// A session of a factory's hosts.
pub type SessionOf<F> = Rc<Session<<F as SessionPages>::Page>>;

/// Creates integrations, finds them again, and has one session for each.
pub struct Integrations<F: SessionPages> {
    /// The page.
    pub pages: F,
    pub(super) sessions: RefCell<Vec<Weak<Session<F::Page>>>>,
    /// The integration that it created last.
    last_created: RefCell<String>,
}

impl<F: SessionPages> Integrations<F> {
    /// Sends nothing.
    pub fn new(pages: F) -> Rc<Self> {
        Rc::new(Self {
            pages,
            sessions: RefCell::default(),
            last_created: RefCell::default(),
        })
    }

    /// Creates an integration (§4.1).
    pub async fn create(&self, cancel: &F::Cancel) -> Result<SessionOf<F>, Failure> {
        let (pages, storage) = (&self.pages, self.pages.storage());
        // Opens the storage: if that fails, nothing was sent yet.
        F::race(storage.find(storage.scope()), cancel).await??;
        let url = pages.config().integration_url();
        let call = Call::bare(Operation::CreateIntegration, Method::Post, url);
        let body = pages.send(call, cancel).await?;
        let entry = self.entry(F::read(&body, decode::created)?)?;
        let session = self.session(&entry)?;
        entry.write(storage).await?;
        self.last_created.replace(entry.id);
        Ok(session)
    }

    fn entry(&self, created: Created) -> Result<IntegrationRecord, Failure> {
        let letters = F::Storage::letters;
        Ok(IntegrationRecord {
            id: [self.pages.storage().scope(), &letters()?].concat(),
            at: Some(self.pages.now()),
            integration_token: created.integration_token,
            interval: created.interval,
            expires_in: created.expires_in,
            code: created.code,
            pickup_id: created.reissues.then(letters).transpose()?,
            ..IntegrationRecord::default()
        })
    }

    /// The session of an entry: the one that this object has, or a new one.
    fn session(&self, entry: &IntegrationRecord) -> Result<SessionOf<F>, Failure> {
        let mut sessions = self.sessions.borrow_mut();
        let mut live = sessions.iter().filter_map(Weak::upgrade);
        let is_same = |session: &SessionOf<F>| {
            session.pick_up.identity.id == entry.id && !session.page().is_session_destroyed()
        };
        if let Some(session) = live.find(is_same) {
            return Ok(session);
        }
        let session = Session::new(self.pages.page()?, entry);
        // A till that runs for weeks must not collect the ones that are gone.
        sessions.retain(|session| session.strong_count() > 0);
        sessions.push(Rc::downgrade(&session));
        Ok(session)
    }

    /// The integration that an earlier page, or another one, has left: what is worth most, then what it created itself,
    /// then the newest. Hands over what waits for it.
    pub async fn resume(&self, cancel: &F::Cancel) -> Result<Option<SessionOf<F>>, Failure> {
        self.left_over(cancel, |_, _| true).await
    }

    /// The integration that a page has left, of those that are `wanted`.
    async fn left_over(
        &self,
        cancel: &F::Cancel,
        wanted: fn(RecordState, &Session<F::Page>) -> bool,
    ) -> Result<Option<SessionOf<F>>, Failure> {
        F::check(cancel)?;
        let storage = self.pages.storage();
        let entries = IntegrationRecord::list(storage).await?;
        F::check(cancel)?;
        let now = self.pages.now();
        let mut best = None;
        for entry in entries.iter().rev() {
            let state = entry.state(now);
            if state == RecordState::Stale {
                storage.erase(&entry.id).await?;
                // A session that is made after `destroy` would never end.
                F::check(cancel)?;
            }
            if state <= RecordState::Over {
                continue;
            }
            let session = self.session(entry)?;
            if state == RecordState::Undelivered {
                session.hand_over();
            }
            let worth = entry.worth(now, entry.id == *self.last_created.borrow());
            let is_better = best.as_ref().is_none_or(|(best, _)| *best < worth);
            if is_better && wanted(state, &session) {
                best = Some((worth, session));
            }
        }
        Ok(best.map(|(_, session)| session))
    }

    /// The integration that `connect` goes on with: its `own`, or what an earlier page has left, while its merchant can
    /// still decide. Tokens that are here, or on their way, do not stand in for a new consent: `resume` gives them.
    pub async fn resumable(
        &self,
        own: Option<SessionOf<F>>,
        cancel: &F::Cancel,
    ) -> Option<SessionOf<F>> {
        let own = own.filter(|session| session.is_open());
        let is_own = own.is_some();
        let session = match own {
            Some(session) => session,
            // A storage that fails is reported to a new integration, too.
            None => self.left_over(cancel, is_undecided).await.ok()??,
        };
        if session.page().is_session_destroyed() {
            // The page has destroyed its handle: it wants another one.
            return None;
        }
        match session.status(cancel).await {
            Ok(Status::Cancelled) => None,
            Ok(_) => Some(session),
            // A page that was just reloaded asks too soon. Its 429 proves that the integration exists.
            Err(failure) if failure.code() == ErrorCode::RateLimited => Some(session),
            // Any other obstacle is reported to a new integration, too. Of another page's, it is not even known whether
            // it is still alive.
            Err(failure) => (is_own && failure.code().retryable()).then_some(session),
        }
    }

    /// Lets go of the tokens that this page has.
    pub fn forget_tokens(&self) {
        for session in self.sessions.borrow().iter().filter_map(Weak::upgrade) {
            session.pick_up.forget();
        }
    }
}

/// Whether `connect` goes on with it.
fn is_undecided<P: SessionPage>(state: RecordState, session: &Session<P>) -> bool {
    state == RecordState::Waiting && session.is_open() && !session.shown_by_host.get()
}
