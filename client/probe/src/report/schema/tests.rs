use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::json;

use super::*;

const SAMPLE: &str = include_str!("../../../tests/data/sample.document.json");
const RUN: &str = include_str!("../../../../../server/core/schema/run-v1.json");

fn problems(schema: &Value, instance: &Value) -> Vec<String> {
    let schema = Schema::compile(&schema.to_string()).expect("a schema");
    let found = schema.problems(&instance.clone().into(), 50);
    found.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect()
}

#[test]
fn a_keyword_that_is_not_understood_is_refused_and_not_passed_over() {
    for keyword in ["oneOf", "patternProperties", "uniqueItems", "minimun", "$dynamicRef"] {
        let schema = json!({"type": "object", "properties": {"a": {keyword: []}}});
        let error = Schema::compile(&schema.to_string()).expect_err(keyword);
        assert!(error.contains(keyword), "{error}");
    }
}

#[test]
fn a_keyword_with_a_value_it_cannot_have_is_refused() {
    for schema in [
        json!({"type": 1}),
        json!({"minimum": "1"}),
        json!({"maxItems": -1}),
        json!({"pattern": "("}),
        json!({"required": [1]}),
        json!({"additionalProperties": {"type": "null"}}),
        json!({"items": []}),
        json!({"$defs": []}),
        json!([]),
    ] {
        assert!(Schema::compile(&schema.to_string()).is_err(), "{schema}");
    }
}

#[test]
fn a_reference_to_nowhere_is_refused() {
    let schema = json!({"items": {"if": {}, "then": {"$ref": "#/$defs/gone"}}, "$defs": {"here": {}}});
    assert_eq!(Schema::compile(&schema.to_string()).expect_err("no"), "$ref \"#/$defs/gone\" leads nowhere");
}

#[test]
fn a_problem_names_its_place_as_a_json_pointer() {
    let schema = json!({"properties": {"a/b~c": {"items": {"type": "null"}}}});
    assert_eq!(problems(&schema, &json!({"a/b~c": [null, 1]})), ["/a~1b~0c/1: 1 is not of type \"null\""]);
}

#[test]
fn integers_beyond_what_a_float_holds_are_compared_exactly() {
    let schema = json!({"minimum": 9_007_199_254_740_993_u64, "maximum": u64::MAX});
    assert_eq!(problems(&schema, &json!(9_007_199_254_740_993_u64)).len(), 0);
    assert_eq!(problems(&schema, &json!(9_007_199_254_740_992_u64)).len(), 1);
    assert_eq!(problems(&schema, &json!(u64::MAX)).len(), 0);
}

#[test]
fn a_member_that_no_schema_knows_is_allowed_unless_the_schema_is_closed() {
    let open = json!({"properties": {"a": true}});
    let closed = json!({"additionalProperties": false, "properties": {"a": true}});
    let empty = json!({"additionalProperties": false});
    let instance = json!({"a": 1, "b": 2});
    assert_eq!(problems(&open, &instance).len(), 0);
    assert_eq!(problems(&closed, &instance), [": additional properties are not allowed: 'b' was unexpected"]);
    assert_eq!(problems(&empty, &instance).len(), 2);
}

#[test]
fn no_more_problems_are_listed_than_asked_for() {
    let schema = Schema::compile(r#"{"items": {"type": "integer"}}"#).expect("a schema");
    assert_eq!(schema.problems(&json!(vec!["x"; 1000]).into(), 7).len(), 7);
}

/// Both implementations, with a schema that they compiled.
struct Pair {
    ours: Schema,
    reference: jsonschema::Validator,
}

impl Pair {
    fn new(text: &str) -> Self {
        let schema: Value = serde_json::from_str(text).expect("JSON");
        let reference = jsonschema::draft202012::options().build(&schema).expect("a schema");
        Self { ours: Schema::compile(text).expect("a schema"), reference }
    }

    /// The places with which each finds fault.
    fn places(&self, instance: &Value) -> [BTreeSet<String>; 2] {
        let ours =
            self.ours.problems(&instance.clone().into(), usize::MAX).into_iter().map(|problem| problem.path).collect();
        let reference = self.reference.iter_errors(instance).map(|error| error.instance_path().to_string()).collect();
        [ours, reference]
    }
}

static PAIRS: LazyLock<(Pair, Vec<Pair>)> = LazyLock::new(|| {
    let kinds = crate::kinds::KINDS.iter().map(|kind| Pair::new(kind.declaration().schema));
    (Pair::new(RUN), kinds.collect())
});

/// Every place in a document.
fn pointers(value: &Value, path: &str, out: &mut Vec<String>) {
    out.push(path.to_owned());
    match value {
        Value::Object(object) => object.iter().for_each(|(name, one)| pointers(one, &format!("{path}/{name}"), out)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, one)| pointers(one, &format!("{path}/{index}"), out));
        }
        _ => {}
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-3_i64..5000).prop_map(Value::from),
        (-10.0..10.0_f64).prop_map(Value::from),
        (-5_i32..5).prop_map(|number| json!(f64::from(number))),
        "[ -~\\x00\u{e9}]{0,6}".prop_map(Value::from),
        "[a-z]{250,260}".prop_map(Value::from),
        Just(json!("2026-02-30T00:00:00Z")),
        Just(json!([])),
        Just(json!({})),
        Just(json!({"skipped": "as a sample"})),
        Just(json!([1, "2", 3.5])),
    ]
}

/// The sample with up to three places changed; a member may be taken away or added.
fn changed(changes: &[(prop::sample::Index, Value, u8)]) -> Value {
    let mut document: Value = serde_json::from_str(SAMPLE).expect("JSON");
    for (place, value, how) in changes {
        let mut all = Vec::new();
        pointers(&document, "", &mut all);
        let target = document.pointer_mut(&all[place.index(all.len())]).expect("the place was listed");
        match (how % 3, target) {
            (0, Value::Object(object)) => {
                object.insert("added".to_owned(), value.clone());
            }
            (1, Value::Object(object)) if !object.is_empty() => {
                let name = object.keys().nth(place.index(object.len())).expect("it has one").clone();
                object.remove(&name);
            }
            (_, target) => *target = value.clone(),
        }
    }
    document
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_whole_implementation_finds_fault_with_the_same_places(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any_value(), any::<u8>()), 1..4)
    ) {
        let document = changed(&changes);
        let (run, kinds) = &*PAIRS;
        let [ours, reference] = run.places(&document);
        prop_assert_eq!(ours, reference);
        for kind in kinds {
            for entry in document["benchmarks"].as_array().into_iter().flatten().chain([&document]) {
                let [ours, reference] = kind.places(entry);
                prop_assert_eq!(ours, reference);
            }
        }
    }
}
