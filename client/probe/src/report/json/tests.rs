//! Packed and unpacked again, everything stays what it was.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;

fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        ".{0,4}".prop_map(Value::from),
        prop::collection::vec(any::<u64>(), 0..5).prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(".{0,3}", inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_numbers_are_put_into_a_column_come_out_of_it(numbers: Vec<u64>) {
        let column: Column = numbers.iter().copied().collect();
        prop_assert_eq!(column.len(), numbers.len());
        prop_assert_eq!(column.to_vec(), numbers);
    }

    #[test]
    fn any_value_is_the_same_by_every_way_in_and_writes_the_same_text(value in any_json()) {
        let packed = Json::from(value.clone());
        prop_assert_eq!(&Json::of(&value).expect("JSON"), &packed);
        let text = value.to_string();
        prop_assert_eq!(&serde_json::from_str::<Json>(&text).expect("JSON"), &packed);
        prop_assert_eq!(serde_json::to_string(&packed).expect("JSON"), text);
        prop_assert_eq!(packed.to::<Value>().expect("JSON"), value);
    }
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Point,
    Round(u64),
    Square { side: f64 },
    Edge(i64, u64),
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Everything {
    shapes: Vec<Shape>,
    some: Option<(u64, u8)>,
    none: Option<Box<Everything>>,
    gaps: Vec<Option<(u64, u8)>>,
    column: Column,
    unit: (),
}

#[test]
fn structs_and_variants_are_written_and_read_as_serde_json_does() {
    let everything = || Everything {
        shapes: vec![Shape::Point, Shape::Round(3), Shape::Square { side: -0.5 }, Shape::Edge(-1, 2)],
        some: Some((u64::MAX, 1)),
        none: None,
        gaps: vec![None, Some((7, 0))],
        column: [5, 0, u64::MAX].into_iter().collect(),
        unit: (),
    };
    let packed = Json::of(&everything()).expect("JSON");
    assert_eq!(packed, Json::from(serde_json::to_value(everything()).expect("JSON")));
    assert_eq!(packed.to::<Everything>().expect("the same again"), everything());
}

#[test]
fn what_does_not_fit_is_refused_and_not_bent() {
    let refused = |value: Value| Json::from(value).to::<Everything>().is_err();
    assert!(refused(json!({"shapes": ["oval"]})));
    assert!(refused(json!([1, 2])));
    assert!(Json::from(json!([1, 256])).to::<Vec<u8>>().is_err());
    assert!(Json::from(json!([1, -1])).to::<Column>().is_err());
    assert!(Json::from(json!([1, 2, 3])).to::<(u64, u64)>().is_err());
}

#[test]
fn a_list_is_a_column_only_while_all_of_it_are_whole_numbers() {
    assert!(Json::from(json!([1, 2])).as_column().is_some());
    assert!(Json::from(json!([])).as_column().is_some());
    for other in [json!([1, null]), json!([1, -2]), json!([1, 2.0]), json!([[1]])] {
        let packed = Json::from(other.clone());
        assert!(packed.as_column().is_none(), "{other}");
        assert_eq!(packed.list_length(), other.as_array().map(Vec::len));
    }
}

#[test]
fn a_million_samples_of_a_latency_and_a_step_take_five_bytes_each() {
    let mut random = crate::stats::Random(1);
    let latencies: Column = (0..1_000_000).map(|_| random.between(2_000_000, 20_000_000)).collect();
    let steps: Column = (0..1_000_000).collect();
    assert!(latencies.packed_bytes() <= 4_000_000, "{}", latencies.packed_bytes());
    assert_eq!(steps.packed_bytes(), 1_000_000);
}
