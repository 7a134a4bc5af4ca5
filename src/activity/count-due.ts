import type { mongo } from 'mongoose'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { addHours, type ClaimedHour, claimHour, finishHour } from './activity-count.ts'
import type { ActivityEntry } from './activity-entry.ts'
import { type FiguresOwner, hourId, hourMs, type PaymentFigures } from './activity-hour.ts'

type CountingDeps = Pick<Deps, 'ActivityCount' | 'ActivityEntry' | 'ActivityHour' | 'lists' | 'now'>

/**
 * One poll counts at most this many hours, and begins none after `maxPollMs`. Only after an outage of the workers is
 * more than one hour due.
 */
const maxHoursPerPoll = 24
const maxPollMs = 1_000
/**
 * An hour is read in slices, so that no single read of MongoDB takes long. In measurements on a busy machine with two
 * cores, MongoDB counted 200 000 entries in 1.9 s, so an hour may have about 5 million entries.
 */
const sliceMs = hourMs / 12
const maxTimeMS = 4_000
/** The number of owners whose figures are written together. */
const ownersPerWrite = 500

interface Counted extends PaymentFigures {
  _id: FiguresOwner & { businessId: string }
}

/**
 * Counts the payments, failed payments and refunds of the hours that are due, and stores the figures of each business
 * and of all businesses. The figures are counted from entries that never change, so they can be counted any number of
 * times, by several workers at once, and after a crash at any point.
 */
export async function countDueHours(deps: CountingDeps): Promise<void> {
  await addHours(deps)
  const beganAt = performance.now()
  for (let hours = 0; hours < maxHoursPerPoll && performance.now() - beganAt < maxPollMs; hours += 1) {
    const claimed = await claimHour(deps)
    if (claimed === null) return
    const hourBeganAt = performance.now()
    await countHour(deps, claimed)
    await finishHour(deps, claimed, performance.now() - hourBeganAt)
  }
}

async function countHour(deps: CountingDeps, { hour }: ClaimedHour): Promise<void> {
  const owners = new Map<string, PaymentFigures>()
  for (let from = await nextSlice(deps, hour, hour); from !== null; from = await nextSlice(deps, hour, from + sliceMs))
    for (const { _id: owner, ...figures } of await countSlice(deps, from))
      for (const each of [owner, { ...owner, businessId: null }]) {
        const id = hourId(each, hour)
        const before = owners.get(id)
        owners.set(id, before ? add(before, figures) : figures)
      }
  const writes = [...owners].map(([_id, figures]) => ({
    updateOne: {
      filter: { _id },
      // Entries are only added, so the highest figure is the latest. With `$max`, a worker that was frozen cannot
      // replace newer figures with its older ones.
      update: { $max: { ...figures }, $setOnInsert: { hour: new Date(hour) } },
      upsert: true,
    },
  }))
  for (let at = 0; at < writes.length; at += ownersPerWrite)
    await nativeCollection(deps.ActivityHour).bulkWrite(writes.slice(at, at + ownersPerWrite), {
      ordered: false,
    })
}

const add = (one: PaymentFigures, other: PaymentFigures): PaymentFigures => ({
  payments: one.payments + other.payments,
  amountPaid: one.amountPaid + other.amountPaid,
  failures: one.failures + other.failures,
  refunds: one.refunds + other.refunds,
  amountRefunded: one.amountRefunded + other.amountRefunded,
})

const sumIf = (kind: ActivityEntry['kind'], value: 1 | '$amount') => ({
  $sum: { $cond: [{ $eq: ['$kind', kind] }, value, 0] },
})

/**
 * Returns the start of the first slice at or after `from` that has entries. Returns null if the rest of the hour has no
 * entries.
 */
async function nextSlice({ lists }: CountingDeps, hour: number, from: number): Promise<number | null> {
  const next = await nativeCollection(lists.models.ActivityEntry).findOne(
    { at: { $gte: new Date(from), $lt: new Date(hour + hourMs) } },
    { hint: 'removal', sort: { at: 1 }, projection: { at: 1 }, maxTimeMS },
  )
  return next && Math.floor(next.at.getTime() / sliceMs) * sliceMs
}

/** Counts entries on the connections for lists, so that no other work has to wait. */
function countSlice({ lists }: CountingDeps, from: number): Promise<Counted[]> {
  const stages: mongo.Document[] = [
    { $match: { at: { $gte: new Date(from), $lt: new Date(from + sliceMs) } } },
    {
      $group: {
        _id: { businessId: '$businessId', sandbox: '$sandbox' },
        payments: sumIf('payment', 1),
        amountPaid: sumIf('payment', '$amount'),
        failures: sumIf('failure', 1),
        refunds: sumIf('refund', 1),
        amountRefunded: sumIf('refund', '$amount'),
      },
    },
  ]
  return nativeCollection(lists.models.ActivityEntry)
    .aggregate<Counted>(stages, { hint: 'removal', maxTimeMS })
    .toArray()
}
