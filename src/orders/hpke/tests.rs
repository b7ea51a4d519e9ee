use super::*;
use aes_gcm::aead::AeadInOut;
use hmac::{KeyInit, Mac};
use hpke::aead::AesGcm128;
use hpke::kdf::HkdfSha256;
use hpke::kem::DhP256HkdfSha256 as Kem256;
use hpke::{Deserializable, Kem, OpModeR, Serializable};
use p256::ecdh::diffie_hellman;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{PublicKey, SecretKey};
use proptest::prelude::*;
use sha2::Sha256;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = hmac::Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

/// The key and the nonce. Nothing waits here, so one look is enough.
fn key_and_nonce(exchange: &Exchange<'_>) -> (Vec<u8>, Vec<u8>) {
    let now = async |key: &[u8], text: &[u8]| Ok::<_, ()>(hmac(key, text));
    let setting_up = pin!(set_up(now, exchange));
    match setting_up.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(both)) => both,
        _ => panic!("something waited"),
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digits).collect()
}

fn point(key: &PublicKey) -> Vec<u8> {
    key.to_sec1_point(false).as_bytes().to_vec()
}

fn dh(ours: &SecretKey, theirs: &PublicKey) -> Vec<u8> {
    let shared = diffie_hellman(ours.to_nonzero_scalar(), theirs.as_affine());
    shared.raw_secret_bytes().to_vec()
}

/// RFC 9180, appendix A.3.1.
#[test]
fn the_vector_of_the_rfc() {
    let ours = "4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb";
    let ours = SecretKey::from_slice(&unhex(ours)).unwrap();
    let theirs = "f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2";
    let theirs = SecretKey::from_slice(&unhex(theirs)).unwrap().public_key();
    let enc = point(&ours.public_key());
    assert_eq!(
        enc,
        unhex(concat!(
            "04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac9",
            "8536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4"
        ))
    );
    let info = unhex("4f6465206f6e2061204772656369616e2055726e");
    let exchange = Exchange {
        dh: &dh(&ours, &theirs),
        enc: &enc,
        public: &point(&theirs),
        info: &info,
    };
    let (key, nonce) = key_and_nonce(&exchange);
    assert_eq!(key, unhex("868c066ef58aae6dc589b6cfdd18f97e"));
    assert_eq!(nonce, unhex("4e0bc5018beba4bf004cca59"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// What the library at the service derives from the same keys: it opens what is sealed with ours.
    #[test]
    fn the_service_opens_what_is_sealed(
        ours in prop::array::uniform32(1_u8..), theirs in prop::array::uniform32(1_u8..), info: String, aad: String,
    ) {
        let (theirs, recipient) = Kem256::derive_keypair(&theirs);
        let recipient = PublicKey::from_sec1_bytes(&recipient.to_bytes()).unwrap();
        let (ours, _) = Kem256::derive_keypair(&ours);
        let ours = SecretKey::from_slice(&ours.to_bytes()).unwrap();
        let enc = point(&ours.public_key());
        let (key, nonce) = key_and_nonce(&Exchange {
            dh: &dh(&ours, &recipient),
            enc: &enc,
            public: &point(&recipient),
            info: info.as_bytes(),
        });
        let cipher = <aes_gcm::Aes128Gcm as aes_gcm::KeyInit>::new_from_slice(&key).unwrap();
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().unwrap();
        let mut ciphertext = b"+972502345678".to_vec();
        let tag = AeadInOut::encrypt_inout_detached(
            &cipher,
            &nonce.into(),
            aad.as_bytes(),
            ciphertext.as_mut_slice().into(),
        );
        ciphertext.extend_from_slice(&tag.unwrap());
        let opened = hpke::single_shot_open::<AesGcm128, HkdfSha256, Kem256>(
            &OpModeR::Base,
            &theirs,
            &<Kem256 as Kem>::EncappedKey::from_bytes(&enc).unwrap(),
            info.as_bytes(),
            &ciphertext,
            aad.as_bytes(),
        );
        prop_assert_eq!(opened.unwrap(), b"+972502345678");
    }

    #[test]
    fn base64url_is_read_as_it_was_written(bytes: Vec<u8>) {
        let text = to_base64url(&bytes);
        prop_assert_eq!(from_base64url(&text), Some(bytes));
    }
}

#[test]
fn base64url_is_that_of_the_rfc() {
    // RFC 4648 §10, and the two letters that base64 has others for.
    for (bytes, text) in [
        (&b""[..], ""),
        (b"f", "Zg"),
        (b"fo", "Zm8"),
        (b"foobar", "Zm9vYmFy"),
        (&[0xFB, 0xFF], "-_8"),
    ] {
        assert_eq!(to_base64url(bytes), text);
        assert_eq!(from_base64url(text).as_deref(), Some(bytes));
    }
    assert_eq!(from_base64url("Zg=="), None);
    assert_eq!(from_base64url("+_"), None);
}
