import { type Focus, frozenAt, killedAt, type Mutant, pausedAt, plain, under } from './mutant.ts'

/** The service as it is, in a round like those of the mutants: it must be clean, or the checker cries wolf. One of each kind of focus. */
const controlNamed = (name: string, focus: Focus): Mutant => ({
  name,
  says: 'Nothing is planted.',
  edits: [],
  caughtBy: [],
  focus,
})

const atPoints = [
  'create.inserted',
  'write.before-answer-kept',
  'relay.deliveries-inserted',
  'deliver.answered',
  'pay.wallet-answered',
  'refund.settled',
  'order.reserved',
  'requeue.due-again',
]

const inPeace = controlNamed('control-in-peace', { ...plain, seconds: 25 })
const killed = controlNamed('control-killed', {
  ...killedAt(...atPoints),
  seconds: 40,
  faults: ['mongo.kill', 'mongo.stop', 'redis.flush'],
})
const paused = controlNamed(
  'control-paused',
  pausedAt('cancel.before-move', 'simulate.before-move', 'refund.before-set-aside'),
)
const frozen = controlNamed('control-frozen', frozenAt('deliver.before-send', 'deliver.answered'))
const emptied = controlNamed('control-emptied', {
  ...under('redis.flush', 'redis.empty', 'clock.jump'),
  seconds: 40,
})

export const controls: readonly Mutant[] = [inPeace, killed, paused, frozen, emptied]

/** From here on a process that stands still loses its leases. */
const leaseMs = 10_000

/** The one whose round is disturbed as that of the mutant is. */
export function controlOf({ points, deed, awayMs, faults }: Focus): Mutant {
  if (faults.includes('redis.empty') || faults.includes('clock.jump')) return emptied
  if (points.length > 0 && deed === 'stop') return awayMs > leaseMs ? frozen : paused
  return points.length + faults.length > 0 ? killed : inPeace
}
