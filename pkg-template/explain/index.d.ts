/**
 * What a cashier can do about an error: a sentence or two, in English, Hebrew, Arabic or Spanish. Where that is to call
 * support, the code and the request ID come with it.
 *
 * @param error what a call of the package has thrown; of another value it says to call support
 * @param locale "en", "he", "ar" or "es", with or without subtags. Default: the document's `lang`, else the browser's
 * language, else "en".
 */
export function explain(error: unknown, locale?: string): string;
