import type { Judge } from '../round.ts'

/** No process ended by itself, whatever was done to what it stands on, and each ended when it was told to. */
export const processLives: Judge = function* ({ ends }) {
  for (const { process: of, at, says } of ends)
    yield { of, says: `${says}, at ${new Date(at).toISOString()}` }
}
