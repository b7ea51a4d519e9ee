//! What `PosConnect.create` makes: it owns what an object does, and ends it.

use crate::connect::connection::{Connection, Watch};
use crate::connect::exports::Owner;
use crate::connect::flow::Connect;
use crate::connect::integrations::Integrations;
use crate::connect::page::Pages;
use crate::core::cancellation::{self, Cancellation};
use crate::core::failure::Failure;
use crate::core::options::Options;
use crate::core::weak;
use crate::http::Http;
use crate::http::config::{ACCESS_TOKEN, Config, PERSIST_TOKENS};
use crate::http::headers::HeaderSource;
use crate::orders::merchant::Merchant;
use crate::orders::outbox::Outbox;
use crate::orders::page;
use crate::platform::Browser;
use crate::vault::Vault;
use crate::vault::storage::{Action, Purpose, Storage};
use js_sys::Function;
use std::cell::Cell;
use std::rc::Rc;
use web_sys::AbortController;

/// What `PosConnect.create` makes.
pub struct Client {
    /// Ends everything.
    pub owner: AbortController,
    /// What it calls and keeps.
    pub browser: Rc<Browser>,
    /// What is known about the connection.
    pub connection: Rc<Connection>,
    /// Ends with the object.
    watch: Cell<Option<Watch>>,
    /// The integrations that it has created or found.
    pub integrations: Rc<Integrations<Pages>>,
    /// The whole flow in one call.
    pub connect: Rc<Connect>,
    /// The operations for the connected merchant.
    pub merchant: Rc<Merchant>,
}

impl Owner for Client {
    fn ended(&self) -> Cancellation {
        self.browser.http.ended.clone()
    }
}

impl Client {
    /// Sends nothing.
    pub fn new(
        config: Config,
        headers: Option<HeaderSource>,
        options: &Options,
    ) -> Result<Rc<Self>, Failure> {
        let owner = cancellation::controller()?;
        let browser = Rc::new(Browser {
            vault: Rc::new(Vault::new(config.scope(), config.is_in_memory)),
            http: Http {
                config,
                headers,
                access_token: options.page(&ACCESS_TOKEN),
                ended: Cancellation::by(&owner),
            },
        });
        let connection = Connection::new(browser.clone(), options);
        let integrations = Integrations::new(Pages {
            browser: browser.clone(),
            persist: options.page(&PERSIST_TOKENS),
        });
        let outbox = page::outbox(browser.clone(), connection.clone(), options);
        // They may have waited for nothing else.
        let send = weak::callback(&outbox, Outbox::send_now);
        browser.vault.on_connected(send);
        Ok(Rc::new(Self {
            watch: Cell::new(connection.watch()),
            connect: Connect::new(integrations.clone()),
            merchant: Rc::new(Merchant {
                browser: browser.clone(),
                connection: connection.clone(),
                outbox,
            }),
            integrations,
            connection,
            owner,
            browser,
        }))
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
        // The storage begins anew, if its key can't be read.
        self.browser
            .vault
            .perform(Action::EraseDamagedKey)
            .await
            .map(drop)
    }

    async fn forget_connection(&self) -> Result<(), Failure> {
        // Some of the locks may be ours.
        self.forget_tokens();
        let mut locks = Vec::new();
        let all = Action::Ids(self.browser.vault.scope().into());
        let kept = self.browser.vault.perform(all).await?;
        for found in &kept {
            for purpose in [Purpose::PickUp, Purpose::Erase] {
                locks.push(self.browser.vault.lock(purpose, &found.id).await?);
            }
        }
        self.browser.vault.erase_connection().await?;
        if kept
            .iter()
            .any(|found| found.id == self.browser.vault.scope())
        {
            self.browser.vault.tell("");
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
        cancellation::abort(&self.owner);
        self.watch.take();
        self.connection.forget_observer();
        self.browser.vault.deafen();
        self.merchant.outbox.destroy();
        self.connect.destroy();
        self.integrations.destroy();
    }
}
