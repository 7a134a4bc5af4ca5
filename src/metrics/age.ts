import type { Deps } from '../deps.ts'

/** Seconds since an instant; 0 of none, and of one ahead. */
export const ageOf = (deps: Pick<Deps, 'now'>, at: Date | null | undefined): number =>
  at ? Math.max(0, deps.now().getTime() - at.getTime()) / 1000 : 0
