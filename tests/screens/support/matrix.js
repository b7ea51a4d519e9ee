// Sizes, text sizes, languages and themes, and what of them a run looks at.
export const SIZES = [
  [360, 640],
  [740, 360],
  [1024, 600],
  [1280, 800],
];
export const PERCENTS = [100, 200];
/** The shipped ones, and how each is written: `en:ltr he:rtl`. */
const WRITTEN = new Map((process.env.POS_LANGUAGES ?? "en:ltr").split(" ").map((language) => language.split(":")));
export const LANGUAGES = [...WRITTEN.keys()];
export const THEMES = ["light", "dark"];

/** Everything, not the fast part alone. */
export const isFull = process.env.POS_SCREENS === "all";

export const direction = (language) => WRITTEN.get(language);

/**
 * How a state is looked at in one language: every size, text size and theme. In the fast part each size once, and in
 * one language: text size, theme and language change from the `at`th state to the next.
 */
export function views(language, at) {
  if (!isFull && language !== LANGUAGES[at % LANGUAGES.length]) return [];
  if (isFull)
    return SIZES.flatMap((size) =>
      PERCENTS.flatMap((percent) => THEMES.map((theme) => ({ size, percent, language, theme }))),
    );
  const one = (list, number) => list[number % list.length];
  return SIZES.map((size, place) => ({
    size,
    language,
    percent: one(PERCENTS, at + place),
    theme: one(THEMES, Math.floor(at / PERCENTS.length) + place),
  }));
}

export const title = ({ size, percent, theme, language }) => `${size.join("x")}-${percent}-${language}-${theme}`;
