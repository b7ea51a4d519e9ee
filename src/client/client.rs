//! What `PosConnect.create` makes: it owns what an object does, and ends it.

use crate::connect::connection::{Connection, Watch};
use crate::connect::flow::Connect;
use crate::connect::integrations::Integrations;
use crate::connect::page::PageFactory;
use crate::core::cancellation::{self, Cancellation};
use crate::core::failure::Failure;
use crate::core::options::Options;
use crate::http::Http;
use crate::http::access_token::AccessToken;
use crate::http::config::{ACCESS_TOKEN, Config, PERSIST_TOKENS};
use crate::http::headers::HeaderSource;
use crate::orders::merchant::Merchant;
use crate::orders::page;
use crate::vault::Vault;
use crate::vault::storage::{Purpose, Storage};
use js_sys::Function;
use std::cell::Cell;
use std::rc::Rc;
use web_sys::AbortController;

/// What `PosConnect.create` makes.
pub struct Client {
    /// Ends everything.
    pub owner: AbortController,
    /// Cancelled by `destroy`.
    pub ended: Cancellation,
    http: Rc<Http>,
    vault: Rc<Vault>,
    /// What is known about the connection.
    pub connection: Rc<Connection>,
    /// Ends with the object.
    watch: Cell<Option<Watch>>,
    /// The integrations that it has created or found.
    pub integrations: Rc<Integrations<PageFactory>>,
    /// The whole flow in one call.
    pub connect: Rc<Connect>,
    /// The operations for the connected merchant.
    pub merchant: Rc<Merchant>,
}

impl Client {
    /// Sends nothing.
    pub fn new(
        config: Config,
        headers: Option<HeaderSource>,
        options: &Options,
    ) -> Result<Rc<Self>, Failure> {
        let vault = Rc::new(Vault::new(config.scope(), config.is_in_memory));
        let http = Rc::new(Http {
            config,
            headers,
            access_token: options.page(&ACCESS_TOKEN).map(AccessToken),
            is_destroyed: Cell::new(false),
        });
        let owner = cancellation::controller()?;
        let ended = Cancellation::by(&owner);
        let connection = Connection::new(http.clone(), vault.clone(), options);
        let integrations = Integrations::new(PageFactory {
            http: http.clone(),
            vault: vault.clone(),
            persist: options.page(&PERSIST_TOKENS),
        });
        let outbox = page::outbox(
            vault.clone(),
            http.clone(),
            connection.clone(),
            ended.clone(),
            options,
        );
        Ok(Rc::new(Self {
            watch: Cell::new(connection.watch()),
            connect: Connect::new(integrations.clone(), ended.clone()),
            merchant: Merchant::new(http.clone(), connection.clone(), outbox, ended.clone()),
            integrations,
            connection,
            owner,
            ended,
            http,
            vault,
        }))
    }

    /// Whether the page gives the access token itself.
    pub fn has_access_token(&self) -> bool {
        self.http.access_token.is_some()
    }

    /// Calls `changed` when the connection or the outbox may have changed, and looks after the connection from now on.
    pub fn observe(&self, changed: Function) {
        self.connection.observe(changed);
        self.watch.set(self.connection.watch());
    }

    /// Ends the connection for the merchant, and forgets it here. Orders stay: they were paid.
    pub async fn disconnect(&self, cancel: &Cancellation) -> Result<(), Failure> {
        self.connection.end(cancel).await?;
        self.forget_connection().await
    }

    /// Erases all that is kept, after what is on its way: that would write it anew.
    pub async fn forget(&self) -> Result<(), Failure> {
        self.merchant.outbox.forget().await?;
        self.forget_connection().await?;
        self.vault.erase_damaged_key().await
    }

    async fn forget_connection(&self) -> Result<(), Failure> {
        // Some of the locks may be ours.
        self.forget_tokens();
        let mut locks = Vec::new();
        let ids = self.vault.ids().await?;
        for id in &ids {
            for purpose in [Purpose::PickUp, Purpose::Erase] {
                locks.push(self.vault.lock(purpose, id).await?);
            }
        }
        self.vault.erase_all().await?;
        if ids.iter().any(|id| id == self.vault.scope()) {
            self.vault.tell_end();
        }
        self.forget_tokens();
        Ok(())
    }

    fn forget_tokens(&self) {
        self.connect.forget_tokens();
        self.integrations.forget_tokens();
    }

    /// Ends every session.
    pub fn destroy(&self) {
        self.owner.abort();
        self.http.is_destroyed.set(true);
        self.watch.take();
        self.vault.deafen();
        self.merchant.outbox.destroy();
        self.connect.destroy();
        self.integrations.destroy();
    }
}
