//! An integration's way through the service, with every lost answer asked for again.

use super::client::{Client, Life, Reply};
use super::orders::SentOrders;
use super::record::row;
use super::stage::{Halt, Step};
use crate::dice::Dice;
use crate::http::{Message, query};
use crate::merchant;
use crate::programs::{Merchant, Vendor};

/// The first answer and three reissues.
pub const ANSWERS: u64 = 4;

const INTEGRATION: &str = "/v1/auth/integration";
const TOKEN: &str = "/v1/auth/integration/token";
const REISSUE: &str = "/v1/auth/integration/token/reissue";

/// What this life does beside the straight way.
struct Plan {
    /// Token answers to throw away as if they had been lost.
    drops: u64,
    refreshes: u64,
    revoke: bool,
}

pub struct ServiceLife<'v> {
    vendor: &'v Vendor,
    merchant: &'v Merchant,
    plan: Plan,
    integration: Option<String>,
    finished: bool,
    pickup: String,
    rival: String,
    /// 200s of the token call that arrived whole: never more than one.
    given: u64,
    /// Answers of token call and reissue that did not arrive, or were thrown away.
    unheard: u64,
    reissuing: bool,
    pair: Option<Pair>,
    orders: SentOrders,
    /// The pair before, which must be dead.
    dead: Option<String>,
    proved: bool,
    /// A refresh or a revocation is on its way, so what `pair` is good for is not known.
    in_doubt: bool,
    revoked: bool,
    given_up: bool,
}

struct Pair {
    access: String,
    refresh: String,
}

impl Pair {
    fn read(reply: &Reply) -> Step<Self> {
        let pick = |camel, snake| match reply.text(camel) {
            text if text.is_empty() => reply.text(snake),
            text => text,
        };
        let pair = Self {
            access: pick("accessToken", "access_token"),
            refresh: pick("refreshToken", "refresh_token"),
        };
        match pair.access.is_empty() || pair.refresh.is_empty() {
            true => Err(Halt::Wrong("a 200 without tokens".to_owned())),
            false => Ok(pair),
        }
    }
}

impl<'v> ServiceLife<'v> {
    pub fn new(vendor: &'v Vendor, merchant: &'v Merchant, dice: &mut Dice) -> Self {
        Self {
            vendor,
            merchant,
            plan: Plan {
                drops: dice.below(5).saturating_sub(2),
                refreshes: dice.below(5),
                revoke: dice.once_in(4),
            },
            integration: None,
            finished: false,
            pickup: dice.text(43),
            rival: dice.text(43),
            given: 0,
            unheard: 0,
            reissuing: false,
            pair: None,
            orders: SentOrders::new(dice),
            dead: None,
            proved: false,
            in_doubt: false,
            revoked: false,
            given_up: false,
        }
    }

    fn call(&self, method: &str, path: &str, more: &[(&str, &str)]) -> Message {
        let vendor = self.vendor;
        let mut pairs = vec![
            ("client_id", &*vendor.id),
            ("client_secret", &vendor.secret),
        ];
        if let Some(integration) = &self.integration {
            pairs.push(("integration_token", integration));
        }
        pairs.extend(more);
        Message::request(method, &format!("{path}?{}", query(&pairs)))
    }

    fn form(&self, path: &str, more: &[(&str, &str)]) -> Message {
        let vendor = self.vendor;
        let mut pairs = vec![
            ("client_id", &*vendor.id),
            ("client_secret", &vendor.secret),
        ];
        pairs.extend(more);
        Message::request("POST", path).form(&pairs)
    }

    fn create(&mut self, client: &mut Client<'_>) -> Step<()> {
        let reply = client.ask("create", &self.call("POST", INTEGRATION, &[]))?;
        let reply = reply.expect(200, "create")?;
        self.integration = Some(reply.text("integrationToken"));
        client.stage.count(row::CREATED);
        Ok(())
    }

    fn consent(&mut self, client: &mut Client<'_>, integration: &str) -> Step<()> {
        let (merchant, id) = (self.merchant, &self.vendor.id);
        let end = merchant::consent(merchant, id, integration, true, |what, page| {
            client.ask(what, page).map(|reply| reply.body)
        })?;
        if let Some(end) = end {
            return Err(Halt::Wrong(format!("the connect page ends with `{end}`")));
        }
        self.finish(client);
        Ok(())
    }

    fn finish(&mut self, client: &Client<'_>) {
        self.finished = true;
        client.stage.count(row::FINISHED);
    }

    fn pick_up(&mut self, client: &mut Client<'_>) -> Step<()> {
        let pickup = [("pickup_id", &*self.pickup)];
        let (what, request) = match self.reissuing {
            false => ("token call", self.call("GET", TOKEN, &pickup)),
            true => ("reissue", self.call("POST", REISSUE, &pickup)),
        };
        let reply = client.ask(what, &request).inspect_err(|halt| {
            self.unheard += u64::from(matches!(halt, Halt::Lost));
        })?;
        match (reply.status, self.reissuing) {
            (200, false) if self.given > 0 => {
                Err(Halt::Wrong("a second 200 to the token call".to_owned()))
            }
            (200, reissued) => self.take(client, &reply, reissued),
            (410, false) if reply.text("pickup") == "yours" && self.unheard > 0 => {
                if self.given == 0 {
                    client.stage.count(row::DONE_UNHEARD);
                }
                self.reissuing = true;
                Ok(())
            }
            (409, true) if reply.text("code") == "reissue_exhausted" && self.unheard >= ANSWERS => {
                client.stage.count(row::EXHAUSTED);
                self.given_up = true;
                Ok(())
            }
            _ => Err(Halt::Wrong(format!("{what}: {}", reply.shown()))),
        }
    }

    /// A token answer arrived whole.
    fn take(&mut self, client: &Client<'_>, reply: &Reply, reissued: bool) -> Step<()> {
        self.given += u64::from(!reissued);
        let pair = Pair::read(reply)?;
        if self.plan.drops > 0 && self.unheard + 1 < ANSWERS {
            self.plan.drops -= 1;
            self.unheard += 1;
            self.dead = Some(pair.access);
            client.stage.count(row::DROPPED);
            return Ok(());
        }
        if reissued {
            client.stage.count(row::CURED);
        }
        client.stage.count(row::PICKED_UP);
        self.pair = Some(pair);
        Ok(())
    }

    /// The pair in hand works, the one before does not, and nobody else gets another.
    fn prove(&mut self, client: &mut Client<'_>) -> Step<()> {
        self.account_is(client, self.revoked)?;
        let own = [("pickup_id", &*self.pickup)];
        for (pickup_id, whose) in [(&self.pickup, "yours"), (&self.rival, "other")] {
            let again = self.call("GET", TOKEN, &[("pickup_id", pickup_id)]);
            let again = client
                .ask("token call", &again)?
                .expect(410, "a second pick-up")?;
            if again.text("pickup") != whose {
                return Err(Halt::Wrong(format!("the 410 does not say `{whose}`")));
            }
        }
        let used = client.ask("reissue", &self.call("POST", REISSUE, &own))?;
        used.expect(409, "a reissue of a used token set")?;
        self.proved = true;
        Ok(())
    }

    fn account_is(&self, client: &mut Client<'_>, dead: bool) -> Step<()> {
        let pair = self.pair.as_ref().map(|pair| (&pair.access, dead));
        let before = self.dead.as_ref().map(|access| (access, true));
        for (access, dead) in pair.into_iter().chain(before) {
            let (expected, what) = match dead {
                false => (200, "a token that was answered does not work"),
                true => (401, "a token that was replaced or revoked still works"),
            };
            let asked = Message::request("GET", "/v1/account").bearer(access);
            client.ask("account", &asked)?.expect(expected, what)?;
        }
        Ok(())
    }

    fn refresh(&mut self, client: &mut Client<'_>) -> Step<()> {
        let refresh = self.pair.as_ref().map_or("", |pair| &pair.refresh);
        let grant = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
        let request = self.form("/v1/auth/token", &grant);
        if self.in_doubt {
            client.stage.count(row::REFRESH_AGAIN);
        }
        self.in_doubt = true;
        let reply = client.ask("refresh", &request)?.expect(200, "refresh")?;
        let renewed = Pair::read(&reply)?;
        self.dead = self.pair.replace(renewed).map(|pair| pair.access);
        self.in_doubt = false;
        self.proved = false;
        self.plan.refreshes -= 1;
        client.stage.count(row::REFRESHED);
        Ok(())
    }

    fn revoke(&mut self, client: &mut Client<'_>) -> Step<()> {
        let access = self.pair.as_ref().map_or("", |pair| &pair.access);
        let request = self.form("/v1/auth/revoke", &[("token", access)]);
        self.in_doubt = true;
        client.ask("revoke", &request)?.expect(200, "revoke")?;
        self.in_doubt = false;
        self.revoked = true;
        self.account_is(client, true)
    }
}

impl Life for ServiceLife<'_> {
    fn step(&mut self, client: &mut Client<'_>) -> Step<bool> {
        let Some(integration) = self.integration.clone() else {
            return self.create(client).map(|()| false);
        };
        if self.given_up {
            return Ok(true);
        }
        match &self.pair {
            None if !self.finished => self.consent(client, &integration)?,
            None => self.pick_up(client)?,
            Some(_) if !self.proved && !self.in_doubt => self.prove(client)?,
            Some(pair) if !self.in_doubt && !self.orders.are_done() => {
                self.orders.send(client, &pair.access)?
            }
            Some(_) if self.plan.refreshes > 0 => self.refresh(client)?,
            Some(_) if self.plan.revoke && !self.revoked => self.revoke(client)?,
            Some(_) => return Ok(true),
        }
        Ok(false)
    }

    fn check(&mut self, client: &mut Client<'_>) -> Step<()> {
        if self.integration.is_none() {
            return Ok(());
        }
        let status = client.ask("status", &self.call("GET", INTEGRATION, &[]))?;
        let status = status.expect(200, "an integration that was answered is gone")?;
        match (status.text("status").as_str(), self.finished) {
            ("finished", false) => self.finish(client),
            ("finished", true) | ("pending", false) => {}
            (other, _) => return Err(Halt::Wrong(format!("finished, and then {other}"))),
        }
        client.checked();
        if !self.in_doubt && self.pair.is_some() {
            self.account_is(client, self.revoked)?;
            client.checked();
        }
        if let Some(pair) = self
            .pair
            .as_ref()
            .filter(|_| !self.in_doubt && !self.revoked)
        {
            self.orders.check(client, &pair.access)?;
        }
        if self.given > 0 {
            let pickup = [("pickup_id", &*self.pickup)];
            let again = client.ask("token call", &self.call("GET", TOKEN, &pickup))?;
            again.expect(410, "a pick-up was forgotten")?;
            client.checked();
        }
        Ok(())
    }
}
