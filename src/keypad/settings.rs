//! The options of an ask: what comes loose from the page leaves here checked, or as an error that names the option.

use super::words::Words;
use crate::faults::Faults;
use crate::phone::Region;

/// The options that are texts. One that is empty is not given.
pub const TEXTS: [&str; 7] = [
    "orderId",
    "region",
    "locale",
    "noAnswer",
    "announce",
    "prefill",
    "consentId",
];

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
    /// Names the consent text.
    pub consent_id: String,
    /// What to say.
    pub words: Words,
}

impl Settings {
    /// Reads the options and notes what is wrong with them. `languages` are the page's own, in the order in which they count.
    pub fn new(
        texts: [String; TEXTS.len()],
        idle_seconds: f64,
        languages: &[String],
        faults: &Faults,
    ) -> Self {
        let [
            order_id,
            region,
            locale,
            no_answer,
            announce,
            prefill,
            consent_id,
        ] = texts;
        let region = Region::parse(&region);
        let announce = Announce::parse(&announce);
        let prints_unanswered = matches!(no_answer.as_str(), "" | "print");
        let is_id = (1..=200).contains(&order_id.chars().count());
        let is_idle = (25.0..=3600.0).contains(&idle_seconds);
        let is_answer = prints_unanswered || no_answer == "none";
        let checks = [
            (is_id, "orderId: 1 to 200 characters are required"),
            (region.is_some(), "region: a code such as IL is required"),
            (is_idle, "idleSeconds: is not a number from 25 to 3600"),
            (is_answer, "noAnswer: is neither print nor none"),
            (announce.is_some(), "announce: is not digits, count or off"),
        ];
        for (is_fine, fault) in &checks {
            faults.require(*is_fine, fault);
        }
        Self {
            order_id,
            region: region.unwrap_or_default(),
            idle_ms: idle_seconds * 1000.0,
            prints_unanswered,
            allows_none: false,
            asks_host: false,
            announce: announce.unwrap_or(Announce::Off),
            prefill,
            consent_id: Some(consent_id)
                .filter(|id| !id.is_empty())
                .unwrap_or_else(|| "ereceipt-1".into()),
            words: Words::new(&locale, languages),
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use crate::error::Error;

    fn settings(more: &[(&str, &str)], idle_seconds: f64) -> Result<Settings, Error> {
        let mut given = vec![("orderId", "1"), ("region", "IL")];
        given.extend(more);
        let text = |name| given.iter().rfind(|(given, _)| *given == name);
        let texts = TEXTS.map(|name| text(name).map_or("", |(_, text)| *text).to_owned());
        let faults = Faults::default();
        let settings = Settings::new(texts, idle_seconds, &["he".to_owned()], &faults);
        faults.end().map(|()| settings)
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
        assert_eq!(settings.words.locale, "he");
    }

    #[test]
    fn what_is_given_is_taken() {
        let more = [
            ("locale", "ar"),
            ("noAnswer", "none"),
            ("announce", "off"),
            ("consentId", "c"),
        ];
        let settings = settings(&more, 25.0).ok().unwrap();
        assert_eq!(settings.words.locale, "ar");
        assert!(!settings.prints_unanswered);
        assert_eq!(settings.announce, Announce::Off);
        assert_eq!(settings.consent_id, "c");
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
        ] {
            assert!(fault(name, text).starts_with(&format!("{name}: ")));
        }
        for seconds in [24.9, 3601.0, f64::NAN] {
            let error = settings(&[], seconds).err().unwrap();
            assert!(error.message().starts_with("idleSeconds: "));
        }
    }

    #[test]
    fn the_limits_are_taken() {
        let longest = "é".repeat(200);
        assert!(settings(&[("orderId", &longest)], 3600.0).is_ok());
    }
}
