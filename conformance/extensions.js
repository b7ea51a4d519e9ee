export const EXTENSIONS = [];
