import { type Focus, frozenAt, killedAt, type Mutant, plain, under } from './mutant.ts'

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
  seconds: 30,
  faults: ['mongo.kill', 'mongo.stop', 'redis.flush'],
})
const frozen = controlNamed(
  'control-frozen',
  frozenAt('deliver.before-send', 'deliver.answered', 'refund.before-set-aside'),
)
const emptied = controlNamed('control-emptied', {
  ...under('redis.flush', 'redis.empty', 'process.skew', 'clock.jump'),
  seconds: 40,
})

export const controls: readonly Mutant[] = [inPeace, killed, frozen, emptied]

/** The one whose round is disturbed as that of the mutant is. */
export function controlOf({ points, deed, faults }: Focus): Mutant {
  if (emptied.focus.faults.some((fault) => fault !== 'redis.flush' && faults.includes(fault))) return emptied
  if (points.length > 0 && deed === 'stop') return frozen
  return points.length + faults.length > 0 ? killed : inPeace
}
