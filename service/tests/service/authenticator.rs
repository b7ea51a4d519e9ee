//! An authenticator app, and a merchant who has one.

use crate::http::{Answer, Call, query};
use crate::world::{EMAIL, PASSWORD, World};
use pos_connect_service::clock::Timestamp;
use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};

/// The app, with its secret.
pub struct Authenticator(Vec<u8>);

impl Authenticator {
    /// Reads the key on a page, as a person does.
    pub fn of(page: &Answer) -> Self {
        let key = page.body.split("id=\"key\">").nth(1).expect("a key");
        let key = key.split('<').next().unwrap().replace(' ', "");
        let letters = key.bytes().map(|letter| match letter {
            b'A'..=b'Z' => letter - b'A',
            b'2'..=b'7' => letter - b'2' + 26,
            _ => panic!("{key} is not base32"),
        });
        let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
        for letter in letters {
            (bits, count) = ((bits << 5) | u32::from(letter), count + 5);
            if count >= 8 {
                count -= 8;
                bytes.push((bits >> count) as u8);
            }
        }
        Self(bytes)
    }

    /// What it shows, or has shown so many times 30 seconds before.
    pub fn code(&self, now: Timestamp, steps: i64) -> String {
        let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.0);
        let hash = sign(&key, &(now.0 / 30_000 + steps).to_be_bytes());
        let start = usize::from(hash.as_ref()[19] & 15);
        let part: [u8; 4] = hash.as_ref()[start..start + 4].try_into().unwrap();
        format!(
            "{:06}",
            (u32::from_be_bytes(part) & 0x7fff_ffff) % 1_000_000
        )
    }
}

impl World {
    /// Sends a form of the list of connections.
    pub async fn on_list(&self, page: &Answer, filled: &[(&str, &str)]) -> Answer {
        let hidden = page.hidden_fields();
        let is_open =
            |name: &str| name != "connection" && filled.iter().all(|(known, _)| *known != name);
        let hidden = hidden.iter().filter(|(name, _)| is_open(name));
        let mut pairs: Vec<(&str, &str)> =
            hidden.map(|(name, value)| (&**name, &**value)).collect();
        pairs.extend(filled);
        let form = "application/x-www-form-urlencoded";
        let call = Call::new("POST", "/connections").header("Content-Type", form);
        self.send(call.body(query(&pairs))).await
    }

    /// Signs in to the list, as far as the password leads.
    pub async fn sign_in_to_list(&self) -> Answer {
        let first = self.send(Call::new("GET", "/connections")).await;
        let filled = [
            ("action", "sign-in"),
            ("email", EMAIL),
            ("password", PASSWORD),
        ];
        self.on_list(&first, &filled).await
    }

    /// Asks for the secret of a second factor, with the password.
    pub async fn set_up(&self, list: &Answer) -> Answer {
        let filled = [("action", "second-factor"), ("password", PASSWORD)];
        self.on_list(list, &filled).await
    }

    /// Turns two-step sign-in on. Gives the app, and the recovery codes.
    pub async fn turn_on_second_factor(&self) -> (Authenticator, Vec<String>) {
        let list = self.sign_in_to_list().await;
        let set_up = self.set_up(&list).await;
        let app = Authenticator::of(&set_up);
        let code = app.code(self.now(), 0);
        let filled = [("action", "second-factor-on"), ("code", &*code)];
        let shown = self.on_list(&set_up, &filled).await;
        (app, recovery_codes(&shown))
    }

    /// Signs in to connect an integration, as far as the password leads.
    pub async fn asked_for_code(&self, token: &str) -> Answer {
        let first = self.open_connect(token).await;
        self.sign_in(&first, EMAIL, PASSWORD).await
    }

    pub async fn enter(&self, page: &Answer, code: &str) -> Answer {
        self.submit(page, &[("action", "code"), ("code", code)])
            .await
    }
}

/// Those that a page shows.
pub fn recovery_codes(page: &Answer) -> Vec<String> {
    let list = page.body.split("class=\"recovery-codes\"").nth(1);
    let items = list.expect("recovery codes").split("<li>").skip(1);
    let text = |item: &str| item.split('<').next().unwrap().to_owned();
    items.map(text).collect()
}
