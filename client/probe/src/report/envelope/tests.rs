use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const PAYLOAD: &[u8] = br#"{"schema":"run/v1"}"#;

fn key() -> Key {
    Key::from_seed([7; 32])
}

fn pre_authentication_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    [encoding_header(payload_type, payload.len() as u64).as_bytes(), payload].concat()
}

/// An envelope that is signed at once, and not as it is written.
fn sign(payload_type: &str, payload: &[u8], key: &Key) -> Envelope<'static> {
    let sig = key.sign(&pre_authentication_encoding(payload_type, payload));
    Envelope {
        payload_type: payload_type.to_owned(),
        payload: STANDARD.encode(payload).into(),
        signatures: vec![Signature::of(&sig, key)],
    }
}

fn signed() -> Envelope<'static> {
    sign(PAYLOAD_TYPE, PAYLOAD, &key())
}

/// The signed envelope with one signature member replaced.
fn with_signature(member: &str, value: Value) -> Envelope<'static> {
    let mut envelope = serde_json::to_value(signed()).unwrap();
    envelope["signatures"][0][member] = value;
    let signatures = serde_json::from_value(envelope["signatures"].take()).unwrap();
    Envelope { signatures, ..signed() }
}

fn members(object: &Value) -> Vec<&str> {
    let mut members: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    members
}

#[test]
fn the_pre_authentication_encoding_counts_bytes() {
    // The example of DSSE's protocol.md.
    assert_eq!(
        pre_authentication_encoding("http://example.com/HelloWorld", b"hello world"),
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    );
    assert_eq!(pre_authentication_encoding("\u{e9}", &[0, 255]), b"DSSEv1 2 \xc3\xa9 2 \x00\xff");
    assert_eq!(pre_authentication_encoding("", b""), b"DSSEv1 0  0 ");
}

#[test]
fn what_was_signed_verifies_and_comes_back_byte_for_byte() {
    let verified = signed().verify().unwrap();
    assert_eq!(verified.payload(), PAYLOAD);
    assert_eq!(verified.keyid, key().keyid());
    assert_eq!(verified.public_key, key().public_key());
}

#[test]
fn the_envelope_has_the_member_names_of_dsse() {
    let envelope = serde_json::to_value(signed()).unwrap();
    assert_eq!(members(&envelope), ["payload", "payloadType", "signatures"]);
    assert_eq!(envelope["payloadType"], "application/vnd.diskatlas.run+json");
    assert_eq!(members(&envelope["signatures"][0]), ["keyid", "public_key", "sig"]);
}

#[test]
fn members_that_dsse_may_add_are_ignored() {
    let mut envelope = serde_json::to_value(signed()).unwrap();
    envelope["comment"] = json!("later");
    envelope["signatures"][0]["timestamp"] = json!(1);
    assert!(Envelope::parse(envelope.to_string().as_bytes()).unwrap().verify().is_ok());
}

#[test]
fn truncated_json_is_called_truncated() {
    let bytes = serde_json::to_vec(&signed()).unwrap();
    for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        let error = Envelope::parse(&bytes[..length]).unwrap_err();
        assert!(matches!(error, EnvelopeError::Truncated { .. }), "{length}: {error}");
    }
}

#[test]
fn other_text_is_not_json_and_other_json_is_not_an_envelope() {
    assert!(matches!(Envelope::parse(b"<html>").unwrap_err(), EnvelopeError::NotJson(_)));
    assert!(matches!(Envelope::parse(b"[1, 2]").unwrap_err(), EnvelopeError::NotAnEnvelope(_)));
    let error = Envelope::parse(br#"{"payload": "", "signatures": []}"#).unwrap_err();
    assert!(error.to_string().contains("missing field `payloadType`"), "{error}");
}

#[test]
fn a_bare_run_document_is_recognised() {
    assert!(matches!(Envelope::parse(PAYLOAD).unwrap_err(), EnvelopeError::BareDocument));
}

#[test]
fn an_unknown_payload_type_is_refused_although_its_signature_fits() {
    let error = sign("application/json", PAYLOAD, &key()).verify().unwrap_err();
    assert!(matches!(&error, EnvelopeError::UnknownPayloadType(found) if found == "application/json"));
}

#[test]
fn bad_base64_says_where_it_stands() {
    let mut envelope = signed();
    envelope.payload = "e30".into();
    assert!(envelope.verify().unwrap_err().to_string().starts_with("payload is not standard base64"));
    let error = with_signature("sig", json!("-_-_")).verify().unwrap_err();
    assert!(error.to_string().starts_with("sig is not standard base64"), "{error}");
    let error = with_signature("public_key", json!("ed25519:*")).verify().unwrap_err();
    assert!(error.to_string().starts_with("public_key is not standard base64"), "{error}");
}

#[test]
fn exactly_one_signature_is_expected() {
    for count in [0, 2] {
        let mut envelope = signed();
        envelope.signatures = vec![envelope.signatures[0].clone(); count];
        let error = envelope.verify().unwrap_err();
        assert!(matches!(error, EnvelopeError::SignatureCount(found) if found == count));
    }
}

#[test]
fn an_unknown_key_algorithm_is_named() {
    let error = with_signature("public_key", json!("rsa:AAAA")).verify().unwrap_err();
    assert!(matches!(&error, EnvelopeError::UnknownKeyAlgorithm(found) if found == "rsa"));
}

#[test]
fn a_key_of_the_wrong_length_or_without_a_point_is_refused() {
    let error = with_signature("public_key", json!("ed25519:AAAA")).verify().unwrap_err();
    assert!(error.to_string().contains("3 bytes, expected 32"), "{error}");
    let no_point = format!("ed25519:{}", STANDARD.encode([2; 32]));
    let error = with_signature("public_key", json!(no_point)).verify().unwrap_err();
    assert!(matches!(error, EnvelopeError::BadPublicKey(_)), "{error}");
}

#[test]
fn a_key_of_small_order_signs_nothing() {
    // The neutral element: every message would verify under R = it, s = 0.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let mut sig = [0; 64];
    sig[0] = 1;
    let mut envelope = with_signature("public_key", json!(format!("ed25519:{}", STANDARD.encode(neutral))));
    envelope.signatures[0].keyid = keys::keyid(&VerifyingKey::from_bytes(&neutral).unwrap());
    envelope.signatures[0].sig = STANDARD.encode(sig);
    assert!(matches!(envelope.verify().unwrap_err(), EnvelopeError::WrongSignature));
}

#[test]
fn a_keyid_of_another_key_is_refused() {
    let other = Key::from_seed([8; 32]);
    let error = with_signature("keyid", json!(other.keyid())).verify().unwrap_err();
    assert!(matches!(error, EnvelopeError::KeyidMismatch { .. }));
}

#[test]
fn another_key_in_place_of_the_signers_does_not_verify() {
    let other = Key::from_seed([8; 32]);
    let mut envelope = with_signature("public_key", json!(other.public_key()));
    envelope.signatures[0].keyid = other.keyid();
    assert!(matches!(envelope.verify().unwrap_err(), EnvelopeError::WrongSignature));
}

#[test]
fn a_missing_public_key_is_said_to_be_missing() {
    let error = with_signature("public_key", Value::Null).verify().unwrap_err();
    assert!(matches!(error, EnvelopeError::NoPublicKey));
}

#[test]
fn a_signature_of_the_wrong_length_is_refused() {
    let error = with_signature("sig", json!(STANDARD.encode([0; 63]))).verify().unwrap_err();
    assert!(matches!(error, EnvelopeError::SignatureLength(63)));
}

proptest! {
    #[test]
    fn any_payload_survives_the_round_trip_through_json(payload: Vec<u8>, seed: [u8; 32]) {
        let envelope = sign(PAYLOAD_TYPE, &payload, &Key::from_seed(seed));
        let bytes = serde_json::to_vec(&envelope).unwrap();
        let verified = Envelope::parse(&bytes).unwrap().verify().unwrap();
        prop_assert_eq!(verified.payload(), payload);
    }

    #[test]
    fn one_flipped_bit_of_payload_or_signature_is_noticed(
        payload in prop::collection::vec(any::<u8>(), 1..200), place: prop::sample::Index, bit in 0u8..8, in_payload: bool,
    ) {
        let mut envelope = sign(PAYLOAD_TYPE, &payload, &key());
        let text = if in_payload { envelope.payload.to_mut() } else { &mut envelope.signatures[0].sig };
        let mut bytes = STANDARD.decode(text.as_bytes()).unwrap();
        let index = place.index(bytes.len());
        bytes[index] ^= 1u8 << bit;
        *text = STANDARD.encode(bytes);
        prop_assert!(matches!(envelope.verify(), Err(EnvelopeError::WrongSignature)));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
        let _ = Envelope::parse(&bytes).map(|envelope| envelope.verify());
    }
}

#[test]
fn a_sealed_payload_is_the_signed_envelope_byte_for_byte() {
    let key = Key::from_seed([7; 32]);
    let payload = br#"{"a":"\u00e9 \"quoted\""}"#;
    let sealed = seal("application/x\"y", payload, &key).unwrap();
    let mut signed = serde_json::to_vec(&sign("application/x\"y", payload, &key)).unwrap();
    signed.push(b'\n');
    assert_eq!(sealed.to_vec().unwrap(), signed);
    assert_eq!(sealed.length().unwrap(), signed.len() as u64);
}

#[test]
fn a_payload_that_can_not_be_written_is_not_sealed() {
    struct Unwritable;
    impl Content for Unwritable {
        fn write_to(&self, _out: &mut dyn Write) -> io::Result<()> {
            Err(io::ErrorKind::Other.into())
        }
    }
    assert!(seal("a", Unwritable, &Key::from_seed([7; 32])).is_err());
}
