import type { Deps } from '../deps.ts'

/** Returns the seconds since an instant. Returns 0 if there is none, or if it is in the future. */
export const ageOf = (deps: Pick<Deps, 'now'>, at: Date | null | undefined): number =>
  at ? Math.max(0, deps.now().getTime() - at.getTime()) / 1000 : 0
