//! How often passwords may be tried: which budgets an attempt charges.
//!
//! A budget that strangers share with a merchant would let them lock the merchant out. So what counts for long is
//! counted apart from the addresses that the merchant has signed in from.
//!
//! While its password is looked at, an attempt counts as a failure: so attempts sent all at once count, too. What has
//! failed is in the database before it is answered; what a crash cut off has not failed.

use crate::limit::Budget;
use crate::password::Asker;
use crate::token::Hash;
use pos_connect_protocol::Mode;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// An attempt to sign in.
#[derive(Clone, Copy)]
pub struct Attempt<'a> {
    /// What is to be connected; `None` on the merchant's own page.
    pub integration: Option<&'a Hash>,
    /// As the account's is kept.
    pub email: &'a str,
    /// Whether there is such an account.
    pub is_known: bool,
    /// Where it comes from, if that is known.
    pub address: Option<IpAddr>,
    /// Whether the account has been signed in to from there before.
    pub is_familiar: bool,
}

/// Which attempts spend a budget.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum By {
    Failures,
    /// A success fills it again.
    FailuresInARow,
    Successes,
}

/// One budget that an attempt charges.
#[derive(Clone, Copy, Debug)]
pub struct BudgetCharge {
    /// Names it.
    pub key: Hash,
    /// How much there is.
    pub budget: Budget,
    by: By,
    /// Whether the operator is told when nothing is left of it.
    pub alerts: bool,
}

impl Attempt<'_> {
    /// What the attempt charges, as it fails or succeeds.
    pub fn charges(&self) -> Vec<BudgetCharge> {
        let address = self.address.map(network).unwrap_or_default();
        let mut all = vec![
            BudgetCharge {
                by: By::FailuresInARow,
                ..charge(&["email", self.email, &address], 5, MINUTE)
            },
            // Who has the password can make neither the audit nor the hashing as large as they like.
            BudgetCharge {
                by: By::Successes,
                ..charge(&right(self.email), 200, 10 * SECOND)
            },
        ];
        if let Some(integration) = self.integration {
            all.push(charge(&["integration", &integration.label()], 5, MINUTE));
        }
        if !address.is_empty() {
            all.push(charge(&["address", &address], 50, MINUTE));
        }
        // What strangers spend must not lock out whoever has been here before.
        if !self.is_familiar {
            all.push(BudgetCharge {
                alerts: self.is_known,
                ..charge(&lasting(self.email), 30, 30 * MINUTE)
            });
        }
        all
    }

    /// Who wants a place for it.
    pub fn asker(&self) -> Asker {
        Asker {
            account: Hash::of(self.email),
            network: self.address.map(|address| Hash::of(&network(address))),
            is_familiar: self.is_familiar,
        }
    }
}

/// Names the long-term budget of an email, whether or not somebody has it: that must not show.
fn lasting(email: &str) -> [&str; 2] {
    ["account", email]
}

/// Names the budget of an email's successes.
fn right(email: &str) -> [&str; 2] {
    ["right", email]
}

/// The budgets that a wrong code of an account's second factor charges, each with its key.
pub struct CodeBudgets {
    /// The budget of wrong codes in a row: a right one fills it again.
    pub in_a_row: (Hash, Budget),
    /// The budget of all wrong codes.
    pub lasting: (Hash, Budget),
}

/// What a wrong code charges. Who gets to try one has the password, or is in a page of the merchant's: so the addresses
/// that the account knows have an end, too.
pub fn code_budgets(account: i64, address: Option<IpAddr>, is_familiar: bool) -> CodeBudgets {
    let address = address.map(network).unwrap_or_default();
    let key = Hash::of(&format!("code\n{account}\n{address}"));
    let [strange, familiar] = lasting_code_keys(account);
    CodeBudgets {
        in_a_row: (key, Budget::new(5, MINUTE)),
        lasting: match is_familiar {
            true => (familiar, Budget::new(100, 10 * MINUTE)),
            false => (strange, Budget::new(30, 30 * MINUTE)),
        },
    }
}

/// The keys of what counts for long with an account's codes: from strange addresses, and from familiar ones.
pub fn lasting_code_keys(account: i64) -> [Hash; 2] {
    ["strange", "familiar"].map(|which| Hash::of(&format!("codes\n{account}\n{which}")))
}

/// Names an address, or its network, among the familiar ones of an account.
pub fn familiar_key(account: i64, address: IpAddr) -> Hash {
    Hash::of(&format!("{account}\n{}", network(address)))
}

/// The keys of what counts for long with an email, over all addresses.
pub fn lasting_keys(email: &str) -> [Hash; 2] {
    [lasting(email), right(email)].map(|key| Hash::of(&key.join("\n")))
}

fn charge(key: &[&str], burst: u32, refill: Duration) -> BudgetCharge {
    BudgetCharge {
        key: Hash::of(&key.join("\n")),
        budget: Budget::new(burst, refill),
        by: By::Failures,
        alerts: false,
    }
}

/// The budgets of attempts that are not over: their password is being looked at, or their failure is not in the
/// database yet.
#[derive(Default)]
pub struct Underway(Mutex<HashMap<Hash, Counted>>);

/// What is known of a budget that attempts charge.
#[derive(Default)]
struct Counted {
    /// As the database has it, or will have it; `None` until somebody has looked.
    full_at: Option<i64>,
    /// Passwords that are being looked at.
    undecided: u32,
    /// Attempts that are not over.
    attempts: u32,
}

/// What an attempt does to a budget.
pub struct BudgetChange {
    /// Names it.
    pub key: Hash,
    /// What is charged; `None` fills it.
    charge: Option<Budget>,
}

impl BudgetChange {
    /// When the budget is full, now that it is changed; in microseconds since 1970, as both parameters are.
    pub fn after(&self, full_at: i64, now: i64) -> i64 {
        match self.charge {
            None => now,
            // There was room when the attempt began; there is none if another service or clock came in between.
            Some(budget) => budget.spend(full_at, now).unwrap_or(full_at),
        }
    }
}

impl Underway {
    fn all(&self) -> MutexGuard<'_, HashMap<Hash, Counted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An attempt is about to be made. From here on nobody forgets what is known of its budgets.
    pub(crate) fn announce(&self, charges: &[BudgetCharge]) {
        let mut all = self.all();
        for charge in charges {
            all.entry(charge.key).or_default().attempts += 1;
        }
    }

    /// Makes room for an announced attempt, or says in how many seconds there is some. `stored` is what the database
    /// had after the announcement.
    pub(crate) fn begin(
        &self,
        charges: &[BudgetCharge],
        now: i64,
        stored: &HashMap<Hash, i64>,
    ) -> Result<(), u64> {
        let mut all = self.all();
        for charge in charges {
            let counted = all.entry(charge.key).or_default();
            // Another service may have charged it, too; the later one is as both have left it.
            let stored = stored.get(&charge.key).copied();
            let full_at = counted.full_at.max(stored).unwrap_or(now);
            counted.full_at = Some(full_at);
            let mut after = Ok(full_at);
            for _ in 0..=counted.undecided {
                after = after.and_then(|full_at| charge.budget.spend(full_at, now));
            }
            after?;
        }
        for charge in charges {
            all.entry(charge.key).or_default().undecided += 1;
        }
        Ok(())
    }

    /// The password was right or wrong. Gives what the database has to keep, and whether a budget that alerts has
    /// nothing left now.
    pub(crate) fn decide(
        &self,
        charges: &[BudgetCharge],
        is_right: bool,
        now: i64,
    ) -> (Vec<BudgetChange>, bool) {
        let mut all = self.all();
        let (mut changes, mut is_last) = (Vec::new(), false);
        for charge in charges {
            let Some(counted) = all.get_mut(&charge.key) else {
                continue;
            };
            counted.undecided -= 1;
            let change = BudgetChange {
                key: charge.key,
                charge: match (charge.by, is_right) {
                    (By::Failures, true) | (By::Successes, false) => continue,
                    (By::FailuresInARow, true) => None,
                    _ => Some(charge.budget),
                },
            };
            let full_at = change.after(counted.full_at.unwrap_or(now), now);
            counted.full_at = Some(full_at);
            is_last |= charge.alerts && !is_right && charge.budget.spend(full_at, now).is_err();
            changes.push(change);
        }
        (changes, is_last)
    }

    /// Nobody looks at the password: the attempt has not been made.
    pub(crate) fn withdraw(&self, charges: &[BudgetCharge]) {
        let mut all = self.all();
        for charge in charges {
            if let Some(counted) = all.get_mut(&charge.key) {
                counted.undecided -= 1;
            }
        }
        drop(all);
        self.end(charges);
    }

    /// The attempt is over, and the database has what it has to keep.
    pub(crate) fn end(&self, charges: &[BudgetCharge]) {
        let mut all = self.all();
        for charge in charges {
            if let Some(counted) = all.get_mut(&charge.key) {
                counted.attempts -= 1;
                if counted.attempts == 0 {
                    all.remove(&charge.key);
                }
            }
        }
    }
}

/// A sign-in to an account: it counts until everything that was signed in to the account is ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SignedIn {
    /// Row number of the account.
    pub account: i64,
    /// How often everything had been ended when the credential counted.
    pub generation: i64,
}

/// What a success is remembered with: the account, and where it was signed in to from.
pub type Owner = (SignedIn, Option<Hash>);

/// What came of an attempt.
#[derive(Clone, Copy)]
pub struct Tried {
    /// Whose account was meant, if there is one.
    pub owner: Option<Owner>,
    /// From where, if that is known.
    pub address: Option<IpAddr>,
    /// Whether the password was right.
    pub is_right: bool,
    /// The mode of the vendor whose page it was.
    pub mode: Option<Mode>,
}

/// The address, or the network that one household or company has (RFC 6177).
pub fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(attempt: Attempt<'_>) -> Vec<Hash> {
        attempt
            .charges()
            .into_iter()
            .map(|charge| charge.key)
            .collect()
    }

    fn attempt<'a>(integration: &'a Hash, email: &'a str, address: &str) -> Attempt<'a> {
        Attempt {
            integration: Some(integration),
            email,
            is_known: true,
            address: address.parse().ok(),
            is_familiar: false,
        }
    }

    #[test]
    fn an_address_is_one_of_a_network() {
        let integration = Hash::of("i");
        let at = |address| keys(attempt(&integration, "a@b.example", address));
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:3::1"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        assert_eq!((at("").len(), at("192.0.2.1").len()), (4, 5));
        let asker = |address| attempt(&integration, "a@b.example", address).asker();
        assert!(asker("2001:db8:1:2::1") == asker("2001:db8:1:2:3::1"));
        assert!(asker("2001:db8:1:2::1") != asker("2001:db8:1:3::1"));
    }

    #[test]
    fn a_familiar_address_is_not_counted_with_strangers() {
        let integration = Hash::of("i");
        let stranger = attempt(&integration, "a@b.example", "192.0.2.1");
        let familiar = Attempt {
            is_familiar: true,
            ..stranger
        };
        assert_eq!(keys(stranger).len(), keys(familiar).len() + 1);
    }
}
