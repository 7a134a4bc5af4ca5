import type { Judge } from '../round.ts'

/** The round was played as it was meant to be: what could not be done, because nobody answered or all of it was beyond reach, is not forgiven. */
export const roundEnded: Judge = function* ({ setting }) {
  for (const says of setting.brokenOff) yield { of: 'the round', says }
}
