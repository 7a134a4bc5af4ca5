import type { Call, What } from '../../evidence/evidence.ts'
import { createdAtOf } from '../created-at.ts'
import { dataOf } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { setIn } from '../times.ts'

/** The clean-up removes only old data of test keys, and deliveries with their source. After a night, all is gone. */
export const cleanUpBounded: Check = function* (round) {
  const { dump, setting, times } = round
  const there = new Set([...dump.deliveries, ...dump.products, ...dump.orders].map(({ _id }) => _id))
  const createdAts = createdAtOf(round)
  const oldest = setting.beganAt + times.aheadAt(setting.beganAt).from
  for (const call of round.calls)
    for (const { id, _id = id ?? '', referenceNumber, sandbox = false, createdAt } of shownIn(call)) {
      const made = referenceNumber === undefined ? Date.parse(createdAt ?? '') : createdAts.get(referenceNumber)
      if (there.has(_id) || round.mayBeCleaned({ sandbox, createdAt: made ?? oldest })) continue
      there.add(_id)
      yield [_id, `was in the response to call ${call.call} (${call.what}), and MongoDB does not have it`]
    }
  for (const { referenceNumber, cleanedAt, ...made } of dump.intents)
    if (cleanedAt !== undefined && !round.mayBeCleaned(made))
      yield [referenceNumber, 'is marked for the clean-up, but is not old']
  yield* left(round)
}

const dayMs = 86_400_000

/** Finds old data after the last night, which passed when all was quiet. */
function* left({ faults, setting, times, dump }: Round): Findings {
  const night = faults.findLast(
    ({ what, target, began }) => what === 'clock.jump' && began > setting.healedAt && setIn(target) >= dayMs,
  )
  if (night === undefined) return
  const oldBefore = night.began + times.aheadAt(night.began).from - setting.settings.sandboxRetentionDays * dayMs
  // An intent that was paid late is kept for longer.
  const intents = dump.intents.map((intent) => ({ ...intent, createdAt: intent.payment?.paidAt ?? intent.createdAt }))
  const made = [...intents, ...dump.deliveries, ...dump.orders, ...dump.products]
  for (const { _id, sandbox, createdAt } of made)
    if (sandbox && createdAt < oldBefore) yield [_id, 'was old before the last night, but was not removed']
}

/** Only a delivery has a `referenceNumber`. */
type Shown = { _id?: string; id?: string; referenceNumber?: string; sandbox?: boolean; createdAt?: string }

const lists: readonly What[] = ['delivery.list', 'product.list', 'order.list']
const single: readonly What[] = ['delivery.read', 'product.create', 'product.read', 'order.read', 'order']

/** The deliveries, products and orders in a response. create.exists and transition.legal check intents. */
function shownIn(call: Call): Shown[] {
  const data = dataOf<Shown & { items: Shown[] }>(call)
  if (lists.includes(call.what)) return data?.items ?? []
  return data !== null && single.includes(call.what) ? [data] : []
}
