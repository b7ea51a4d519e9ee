use super::*;
use serde_json::{Value, json};

#[derive(Default, serde::Deserialize, serde::Serialize)]
#[serde(default)]
struct Body {
    #[serde(skip_serializing_if = "Field::is_missing")]
    yes: Field<bool>,
    #[serde(skip_serializing_if = "Field::is_missing")]
    text: Field<String>,
    #[serde(skip_serializing_if = "Field::is_missing")]
    number: Field<Number>,
    #[serde(skip_serializing_if = "Field::is_missing")]
    either: Field<Scalar>,
}

/// What a type makes of each kind of JSON.
fn kinds<T: Member>() -> [Field<T>; 8] {
    let all = json!([null, true, 1.5, "t", "", [], {}, [{"a": [1]}]]);
    serde_json::from_value(all).unwrap()
}

#[test]
fn every_type_takes_its_own_kind_of_json_and_no_other() {
    use Field::{Missing, Value, WrongType};
    let no = || WrongType;
    let expected = [Missing, Value(true), no(), no(), no(), no(), no(), no()];
    assert!(kinds::<bool>() == expected);
    let no = || WrongType;
    let expected = [
        Missing,
        no(),
        Value(Number(1.5)),
        no(),
        no(),
        no(),
        no(),
        no(),
    ];
    assert!(kinds::<Number>() == expected);
    let (no, text) = (|| WrongType, |text: &str| Value(text.to_owned()));
    let expected = [Missing, no(), no(), text("t"), text(""), no(), no(), no()];
    assert!(kinds::<String>() == expected);
    let (no, text) = (|| WrongType, |text: &str| Field::from(text.to_owned()));
    let number = Value(Scalar::Number(Number(1.5)));
    let expected = [Missing, no(), number, text("t"), text(""), no(), no(), no()];
    assert!(kinds::<Scalar>() == expected);
}

#[test]
fn a_number_that_is_not_finite_has_the_wrong_type() {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, F64Deserializer};
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let source: F64Deserializer<Error> = number.into_deserializer();
        assert!(Field::<Number>::deserialize(source).unwrap() == Field::WrongType);
        let source: F64Deserializer<Error> = number.into_deserializer();
        assert!(Field::<Scalar>::deserialize(source).unwrap() == Field::WrongType);
    }
}

#[test]
fn what_was_written_is_read_again_and_a_missing_member_is_not_written() {
    let body = Body {
        yes: true.into(),
        text: "t".into(),
        number: Number(5.0).into(),
        either: Field::Missing,
    };
    let written = serde_json::to_string(&body).unwrap();
    assert_eq!(written, r#"{"yes":true,"text":"t","number":5}"#);
    let read: Body = serde_json::from_str(&written).unwrap();
    assert!(read.yes.is_true() && read.text == "t".into() && read.either.is_missing());
    assert!(read.number == Number(5.0).into());
}

#[test]
fn numbers_are_written_as_their_own_type_would_be() {
    for (number, written) in [
        (0.0, "0"),
        (-3.0, "-3"),
        (1.5, "1.5"),
        (4_294_967_295.0, "4294967295"),
        (9_007_199_254_740_991.0, "9007199254740991"),
        (1e300, "1e+300"),
    ] {
        let text = serde_json::to_string(&Field::Value(Number(number))).unwrap();
        assert_eq!(text, written);
        assert!(serde_json::from_str::<Field<Number>>(&text).unwrap() == Number(number).into());
    }
}

#[test]
fn deep_nesting_in_the_wrong_place_is_skipped() {
    let deep = format!("{}1{}", r#"{"a":["#.repeat(50), "]}".repeat(50));
    let body = format!(r#"{{"yes":{deep},"text":[{deep}],"number":{deep},"either":7}}"#);
    let body: Body = serde_json::from_str(&body).unwrap();
    assert!(body.yes == Field::WrongType && body.text == Field::WrongType);
    assert!(body.number == Field::WrongType);
    assert!(body.either == Field::Value(Scalar::Number(Number(7.0))));
}

#[test]
fn debug_hides_the_value() {
    assert_eq!(
        format!("{:?}", Field::<String>::from("hunter2")),
        "Value(..)"
    );
    assert_eq!(format!("{:?}", Field::<bool>::WrongType), "WrongType");
}

#[test]
fn a_member_without_a_value_is_null() {
    for field in [Field::<bool>::Missing, Field::WrongType, Field::Unreadable] {
        assert_eq!(serde_json::to_value(field).unwrap(), Value::Null);
    }
}
