import { type Focus, frozenAt, killedAt, type Mutant, plain, under } from './mutant.ts'

/** The service without a bug, in a round like those of the mutants. Every violation is a false alarm. */
const control = (name: string, focus: Focus): Mutant => {
  return { name, bug: 'None.', edits: [], caughtBy: [], focus }
}

const undisturbed = control('control-undisturbed', { ...plain, seconds: 25 })
const killed = control('control-killed', {
  ...killedAt(
    'create.inserted',
    'write.before-response-kept',
    'relay.deliveries-inserted',
    'deliver.responded',
    'pay.wallet-responded',
    'refund.settled',
    'order.units-taken',
    'transaction.committed',
    'requeue.due-again',
  ),
  seconds: 33,
  faults: ['mongo.kill', 'mongo.stop', 'redis.flush'],
})
const frozen = control(
  'control-frozen',
  frozenAt('deliver.before-send', 'deliver.responded', 'refund.before-set-aside'),
)
const emptied = control('control-emptied', {
  ...under('redis.flush', 'redis.empty', 'process.skew', 'clock.jump'),
  seconds: 40,
})

export const controls: readonly Mutant[] = [undisturbed, killed, frozen, emptied]

/** The control with the same kind of faults. */
export function controlOf({ points, deed, faults }: Focus): Mutant {
  if (emptied.focus.faults.some((fault) => fault !== 'redis.flush' && faults.includes(fault))) return emptied
  if (points.length > 0 && deed === 'stop') return frozen
  return points.length + faults.length > 0 ? killed : undisturbed
}
