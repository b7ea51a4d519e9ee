//! The style sheet of the operator's color: what the pages draw in it, light and dark.

use crate::brand::Color;

const WHITE: Color = Color([255; 3]);
const BLACK: Color = Color([0; 3]);
/// What the pages are drawn on, `--card` in `style.css`.
const LIGHT: Color = WHITE;
const DARK: Color = Color([0x1c, 0x1c, 0x1e]);
/// What text needs is 4.5 (WCAG 2.2, 1.4.3). A frame has the browser's own dark, which differs a little.
const LEAST_CONTRAST: f64 = 4.8;
/// How much of the color is in what is chosen.
const TINT: f64 = 0.1;

/// Sets the brand's color, and the accents that are derived from it.
pub(super) fn style_sheet(brand: Color) -> String {
    let on_brand = brand.text_on_it();
    let (light, dark) = (accents(brand, LIGHT, BLACK), accents(brand, DARK, WHITE));
    format!(
        ":root {{ --brand: {brand}; --on-brand: {on_brand}; {light} }}\n\
         @media (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ {dark} }} }}\n\
         :root[data-theme=\"dark\"] {{ {dark} }}\n"
    )
}

/// The color, as far as need be on its way to `far`, so that it is read on the surface and on its own tint.
fn accents(brand: Color, surface: Color, far: Color) -> String {
    let (accent, soft) = readable(brand, surface, far);
    format!("--accent: {accent}; --accent-soft: {soft};")
}

fn readable(brand: Color, surface: Color, far: Color) -> (Color, Color) {
    let candidates = (0..=20).map(|step| brand.mixed(far, f64::from(step) / 20.0));
    let tinted = |accent: Color| (accent, surface.mixed(accent, TINT));
    candidates
        .map(tinted)
        .find(|(accent, soft)| accent.contrast(*soft) >= LEAST_CONTRAST)
        .unwrap_or_else(|| tinted(far))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_color_has_accents_that_can_be_read_on_both_surfaces() {
        let parts = || (0..=255).step_by(51);
        for (red, green, blue) in parts()
            .flat_map(|red| parts().map(move |green| (red, green)))
            .flat_map(|(red, green)| parts().map(move |blue| (red, green, blue)))
        {
            let brand = Color([red, green, blue]);
            for (surface, far, text) in [(LIGHT, BLACK, BLACK), (DARK, WHITE, WHITE)] {
                let (accent, soft) = readable(brand, surface, far);
                for (one, other) in [(accent, surface), (accent, soft), (text, soft)] {
                    let contrast = one.contrast(other);
                    assert!(contrast >= 4.5, "{brand}: {one} on {other} is {contrast}");
                }
            }
        }
    }

    #[test]
    fn a_color_that_can_be_read_stays_as_it_is() {
        let indigo = Color::parse("#4338ca").unwrap();
        assert_eq!(readable(indigo, LIGHT, BLACK).0, indigo);
        assert_ne!(readable(indigo, DARK, WHITE).0, indigo);
    }
}
