import type { Call, What } from '../../evidence/evidence.ts'
import type { OrderDocument, ProductDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf } from '../views/answers.ts'
import { beginningsOf } from '../views/beginnings.ts'
import { setIn } from '../views/times.ts'

interface Made {
  id: string
  /** Of what a delivery tells. */
  reference: string | undefined
  sandbox: boolean
  createdAt: number
}

/**
 * Only what a test key made and what is old enough is ever gone: everything else that an answer showed is there in the end. A delivery goes with what it
 * tells of, however young it is itself. And all of it is gone, once a night has passed after it came to its end.
 */
export const cleanUpBounded: Judge = function* (round) {
  const there = thereIn(round)
  const seen = new Set<string>()
  const beginnings = beginningsOf(round)
  // What nobody was ever shown may be as old as the round: its create got no answer.
  const oldest = round.setting.beganAt + round.times.aheadAt(round.setting.beganAt).from
  for (const call of round.calls)
    for (const { id: of, reference, ...shown } of shownIn(call)) {
      const createdAt = reference === undefined ? shown.createdAt : (beginnings.get(reference) ?? oldest)
      const made = { ...shown, createdAt }
      if (there.has(of) || seen.has(of) || round.mayBeCleaned(made)) continue
      seen.add(of)
      yield { of, says: `call ${call.call} (${call.what}) shows it, and MongoDB does not have it` }
    }
  for (const { referenceNumber: of, cleanedAt, ...made } of round.dump.intents)
    if (cleanedAt !== undefined && !round.mayBeCleaned(made))
      yield { of, says: 'is marked for the clean-up, and is not old' }
  yield* left(round)
}

const dayMs = 86_400_000

/** The last night that passed when all had come to its end took all that was old by then. */
function* left({ faults, setting, times, dump }: Round): Generator<Broken> {
  const nights = faults.filter(
    ({ what, target, began }) => what === 'clock.jump' && began > setting.healedAt && setIn(target) >= dayMs,
  )
  const night = nights.at(-1)
  if (night === undefined) return
  const oldBefore =
    night.began + times.aheadAt(night.began).from - setting.settings.sandboxRetentionDays * dayMs
  const made = [
    ...dump.intents.map((each) => ({ of: each.referenceNumber, ...each })),
    ...dump.deliveries.map((each) => ({ of: each._id, ...each })),
    ...dump.orders.filter(isPlaced).map((each) => ({ of: each.number, ...each })),
    ...dump.products.filter(isSeen).map((each) => ({ of: each._id, ...each })),
  ]
  for (const { of, sandbox, createdAt } of made)
    if (sandbox && createdAt < oldBefore)
      yield { of, says: `was old ${oldBefore - createdAt} ms before the last night, which left it` }
}

/** What only keeps an order's or an import's place goes by itself. */
const isPlaced = ({ status }: OrderDocument): boolean => status === 'PLACED'
const isSeen = ({ listed, deletedAt }: ProductDocument): boolean => listed || deletedAt !== null

const thereIn = ({ dump }: Round): Set<string> =>
  new Set([...dump.deliveries, ...dump.products, ...dump.orders].map(({ _id }) => _id))

interface Shown {
  _id?: string
  id?: string
  referenceNumber?: string
  sandbox?: boolean
  createdAt?: string
}

const lists: readonly What[] = ['delivery.list', 'product.list', 'order.list']
const single: readonly What[] = [
  'delivery.read',
  'delivery.retry',
  'product.create',
  'product.read',
  'order.read',
  'order',
]

/** Deliveries, products and orders; of intents create.exists and move.legal tell. */
function* shownIn(call: Call): Generator<Made> {
  const data = dataOf<Shown & { items?: Shown[]; delivery?: Shown }>(call)
  const shown = lists.includes(call.what)
    ? (data?.items ?? [])
    : single.includes(call.what) && data
      ? [data]
      : []
  for (const { _id, id = _id, referenceNumber: reference, sandbox, createdAt } of shown)
    if (id !== undefined && createdAt !== undefined)
      yield { id, reference, sandbox: sandbox ?? false, createdAt: Date.parse(createdAt) }
}
