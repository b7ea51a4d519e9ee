//! The options of an ask, checked.

use super::texts::{TextKey, Texts};
use crate::core::error::{Error, ErrorCode};
use crate::core::labels::Labels;
use crate::core::options::{Call, Kind, Options, Row};
use crate::phone::Region;
use pos_connect_protocol::order::{LONGEST_CONSENT, LONGEST_ID};
use pos_connect_protocol::text::is_control;

/// The consent text's name, unless the host gives one.
const STANDARD_CONSENT: &str = "ereceipt-1";

crate::options! {
    /// Whose receipt it is.
    ///
    /// Comes back in the result.
    ORDER_ID = "orderId": Kind::Text(1, 200), default "required";
    /// Whose national numbers are read: ISO 3166-1 alpha-2, such as `"IL"`.
    ///
    /// Other countries' begin with `+`.
    REGION = "region": Kind::Region, default "required";
    /// An element or a selector for the keypad.
    CONTAINER = "container": Kind::Element, default "a modal dialog";
    /// Whether to ask at all: a boolean, or a function that is asked (10 s).
    ///
    /// What is not known, fails, or takes longer is no: print, with the error as `cause`.
    ERECEIPT = "ereceipt": Kind::FlagOrFunction, default "what `create` was told, else the connection record";
    /// Called when the shopper sends; the print is cancelled only when it resolves.
    ///
    /// If it throws, rejects or takes longer than 10 s, the result is "print", "send_failed". What `orders.send` gave
    /// may be its result: of an order that is `queued` the shopper reads that the message comes later.
    ON_SEND = "onSend": Kind::Function, type "(receipt: Receipt, attempt: SendAttempt) => unknown",
        default "the print is cancelled at once";
    /// Offers "QR code" as well, and is called when the code is shown: its `linkHash` goes with the order.
    ///
    /// Who scans the code opens the receipt, as soon as the service has the order. As with `onSend`, there is paper if
    /// it throws, rejects or takes longer than 10 s.
    ON_SCAN = "onScan": Kind::Function, type "(scan: ScannedReceipt, attempt: SendAttempt) => unknown",
        default "there is no such button";
    /// Ends the ask after so many seconds without a key or touch.
    ///
    /// For the last 20 a warning counts down.
    IDLE_SECONDS = "idleSeconds": Kind::Number(25, 3600, 60.0);
    /// What it means when nobody answers.
    NO_ANSWER = "noAnswer": Kind::OneOf(&["print", "none"]);
    /// Offers "No receipt" as well.
    ALLOW_NONE = "allowNone": Kind::Flag(false);
    /// A number that you know, in E.164; an invalid one is ignored.
    ///
    /// Shown as "•••• 1234", replaced by the first key, and sent only by the send button: Enter goes there first.
    PREFILL = "prefill": Kind::Text(0, usize::MAX), default "none";
    /// `"en"`, `"he"`, `"ar"` or `"es"`, with or without subtags such as `"he-IL"`.
    LOCALE = "locale": Kind::Text(0, usize::MAX),
        default "the document's `lang`, else the browser's language, else `\"en\"`";
    /// Your own texts in place of single ones.
    LABELS = "labels": Kind::Labels(label_names), type "Partial<ReceiptLabels>", default "built-in texts";
    /// Languages that the shopper can choose on the keypad, such as `["en", "es"]`; see [below](#texts).
    ///
    /// At least two of "en", "he", "ar", "es". A button shows the other one of two, and lists more, each by its own
    /// name. The language of the keypad, and of your `labels`, is always one of them.
    LANGUAGES = "languages": Kind::Texts, default "no button";
    /// What a screen reader says while typing.
    ///
    /// Errors are always said. Each digit and, after a pause, the whole number; after a pause how many there are; or
    /// nothing, which suits a loudspeaker in public.
    ANNOUNCE = "announce": Kind::OneOf(&["digits", "count", "off"]);
    /// For so many seconds the shopper sees what became of it; see [below](#what-the-shopper-sees-of-it).
    ///
    /// The result is there before, the focus is back, and the till is not held up. With more than 0, an `onSend` that
    /// rejects can be repeated once: the keypad stays for 5 seconds or longer with "Try again", unless the error's
    /// `retryable` is false.
    OUTCOME_SECONDS = "outcomeSeconds": Kind::Number(0, 10, 2.0);
    /// What the receipt is for, below the title, such as "Paid $11.91 · Order 1041"; also as an object by language
    /// tags.
    ///
    /// The one in the keypad's `lang` is shown, else the first.
    CONTEXT = "context": Kind::TextOrTexts(120), default "none";
    /// How a key that counts answers, where the device can.
    ///
    /// The same for all keys: it vibrates, it clicks, or both.
    FEEDBACK = "feedback": Kind::OneOf(&["none", "haptic", "click", "both"]);
    /// Names the consent text in the result.
    CONSENT_ID = "consentId": Kind::Text(0, LONGEST_ID), default "`\"ereceipt-1\"`";
    /// Ends the ask: it resolves with the reason `aborted`.
    SIGNAL = "signal": Kind::Signal, default "none";
}

/// The options of every ask.
#[rustfmt::skip]
pub const EVERY: &[&Row] = &[
    &IDLE_SECONDS, &NO_ANSWER, &ALLOW_NONE, &PREFILL, &LOCALE, &LABELS, &LANGUAGES, &ANNOUNCE, &OUTCOME_SECONDS,
    &CONTEXT, &FEEDBACK, &CONSENT_ID, &SIGNAL,
];
/// The options of `receiptFor`.
pub const RECEIPT: Call = &[
    &[
        &ORDER_ID, &REGION, &CONTAINER, &ERECEIPT, &ON_SEND, &ON_SCAN,
    ],
    EVERY,
];
/// The options of the element's `ask`.
pub const ASK: Call = &[&[&ORDER_ID, &REGION, &ON_SEND], EVERY];
/// What `labels` may hold.
fn label_names() -> Vec<&'static str> {
    let names = TextKey::ALL.map(TextKey::name);
    [&["lang", "dir"], &names[..]].concat()
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

/// What a key that counts feels and sounds like.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Feedback {
    /// The device vibrates.
    pub haptic: bool,
    /// It clicks.
    pub click: bool,
}

/// Checked options.
pub struct Settings {
    /// Whose receipt it is.
    pub order_id: String,
    /// Whose national numbers are read.
    pub region: Region,
    /// How long an ask without a touch takes.
    pub idle_ms: f64,
    /// Whether an ask that nobody answers prints.
    pub prints_unanswered: bool,
    /// Whether "no receipt" is offered.
    pub allows_none: bool,
    /// Whether the host has to accept the e-receipt.
    pub asks_host: bool,
    /// What a screen reader hears.
    pub announce: Announce,
    /// A number that the host knows, or nothing.
    pub prefill: String,
    /// How long the shopper sees what became of it.
    pub outcome_ms: f64,
    /// What the receipt is for, by the tag of a language; one for all languages is under an empty tag.
    pub context: Labels,
    /// How keys answer.
    pub feedback: Feedback,
    /// Names the consent text.
    pub consent_id: String,
    /// What to say.
    pub texts: Texts,
    /// The name of a country, by its code, in a language: the browser's to know.
    pub country: fn(&str, &str) -> Option<String>,
    /// The name of a language in itself, by its tag: the browser's, too.
    pub language: fn(&str) -> Option<String>,
}

impl Settings {
    /// What the checked options of a call mean; an error names one that is wrong all the same. `others` are the page's
    /// own languages, in the order in which they count.
    ///
    /// ```
    /// use pos_connect::keypad::settings::{ASK, ORDER_ID, REGION, Settings};
    /// use pos_connect::core::options::Options;
    ///
    /// let options = Options::from_iter([(&ORDER_ID, "A-1".into()), (&REGION, "IL".into())]);
    /// let settings = Settings::new(&options.checked(ASK)?, &["he".into()])?;
    /// assert_eq!(settings.texts.tag(), "he");
    ///
    /// let error = Options::default().checked(ASK);
    /// assert!(error.is_err_and(|error| error.message().starts_with("orderId: ")));
    /// # Ok::<(), pos_connect::core::error::Error>(())
    /// ```
    pub fn new(options: &Options, others: &[String]) -> Result<Self, Error> {
        let wrong = |fault: &str| Error::new(ErrorCode::InvalidOption).detail(&[fault]);
        let locale = options.text(&LOCALE).unwrap_or_default();
        let texts = Texts::new(
            &locale,
            others,
            options.labels(&LABELS),
            &options.texts(&LANGUAGES),
        );
        let texts = texts.map_err(|fault| wrong(&fault))?;
        let consent_id = consent_id(options, &texts).map_err(wrong)?;
        let feedback = options.one_of(&FEEDBACK);
        Ok(Self {
            order_id: options.text(&ORDER_ID).unwrap_or_default(),
            region: options
                .text(&REGION)
                .and_then(|code| Region::parse(&code))
                .unwrap_or_default(),
            idle_ms: options.number(&IDLE_SECONDS) * 1000.0,
            context: match options.text(&CONTEXT) {
                Some(context) => Labels::one(context),
                None => options.labels(&CONTEXT),
            },
            outcome_ms: options.number(&OUTCOME_SECONDS) * 1000.0,
            prints_unanswered: options.one_of(&NO_ANSWER) == 0,
            allows_none: options.flag(&ALLOW_NONE),
            asks_host: options.has(&ON_SEND),
            announce: match options.one_of(&ANNOUNCE) {
                0 => Announce::Digits,
                1 => Announce::Count,
                _ => Announce::Off,
            },
            feedback: Feedback {
                haptic: matches!(feedback, 1 | 3),
                click: matches!(feedback, 2 | 3),
            },
            prefill: options.text(&PREFILL).unwrap_or_default(),
            consent_id,
            texts,
            country: |_, _| None,
            language: |_| None,
        })
    }
}

/// Names what the shopper agrees to. Both go with the order, which would be refused for them after the sale.
fn consent_id(options: &Options, texts: &Texts) -> Result<String, &'static str> {
    let id = options.text(&CONSENT_ID);
    let id = id.unwrap_or_else(|| STANDARD_CONSENT.into());
    let text = texts.get(TextKey::Consent);
    if id.contains(is_control) {
        return Err("consentId: has control characters");
    }
    if text.chars().count() > LONGEST_CONSENT || text.contains(is_control) {
        return Err("labels.consent: is longer than 2000 characters, or has control characters");
    }
    Ok(id)
}

impl Settings {
    /// What the receipt is for, in the language that is shown, else in the first one that the host has; may be empty.
    pub fn context(&self) -> &str {
        let shown = self.context.get(self.texts.tag());
        shown
            .or_else(|| self.context.texts().next())
            .unwrap_or_default()
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use crate::core::options::Value;

    fn settings(more: &[(&Row, &str)]) -> Result<Settings, Error> {
        with(more.iter().map(|(row, text)| (*row, (*text).into())))
    }

    fn with<'a>(more: impl IntoIterator<Item = (&'a Row, Value)>) -> Result<Settings, Error> {
        let known = [(&ORDER_ID, "1".into()), (&REGION, "IL".into())];
        let given = more.into_iter().chain(known);
        Settings::new(&Options::from_iter(given).checked(ASK)?, &["he".to_owned()])
    }

    #[test]
    fn the_context_follows_the_language() {
        let languages = || Value::Texts(["en", "he", "ar"].map(String::from).into());
        let texts = |texts: &[(&str, &str)]| {
            let texts = texts
                .iter()
                .map(|(tag, text)| ((*tag).into(), (*text).into()));
            Value::Labels(texts.collect())
        };
        for (context, shown) in [
            (Value::from("Paid"), ["Paid", "Paid", "Paid"]),
            (
                texts(&[("en", "Paid"), ("he", "שולם")]),
                ["שולם", "Paid", "Paid"],
            ),
            (texts(&[]), [""; 3]),
        ] {
            let settings = with([(&CONTEXT, context), (&LANGUAGES, languages())])
                .ok()
                .unwrap();
            let seen = [0, 1, 2].map(|place| {
                settings.texts.show(place);
                settings.context().to_owned()
            });
            assert_eq!(seen, shown, "in he, en and ar");
        }
        let long = texts(&[("en", "Paid"), ("he", &"ש".repeat(121))]);
        let error = with([(&CONTEXT, long)]).err().unwrap();
        assert_eq!(error.message(), "context: is longer than 120 characters");
    }

    #[test]
    fn the_defaults_are_the_documented_ones() {
        let settings = settings(&[]).ok().unwrap();
        assert_eq!(settings.consent_id, "ereceipt-1");
        assert_eq!((settings.idle_ms, settings.outcome_ms), (60_000.0, 2_000.0));
        assert!(settings.prints_unanswered && !settings.allows_none);
        assert_eq!(settings.announce, Announce::Digits);
        assert_eq!(settings.feedback, Feedback::default());
        assert_eq!(settings.texts.tag(), "he");
    }

    #[test]
    fn what_is_given_is_taken() {
        let more = [
            (&LOCALE, "ar"),
            (&NO_ANSWER, "none"),
            (&ANNOUNCE, "off"),
            (&CONSENT_ID, "c"),
            (&FEEDBACK, "haptic"),
        ];
        let settings = settings(&more).ok().unwrap();
        assert_eq!(settings.texts.tag(), "ar");
        assert!(!settings.prints_unanswered);
        assert_eq!(settings.announce, Announce::Off);
        assert_eq!(settings.consent_id, "c");
        assert!(settings.feedback.haptic && !settings.feedback.click);
    }

    #[test]
    fn a_consent_that_the_service_would_refuse_is_named() {
        let error = settings(&[(&CONSENT_ID, "a\nb")]).err().unwrap();
        assert!(error.message().starts_with("consentId: "));
    }
}
