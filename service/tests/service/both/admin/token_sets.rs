//! Token sets by the admin API.

use super::Office;
use crate::tokens::Pair;
use crate::world::EMAIL;
use serde_json::{Value, json};

#[tokio::test]
async fn token_sets_are_listed_and_revoked() {
    let office = Office::new().await;
    let world = &office.world;
    let pair = Pair::of(&world.token(&world.finished().await).await);
    world.finished().await;
    let listed = async |query: &str| {
        let mut answer = office.get(&format!("/token-sets?{query}")).await;
        match answer["tokenSets"].take() {
            Value::Array(sets) => sets,
            other => panic!("{other}"),
        }
    };
    let vendor = format!("vendor={}", world.vendor.id);
    let sets = listed(&vendor).await;
    let mut picked_up: Vec<_> = sets.iter().map(|set| set["pickedUp"] == true).collect();
    picked_up.sort_unstable();
    assert_eq!(picked_up, [false, true]);
    assert_eq!(sets[0]["clientId"], *world.vendor.id);
    let account = sets[0]["account"].as_str().unwrap();
    for (query, count) in [
        (format!("account={account}"), 2),
        (format!("account={EMAIL}"), 2),
    ] {
        assert_eq!(listed(&query).await.len(), count, "{query}");
    }
    for noun in ["vendor", "account", "store"] {
        let path = format!("/token-sets?{noun}=nobody");
        let refused = office.refused("GET", &path, Value::Null).await;
        assert_eq!(refused, (404, format!("{noun}_not_found")));
    }
    let revoke = "/token-sets/revoke";
    for (scope, status, code) in [
        (json!({}), 422, "missing_member"),
        (json!({"vendor": "nobody"}), 404, "vendor_not_found"),
        (json!({"account": "nobody"}), 404, "account_not_found"),
        (json!({"store": "nobody"}), 404, "store_not_found"),
    ] {
        let refused = office.refused("POST", revoke, scope).await;
        assert_eq!(refused, (status, code.to_owned()));
    }
    assert_eq!(world.account(&pair.access).await.status, 200);
    let scope = json!({"vendor": world.vendor.id});
    let revoked = office.done("POST", revoke, scope).await;
    assert_eq!(
        revoked,
        json!({"success": true, "revoked": 2, "done": true})
    );
    office.tells("token_sets.revoked").await;
    assert_eq!(world.account(&pair.access).await.status, 401);
    assert!(listed(&vendor).await.is_empty());
}
