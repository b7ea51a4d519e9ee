//! Messages between a till and the connect page (extension). They are hints: the most one can cause is an early status
//! call, or another height of the frame.
//!
//! Each is an object `{ "posConnect": 1, "type": … }`. The till says [`HELLO`] to the pinned origin of the connect
//! URL after every load; the page answers that message's origin, if it is registered for the vendor, with what it
//! shows.

/// Name of the member that marks a message as ours.
pub const MARK: &str = "posConnect";
/// Value of [`MARK`]: the version of this message format.
pub const VERSION: u32 = 1;
/// Name of the member that says which message it is.
pub const TYPE: &str = "type";
/// Till to page: who are you talking to, and where does it stand?
pub const HELLO: &str = "hello";
/// Member of [`HELLO`], if the till knows it: the language that the page should have, a BCP 47 tag.
pub const LOCALE: &str = "locale";
/// Member of [`HELLO`], if the till knows it: `light` or `dark`.
pub const THEME: &str = "theme";
/// Page to till: the page works and waits for the merchant.
pub const READY: &str = "ready";
/// Page to till: the merchant consented; worth a status call.
pub const FINISHED: &str = "finished";
/// Page to till: the merchant cancelled; worth a status call.
pub const CANCELLED: &str = "cancelled";
/// Page in a frame to till, whenever it changes: how tall the page is. The member of the same name is a whole number of
/// CSS pixels.
pub const HEIGHT: &str = "height";
