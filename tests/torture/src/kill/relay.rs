//! An integration's way through the relay, which keeps the tokens or hands them out.

use super::client::{Client, Life, Reply};
use super::orders::SentOrders;
use super::record::row;
use super::service::ANSWERS;
use super::stage::{Halt, Step};
use super::upstream::Upstream;
use crate::dice::Dice;
use crate::http::{Message, query};
use crate::merchant::consent_at;
use crate::programs::Merchant;

const INTEGRATION: &str = "/v1/auth/integration";
const TOKEN: &str = "/v1/auth/integration/token";

/// A till of a merchant of its own.
pub struct Till {
    pub key: String,
    pub merchant: Merchant,
}

/// What all tills share.
pub struct World {
    pub client_id: String,
    pub upstream: Upstream,
    pub hand_out: bool,
}

pub struct RelayLife<'w> {
    world: &'w World,
    till: &'w Till,
    integration: Option<String>,
    finished: bool,
    /// The token call's answer, once it arrived whole.
    answer: Option<String>,
    /// The program's start at which it was first asked for the tokens.
    begun: Option<u64>,
    /// Token answers that did not arrive.
    unheard: u64,
    /// One of them was lost when the service had already given the tokens.
    done_unheard: bool,
    /// Whether to ask for handed-out tokens twice before they are acknowledged.
    twice: bool,
    acknowledging: bool,
    acknowledged: bool,
    orders: SentOrders,
    given_up: bool,
}

impl<'w> RelayLife<'w> {
    pub fn new(world: &'w World, till: &'w Till, dice: &mut Dice) -> Self {
        Self {
            world,
            till,
            integration: None,
            finished: false,
            answer: None,
            begun: None,
            unheard: 0,
            done_unheard: false,
            twice: dice.once_in(2),
            acknowledging: false,
            acknowledged: false,
            orders: SentOrders::new(dice),
            given_up: false,
        }
    }

    fn call(&self, method: &str, path: &str) -> Message {
        let mut pairs = vec![("client_id", &*self.world.client_id)];
        if let Some(integration) = &self.integration {
            pairs.push(("integration_token", integration));
        }
        Message::request(method, &format!("{path}?{}", query(&pairs))).bearer(&self.till.key)
    }

    fn create(&mut self, client: &mut Client<'_>) -> Step<()> {
        let reply = client.ask("create", &self.call("POST", INTEGRATION))?;
        let reply = reply.expect(200, "create")?;
        self.integration = Some(reply.text("integrationToken"));
        client.stage.count(row::CREATED);
        Ok(())
    }

    /// At the service itself, which nobody kills here.
    fn consent(&mut self, client: &Client<'_>, integration: &str) -> Step<()> {
        let (service, id) = (self.world.upstream.service(), &self.world.client_id);
        consent_at(service, &self.till.merchant, id, integration, true).map_err(Halt::Wrong)?;
        self.finished = true;
        client.stage.count(row::FINISHED);
        Ok(())
    }

    fn pick_up(&mut self, client: &mut Client<'_>, integration: &str) -> Step<()> {
        let begun = *self.begun.get_or_insert(client.start());
        let asked = client.ask("token call", &self.call("GET", TOKEN));
        let reply = asked.inspect_err(|halt| {
            self.unheard += u64::from(matches!(halt, Halt::Lost));
            self.done_unheard |= self.upstream_gave(integration).0 > 0;
        })?;
        if reply.status == 410 {
            // A relay that starts asks by itself for what it had begun: not every answer that a kill cost is missed
            // here.
            let kills = client.start() - begun;
            let (first, reissues) = self.upstream_gave(integration);
            if kills < ANSWERS || (first, reissues) != (1, ANSWERS - 1) {
                return Err(Halt::Wrong(format!(
                    "a 410 after {kills} kills; the service answered {first} token calls and {reissues} reissues"
                )));
            }
            client.stage.count(row::EXHAUSTED);
            self.given_up = true;
            return Ok(());
        }
        let reply = reply.expect(200, "token call")?;
        self.is_as_asked(&reply)?;
        if self.done_unheard {
            client.stage.count(row::DONE_UNHEARD);
        }
        if self.unheard > 0 {
            client.stage.count(row::CURED);
        }
        client.stage.count(row::PICKED_UP);
        let (first, _) = self.upstream_gave(integration);
        if first != 1 {
            let why = format!("the service answered {first} token calls with 200");
            return Err(Halt::Wrong(why));
        }
        self.answer = Some(reply.body);
        Ok(())
    }

    fn upstream_gave(&self, integration: &str) -> (u64, u64) {
        self.world.upstream.given(integration)
    }

    /// Held: no token in the answer. Handed out: tokens that work.
    fn is_as_asked(&self, reply: &Reply) -> Step<()> {
        let access = reply.text("accessToken");
        if reply.value("held") == !self.world.hand_out && access.is_empty() {
            return Ok(());
        }
        match self.world.hand_out && self.world.upstream.works(&access) {
            true => Ok(()),
            false => Err(Halt::Wrong("a token answer that is no use".to_owned())),
        }
    }

    /// Asked again, the answer is the same.
    fn is_repeated(&self, client: &mut Client<'_>) -> Step<()> {
        let again = client.ask("token call", &self.call("GET", TOKEN))?;
        let again = again.expect(200, "a token set that was answered")?;
        match self.world.hand_out && self.answer.as_ref() != Some(&again.body) {
            true => Err(Halt::Wrong("a second 200 with other tokens".to_owned())),
            false => self.is_as_asked(&again),
        }
    }

    fn acknowledge(&mut self, client: &mut Client<'_>) -> Step<()> {
        if std::mem::take(&mut self.twice) {
            self.is_repeated(client)?;
        }
        self.acknowledging = true;
        let reply = client.ask("acknowledge", &self.call("DELETE", TOKEN))?;
        reply.expect(204, "acknowledge")?;
        self.acknowledged = true;
        client.stage.count(row::ACKNOWLEDGED);
        self.is_forgotten(client)
    }

    /// The relay has them no more; they still work.
    fn is_forgotten(&self, client: &mut Client<'_>) -> Step<()> {
        let gone = client.ask("token call", &self.call("GET", TOKEN))?;
        gone.expect(410, "acknowledged tokens")?;
        let body = self.answer.clone().unwrap_or_default();
        self.is_as_asked(&Reply { status: 200, body })
    }
}

impl Life for RelayLife<'_> {
    fn step(&mut self, client: &mut Client<'_>) -> Step<bool> {
        let Some(integration) = self.integration.clone() else {
            return self.create(client).map(|()| false);
        };
        if self.given_up {
            return Ok(true);
        }
        if !self.finished {
            self.consent(client, &integration)?;
        } else if self.answer.is_none() {
            self.pick_up(client, &integration)?;
        } else if self.world.hand_out && !self.acknowledged {
            self.acknowledge(client)?;
        } else if !self.world.hand_out && !self.orders.are_done() {
            self.orders.send(client, &self.till.key)?;
        } else {
            return Ok(true);
        }
        Ok(false)
    }

    fn check(&mut self, client: &mut Client<'_>) -> Step<()> {
        if self.integration.is_none() {
            return Ok(());
        }
        let status = client.ask("status", &self.call("GET", INTEGRATION))?;
        let status = status.expect(200, "an integration that was answered is gone")?;
        if self.finished && status.text("status") != "finished" {
            return Err(Halt::Wrong("finished, and then not".to_owned()));
        }
        client.checked();
        if self.answer.is_none() {
            return Ok(());
        }
        if self.acknowledged {
            self.is_forgotten(client)?;
        } else if !self.acknowledging {
            self.is_repeated(client)?;
        }
        self.orders.check(client, &self.till.key)?;
        let connection = Message::request("GET", "/connection").bearer(&self.till.key);
        let connection = client.ask("connection", &connection)?;
        let connection = connection.expect(200, "a merchant who was connected")?;
        if connection.value("connected") != true {
            return Err(Halt::Wrong("a merchant who was connected is not".into()));
        }
        client.checked();
        Ok(())
    }
}
