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

const all = [...controls, ...mutants]
const quickChoice = [...Map.groupBy(mutants, ({ caughtBy }) => caughtBy[0] ?? '')].flatMap(([finder, own]) =>
  finder.endsWith('.test.ts') ? [] : own.slice(0, 1),
)

export function mutantsLike(text: string): Mutant[] {
  const found = all.filter(({ name }) => name.includes(text))
  if (found.length > 0) return found
  const names = all.map(({ name }) => name).join('\n')
  throw new Error(`No mutant's name contains "${text}". There are:\n${names}`)
}

export function chooseMutants(names: readonly string[]): Mutant[] {
  if (names.includes('all')) return all
  const chosen = names.length === 0 ? quickChoice : names.flatMap(mutantsLike)
  const controlsOfAll = names.length === 0 ? controls : chosen.map(({ focus }) => controlOf(focus))
  return [...new Set([...controlsOfAll, ...chosen])]
}
