//! Which integration `connect` goes on with.

use super::*;

/// Whether a page goes on with an integration, its own or an earlier page's, where that goes wrong with the status.
fn goes_on(is_own: bool, trouble: Trouble) -> bool {
    let world = Rc::new(World::new(Trouble::Nothing, Outside::new(Kind::Plain)));
    let going_on = async {
        let [earlier, later] = [(); 2].map(|()| Integrations::new(Page(world.clone())));
        let created = earlier.create(&()).await.ok().unwrap();
        world.trouble.set(trouble);
        world.troubled.set(Some(Operation::Status));
        let found = match is_own {
            true => earlier.resumable(Some(created.clone()), &()).await,
            false => later.resumable(None, &()).await,
        };
        let token = &created.pick_up.identity.integration_token;
        found.is_some_and(|found| found.pick_up.identity.integration_token == *token)
    };
    crash::run(going_on, usize::MAX).unwrap()
}

#[test]
fn what_is_pending_goes_on_and_so_does_what_is_asked_for_too_soon() {
    for is_own in [true, false] {
        for trouble in [Trouble::Nothing, Trouble::RateLimited] {
            assert!(goes_on(is_own, trouble), "{is_own} {trouble:?}");
        }
    }
}

#[test]
fn without_an_answer_only_its_own_goes_on() {
    for trouble in [Trouble::RequestLost, Trouble::FailedAfterwards] {
        assert!(goes_on(true, trouble), "{trouble:?}");
        assert!(!goes_on(false, trouble), "{trouble:?}");
    }
}

#[test]
fn what_the_page_shows_itself_does_not_go_on() {
    let world = Rc::new(World::new(Trouble::Nothing, Outside::new(Kind::Plain)));
    let going_on = async {
        let integrations = Integrations::new(Page(world.clone()));
        let created = integrations.create(&()).await.ok().unwrap();
        created.shown_by_host.set(true);
        integrations.resumable(None, &()).await.is_some()
    };
    assert_eq!(crash::run(going_on, usize::MAX), Some(false));
}
