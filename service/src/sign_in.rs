//! How often passwords may be tried: which budgets an attempt spends.
//!
//! A budget that strangers share with a merchant would let them lock the merchant out. So what counts for long is counted
//! apart from the addresses that the merchant has signed in from.

use crate::limit::Budget;
use crate::token::Hash;
use std::net::IpAddr;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Unknown emails share so many long-term budgets: inventing emails must not fill the database.
const UNKNOWN: u16 = 4096;

/// An attempt to sign in.
#[derive(Clone, Copy)]
pub struct Attempt<'a> {
    /// What is to be connected.
    pub integration: &'a Hash,
    /// Whose till shows the page.
    pub vendor: i64,
    /// As the account's is kept.
    pub email: &'a str,
    /// Whether there is such an account.
    pub is_known: bool,
    /// Where it comes from, if that is known.
    pub address: Option<IpAddr>,
    /// Whether the account has been signed in to from there before.
    pub is_familiar: bool,
}

/// One budget that an attempt spends.
pub struct Spent {
    /// Names it.
    pub key: Hash,
    /// How much there is.
    pub budget: Budget,
    /// What a success does.
    pub success: Success,
    /// Whether the operator is told when nothing is left of it.
    pub alerts: bool,
}

/// What a successful sign-in does to a budget.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Success {
    /// Nothing: an integration is signed in to once.
    Keeps,
    /// It was no failure.
    GivesBack,
    /// It is full again.
    Fills,
}

impl Attempt<'_> {
    /// What the attempt spends, in the order in which it is counted. The integration comes first: one whose budget is
    /// spent must not spend those of other people's emails.
    pub fn spends(&self) -> Vec<Spent> {
        let address = self.address.map(network).unwrap_or_default();
        let mut all = vec![
            spent(
                &["integration", &self.integration.label()],
                5,
                MINUTE,
                Success::Keeps,
            ),
            spent(&["email", self.email, &address], 5, MINUTE, Success::Fills),
            spent(
                &["vendor", &self.vendor.to_string()],
                200,
                5 * SECOND,
                Success::GivesBack,
            ),
        ];
        if !address.is_empty() {
            all.push(spent(
                &["address", &address],
                50,
                MINUTE,
                Success::GivesBack,
            ));
        }
        if !self.is_familiar {
            let lasting = spent(
                &["account", &self.lasting()],
                30,
                30 * MINUTE,
                Success::GivesBack,
            );
            all.push(Spent {
                alerts: self.is_known,
                ..lasting
            });
        }
        all
    }

    /// Names the long-term budget of the email.
    fn lasting(&self) -> String {
        if self.is_known {
            return self.email.into();
        }
        let bytes = Hash::of(self.email).bytes()[..2].try_into();
        (u16::from_be_bytes(bytes.unwrap_or_default()) % UNKNOWN).to_string()
    }
}

fn spent(key: &[&str], burst: u32, refill: Duration, success: Success) -> Spent {
    Spent {
        key: Hash::of(&key.join("\n")),
        budget: Budget::new(burst, refill),
        success,
        alerts: false,
    }
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
            .spends()
            .into_iter()
            .map(|spent| spent.key)
            .collect()
    }

    fn attempt<'a>(integration: &'a Hash, email: &'a str, address: &str) -> Attempt<'a> {
        Attempt {
            integration,
            vendor: 1,
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

    #[test]
    fn invented_emails_fill_nothing() {
        let integration = Hash::of("i");
        let lasting: std::collections::HashSet<Hash> = (0..20_000)
            .map(|number| {
                let email = format!("{number}@b.example");
                let invented = Attempt {
                    is_known: false,
                    ..attempt(&integration, &email, "")
                };
                *keys(invented).last().unwrap()
            })
            .collect();
        assert!(lasting.len() <= usize::from(UNKNOWN), "{}", lasting.len());
    }
}
