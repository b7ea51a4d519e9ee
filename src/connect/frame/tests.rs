use super::appearance::*;
use super::message::*;
use super::options::*;

const ORIGIN: &str = "https://auth.example";

fn message(kind: &str) -> Message<'_> {
    Message {
        origin: ORIGIN,
        mark: Some(1.0),
        kind: Some(kind),
        height: None,
    }
}

#[test]
fn the_url_carries_both_parameters_encoded() {
    assert_eq!(
        url(
            "https://a.example/connect",
            "t&/+ é",
            "c=1",
            &Appearance::default()
        ),
        "https://a.example/connect?integration_token=t%26%2F%2B%20%C3%A9&client_id=c%3D1"
    );
    assert_eq!(
        url(
            "https://a.example/connect?lang=he",
            "t",
            "c",
            &Appearance::default()
        ),
        "https://a.example/connect?lang=he&integration_token=t&client_id=c"
    );
}

#[test]
fn the_look_goes_along_where_the_url_says_nothing_of_it() {
    let appearance = Appearance {
        locale: "ar-EG".into(),
        theme: Some(Theme::Dark),
    };
    let connect = "https://a.example/connect";
    let parameters = "integration_token=t&client_id=c";
    for (own, expected) in [
        ("", format!("?{parameters}&lang=ar-EG&theme=dark")),
        ("?lang=he", format!("?lang=he&{parameters}&theme=dark")),
        ("?theme&lang=", format!("?theme&lang=&{parameters}")),
        (
            "?lang2=x",
            format!("?lang2=x&{parameters}&lang=ar-EG&theme=dark"),
        ),
    ] {
        let url = url(&[connect, own].concat(), "t", "c", &appearance);
        assert_eq!(url, [connect, &expected].concat());
    }
    let odd = Appearance {
        locale: "he&x=1".into(),
        theme: None,
    };
    let url = url(connect, "t", "c", &odd);
    assert_eq!(url, format!("{connect}?{parameters}"));
}

#[test]
fn the_known_messages_are_read() {
    assert_eq!(read(&message("ready"), ORIGIN), Some(Hint::Ready));
    assert_eq!(read(&message("finished"), ORIGIN), Some(Hint::Decided));
    assert_eq!(read(&message("cancelled"), ORIGIN), Some(Hint::Decided));
}

#[test]
fn a_height_is_kept_within_bounds() {
    let height = |height| {
        let told = Message {
            height,
            ..message("height")
        };
        read(&told, ORIGIN)
    };
    assert_eq!(height(Some(612.0)), Some(Hint::Height(612)));
    for (told, kept) in [(-1.0, 320), (f64::NAN, 320), (1e300, 4000)] {
        assert_eq!(height(Some(told)), Some(Hint::Height(kept)), "{told}");
    }
    assert_eq!(height(None), None);
}

#[test]
fn another_origin_is_ignored_even_if_it_begins_alike() {
    for origin in [
        "null",
        "",
        "https://auth.example.evil",
        "https://auth.example:443",
        "http://auth.example",
        "https://AUTH.example",
    ] {
        let forged = Message {
            origin,
            ..message("finished")
        };
        assert_eq!(read(&forged, ORIGIN), None, "{origin}");
    }
}

#[test]
fn another_shape_is_ignored() {
    for mark in [None, Some(2.0), Some(0.0), Some(f64::NAN)] {
        let forged = Message {
            mark,
            ..message("finished")
        };
        assert_eq!(read(&forged, ORIGIN), None);
    }
    for kind in [None, Some(""), Some("hello"), Some("FINISHED")] {
        let forged = Message {
            kind,
            ..message("finished")
        };
        assert_eq!(read(&forged, ORIGIN), None);
    }
}

#[test]
fn the_sandbox_is_the_documented_one() {
    let types = include_str!("../../../pkg-template/index.d.ts");
    // A comment breaks it into lines.
    let words: Vec<&str> = types
        .split_whitespace()
        .filter(|word| *word != "*")
        .collect();
    assert!(words.join(" ").contains(SANDBOX));
    assert!(!SANDBOX.contains("top-navigation"));
}

fn violation(blocked: &str) -> Violation<'_> {
    Violation {
        is_enforced: true,
        directive: "frame-src",
        blocked,
    }
}

#[test]
fn a_violation_counts_for_the_pinned_origin_only() {
    for blocked in [ORIGIN, "https://auth.example/connect?x=1"] {
        assert!(violation(blocked).blocks_frame(ORIGIN), "{blocked}");
    }
    for blocked in [
        "",
        "inline",
        "https://auth.example.evil/",
        "https://auth.example:8443/connect",
        "http://auth.example/connect",
    ] {
        assert!(!violation(blocked).blocks_frame(ORIGIN), "{blocked}");
    }
}

#[test]
fn a_violation_counts_if_it_blocks_a_frame() {
    let reported = Violation {
        is_enforced: false,
        ..violation(ORIGIN)
    };
    assert!(!reported.blocks_frame(ORIGIN));
    for directive in ["connect-src", "child-src", ""] {
        let other = Violation {
            directive,
            ..violation(ORIGIN)
        };
        assert!(!other.blocks_frame(ORIGIN), "{directive}");
    }
}
