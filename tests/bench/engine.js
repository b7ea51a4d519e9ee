// One engine of a page, by the name in this module's own address: loaded once for each, so that no two share compiled
// code.
//
// Equal outputs: for each keystroke an engine gives the text to show and, if the number is valid, its E.164, national
// and international forms, its region and its kind. Ours has all of these in what `parsePhone` returns; theirs gives
// them one by one. They agree on which of these keystrokes make a valid number, but for one of 2,103, and on all of
// these but punctuation of the international form (theirs has no hyphens) and the kind of nine, which its metadata for
// mobile numbers cannot tell from landlines. How a number that is not complete yet is grouped, each decides for itself.
const name = new URL(import.meta.url).search.slice(1);
const isPeer = name === "libphonenumber-js";
const engine = await import(isPeer ? "/peer.js" : `/${name}/index.js`);
if (!isPeer) await engine.init();

const ours = {
  format: (typed, region) => engine.formatPhoneAsYouType(typed, { region }),
  parse: (typed, region) => {
    const phone = engine.parsePhone(typed, { region });
    return phone.verdict === "valid" && [phone.e164, phone.national, phone.international, phone.region, phone.kind];
  },
  version: engine.phoneMetadataVersion,
};

const theirs = {
  format: (typed, region) => engine.formatIncompletePhoneNumber(typed, region),
  parse: (typed, region) => {
    const phone = engine.parsePhoneNumberFromString(typed, region);
    const forms = () => [phone.number, phone.formatNational(), phone.formatInternational()];
    return phone?.isValid() && [...forms(), phone.country, phone.getType()];
  },
};

export default isPeer ? theirs : ours;
