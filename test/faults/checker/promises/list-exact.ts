import type { Call, What } from '../../evidence/evidence.ts'
import { groupsOf, repeatedOf } from '../groups.ts'
import { dataOf, queryOf } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { lateMs, setIn } from '../times.ts'

/** A thing that must be in a list. */
type Listed = { name: string; businessId: string; sandbox: boolean; status?: string; createdAt: number }

type Page = { items: Record<string, string>[]; page: number; total: number; hasMore: boolean }

/** The field that identifies the items of each list. */
const nameIn: Partial<Record<What, string>> = {
  list: 'referenceNumber',
  'delivery.list': 'id',
  'order.list': '_id',
  'product.list': '_id',
  'event.list': 'id',
  'endpoint.list': 'id',
}

/** Each list that the auditor read shows each stored document once, newest first, with an exact total. */
export const listExact: Check = function* (round) {
  const audited = round.calls.filter(({ actor }) => actor === 'auditor')
  const pages = audited.filter(({ what, status }) => what in nameIn && status === 200)
  const things = thingsIn(round)
  for (const some of groupsOf(pages, listOf).values()) yield* one(round, some, things)
}

const listOf = ({ what, business, sandbox, path }: Call): string =>
  [what, business, sandbox, queryOf(path).get('status')].join(' ')

function thingsIn({ dump }: Round): Partial<Record<What, Listed[]>> {
  const there = ({ deletedAt }: { deletedAt: number | null }): boolean => deletedAt === null
  const byId = <T extends { _id: string }>(things: T[]) => things.map((thing) => ({ ...thing, name: thing._id }))
  return {
    list: dump.intents.map((intent) => ({ ...intent, name: intent.referenceNumber })),
    'delivery.list': byId(dump.deliveries),
    'event.list': byId(dump.events.filter(({ event }) => event !== 'cleaned')),
    'order.list': byId(dump.orders),
    'product.list': byId(dump.products.filter(there)),
    'endpoint.list': byId(dump.webhookendpoints.filter(there)),
  }
}

function* one(round: Round, calls: Call[], things: ReturnType<typeof thingsIn>): Findings {
  const { what, business, sandbox, path } = calls[0] as Call
  const subject = `${listOf(calls[0] as Call)} ${path}`
  const status = queryOf(path).get('status')
  const own = (things[what] ?? []).filter(
    (thing) =>
      thing.businessId === business && thing.sandbox === sandbox && (status === null || thing.status === status),
  )
  const pages = calls.flatMap((call) => dataOf<Page>(call) ?? [])
  const names = pages.map(({ items }) => items.map((item) => item[nameIn[what] ?? ''] ?? ''))
  if (pages.at(-1)?.hasMore !== false) {
    // Otherwise a page got no response, which response.sound reports.
    const before = new Set(names.slice(0, -1).flat())
    if (names.at(-1)?.every((name) => before.has(name))) yield [subject, 'has no end']
    return
  }
  const shown = pages.flatMap(({ items }) => items)
  const there = new Set(own.map(({ name }) => name))
  const all = names.flat()
  // The clean-up may remove what is old between two pages, and before the dump.
  const isGone = ({ createdAt = '' }: Page['items'][number], index: number): boolean =>
    !there.has(all[index] ?? '') && round.mayBeCleaned({ sandbox: true, createdAt: Date.parse(createdAt) })
  const leaving = own.filter(round.mayBeCleaned).length + shown.filter(isGone).length
  const slack = leaving + own.filter((thing) => mayBeUncounted(round, thing)).length
  for (const { page, total } of pages)
    if (Math.abs(total - own.length) > slack)
      yield [subject, `has the total ${total} on page ${page}, and there are ${own.length}`]
  if (leaving > 0) return
  for (const name of repeatedOf(all, (each) => each)) yield [subject, `shows ${name} twice`]
  for (const name of there) if (!all.includes(name)) yield [subject, `does not show ${name}`]
  for (const name of all) if (!there.has(name)) yield [subject, `shows ${name}, which does not exist`]
  const times = shown.map(({ createdAt = '' }) => Date.parse(createdAt))
  const turned = times.findIndex((at, index) => at > (times[index - 1] ?? at))
  if (turned > 0) yield [subject, `shows ${all[turned]} after an older one`]
}

/** A write that arrives later than this may be missing from the count (docs/merchants/lists.md). */
const countedMs = 5 * 60_000

/** Writes during a jump of all clocks come too late for the count. */
const mayBeUncounted = ({ faults, times }: Round, { createdAt }: Listed): boolean => {
  const made = times.machineTime(createdAt)
  return faults.some(
    ({ what, target, began, ended }) =>
      what === 'clock.jump' && setIn(target) > countedMs && made.from <= ended && made.to + lateMs >= began,
  )
}
