// What is measured: the package, and the one that it is measured against, if there is one.
import { pathFrom } from "../e2e/support/environment.js";

export const OURS = "pos-connect";
export const AGAINST = "against";

/** The folders of the packages, by the names that pages and tables give them. */
export const packages = {
  [OURS]: pathFrom("POS_PACKAGE_DIR"),
  ...(process.env.POS_AGAINST_DIR ? { [AGAINST]: pathFrom("POS_AGAINST_DIR") } : {}),
};
export const runs = Number(process.env.POS_RUNS ?? 7);
