//! The options of an ask, checked.

use super::words::{Word, Words};
use crate::error::{Error, ErrorCode};
use crate::labels::Labels;
use crate::phone::Region;
use pos_connect_protocol::order::{LONGEST_CONSENT, LONGEST_ID};

/// After so many seconds without a key or a touch the ask is over.
const IDLE_SECONDS: f64 = 60.0;
/// For so long the shopper sees what became of the receipt.
const OUTCOME_SECONDS: f64 = 2.0;
/// The consent text's name, unless the host gives one.
const CONSENT_ID: &str = "ereceipt-1";

/// The options as the page gave them. An empty text counts as missing.
#[derive(Default)]
pub struct Given {
    /// `orderId`
    pub order_id: Option<String>,
    /// `region`
    pub region: Option<String>,
    /// `locale`
    pub locale: Option<String>,
    /// `idleSeconds`
    pub idle_seconds: Option<f64>,
    /// `noAnswer`
    pub no_answer: Option<String>,
    /// `allowNone`
    pub allows_none: bool,
    /// `prefill`
    pub prefill: Option<String>,
    /// `announce`
    pub announce: Option<String>,
    /// `outcomeSeconds`
    pub outcome_seconds: Option<f64>,
    /// `context`
    pub context: Option<String>,
    /// `feedback`
    pub feedback: Option<String>,
    /// `consentId`
    pub consent_id: Option<String>,
    /// `labels`
    pub labels: Labels,
    /// `languages`
    pub languages: Vec<String>,
    /// Whether there is an `onSend`.
    pub asks_host: bool,
}

/// What a screen reader hears for each key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Announce {
    /// The digit, and after a pause the whole number.
    Digits,
    /// After a pause, how many there are.
    Count,
    /// Only what matters.
    Off,
}

impl Announce {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "" | "digits" => Some(Self::Digits),
            "count" => Some(Self::Count),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

/// What a key that counts feels and sounds like.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Feedback {
    /// The device vibrates.
    pub haptic: bool,
    /// It clicks.
    pub click: bool,
}

impl Feedback {
    fn parse(word: &str) -> Option<Self> {
        let (haptic, click) = match word {
            "" | "none" => (false, false),
            "haptic" => (true, false),
            "click" => (false, true),
            "both" => (true, true),
            _ => return None,
        };
        Some(Self { haptic, click })
    }
}

/// Checked options.
pub struct Settings {
    /// Whose receipt it is.
    pub order_id: String,
    /// Whose national numbers are read.
    pub region: Region,
    /// Without a touch for so long, the ask is over.
    pub idle_ms: f64,
    /// Whether it prints then.
    pub prints_unanswered: bool,
    /// Whether "no receipt" is offered.
    pub allows_none: bool,
    /// Whether the host has to accept the e-receipt.
    pub asks_host: bool,
    /// What a screen reader hears.
    pub announce: Announce,
    /// A number that the host knows, or nothing.
    pub prefill: String,
    /// For so long the shopper sees what became of it.
    pub outcome_ms: f64,
    /// What the receipt is for; may be empty.
    pub context: String,
    /// How keys answer.
    pub feedback: Feedback,
    /// Names the consent text.
    pub consent_id: String,
    /// What to say.
    pub words: Words,
    /// The name of a country, by its code, in a language: the browser's to know.
    pub country: fn(&str, &str) -> Option<String>,
    /// Likewise the name of a language in itself, by its tag.
    pub language: fn(&str) -> Option<String>,
}

impl Settings {
    /// Checks the options of a call; an error names the first one that is wrong. `others` are the page's own
    /// languages, in the order in which they count.
    ///
    /// ```
    /// use pos_connect::keypad::settings::{Given, Settings};
    ///
    /// let given = Given {
    ///     order_id: Some("A-1".into()),
    ///     region: Some("IL".into()),
    ///     ..Given::default()
    /// };
    /// let settings = Settings::new(given, &["he".into()])?;
    /// assert_eq!(settings.words.tag(), "he");
    ///
    /// let error = Settings::new(Given::default(), &[]);
    /// assert!(error.is_err_and(|error| error.message().starts_with("orderId: ")));
    /// # Ok::<(), pos_connect::error::Error>(())
    /// ```
    pub fn new(given: Given, others: &[String]) -> Result<Self, Error> {
        let wrong = |fault| Error::new(ErrorCode::InvalidOption).detail(&[fault]);
        let check = |is_fine: bool, fault| match is_fine {
            true => Ok(()),
            false => Err(wrong(fault)),
        };
        let order_id = given.order_id.unwrap_or_default();
        let is_id = (1..=200).contains(&order_id.chars().count());
        check(is_id, "orderId: 1 to 200 characters are required")?;
        let region = given.region.as_deref().and_then(Region::parse);
        check(region.is_some(), "region: a code such as IL is required")?;
        let idle_seconds = given.idle_seconds.unwrap_or(IDLE_SECONDS);
        let is_idle = (25.0..=3600.0).contains(&idle_seconds);
        check(is_idle, "idleSeconds: is not a number from 25 to 3600")?;
        let outcome_seconds = given.outcome_seconds.unwrap_or(OUTCOME_SECONDS);
        let is_outcome = (0.0..=10.0).contains(&outcome_seconds);
        check(is_outcome, "outcomeSeconds: is not a number from 0 to 10")?;
        let context = given.context.unwrap_or_default();
        let is_short = context.chars().count() <= 120;
        check(is_short, "context: is longer than 120 characters")?;
        let no_answer = given.no_answer.unwrap_or_default();
        let prints_unanswered = matches!(no_answer.as_str(), "" | "print");
        let is_answer = prints_unanswered || no_answer == "none";
        check(is_answer, "noAnswer: is neither print nor none")?;
        let announce = Announce::parse(&given.announce.unwrap_or_default());
        check(announce.is_some(), "announce: is not digits, count or off")?;
        let feedback = Feedback::parse(&given.feedback.unwrap_or_default());
        let fault = "feedback: is not none, haptic, click or both";
        check(feedback.is_some(), fault)?;
        let locale = given.locale.unwrap_or_default();
        let words = Words::new(&locale, others, given.labels, &given.languages).map_err(wrong)?;
        // What the shopper agrees to goes with the order, which would be refused for it after the sale.
        let is_sendable = |text: &str, longest| {
            text.chars().count() <= longest && !text.contains(char::is_control)
        };
        let consent_id = given.consent_id.filter(|id| !id.is_empty());
        let consent_id = consent_id.unwrap_or_else(|| CONSENT_ID.into());
        let fault = "consentId: is longer than 200 characters, or has control characters";
        check(is_sendable(&consent_id, LONGEST_ID), fault)?;
        let fault = "labels.consent: is longer than 2000 characters, or has control characters";
        let is_consent = is_sendable(words.get(Word::Consent), LONGEST_CONSENT);
        check(is_consent, fault)?;
        Ok(Self {
            order_id,
            region: region.unwrap_or_default(),
            idle_ms: idle_seconds * 1000.0,
            context,
            outcome_ms: outcome_seconds * 1000.0,
            prints_unanswered,
            allows_none: given.allows_none,
            asks_host: given.asks_host,
            announce: announce.unwrap_or(Announce::Off),
            feedback: feedback.unwrap_or_default(),
            prefill: given.prefill.unwrap_or_default(),
            consent_id,
            words,
            country: |_, _| None,
            language: |_| None,
        })
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn settings(more: &[(&str, &str)], idle_seconds: f64) -> Result<Settings, Error> {
        let mut given = vec![("orderId", "1"), ("region", "IL")];
        given.extend(more);
        let text = |name| {
            let text = given.iter().rfind(|(given, _)| *given == name);
            text.map(|(_, text)| String::from(*text))
        };
        let given = Given {
            order_id: text("orderId"),
            region: text("region"),
            locale: text("locale"),
            idle_seconds: Some(idle_seconds),
            no_answer: text("noAnswer"),
            announce: text("announce"),
            feedback: text("feedback"),
            consent_id: text("consentId"),
            context: text("context"),
            ..Given::default()
        };
        Settings::new(given, &["he".to_owned()])
    }

    fn fault(name: &str, text: &str) -> String {
        let error = settings(&[(name, text)], 60.0).err().unwrap();
        assert_eq!(error.code, crate::error::ErrorCode::InvalidOption);
        error.message()
    }

    #[test]
    fn the_defaults_are_the_documented_ones() {
        let settings = settings(&[], 60.0).ok().unwrap();
        assert_eq!(settings.consent_id, "ereceipt-1");
        assert_eq!(settings.idle_ms, 60_000.0);
        assert!(settings.prints_unanswered && !settings.allows_none);
        assert_eq!(settings.announce, Announce::Digits);
        assert_eq!(settings.feedback, Feedback::default());
        assert_eq!(settings.words.tag(), "he");
    }

    #[test]
    fn what_is_given_is_taken() {
        let more = [
            ("locale", "ar"),
            ("noAnswer", "none"),
            ("announce", "off"),
            ("consentId", "c"),
            ("feedback", "haptic"),
        ];
        let settings = settings(&more, 25.0).ok().unwrap();
        assert_eq!(settings.words.tag(), "ar");
        assert!(!settings.prints_unanswered);
        assert_eq!(settings.announce, Announce::Off);
        assert_eq!(settings.consent_id, "c");
        assert!(settings.feedback.haptic && !settings.feedback.click);
    }

    #[test]
    fn every_bad_option_is_named() {
        for (name, text) in [
            ("orderId", ""),
            ("orderId", &"é".repeat(201)),
            ("region", ""),
            ("region", "XX"),
            ("noAnswer", "x"),
            ("announce", "x"),
            ("feedback", "x"),
            ("context", &"é".repeat(121)),
            ("consentId", &"é".repeat(201)),
            ("consentId", "a\nb"),
        ] {
            assert!(fault(name, text).starts_with(&format!("{name}: ")));
        }
        for seconds in [24.9, 3601.0, f64::NAN] {
            let error = settings(&[], seconds).err().unwrap();
            assert!(error.message().starts_with("idleSeconds: "));
        }
    }

    #[test]
    fn an_outcome_stays_for_ten_seconds_at_most() {
        let settings = |outcome_seconds| {
            let given = Given {
                order_id: Some("1".into()),
                region: Some("IL".into()),
                outcome_seconds,
                ..Given::default()
            };
            Settings::new(given, &[])
        };
        for (given, ms) in [(None, 2_000.0), (Some(0.0), 0.0), (Some(10.0), 10_000.0)] {
            assert_eq!(settings(given).ok().unwrap().outcome_ms, ms);
        }
        for given in [-0.1, 10.1, f64::NAN] {
            let error = settings(Some(given)).err().unwrap();
            assert!(error.message().starts_with("outcomeSeconds: "), "{given}");
        }
    }

    #[test]
    fn the_limits_are_taken() {
        let longest = "é".repeat(200);
        assert!(settings(&[("orderId", &longest)], 3600.0).is_ok());
        let context = "é".repeat(120);
        let settings = settings(&[("context", &context)], 60.0);
        assert!(settings.is_ok_and(|settings| settings.context == context));
    }
}
