//! Pairs the events of one press: `pointerdown` at once, and `click`, which may come much later, twice, or never.

use super::part::{KEYS, Part};

/// A slow kiosk's second click comes up to half a second after the first. Twice that is safe.
const GHOST_MS: f64 = 1000.0;
/// The second tap of a double tap on the till's own button hits what has just appeared under it.
const GUARD_MS: f64 = 400.0;

/// The last press of a key, or of what is beside the keys.
#[derive(Clone, Copy)]
struct Press {
    /// When the pointer went down; later, when the click came.
    at: f64,
    by_mouse: bool,
    owes_click: bool,
}

impl Press {
    const NEVER: Self = Self {
        at: f64::NEG_INFINITY,
        by_mouse: true,
        owes_click: false,
    };

    /// Whether a touch screen's driver may still send a mouse after this finger.
    fn is_followed(&self, at: f64) -> bool {
        !self.by_mouse && at - self.at < GHOST_MS
    }

    /// A click came: whether the press owed it. It owes none from now on.
    fn take_click(&mut self, at: f64) -> bool {
        let is_owed = std::mem::take(&mut self.owes_click);
        if is_owed {
            self.at = at;
        }
        is_owed
    }
}

/// What the pointers did last.
pub struct Taps {
    keys: [Press; KEYS],
    /// The buttons, the number, and the panel around them.
    beside: Press,
    /// When the keypad was shown, a pointer went down, or a press got its click. A ghost's time counts from here.
    last: f64,
    /// What the last pointer went down on.
    on: Option<Part>,
    guarded_until: f64,
}

impl Default for Taps {
    fn default() -> Self {
        Self {
            keys: [Press::NEVER; KEYS],
            beside: Press::NEVER,
            last: f64::NEG_INFINITY,
            on: None,
            guarded_until: f64::NEG_INFINITY,
        }
    }
}

impl Taps {
    /// The keypad, or another view of it, has just been shown.
    pub fn shown(&mut self, at: f64) {
        self.guarded_until = at + GUARD_MS;
        self.last = at;
        self.on = None;
    }

    /// Whether a pointer's event comes too early to be meant for the keypad.
    pub fn is_early(&self, at: f64) -> bool {
        at < self.guarded_until
    }

    /// A pointer went down: whether it enters something, on a key. `by_mouse`: a mouse, or what a touch screen's driver
    /// sends as one after the finger.
    pub fn down(&mut self, part: Option<Part>, by_mouse: bool, at: f64) -> bool {
        // The list of languages goes away under the finger: the driver's mouse hits a key.
        let is_followed = self.beside.is_followed(at);
        let key = match part {
            Some(Part::Key(key)) => self.keys.get_mut(key),
            _ => None,
        };
        let press = key.unwrap_or(&mut self.beside);
        let is_ghost = by_mouse && (is_followed || press.is_followed(at));
        if !is_ghost {
            *press = Press {
                at,
                by_mouse,
                owes_click: true,
            };
        }
        self.last = at;
        self.on = part;
        !is_ghost
    }

    /// The finger on a key was held so long that a menu would open. Firefox cancels the touch then.
    pub fn held(&mut self) {
        self.on = None;
    }

    /// A press became a scroll. Returns whether to take back what it entered.
    pub fn cancelled(&mut self, key: usize) -> bool {
        let Some(press) = self.keys.get_mut(key) else {
            return false;
        };
        std::mem::take(&mut press.owes_click) && self.on == Some(Part::Key(key))
    }

    /// A key was clicked: whether it counts. `by_pointer`: `detail` is not 0, so it was no keyboard.
    pub fn click_key(&mut self, key: usize, by_pointer: bool, at: f64) -> bool {
        let Some(press) = self.keys.get_mut(key) else {
            return true;
        };
        let is_soon = at - press.at < GHOST_MS;
        let is_owed = press.take_click(at);
        if !by_pointer {
            // A press that slid off the key owes its click for ever; that must not swallow a keyboard's.
            return !(is_owed && is_soon);
        }
        if is_owed {
            self.last = at;
        }
        if is_owed || is_soon {
            return false;
        }
        // Where the page scrolls or shifts under the finger, the click hits another key.
        let pressed = match self.on {
            Some(Part::Key(pressed)) => self.keys.get_mut(pressed),
            _ => None,
        };
        !pressed.is_some_and(|press| press.take_click(at)) && at - self.last >= GHOST_MS
    }

    /// A button beside the keys was clicked by a pointer: whether it counts. Each press has one click. What comes
    /// within `GHOST_MS` of it is a ghost, or was brought there by a shift of the page.
    pub fn click_button(&mut self, button: Option<Part>, at: f64) -> bool {
        if self.on == button && self.beside.take_click(at) {
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

    const SEND: Option<Part> = Some(Part::Send);
    const LANGUAGE: Option<Part> = Some(Part::Language);

    fn key(key: usize) -> Option<Part> {
        Some(Part::Key(key))
    }

    #[test]
    fn a_touch_counts_once_however_late_its_click_comes() {
        for late in [0.0, 140.0, 400.0, 30_000.0] {
            let mut taps = Taps::default();
            assert!(taps.down(key(4), false, 5000.0));
            assert!(!taps.click_key(4, true, 5000.0 + late), "{late}");
        }
    }

    #[test]
    fn a_second_click_is_a_ghost_however_long_the_finger_was_held() {
        for held in [0.0, 700.0, 3000.0] {
            let mut taps = Taps::default();
            assert!(taps.down(key(4), false, 0.0));
            assert!(!taps.click_key(4, true, held), "{held}");
            assert!(!taps.click_key(4, true, 450.0 + held), "{held}");
            assert!(
                taps.click_key(4, true, 2000.0 + held),
                "assistive technology"
            );
            taps.down(LANGUAGE, false, 10_000.0);
            assert!(taps.click_button(LANGUAGE, 10_000.0 + held));
            assert!(!taps.click_button(LANGUAGE, 10_450.0 + held), "{held}");
        }
    }

    #[test]
    fn late_clicks_take_none_from_the_next_press() {
        let mut taps = Taps::default();
        assert!(taps.down(key(4), false, 0.0));
        assert!(taps.down(key(5), false, 200.0), "held");
        for late in [350.0, 450.0] {
            assert!(!taps.click_key(4, true, late), "{late}");
        }
        for late in [1750.0, 2200.0] {
            assert!(!taps.click_key(5, true, late), "{late}");
        }
        assert!(taps.down(key(4), false, 5000.0));
        taps.down(SEND, false, 5200.0);
        for late in [5350.0, 5450.0] {
            assert!(!taps.click_key(4, true, late), "{late}");
        }
        assert!(taps.click_button(SEND, 5550.0));
        assert!(!taps.click_button(SEND, 5650.0));
        taps.down(SEND, false, 5700.0);
        taps.shown(5800.0);
        assert!(!taps.click_button(SEND, 6250.0), "of the view before");
    }

    #[test]
    fn a_click_that_hits_another_key_is_no_key() {
        let mut taps = Taps::default();
        assert!(taps.down(key(4), false, 0.0));
        assert!(!taps.click_key(0, true, 80.0));
    }

    #[test]
    fn a_mouse_right_after_a_finger_is_a_ghost() {
        let mut taps = Taps::default();
        assert!(taps.down(key(4), false, 0.0));
        assert!(!taps.down(key(4), true, 180.0));
        assert!(!taps.click_key(4, true, 185.0));
        assert!(taps.down(key(5), true, 190.0), "another key");
        assert!(taps.down(key(4), true, 2000.0));
        taps.down(LANGUAGE, false, 5000.0);
        assert!(taps.click_button(LANGUAGE, 5080.0));
        taps.down(LANGUAGE, true, 5180.0);
        assert!(!taps.click_button(LANGUAGE, 5185.0));
        assert!(!taps.down(key(4), true, 5190.0), "under the list");
        assert!(taps.down(key(4), false, 10_000.0));
        assert!(!taps.down(key(4), true, 10_005.0), "the finger is held");
        for click in [11_500.0, 11_950.0] {
            assert!(!taps.click_key(4, true, click), "{click}");
        }
        assert!(!taps.down(key(4), true, 12_000.0), "the finger has lifted");
    }

    #[test]
    fn quick_touches_of_one_key_all_count() {
        let mut taps = Taps::default();
        for touch in 0..20 {
            assert!(taps.down(key(4), false, f64::from(touch) * 50.0));
        }
        for click in 0..20 {
            assert!(!taps.click_key(4, true, 1000.0 + f64::from(click)));
        }
    }

    #[test]
    fn a_touch_that_becomes_a_scroll_is_taken_back_once() {
        let mut taps = Taps::default();
        assert!(taps.down(key(4), false, 0.0));
        assert!(taps.cancelled(4));
        assert!(!taps.cancelled(4));
        assert!(taps.down(key(4), false, 100.0));
        assert!(taps.down(key(5), false, 150.0));
        assert!(!taps.cancelled(4), "another digit stands after it");
        assert!(taps.click_key(4, false, 500.0), "keyboard");
        assert!(taps.down(key(4), false, 2000.0));
        taps.held();
        assert!(!taps.cancelled(4), "no scroll");
    }

    #[test]
    fn a_button_is_clicked_where_the_pointer_went_down() {
        let mut taps = Taps::default();
        taps.shown(0.0);
        assert!(
            !taps.click_button(SEND, 500.0),
            "the second click of the till's own button"
        );
        assert!(taps.click_button(SEND, 1500.0), "assistive technology");
        taps.down(key(4), false, 2000.0);
        assert!(!taps.click_button(SEND, 2100.0), "shifted under the finger");
        taps.down(SEND, false, 2200.0);
        assert!(taps.click_button(SEND, 2300.0));
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
            assert!(taps.click_key(4, false, at), "keyboard");
        }
        assert!(taps.click_key(5, true, 30.0), "assistive technology");
        assert!(taps.click_key(5, true, 40.0), "assistive technology");
        // Slid off: no click came.
        assert!(taps.down(key(4), false, 0.0));
        assert!(taps.click_key(4, false, 1500.0));
    }
}
