//! An entry of the vault: what is kept of one integration, and what a later page does with it.

use super::storage::{Action, Range, Storage, record};
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;

/// Longer than a finished integration can be picked up (24 h), and than one stays pending.
const STALE_AFTER_MS: f64 = 25.0 * 3_600_000.0;

record! {
    /// What is kept of one integration. No `Debug`: it holds tokens.
    ///
    /// Other releases of the package read and write the same JSON text, so a released member is never renamed.
    pub struct IntegrationRecord {
        /// Names the entry: the vault's scope and random letters.
        pub id: String,
        /// When the integration was created, in milliseconds since 1970.
        pub at: Option<f64>,
        /// The integration token (§2.1).
        pub integration_token: String,
        /// Seconds between two status calls, if the service said so.
        pub interval: Option<f64>,
        /// Seconds until a pending integration is cancelled, if the service said so.
        pub expires_in: Option<f64>,
        /// The digits that the connect page shows outside a frame, if the service has such a code.
        pub code: Option<String>,
        /// The `pickup_id` of the token call, if the service can reissue a lost response.
        pub pickup_id: Option<String>,
        /// A token call left, and whether it took the tokens is not known.
        pub unanswered: bool,
        /// The raw body of the token call's response.
        pub token_response: Option<String>,
        /// What every further pick-up fails with, once there is nothing left to pick up.
        pub over: Option<ErrorCode>,
        /// A page was told what `over` says.
        pub is_reported: bool,
        /// The relay holds the tokens: there is nothing to hand over.
        pub is_held_by_relay: bool,
        /// The host has the tokens; the relay still has to erase them.
        pub is_accepted_by_host: bool,
        /// The entry was erased, or could not be read, and was made anew.
        pub is_lost: bool,
    }
}

/// What an entry is to a page that finds it, in the order in which `resume` prefers them.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum RecordState {
    /// Over, and too old to matter: to be erased.
    Stale,
    /// Over: handed over, lost, or with the relay. Kept so that no page asks again.
    Over,
    /// Over, but the page that found out may have died before it could say so.
    Unreported,
    /// Its pick-up has not begun.
    Waiting,
    /// A request left, and what came of it is not known.
    InFlight,
    /// The tokens are here.
    Undelivered,
}

/// What an entry is, and how new; the greater one is resumed.
pub type Worth = (RecordState, f64);

impl IntegrationRecord {
    /// What stays known if the entry vanishes: everything but the tokens and the doubt.
    pub fn identity(&self) -> Self {
        Self {
            token_response: None,
            unanswered: false,
            ..self.clone()
        }
    }

    /// The entry as it is now, of which this is the identity. One that was never kept, or was erased, is made from
    /// this. So is one that can't be read, and its tokens may have been taken: it counts as unanswered.
    pub async fn read<S: Storage>(&self, storage: &S) -> Result<Self, Failure> {
        let found = storage.find(&self.id).await?;
        let unanswered = found.is_some();
        let kept = found.and_then(|found| S::from_text(&found.text?));
        Ok(kept.unwrap_or_else(|| Self {
            unanswered,
            is_lost: true,
            ..self.clone()
        }))
    }

    /// All entries that can be read, in the order of their ids.
    pub async fn list<S: Storage>(storage: &S) -> Result<Vec<Self>, Failure> {
        let range = Range::Scope(storage.scope().into());
        let found = storage.perform(Action::Read(range, u32::MAX)).await?;
        let entries = found
            .iter()
            .filter_map(|found| S::from_text(found.text.as_deref()?));
        // The connection record has no token.
        Ok(entries
            .filter(|entry: &Self| !entry.integration_token.is_empty())
            .collect())
    }

    /// Keeps the entry. When this is done, it survives a crash.
    pub async fn write<S: Storage>(&self, storage: &S) -> Result<(), Failure> {
        storage.perform(self.to_write::<S>()?).await?;
        Ok(())
    }

    /// Keeps the entry without waiting for it, because the page can do without.
    pub fn write_later<S: Storage>(&self, storage: &S) {
        if let Ok(write) = self.to_write::<S>() {
            storage.perform_later(write);
        }
    }

    fn to_write<S: Storage>(&self) -> Result<Action, Failure> {
        let (id, text) = (self.id.clone(), S::to_text(self)?);
        Ok(Action::Write { id, text })
    }

    /// Judges the entry. Time never takes tokens away, nor what may have taken them: clocks jump.
    pub fn state(&self, now_ms: f64) -> RecordState {
        let at = self.at.unwrap_or(now_ms);
        let is_old = (now_ms - at).abs() > STALE_AFTER_MS;
        let is_over = self.over.is_some();
        let is_told = self.is_reported || self.is_held_by_relay;
        match self.token_response {
            _ if (is_over || is_told) && is_old => RecordState::Stale,
            _ if is_told => RecordState::Over,
            _ if is_over => RecordState::Unreported,
            Some(_) => RecordState::Undelivered,
            None if self.unanswered => RecordState::InFlight,
            None if is_old => RecordState::Stale,
            None => RecordState::Waiting,
        }
    }

    /// What it is worth to a page that looks for one. `is_own`: that page's object has created it last.
    pub fn worth(&self, now_ms: f64, is_own: bool) -> Worth {
        let at = if is_own {
            f64::INFINITY
        } else {
            self.at.unwrap_or_default()
        };
        (self.state(now_ms), at)
    }
}

/// The errors after which a retry cannot give anything else.
const FINAL: [ErrorCode; 6] = [
    ErrorCode::TokensAlreadyRetrieved,
    ErrorCode::TokensLost,
    ErrorCode::IntegrationCancelled,
    ErrorCode::IntegrationExpired,
    ErrorCode::OtherAccount,
    ErrorCode::ConnectionEnded,
];

/// Whether a pick-up that failed with this is over.
pub fn is_final(code: ErrorCode) -> bool {
    FINAL.contains(&code)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: f64 = 1_800_000_000_000.0;
    const YEAR_MS: f64 = 365.0 * 24.0 * 3_600_000.0;

    fn waiting() -> IntegrationRecord {
        IntegrationRecord {
            at: Some(NOW),
            integration_token: "t".into(),
            ..IntegrationRecord::default()
        }
    }

    fn over_by(code: ErrorCode) -> IntegrationRecord {
        IntegrationRecord {
            over: Some(code),
            ..waiting()
        }
    }

    fn in_flight() -> IntegrationRecord {
        IntegrationRecord {
            unanswered: true,
            ..waiting()
        }
    }

    fn undelivered() -> IntegrationRecord {
        IntegrationRecord {
            token_response: Some("{}".into()),
            ..waiting()
        }
    }

    #[test]
    fn tokens_come_before_doubts_and_doubts_before_the_rest() {
        let lost = over_by(ErrorCode::TokensLost);
        let told = IntegrationRecord {
            is_reported: true,
            ..lost.clone()
        };
        let doubtful = IntegrationRecord {
            unanswered: true,
            ..undelivered()
        };
        let found = [told, lost, waiting(), in_flight(), doubtful].map(|entry| entry.state(NOW));
        assert_eq!(
            found,
            [
                RecordState::Over,
                RecordState::Unreported,
                RecordState::Waiting,
                RecordState::InFlight,
                RecordState::Undelivered
            ]
        );
        assert!(found.is_sorted());
    }

    #[test]
    fn a_page_resumes_tokens_before_its_own_and_its_own_before_a_newer_one() {
        let newer = IntegrationRecord {
            at: Some(NOW + 1.0),
            ..waiting()
        };
        let [tokens, own] = [undelivered().worth(NOW, false), waiting().worth(NOW, true)];
        let [newer, older] = [newer, waiting()].map(|entry| entry.worth(NOW, false));
        assert!([older, newer, own, tokens].is_sorted());
    }

    #[test]
    fn no_clock_takes_tokens_or_doubts_away() {
        for clock_ms in [YEAR_MS, -YEAR_MS, f64::INFINITY] {
            let now = NOW + clock_ms;
            assert_eq!(undelivered().state(now), RecordState::Undelivered);
            assert_eq!(in_flight().state(now), RecordState::InFlight);
        }
    }

    #[test]
    fn what_is_over_or_waited_too_long_is_stale_by_either_direction_of_the_clock() {
        let held = IntegrationRecord {
            is_held_by_relay: true,
            ..undelivered()
        };
        for entry in [waiting(), over_by(ErrorCode::TokensAlreadyRetrieved), held] {
            for sign in [1.0, -1.0] {
                assert_eq!(entry.state(NOW + sign * YEAR_MS), RecordState::Stale);
                assert_ne!(entry.state(NOW + sign * 3_600_000.0), RecordState::Stale);
            }
        }
    }

    #[test]
    fn an_entry_without_a_time_is_young() {
        assert_eq!(
            IntegrationRecord::default().state(NOW),
            RecordState::Waiting
        );
    }

    #[test]
    fn what_is_over_cannot_be_cured() {
        for code in FINAL {
            assert!(is_final(code) && !code.retryable());
        }
        assert!(!is_final(ErrorCode::Protocol));
    }

    #[test]
    fn an_identity_has_neither_tokens_nor_doubts() {
        let entry = IntegrationRecord {
            unanswered: true,
            is_accepted_by_host: true,
            ..undelivered()
        };
        let identity = entry.identity();
        assert!(identity.token_response.is_none() && !identity.unanswered);
        assert_eq!(
            (identity.at, identity.integration_token.as_str()),
            (Some(NOW), "t")
        );
        assert!(identity.is_accepted_by_host);
    }

    #[test]
    fn the_kept_form_is_the_one_of_every_release() {
        let all = json!({"id": "i", "at": 1.0, "integrationToken": "t", "interval": 5.0, "expiresIn": 900.0,
            "code": "0042", "pickupId": "p", "unanswered": true, "tokenResponse": "{}", "over": "tokens_lost",
            "isReported": true,
            "isHeldByRelay": true, "isAcceptedByHost": true, "isLost": true});
        let entry: IntegrationRecord = serde_json::from_value(all.clone()).unwrap();
        assert_eq!(serde_json::to_value(&entry).unwrap(), all);
        let least: IntegrationRecord =
            serde_json::from_value(json!({"integrationToken": "t"})).unwrap();
        let kept = serde_json::to_value(&least).unwrap();
        let read: IntegrationRecord = serde_json::from_value(kept.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), kept);
        assert_eq!(read.state(NOW), RecordState::Waiting);
    }

    #[test]
    fn a_wrong_member_does_not_cost_the_tokens() {
        let odd = json!({"id": "i", "at": "soon", "integrationToken": "t", "interval": null, "expiresIn": {}, "code": 7,
            "pickupId": [1], "unanswered": 1, "tokenResponse": "{}", "over": false, "isReported": "yes",
            "later": true});
        let entry: IntegrationRecord = serde_json::from_value(odd).unwrap();
        assert_eq!(entry.state(NOW), RecordState::Undelivered);
        assert_eq!(
            (entry.id.as_str(), entry.integration_token.as_str()),
            ("i", "t")
        );
        assert_eq!((entry.interval, entry.code), (None, None));
    }
}
