// What the customer's display says. The keypad has its own words.
const words = {
  en: {
    welcome: "Welcome",
    order: "Your order",
    total: "Total",
    thanks: "Thank you!",
    sent: "Your receipt is on its way to #.",
    printed: "Please take your receipt.",
    none: "See you soon.",
  },
  he: {
    welcome: "ברוכים הבאים",
    order: "ההזמנה שלכם",
    total: "סה״כ",
    thanks: "תודה!",
    sent: "הקבלה בדרך אל #.",
    printed: "הקבלה מודפסת עבורכם.",
    none: "להתראות.",
  },
  ar: {
    welcome: "أهلًا وسهلًا",
    order: "طلبك",
    total: "المجموع",
    thanks: "شكرًا لك!",
    sent: "الإيصال في طريقه إلى #.",
    printed: "تفضّل إيصالك المطبوع.",
    none: "إلى اللقاء.",
  },
  es: {
    welcome: "Le damos la bienvenida",
    order: "Su pedido",
    total: "Total",
    thanks: "¡Gracias!",
    sent: "Su recibo va en camino a #.",
    printed: "Aquí tiene su recibo impreso.",
    none: "Hasta pronto.",
  },
};

export const wordsIn = (locale) => words[locale] ?? words.en;

/** The end of a number, whatever the direction of the text around it. */
export const masked = (end) => `\u2066•••• ${end}\u2069`;
