//! Pairs the events of one touch: `pointerdown` at once, and `click`, which may come much later, twice, or never.

use super::part::{KEYS, Part};

/// Slow kiosks send a second click up to half a second after the finger.
const GHOST_MS: f64 = 1000.0;
/// The second tap of a double tap on the till's own button hits what has just appeared under it.
const GUARD_MS: f64 = 400.0;

/// The last touch of a key.
#[derive(Clone, Copy)]
struct Touch {
    at: f64,
    by_mouse: bool,
    /// Its click has not come yet.
    owes_click: bool,
}

/// The last touch of each key, of what is beside them, and of all.
pub struct Taps {
    touches: [Touch; KEYS + 1],
    /// When a pointer was last seen: it went down, or its click came, which is when a held one lifts.
    last: f64,
    /// What the last pointer went down on.
    on: Option<Part>,
    /// No pointer's click on a key has come since one was pressed.
    is_open: bool,
    guarded_until: f64,
}

impl Default for Taps {
    fn default() -> Self {
        let never = Touch {
            at: f64::NEG_INFINITY,
            by_mouse: true,
            owes_click: false,
        };
        Self {
            touches: [never; KEYS + 1],
            last: f64::NEG_INFINITY,
            on: None,
            is_open: false,
            guarded_until: f64::NEG_INFINITY,
        }
    }
}

impl Taps {
    /// The keypad has just been shown.
    pub fn shown(&mut self, at: f64) {
        self.guarded_until = at + GUARD_MS;
        self.last = at;
    }

    /// Whether a pointer's event comes too early to be meant for the keypad.
    pub fn is_early(&self, at: f64) -> bool {
        at < self.guarded_until
    }

    /// A touch became a scroll. Returns whether to take back what it entered.
    pub fn cancelled(&mut self, key: usize) -> bool {
        self.on == Some(Part::Key(key)) && std::mem::take(&mut self.is_open)
    }

    /// A pointer went down: whether it counts. `by_mouse`: a mouse, or what a touch screen's driver sends as
    /// one after the finger.
    pub fn down(&mut self, on: Option<Part>, by_mouse: bool, at: f64) -> bool {
        let key = match on {
            Some(Part::Key(key)) => key,
            _ => KEYS,
        };
        let Some(touch) = self.touches.get_mut(key) else {
            return false;
        };
        let is_ghost = by_mouse && !touch.by_mouse && at - touch.at < GHOST_MS;
        if !is_ghost {
            *touch = Touch {
                at,
                by_mouse,
                owes_click: true,
            };
        }
        self.last = at;
        self.on = on;
        if key < KEYS {
            self.is_open = !is_ghost;
        }
        !is_ghost
    }

    /// A key was clicked: whether it counts. `by_pointer`: `detail` is not 0, so a pointer made the click, and no
    /// keyboard or assistive technology.
    pub fn click(&mut self, key: usize, by_pointer: bool, at: f64) -> bool {
        let Some(touch) = self.touches.get_mut(key) else {
            return true;
        };
        let is_owed = std::mem::take(&mut touch.owes_click);
        if by_pointer {
            // Any key counts here: where the page scrolls or shifts under the finger, the click hits another one.
            if std::mem::take(&mut self.is_open) {
                self.last = at;
                return false;
            }
            at - self.last >= GHOST_MS
        } else {
            // A touch that slid off the key owes its click for ever; that must not swallow a keyboard's.
            !(is_owed && at - touch.at < GHOST_MS)
        }
    }

    /// A button outside the grid was clicked by a pointer: whether it counts. A click that a ghost or a shift of the
    /// page brought there does not.
    pub fn clicked(&mut self, button: Option<Part>, at: f64) -> bool {
        if self.on == button && std::mem::take(&mut self.touches[KEYS].owes_click) {
            self.last = at;
            return true;
        }
        at - self.last >= GHOST_MS
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn a_touch_counts_once_however_late_its_click_comes() {
        for late in [0.0, 140.0, 400.0, 30_000.0] {
            let mut taps = Taps::default();
            assert!(taps.down(Some(Part::Key(4)), false, 5000.0));
            assert!(!taps.click(4, true, 5000.0 + late), "{late}");
        }
    }

    #[test]
    fn a_second_click_is_a_ghost_however_long_the_finger_was_held() {
        for held in [0.0, 700.0, 3000.0] {
            let mut taps = Taps::default();
            assert!(taps.down(Some(Part::Key(4)), false, 5000.0));
            assert!(!taps.click(4, true, 5000.0 + held), "{held}");
            assert!(!taps.click(4, true, 5450.0 + held), "{held}");
            assert!(taps.click(4, true, 6450.0 + held), "assistive technology");
            taps.down(Some(Part::Language), false, 10_000.0);
            assert!(taps.clicked(Some(Part::Language), 10_000.0 + held));
            assert!(
                !taps.clicked(Some(Part::Language), 10_450.0 + held),
                "{held}"
            );
        }
    }

    #[test]
    fn a_keys_late_clicks_take_none_from_a_button() {
        let mut taps = Taps::default();
        assert!(taps.down(Some(Part::Key(4)), false, 0.0));
        taps.down(Some(Part::Send), false, 200.0);
        for late in [350.0, 450.0] {
            assert!(!taps.click(4, true, late));
        }
        assert!(taps.clicked(Some(Part::Send), 550.0));
        assert!(!taps.clicked(Some(Part::Send), 650.0));
    }

    #[test]
    fn a_click_that_hits_another_key_is_no_key() {
        let mut taps = Taps::default();
        assert!(taps.down(Some(Part::Key(4)), false, 0.0));
        assert!(!taps.click(0, true, 80.0));
    }

    #[test]
    fn a_mouse_right_after_a_finger_is_a_ghost() {
        let mut taps = Taps::default();
        assert!(taps.down(Some(Part::Key(4)), false, 0.0));
        assert!(!taps.down(Some(Part::Key(4)), true, 180.0));
        assert!(!taps.click(4, true, 185.0));
        assert!(taps.down(Some(Part::Key(5)), true, 190.0), "another key");
        assert!(taps.down(Some(Part::Key(4)), true, 2000.0));
        taps.down(Some(Part::Language), false, 5000.0);
        assert!(taps.clicked(Some(Part::Language), 5080.0));
        taps.down(Some(Part::Language), true, 5180.0);
        assert!(!taps.clicked(Some(Part::Language), 5185.0));
    }

    #[test]
    fn quick_touches_of_one_key_all_count() {
        let mut taps = Taps::default();
        for touch in 0..20 {
            assert!(taps.down(Some(Part::Key(4)), false, f64::from(touch) * 50.0));
        }
        for click in 0..20 {
            assert!(!taps.click(4, true, 1000.0 + f64::from(click)));
        }
    }

    #[test]
    fn a_touch_that_becomes_a_scroll_is_taken_back_once() {
        let mut taps = Taps::default();
        assert!(taps.down(Some(Part::Key(4)), false, 0.0));
        assert!(taps.cancelled(4));
        assert!(!taps.cancelled(4));
        assert!(taps.down(Some(Part::Key(4)), false, 100.0));
        assert!(taps.down(Some(Part::Key(5)), false, 150.0));
        assert!(!taps.cancelled(4), "another digit stands after it");
    }

    #[test]
    fn a_button_is_clicked_where_the_pointer_went_down() {
        let mut taps = Taps::default();
        taps.shown(0.0);
        assert!(
            !taps.clicked(Some(Part::Send), 500.0),
            "the second click of the till's own button"
        );
        assert!(
            taps.clicked(Some(Part::Send), 1500.0),
            "assistive technology"
        );
        taps.down(Some(Part::Key(4)), false, 2000.0);
        assert!(
            !taps.clicked(Some(Part::Send), 2100.0),
            "shifted under the finger"
        );
        taps.down(Some(Part::Send), false, 2200.0);
        assert!(taps.clicked(Some(Part::Send), 2300.0));
    }

    #[test]
    fn what_was_meant_for_the_till_is_early() {
        let mut taps = Taps::default();
        assert!(!taps.is_early(0.0));
        taps.shown(1000.0);
        assert!(taps.is_early(1399.0));
        assert!(!taps.is_early(1400.0));
    }

    #[test]
    fn clicks_without_a_touch_count() {
        let mut taps = Taps::default();
        for at in [0.0, 10.0, 20.0] {
            assert!(taps.click(4, false, at), "keyboard");
        }
        assert!(taps.click(5, true, 30.0), "assistive technology");
        assert!(taps.click(5, true, 40.0), "assistive technology");
        // Slid off: no click came.
        assert!(taps.down(Some(Part::Key(4)), false, 0.0));
        assert!(taps.click(4, false, 1500.0));
    }
}
