//! Accounts by the admin API.

use super::Office;
use serde_json::{Value, json};

#[tokio::test]
async fn accounts_are_added_listed_changed_and_disabled() {
    let office = Office::new().await;
    let new = json!({"email": "New@cafe.example", "name": "Café", "stores": ["North", "South"]});
    let added = office.done("POST", "/accounts", new.clone()).await;
    office.tells("account.added").await;
    assert_eq!(added["password"].as_str().unwrap().len(), 20);
    assert_eq!(
        office.refused("POST", "/accounts", new).await,
        (409, "account_exists".into())
    );
    let id = added["id"].as_str().unwrap();
    let shown = async |member: &str| office.get("/accounts").await["accounts"][1][member].take();
    assert_eq!(shown("id").await, id);
    assert_eq!(shown("email").await, "new@cafe.example");
    assert_eq!(shown("stores").await[1]["name"], "South");
    let regions = json!({"regions": ["IL", "US"]});
    let changes = [
        ("POST", "set-password", json!({}), "account.password_set"),
        ("PUT", "regions", regions, "account.regions_changed"),
        ("POST", "disable", Value::Null, "account.disabled"),
    ];
    office.change("account", id, &changes).await;
    let regions = "SELECT message_regions FROM account WHERE email = 'new@cafe.example'";
    assert_eq!(office.world.value::<String>(regions).await, "IL US");
    assert_eq!(shown("disabled").await, true);
    let enable = ("POST", "enable", Value::Null, "account.enabled");
    office.change("account", id, &[enable]).await;
    assert_eq!(shown("disabled").await, false);
}

#[tokio::test]
async fn a_password_that_was_given_is_not_shown_and_signs_in() {
    let office = Office::new().await;
    let account = office.get("/accounts").await["accounts"][0].take();
    let (id, email) = (&account["id"], account["email"].as_str().unwrap());
    let path = format!("/accounts/{}/set-password", id.as_str().unwrap());
    let given = json!({"password": "a long password"});
    let set = office.done("POST", &path, given).await;
    assert_eq!(set, json!({"success": true, "id": id}));
    let world = &office.world;
    let token = world.create().await;
    let page = world.open_connect(&token).await;
    let page = world.sign_in(&page, email, "a long password").await;
    assert_eq!(page.data("page"), "consent");
}

#[tokio::test]
async fn two_step_sign_in_ends_where_the_phone_is_lost() {
    let office = Office::new().await;
    office.world.turn_on_second_factor().await;
    let account = office.get("/accounts").await["accounts"][0].take();
    let id = account["id"].as_str().unwrap();
    let event = "account.second_factor_removed";
    let remove = ("POST", "remove-second-factor", Value::Null, event);
    office.change("account", id, &[remove]).await;
    let path = format!("/accounts/{id}/remove-second-factor");
    assert_eq!(
        office.refused("POST", &path, Value::Null).await,
        (404, "account_not_found".into())
    );
}
