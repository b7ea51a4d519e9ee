//! The `accessToken` option: the page's own way to the access token, where no relay holds it.

use super::headers::LIMIT_MS;
use crate::core::cancellation::{settled, timeout};
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;
use js_sys::Function;
use wasm_bindgen::JsValue;

/// A function of the page, called before each call for the merchant.
pub struct AccessToken(pub Function);

impl AccessToken {
    /// The token, checked: `fetch` throws on a bad header, with a text that may hold it.
    pub async fn token(&self) -> Result<String, Failure> {
        let failed = |thrown| Failure::of_callback(ErrorCode::AccessTokenFailed, thrown);
        let asked = self.0.call0(&JsValue::UNDEFINED).map_err(failed)?;
        let outcome = timeout(LIMIT_MS, settled(&asked)).await;
        let given = outcome.unwrap_or(Err(JsValue::UNDEFINED)).map_err(failed)?;
        let token = given.as_string().filter(|token| is_token(token));
        token.ok_or_else(|| Failure::new(ErrorCode::AccessTokenFailed))
    }
}

/// RFC 6750 §2.1, `b64token`, or anything else of visible characters.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
