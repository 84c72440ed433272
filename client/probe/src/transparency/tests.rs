//! A log of two leaves, told by a scripted archive.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer, SigningKey};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::known_head::KnownHead;
use super::merkle::{Hash, leaf_hash};
use super::{Leaf, LogError, LogProof, check};
use crate::report::keys::hex;
use crate::submit::fake::FakeHttp;
use crate::submit::http::Response;

const SERVER: &str = "https://archive.example";
const ORIGIN: &str = "archive.example/log";

fn leaf(index: u64, kind: &str, digest: u8) -> Leaf {
    Leaf {
        index,
        kind: kind.to_owned(),
        digest: format!("{digest:02x}").repeat(32),
        run_id: format!("01890a5d-ac96-774b-bcce-b302099a80{digest:02x}"),
        at: "2026-01-02T03:04:05.000006Z".to_owned(),
        version: super::LEAF_VERSION.to_owned(),
    }
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

fn vkey(seed: u8) -> String {
    let public = SigningKey::from_bytes(&[seed; 32]).verifying_key().to_bytes();
    format!("{ORIGIN}+{}+{}", hex(&id(&public)), STANDARD.encode([&[1][..], &public].concat()))
}

fn id(public: &[u8; 32]) -> [u8; 4] {
    let digest = Sha256::new().chain_update(ORIGIN).chain_update([b'\n', 1]).chain_update(public).finalize();
    [digest[0], digest[1], digest[2], digest[3]]
}

fn checkpoint(size: u64, root: &Hash, seed: u8) -> String {
    let key = SigningKey::from_bytes(&[seed; 32]);
    let text = format!("{ORIGIN}\n{size}\n{}\n", STANDARD.encode(root));
    let packed = [&id(&key.verifying_key().to_bytes())[..], &key.sign(text.as_bytes()).to_bytes()].concat();
    format!("{text}\n\u{2014} {ORIGIN} {}\n", STANDARD.encode(packed))
}

fn ok(body: &serde_json::Value) -> Response {
    Response { status: 200, body: body.to_string().into_bytes(), ..Response::default() }
}

fn seen(size: u64, root: &Hash) -> KnownHead {
    KnownHead { server: SERVER.to_owned(), verifier_key: vkey(3), checkpoint: checkpoint(size, root, 3) }
}

/// Asks about the second of two leaves; `proof` is what the archive claims to prove it.
fn ask(of: &Leaf, proof: &[Hash], before: Option<&(KnownHead, Vec<Hash>)>) -> Result<LogProof, LogError> {
    let (first, second) = (leaf_hash(&leaf(0, "published", 1).bytes()), leaf_hash(&leaf(1, "published", 2).bytes()));
    let head = json!({"verifier_key": vkey(3), "checkpoint": checkpoint(2, &node(&first, &second), 3)});
    let text = |hashes: &[Hash]| hashes.iter().map(|hash| STANDARD.encode(hash)).collect::<Vec<_>>();
    let mut answers = vec![ok(&head)];
    if let Some((_, proof)) = before {
        answers.push(ok(&json!({"proof": text(proof)})));
    }
    answers.push(ok(&json!({"results": [of], "next": null})));
    answers.push(ok(&json!({"proof": text(proof)})));
    let http = FakeHttp::new(answers.into_iter().map(Ok));
    check(&http, SERVER, &"02".repeat(32), Some(&leaf(1, "", 2).run_id), None, before.map(|(seen, _)| seen))
}

fn first() -> Hash {
    leaf_hash(&leaf(0, "published", 1).bytes())
}

#[test]
fn a_logged_file_is_shown_with_its_leaf_and_the_head_is_remembered() {
    let shown = ask(&leaf(1, "published", 2), &[first()], None).unwrap();
    assert!(shown.is_published());
    assert_eq!((shown.size, shown.leaves[0].index, shown.goes_on_from), (2, 1, None));
    let second = leaf_hash(&leaf(1, "published", 2).bytes());
    assert_eq!(shown.seen.unwrap(), seen(2, &node(&first(), &second)));
}

#[test]
fn a_log_that_goes_on_from_the_head_seen_before_says_so() {
    let second = leaf_hash(&leaf(1, "published", 2).bytes());
    let shown = ask(&leaf(1, "published", 2), &[first()], Some(&(seen(1, &first()), vec![second]))).unwrap();
    assert_eq!(shown.goes_on_from, Some(1));
}

#[test]
fn a_log_whose_past_was_changed_is_found() {
    let second = leaf_hash(&leaf(1, "published", 2).bytes());
    let error = ask(&leaf(1, "published", 2), &[first()], Some(&(seen(1, &[9; 32]), vec![second]))).unwrap_err();
    assert!(matches!(error, LogError::Inconsistent), "{error}");
    let error = ask(&leaf(1, "published", 2), &[first()], Some(&(seen(5, &[9; 32]), vec![]))).unwrap_err();
    assert!(matches!(error, LogError::Shrunk { now: 2, before: 5 }), "{error}");
}

#[test]
fn a_leaf_that_is_not_in_the_tree_is_found() {
    let error = ask(&leaf(1, "withdrawn", 2), &[first()], None).unwrap_err();
    assert!(matches!(error, LogError::WrongProof(1)), "{error}");
    let error = ask(&leaf(1, "published", 1), &[first()], None).unwrap_err();
    assert!(matches!(error, LogError::OtherLeaf(1)), "{error}");
}

#[test]
fn another_key_than_the_one_remembered_is_refused() {
    let http = FakeHttp::new([Ok(ok(&json!({"verifier_key": vkey(4), "checkpoint": ""})))]);
    let error = check(&http, SERVER, "", None, None, Some(&seen(1, &first()))).unwrap_err();
    assert!(matches!(error, LogError::OtherKey { .. }), "{error}");
}

#[test]
fn a_file_that_was_never_published_is_told_apart_from_one_with_other_bytes() {
    let head = json!({"verifier_key": vkey(3), "checkpoint": checkpoint(1, &first(), 3)});
    let none = json!({"results": []});
    let some = json!({"results": [leaf(0, "published", 1)]});
    let http = FakeHttp::new([ok(&head), ok(&none), ok(&none)].map(Ok));
    let error = check(&http, SERVER, "", Some("run"), None, None).unwrap_err();
    assert!(matches!(error, LogError::NotLogged), "{error}");
    let http = FakeHttp::new([ok(&head), ok(&none), ok(&some)].map(Ok));
    let error = check(&http, SERVER, "", Some("run"), None, None).unwrap_err();
    assert!(matches!(error, LogError::OtherBytes(_)), "{error}");
}

/// Watches a log of two leaves, where somebody else was shown `other`; `proof` is what the archive answers then.
fn watched(other: &str, proof: Option<Response>) -> Result<super::Watched, LogError> {
    let second = leaf_hash(&leaf(1, "published", 2).bytes());
    let head = json!({"verifier_key": vkey(3), "checkpoint": checkpoint(2, &node(&first(), &second), 3)});
    let http = FakeHttp::new([Some(ok(&head)), proof].into_iter().flatten().map(Ok));
    super::watch(&http, SERVER, None, None, Some(other))
}

#[test]
fn a_head_that_somebody_else_was_shown_is_proved_to_be_of_the_same_log() {
    let second = leaf_hash(&leaf(1, "published", 2).bytes());
    let proof = ok(&json!({"proof": [STANDARD.encode(second)]}));
    let shown = watched(&checkpoint(1, &first(), 3), Some(proof)).unwrap();
    assert_eq!((shown.size, shown.agrees_with), (2, Some(1)));
    let same = watched(&checkpoint(2, &node(&first(), &second), 3), None).unwrap();
    assert_eq!(same.agrees_with, Some(2));
}

#[test]
fn a_split_view_is_found_by_the_head_of_somebody_else() {
    let second = leaf_hash(&leaf(1, "published", 2).bytes());
    let proof = || Some(ok(&json!({"proof": [STANDARD.encode(second)]})));
    let refused = Response { status: 400, body: b"{}".to_vec(), ..Response::default() };
    for (size, answer) in [(1, proof()), (2, None), (5, proof()), (5, Some(refused))] {
        let error = watched(&checkpoint(size, &[9; 32], 3), answer).unwrap_err();
        assert!(matches!(error, LogError::SplitView { now: 2, other } if other == size), "{error}");
    }
    let error = watched(&checkpoint(1, &first(), 4), None).unwrap_err();
    assert!(matches!(error, LogError::Note(_)), "a head that another key signed proves nothing: {error}");
}

#[test]
fn the_head_that_witnesses_cosigned_is_the_archives_to_show() {
    let note = checkpoint(1, &first(), 3);
    let shown = Response { status: 200, body: note.clone().into_bytes(), ..Response::default() };
    let problem =
        br#"{"type": "x/", "title": "Not found", "status": 404, "detail": "No witness cosigned.", "errors": []}"#;
    let missing = Response { status: 404, body: problem.to_vec(), ..Response::default() };
    let rubbish = Response { status: 200, body: vec![0xff], ..Response::default() };
    let http = FakeHttp::new([shown, missing, rubbish].map(Ok));
    assert_eq!(super::head_cosigned(&http, SERVER).unwrap(), note);
    let error = super::head_cosigned(&http, SERVER).unwrap_err();
    assert!(error.to_string().contains("No witness cosigned."), "{error}");
    let error = super::head_cosigned(&http, SERVER).unwrap_err();
    assert!(matches!(error, LogError::NotALog(_)), "{error}");
}
