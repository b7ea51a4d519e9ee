// Money is a whole number of minor units (cents). Nothing here divides except to print.
/** ISO 4217. */
export const currencyCode = "USD";
const TAX_BASIS_POINTS = 825; // 8.25 %

const currency = new Intl.NumberFormat("en-US", { style: "currency", currency: currencyCode });
const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 2 });
const minorPerMajor = 10 ** currency.resolvedOptions().maximumFractionDigits;

export const formatMoney = (minor) => currency.format(minor / minorPerMajor);

export const minorOf = (major) => Math.round(major * minorPerMajor);

/** What a cashier has typed, with a comma or a point. */
export const numberIn = (dialog) => Number(dialog.querySelector("input").value.replace(",", "."));

/** The price of one, or of one kilogram. */
export const formatPrice = ({ price, unit }) => (unit ? `${formatMoney(price)} / ${unit}` : formatMoney(price));

/** A quantity: how many, or how much. */
export const quantityOf = (quantity, unit) => (unit ? `${quantity} ${unit}` : `${quantity}`);

/** A quantity before a name. */
export const formatQuantity = (quantity, unit) => (unit ? quantityOf(quantity, unit) : `${quantity} ×`);

export const taxNamed = (tax) => `${tax} ${percent.format(TAX_BASIS_POINTS / 10_000)}`;

/** Tax on an order's subtotal, half a cent rounded up. */
export const taxOn = (subtotal) => Math.floor((subtotal * TAX_BASIS_POINTS + 5_000) / 10_000);
