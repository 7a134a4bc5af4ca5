import type { Judge } from '../round.ts'

/** So much of a line tells which it is. */
const mostShown = 1500

/** Nothing that is done to the service makes it say that somebody must act, nor anything that is no line of its log. */
export const logCalm: Judge = function* ({ logs }) {
  for (const { from: of, line } of logs())
    if (!line.startsWith('{') || /"level":"(error|fatal)"/.test(line))
      yield { of, says: line.slice(0, mostShown) }
}
