use serde_json::{Value, json};

use super::*;

const SKIPPY: &str = include_str!("../../../../../server/benchmarks/skippy/schema/v1.json");
const ZONED: &str = include_str!("../../../../../server/benchmarks/zoned/schema/v1.json");
const SEEKER: &str = include_str!("../../../../../server/benchmarks/seeker/schema/v1.json");
const SAMPLE: &str = include_str!("../../../tests/data/sample.document.json");

fn checker() -> Checker {
    Checker::new([("skippy", SKIPPY), ("zoned", ZONED), ("seeker", SEEKER)]).unwrap()
}

fn sample() -> Value {
    serde_json::from_str(SAMPLE).unwrap()
}

/// What is said of the sample document after `pointer` was set to `value`.
fn violations(pointer: &str, value: Value) -> Vec<String> {
    let mut document = sample();
    *document.pointer_mut(pointer).unwrap() = value;
    checker().check(&document.into()).iter().map(ToString::to_string).collect()
}

#[track_caller]
fn assert_violation(pointer: &str, value: Value, expected: &str) {
    let found = violations(pointer, value);
    assert!(found.iter().any(|text| text.contains(expected)), "{expected:?} not in {found:#?}");
}

#[test]
fn the_sample_document_keeps_to_the_schemas_and_rules() {
    assert_eq!(checker().check(&sample().into()), []);
}

#[test]
fn the_rust_form_of_the_document_and_the_schema_name_the_same_members() {
    let document: super::super::document::RunDocument = serde_json::from_value(sample()).unwrap();
    assert_eq!(serde_json::to_value(document).unwrap(), sample());
}

#[test]
fn every_object_of_every_schema_is_closed_and_every_number_and_list_is_bounded() {
    fn walk(schema: &Value, path: &str) {
        if let Some(object) = schema.as_object() {
            let kind = &schema["type"];
            let is = |name: &str| kind == name || kind.as_array().is_some_and(|kinds| kinds.contains(&json!(name)));
            if is("object") && schema.get("properties").is_some() {
                assert_eq!(schema["additionalProperties"], false, "{path}");
            }
            if is("integer") || is("number") {
                assert!(schema["minimum"].is_number() && schema["maximum"].is_number(), "{path}");
            }
            if is("array") {
                assert!(schema["maxItems"].is_u64(), "{path}");
            }
            if is("string") {
                assert!(schema["pattern"].is_string(), "{path}");
            }
            for (name, value) in object {
                walk(value, &format!("{path}/{name}"));
            }
        } else if let Some(list) = schema.as_array() {
            for value in list {
                walk(value, path);
            }
        }
    }
    for text in [RUN_SCHEMA, SKIPPY, ZONED, SEEKER] {
        let schema: Value = serde_json::from_str(text).unwrap();
        walk(&schema, schema["$id"].as_str().unwrap());
    }
}

#[test]
fn every_member_is_required_and_no_other_is_taken() {
    for pointer in ["", "/probe", "/host", "/device", "/device/rotational", "/device/write_cache", "/conditions"] {
        let object = sample().pointer(pointer).unwrap().as_object().unwrap().clone();
        for name in object.keys() {
            let mut less = object.clone();
            less.remove(name);
            assert_violation_in(pointer, less.into(), &format!("\"{name}\" is a required property"));
        }
        let mut more = object;
        more.insert("serial".to_owned(), json!("Z1P00EXAMPLE"));
        assert_violation_in(pointer, more.into(), "'serial' was unexpected");
    }
}

#[track_caller]
fn assert_violation_in(pointer: &str, value: Value, expected: &str) {
    let mut document = sample();
    *document.pointer_mut(pointer).unwrap() = value;
    let found: Vec<String> = checker().check(&document.into()).iter().map(ToString::to_string).collect();
    assert!(found.iter().any(|text| text.contains(expected)), "{expected:?} not in {found:#?}");
}

#[test]
fn a_violation_names_its_place_in_the_document() {
    assert_violation("/device/capacity_bytes", json!(-1), "/device/capacity_bytes: -1 is less than the minimum of 512");
    assert_violation("/run_id", json!("1"), "/run_id: ");
    assert_violation("/created_at", json!("2026-13-01T00:00:00Z"), "/created_at: ");
    assert_violation("/license", json!("GPL"), "/license: ");
}

#[test]
fn an_unknown_kind_is_named_beside_the_known_ones() {
    assert_violation(
        "/benchmarks/0/kind",
        json!("latency"),
        "/benchmarks/0/kind: unknown kind \"latency\": this probe knows seeker, skippy, zoned",
    );
}

#[test]
fn negative_times_and_fractions_are_refused_with_their_index() {
    let pointer = "/benchmarks/0/samples/series/0/latency_ns/1";
    assert_violation(pointer, json!(-5), &format!("{pointer}: -5 is less than the minimum of 0"));
    assert_violation(pointer, json!(0.5), pointer);
    assert_violation(pointer, json!("1"), pointer);
}

#[test]
fn a_latency_column_shorter_than_its_step_column_is_refused() {
    assert_violation(
        "/benchmarks/0/samples/series/0/latency_ns",
        json!([1]),
        "/benchmarks/0/samples/series/0/offset_blocks: 3 values, but latency_ns beside it has 1",
    );
}

#[test]
fn positions_beyond_the_device_are_refused() {
    // The sample device has 2,000 blocks.
    let beyond = json!(2000);
    assert_violation("/benchmarks/0/samples/series/0/start_block", beyond.clone(), "start_block: block 2000 is beyond");
    assert_violation("/benchmarks/0/samples/series/0/offset_blocks/2", beyond.clone(), "offset_blocks/2: block 2000");
    assert_violation("/benchmarks/1/samples/series/0/length_blocks/1", json!(1001), "length_blocks/1: the region ends");
    assert_violation("/benchmarks/2/samples/series/0/from_blocks/0", beyond.clone(), "from_blocks/0: block 2000");
    assert_violation("/benchmarks/2/samples/series/0/to_blocks/0", beyond, "to_blocks/0: block 2000");
}

#[test]
fn a_medium_error_beyond_the_device_is_refused() {
    let pointer = "/benchmarks/0/errors/0/offset_bytes";
    assert_violation(pointer, json!(1_024_000), &format!("{pointer}: the place is beyond the device"));
}

#[test]
fn a_run_that_measured_nothing_is_no_submission() {
    let skipped = json!([{"kind": "skippy", "skipped": "the device does not turn"}]);
    assert_violation("/benchmarks", skipped, "/benchmarks: every kind was skipped");
}

#[test]
fn a_kind_that_occurs_twice_is_refused() {
    assert_violation("/benchmarks/1", sample()["benchmarks"][0].clone(), "/benchmarks/1/kind: skippy occurs twice");
}

#[test]
fn block_sizes_that_contradict_each_other_are_refused() {
    assert_violation("/benchmarks/0/params/block_bytes", json!(4096), "differs from /device/block_bytes, 512");
    assert_violation(
        "/device/block_bytes_source",
        json!("physical"),
        "/device/block_bytes: 512 is not the physical block",
    );
}

#[test]
fn a_write_variant_in_a_run_without_writes_is_refused() {
    assert_violation(
        "/conditions/writes",
        json!("none"),
        "/benchmarks/0/samples/series/0/variant: a variant that writes",
    );
}

#[test]
fn markup_in_a_model_name_is_legal_and_control_characters_are_not() {
    assert!(violations("/device/model", json!("<script>alert(1)</script>")).is_empty());
    assert_violation("/device/model", json!("ST\u{0}2000"), "/device/model: ");
    assert_violation("/device/model", json!("x".repeat(257)), "/device/model: ");
}

#[test]
fn a_long_value_is_not_repeated_in_the_message() {
    let found = violations("/device/model", json!("x".repeat(100_000)));
    assert!(found.iter().all(|text| text.len() < 300), "{found:?}");
    let found = violations("/benchmarks/0/samples/series/0/latency_ns", json!(vec![-1; 5000]));
    assert_eq!(found.len(), MAX_VIOLATIONS);
}
