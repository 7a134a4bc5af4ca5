import type { Deps } from '../deps.ts'

/** Returns how many seconds have passed since `at`, or 0 if `at` is missing or in the future. */
export const ageOf = (deps: Pick<Deps, 'now'>, at: Date | null | undefined): number =>
  at ? Math.max(0, deps.now().getTime() - at.getTime()) / 1000 : 0
