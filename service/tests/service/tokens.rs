//! Calls with what a pick-up hands out.

use crate::http::{Answer, Call, query};
use crate::world::{ACCOUNT, REFRESH, REISSUE, REVOKE, TOKEN, Vendor, World, target};
use pos_connect_service::token::random_text;

/// The tokens of one answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pair {
    pub access: String,
    pub refresh: String,
}

impl Pair {
    /// The pair in an answer to the token call, to a reissue, or to a refresh.
    pub fn of(answer: &Answer) -> Self {
        assert_eq!(answer.status, 200, "{}", answer.body);
        let body = answer.json();
        let text = |camel: &str, snake: &str| {
            let value = body.get(camel).or(body.get(snake)).unwrap();
            value.as_str().unwrap().to_owned()
        };
        Self {
            access: text("accessToken", "access_token"),
            refresh: text("refreshToken", "refresh_token"),
        }
    }
}

/// A new `pickup_id`.
pub fn pickup_id() -> String {
    random_text(43)
}

pub fn with_pickup(path: &str, vendor: &Vendor, token: &str, pickup: &str) -> String {
    format!(
        "{}&{}",
        target(path, vendor, token),
        query(&[("pickup_id", pickup)])
    )
}

pub fn pick_up(vendor: &Vendor, token: &str, pickup: &str) -> Call {
    Call::new("GET", with_pickup(TOKEN, vendor, token, pickup))
}

pub fn reissue(vendor: &Vendor, token: &str, pickup: &str) -> Call {
    Call::new("POST", with_pickup(REISSUE, vendor, token, pickup))
}

pub fn account(access: &str) -> Call {
    Call::new("GET", ACCOUNT).header("Authorization", format!("Bearer {access}"))
}

pub fn form(path: &str, pairs: &[(&str, &str)]) -> Call {
    Call::new("POST", path)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(query(pairs))
}

pub fn refresh(vendor: &Vendor, refresh: &str) -> Call {
    let pairs = [
        ("client_id", &*vendor.id),
        ("client_secret", &vendor.secret),
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh),
    ];
    form(REFRESH, &pairs)
}

pub fn revoke(vendor: &Vendor, token: &str) -> Call {
    let pairs = [
        ("client_id", &*vendor.id),
        ("client_secret", &vendor.secret),
        ("token", token),
    ];
    form(REVOKE, &pairs)
}

impl World {
    pub async fn pick_up(&self, token: &str, pickup: &str) -> Answer {
        self.send(pick_up(&self.vendor, token, pickup)).await
    }

    pub async fn reissue(&self, token: &str, pickup: &str) -> Answer {
        self.send(reissue(&self.vendor, token, pickup)).await
    }

    pub async fn account(&self, access: &str) -> Answer {
        self.send(account(access)).await
    }

    pub async fn refresh(&self, token: &str) -> Answer {
        self.send(refresh(&self.vendor, token)).await
    }

    pub async fn revoke(&self, token: &str) -> Answer {
        self.send(revoke(&self.vendor, token)).await
    }

    /// A finished integration that was picked up, with its `pickup_id` and what came of it.
    pub async fn picked_up(&self) -> (String, String, Pair) {
        let (token, pickup) = (self.finished().await, pickup_id());
        let pair = Pair::of(&self.pick_up(&token, &pickup).await);
        (token, pickup, pair)
    }

    /// Which of the access tokens are good for something. Asking uses them.
    pub async fn live<'p>(&self, pairs: &'p [Pair]) -> Vec<&'p Pair> {
        let mut live = Vec::new();
        for pair in pairs {
            let answer = self.account(&pair.access).await;
            match answer.status {
                200 => live.push(pair),
                _ => assert_eq!(
                    (answer.status, answer.code().as_str()),
                    (401, "invalid_token")
                ),
            }
        }
        live
    }
}

/// An answer without what differs from call to call.
pub fn bytes_of(mut answer: Answer) -> (u16, Vec<(String, String)>, String) {
    let id = answer.header("x-request-id").unwrap().to_owned();
    answer
        .headers
        .retain(|(name, _)| name != "x-request-id" && name != "date");
    (answer.status, answer.headers, answer.body.replace(&id, ""))
}
