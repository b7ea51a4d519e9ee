//! A device that has a passkey, and the browser in front of it (WebAuthn, Level 3).

use crate::http::{Answer, attribute};
use crate::world::{EMAIL, PASSWORD, World};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use pos_connect_service::Settings;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use std::sync::Arc;

/// Where the service is, as browsers know it.
pub const ORIGIN: &str = "https://ads.example";
const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 4;
const HAS_KEY: u8 = 64;

/// What it says of itself: a dishonest one says something else.
#[derive(Clone)]
pub struct Device {
    pub key: Arc<EcdsaKeyPair>,
    pub id: Vec<u8>,
    /// How often it has signed; 0 for one that does not count.
    pub counter: u32,
    pub origin: &'static str,
    pub site: &'static str,
    pub flags: u8,
}

impl Device {
    pub fn new(id: u8) -> Self {
        let (suite, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(suite, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(suite, document.as_ref(), &random).unwrap();
        Self {
            key: key.into(),
            id: vec![id; 32],
            counter: 1,
            origin: ORIGIN,
            site: "ads.example",
            flags: USER_PRESENT | USER_VERIFIED,
        }
    }

    /// The same with another flag: nobody has shown to be its owner.
    pub fn unverified(&self) -> Self {
        let flags = USER_PRESENT;
        Self {
            flags,
            ..self.clone()
        }
    }

    /// What it answers to a page that wants a passkey.
    pub fn create(&self, page: &Answer) -> String {
        let point = self.key.public_key().as_ref();
        let (x, y) = point[1..].split_at(32);
        let key = [
            b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20",
            x,
            b"\x22\x58\x20",
            y,
        ]
        .concat();
        let id = [&[0; 16], &[0, self.id.len() as u8][..], &self.id].concat();
        let data = [self.data(HAS_KEY), id, key].concat();
        let length = [0x59, (data.len() >> 8) as u8, data.len() as u8];
        let head = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData";
        let object = [&head[..], &length, &data].concat();
        let client = self.client("webauthn.create", page);
        self.credential(json!({
            "attestationObject": BASE64.encode(object), "clientDataJSON": BASE64.encode(client),
            "transports": ["internal", "smart-card"],
        }))
    }

    /// What it answers to a page that wants its signature.
    pub fn get(&mut self, page: &Answer) -> String {
        self.counter += u32::from(self.counter > 0);
        let (data, client) = (self.data(0), self.client("webauthn.get", page));
        let signed = [&data[..], digest(&SHA256, client.as_bytes()).as_ref()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        self.credential(json!({
            "authenticatorData": BASE64.encode(data), "clientDataJSON": BASE64.encode(client),
            "signature": BASE64.encode(signature),
        }))
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let site = digest(&SHA256, self.site.as_bytes());
        let flags = [self.flags | flags];
        [site.as_ref(), &flags, &self.counter.to_be_bytes()].concat()
    }

    fn client(&self, kind: &str, page: &Answer) -> String {
        let (challenge, origin) = (&options(page)["challenge"], self.origin);
        json!({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false})
            .to_string()
    }

    fn credential(&self, response: Value) -> String {
        let id = BASE64.encode(&self.id);
        let credential = json!({
            "id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": {},
        });
        credential.to_string()
    }
}

/// What a page asks a browser for.
pub fn options(page: &Answer) -> Value {
    let button = page.body.split("data-passkey=").nth(1).expect("a passkey");
    let options = attribute(button, "data-options").replace("&#34;", "\"");
    serde_json::from_str(&options).unwrap()
}

impl World {
    /// One at an address that passkeys can be for, whose account asks for codes.
    pub async fn at_a_site() -> (Self, crate::authenticator::Authenticator) {
        let world = Self::with(Settings {
            public_origin: Some(ORIGIN.into()),
            trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
            creates_per_second: 1000,
            ..Settings::default()
        })
        .await;
        let (app, _) = world.turn_on_second_factor().await;
        world.pass(crate::both::second_factor::STEP);
        (world, app)
    }

    /// The page that asks the browser for a new passkey.
    pub async fn asked_for_passkey(&self, app: &crate::authenticator::Authenticator) -> Answer {
        let asked = self.sign_in_to_list().await;
        let code = app.code(self.now(), 0);
        let list = self
            .on_list(&asked, &[("action", "code"), ("code", &code)])
            .await;
        self.pass(crate::both::second_factor::STEP);
        let code = app.code(self.now(), 0);
        let page = self
            .on_list(&list, &[("action", "passkey"), ("code", &code)])
            .await;
        self.pass(crate::both::second_factor::STEP);
        page
    }

    /// Adds a passkey. Gives the list.
    pub async fn add_passkey(
        &self,
        app: &crate::authenticator::Authenticator,
        device: &Device,
    ) -> Answer {
        let page = self.asked_for_passkey(app).await;
        self.answer_new(&page, &device.create(&page)).await
    }

    /// Sends the browser's answer to the page that asks for a new passkey.
    pub async fn answer_new(&self, page: &Answer, credential: &str) -> Answer {
        self.on_list(
            page,
            &[("action", "passkey-on"), ("credential", credential)],
        )
        .await
    }

    /// Sends the browser's answer to the second step of a connection.
    pub async fn answer(&self, page: &Answer, credential: &str) -> Answer {
        self.submit(page, &[("action", "code"), ("credential", credential)])
            .await
    }

    /// A page of the second step, for a new integration.
    pub async fn second_step(&self) -> Answer {
        let first = self.open_connect(&self.create().await).await;
        self.sign_in(&first, EMAIL, PASSWORD).await
    }
}
