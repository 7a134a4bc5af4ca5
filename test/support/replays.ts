import type { EventName } from '../../schemas/events.ts'
import { paymentEventFormat } from '../../src/intents/present.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Replay } from '../../src/replays/replay.ts'
import { leaseDueReplay, runReplay } from '../../src/replays/run.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { newDelivery } from '../../src/webhooks/deliveries/delivery.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import type { Merchant, Service } from './service.ts'

/** A delivery before the replay. `none`: it does not exist. `due`: its first attempt has not begun. */
export const states = ['none', 'due', 'RETRYING', 'DELIVERED', 'DEAD', 'CANCELLED'] as const
export type State = (typeof states)[number]
export type Logged = { event: EventName; at: Date; state?: State; sandbox?: boolean }

export async function logEvents(
  { deps }: Service,
  { businessId }: Merchant,
  referenceNumber: string,
  logged: readonly Logged[],
): Promise<string[]> {
  const drafts = logged.map(({ event, at }) => ({
    _id: newId(),
    event,
    referenceNumber,
    createdAt: at,
    ...recorded,
  }))
  for (const sandbox of [true, false]) {
    const own = drafts.filter((_, index) => (logged[index]?.sandbox ?? true) === sandbox)
    if (own.length > 0) await deps.batchers.appendEvents({ businessId, sandbox }, own, noDeadline)
  }
  excuse([referenceNumber])
  return drafts.map(({ _id }) => _id)
}

const recorded = { format: paymentEventFormat, facts: { status: 'PENDING', amount: 5 } }

export async function storeDeliveries(
  { deps, clock }: Service,
  endpoint: { _id: string; url: string },
  eventIds: readonly string[],
  logged: readonly Logged[],
): Promise<void> {
  const soon = new Date(clock.now().getTime() + 3_600_000)
  const events = await rawCollection(deps.LoggedEvent)
    .find({ _id: { $in: [...eventIds] } })
    .toArray()
  const deliveries = events.flatMap((each): Delivery[] => {
    const { state = 'none' } = logged[eventIds.indexOf(each._id)] ?? {}
    if (state === 'none') return []
    const event = { ...each, id: each._id, event: each.event as EventName }
    const fresh = newDelivery(each, event, endpoint, each.createdAt, null)
    if (state === 'due') return [fresh]
    const attempts = state === 'DEAD' ? 8 : 1
    const nextAttemptAt = state === 'RETRYING' ? soon : null
    const deadAt = state === 'DEAD' ? each.createdAt : null
    return [{ ...fresh, status: state, attempts, nextAttemptAt, deadAt }]
  })
  excuse(deliveries.map(({ _id }) => _id))
  await rawCollection(deps.Delivery).insertMany(deliveries)
}

export async function runReplays(deps: Deps): Promise<void> {
  deps.slots.open()
  for (let leased = await leaseDueReplay(deps); leased !== null; leased = await leaseDueReplay(deps))
    await runReplay(deps, leased, new AbortController().signal)
  await deps.backgroundWork.ended()
  deps.slots.close()
}

export const storedReplay = ({ deps }: Service, id: string): Promise<Replay> =>
  deps.Replay.findById(id).orFail().lean<Replay>()
