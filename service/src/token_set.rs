//! The pair of tokens that a pick-up hands out, and when another pair may take its place.

use crate::clock::{Timestamp, days};
use crate::token::{Hash, Kind};
use pos_connect_protocol::{PickupOwner, ProblemCode};
use std::time::Duration;

/// How often a lost answer is cured; a till that loses more of them has another trouble.
pub const MAX_REISSUES: u32 = 3;

/// A new pair on its way into the one answer that holds it. No `Debug`: it holds the tokens.
pub struct Pair {
    /// For calls to the service's other APIs.
    pub access_token: String,
    /// For refreshing access.
    pub refresh_token: String,
    /// What is kept of it.
    pub stored: StoredPair,
}

/// How long the tokens of a pair live.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    /// The access token's.
    pub access: Duration,
    /// The refresh token's.
    pub refresh: Duration,
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self {
            access: Duration::from_secs(60 * 60),
            refresh: days(90),
        }
    }
}

/// What is kept of a pair.
#[derive(Clone, Copy, Debug)]
pub struct StoredPair {
    /// Hash of the access token.
    pub access: Hash,
    /// Hash of the refresh token.
    pub refresh: Hash,
    /// When the access token expires.
    pub access_until: Timestamp,
    /// When the refresh token expires.
    pub refresh_until: Timestamp,
}

impl Pair {
    /// A pair whose lifetimes begin now.
    pub fn mint(lifetimes: Lifetimes, now: Timestamp) -> Self {
        let (access_token, refresh_token) = (Kind::Access.mint(), Kind::Refresh.mint());
        let stored = StoredPair {
            access: Hash::of(&access_token),
            refresh: Hash::of(&refresh_token),
            access_until: now.after(lifetimes.access),
            refresh_until: now.after(lifetimes.refresh),
        };
        Self {
            access_token,
            refresh_token,
            stored,
        }
    }
}

/// A token set as it is stored, as far as it decides about a reissue.
#[derive(Clone, Debug)]
pub struct TokenSet {
    /// Hash of the `pickup_id` it was picked up with, if there was one.
    pub pickup: Option<Hash>,
    /// When it was picked up.
    pub claimed_at: Timestamp,
    /// How often it was replaced since.
    pub reissues: u32,
    /// Whether a token of it was ever used, and so has arrived.
    pub used: bool,
}

impl TokenSet {
    /// Whose pick-up took it, as seen by a call with a `pickup_id` of this hash.
    pub fn pickup_for(&self, pickup: &Hash) -> PickupOwner {
        match &self.pickup {
            Some(own) if own.matches(pickup) => PickupOwner::Yours,
            _ => PickupOwner::Other,
        }
    }

    /// Whether another pair may take its place, within `window` of the pick-up; if not, the answer says why.
    pub fn reissue_at(
        &self,
        pickup: &Hash,
        now: Timestamp,
        window: Duration,
    ) -> Result<(), ProblemCode> {
        if self.pickup_for(pickup) == PickupOwner::Other {
            return Err(ProblemCode::ReissueOtherPickup);
        }
        if self.used {
            return Err(ProblemCode::ReissueUsed);
        }
        if now >= self.claimed_at.after(window) {
            return Err(ProblemCode::ReissueExpired);
        }
        if self.reissues >= MAX_REISSUES {
            return Err(ProblemCode::ReissueExhausted);
        }
        Ok(())
    }
}

/// A refresh token that is not the valid one any more, when it comes back.
#[derive(Clone, Debug)]
pub struct SpentRefreshToken {
    /// Whether the last exchange was its own, or that of the token before it, again.
    pub last: bool,
    /// Whether it was never exchanged: its pair was replaced when the token before it came back.
    pub unused: bool,
    /// When it would have expired.
    pub until: Timestamp,
    /// Whether a token of the pair that is valid now was used.
    pub successor_used: bool,
    /// Whether the token set was ended.
    pub revoked: bool,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SpentAgain {
    /// Its answer was lost: another pair in place of the one that nobody used.
    Exchange,
    /// Nothing: it is no proof of theft, nor of a lost answer.
    Refuse,
    /// It is in two hands.
    Revoke,
}

impl SpentRefreshToken {
    /// Decides.
    pub fn again_at(&self, now: Timestamp) -> SpentAgain {
        if self.revoked || self.successor_used || !self.last {
            return SpentAgain::Revoke;
        }
        match self.unused || now >= self.until {
            true => SpentAgain::Refuse,
            false => SpentAgain::Exchange,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_spent_token_of_an_unused_pair_is_exchanged_again() {
        let spent = SpentRefreshToken {
            last: true,
            unused: false,
            until: Timestamp(1000),
            successor_used: false,
            revoked: false,
        };
        assert_eq!(spent.again_at(Timestamp(999)), SpentAgain::Exchange);
        assert_eq!(spent.again_at(Timestamp(1000)), SpentAgain::Refuse);
        let replaced = SpentRefreshToken {
            unused: true,
            ..spent.clone()
        };
        assert_eq!(replaced.again_at(Timestamp(0)), SpentAgain::Refuse);
        for before in [spent, replaced] {
            let mut older = before.clone();
            older.last = false;
            let mut used = before.clone();
            used.successor_used = true;
            let mut revoked = before;
            revoked.revoked = true;
            for spent in [older, used, revoked] {
                assert_eq!(
                    spent.again_at(Timestamp(0)),
                    SpentAgain::Revoke,
                    "{spent:?}"
                );
            }
        }
    }

    #[test]
    fn every_reason_against_a_reissue_has_its_own_code_and_its_place() {
        let (mine, window) = (Hash::of("mine"), Duration::from_secs(86_400));
        let day = 86_400_000;
        let mut set = TokenSet {
            pickup: Some(mine),
            claimed_at: Timestamp(1000),
            reissues: MAX_REISSUES - 1,
            used: false,
        };
        let at = |set: &TokenSet, now| set.reissue_at(&mine, Timestamp(now), window).err();
        assert_eq!(at(&set, 1000), None);
        assert_eq!(at(&set, day + 999), None);
        set.reissues = MAX_REISSUES;
        assert_eq!(at(&set, 1000), Some(ProblemCode::ReissueExhausted));
        assert_eq!(at(&set, day + 1000), Some(ProblemCode::ReissueExpired));
        set.used = true;
        assert_eq!(at(&set, day + 1000), Some(ProblemCode::ReissueUsed));
        for other in [None, Some(Hash::of("theirs"))] {
            set.pickup = other;
            assert_eq!(set.pickup_for(&mine), PickupOwner::Other);
            assert_eq!(at(&set, 1000), Some(ProblemCode::ReissueOtherPickup));
        }
    }
}
