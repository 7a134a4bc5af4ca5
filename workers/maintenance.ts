import { isPast, sweep, sweepOverdue } from '../src/sweep.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** A receiver takes what one sweep gives it in about this time; what was left is looked for again then. */
const drainMs = 2_000

/** Re-creates every nudge that MongoDB says is due. */
export const maintenance: QueueWorker<'maintenance'> = {
  queue: 'maintenance',
  async run(deps, { slot, reach }) {
    const event = 'maintenance.swept'
    // After an outage of MongoDB there is one for every 6 s of it.
    if (reach === 'lately' && isPast(slot, deps.now()))
      return { nextStep: { next: 'complete' }, event, log: { slot, reach, past: true }, isNoise: true }
    if (reach !== 'overdue')
      return {
        nextStep: { next: 'complete' },
        event,
        log: { slot, reach, ...(await sweep(deps, reach === 'all')) },
      }
    const swept = await sweepOverdue(deps)
    const again = new Date(deps.now().getTime() + drainMs)
    return {
      nextStep: swept.left > 0 ? { next: 'later', at: again } : { next: 'complete' },
      event,
      log: { slot, reach, ...swept },
    }
  },
}
