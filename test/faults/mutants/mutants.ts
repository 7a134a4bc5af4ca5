import { bugs as ofDeliveries } from '../../planted/deliveries.ts'
import { bugs as ofPayments } from '../../planted/payments.ts'
import { bugs as ofRequests } from '../../planted/requests.ts'
import { bugs as ofShopAndStaff } from '../../planted/shop-and-staff.ts'
import type { Focus } from './focus.ts'
import { frozenAt, killedAt, lasting, type Mutant, mutantsOf, under } from './mutant.ts'

export const mutants = [ofRequests, ofPayments, ofDeliveries, ofShopAndStaff].flatMap(mutantsOf)

const killPoints = [
  'create.inserted write.before-response-kept relay.deliveries-inserted deliver.responded',
  'pay.wallet-responded refund.settled order.units-taken transaction.committed requeue.due-again',
].flatMap((names) => names.split(' '))

/** No bug, in rounds like the mutants'. Every violation is a false alarm. */
const [undisturbed, killed, frozen, emptied] = mutantsOf({
  'control-undisturbed': [lasting(25)],
  'control-killed': [killedAt(...killPoints), under('mongo.kill', 'mongo.stop', 'redis.flush'), lasting(33)],
  'control-frozen': [frozenAt('deliver.before-send', 'deliver.responded', 'refund.before-set-aside')],
  'control-emptied': [under('redis.flush', 'redis.empty', 'process.skew', 'clock.jump'), lasting(40)],
}) as [Mutant, Mutant, Mutant, Mutant]
export const controls: readonly Mutant[] = [undisturbed, killed, frozen, emptied]

export function controlOf({ points, deed, faults }: Focus): Mutant {
  if (emptied.focus.faults.some((fault) => fault !== 'redis.flush' && faults.includes(fault))) return emptied
  if (points.length > 0 && deed === 'stop') return frozen
  return points.length + faults.length > 0 ? killed : undisturbed
}

const quickChoice = [
  'replay-runs-again replay-as-it-is-now event-after-the-write status-unguarded',
  'expiry-late code-released-early refund-again money-kept lease-untokened',
  'attempt-counted-twice body-of-today lease-missing outbox-emptied-whole slot-kept',
  'tenant-unfiltered audit-after-the-act write-unsafe own-clock cleaned-early',
  'logged-after-emptying next-past-unread replay-again replay-half',
].flatMap((names) => names.split(' '))

const all = [...controls, ...mutants]

export function mutantNamed(name: string): Mutant {
  const found = all.find((each) => each.name === name)
  if (found !== undefined) return found
  throw new Error(`There is no mutant ${name}. There are: ${all.map((each) => each.name).join(', ')}`)
}

export function chooseMutants(names: readonly string[]): Mutant[] {
  if (names.includes('all')) return all
  const chosen = (names.length === 0 ? quickChoice : names).map(mutantNamed)
  const controlsOfAll = names.length === 0 ? controls : chosen.map(({ focus }) => controlOf(focus))
  return [...new Set([...controlsOfAll, ...chosen])]
}
