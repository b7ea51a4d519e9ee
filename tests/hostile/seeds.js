// What the gate's storms begin with: the same every time. A seed that was red at night is added here, and stays.

export const SEEDS = { bare: [2026], zone: [2026], lockdown: [2026], polluted: [2026], trusted: [2026] };

/** In a bare page. */
export const STEPS = 3_000;
