import { groupsOf, repeatedOf } from '../../../invariants/groups.ts'
import type { Call, What } from '../../evidence/evidence.ts'
import { dataOf, queryOf } from '../responses.ts'
import { type Check, dayMs, type Findings, type Round } from '../round.ts'
import { lateMs, setIn } from '../times.ts'
import { ofDeliveries } from './deliveries.ts'
import { ofEvents } from './events.ts'
import { ofIntents } from './intents.ts'
import { ofMoney } from './money.ts'
import { ofRequests } from './requests.ts'
import { ofStore } from './store.ts'
import { ofTrust } from './trust.ts'

const roundEnded: Check = function* ({ setting }) {
  for (const message of setting.brokenOff) yield ['the round', message]
}
const processLives: Check = function* ({ ends }) {
  for (const { process, at, message } of ends) yield [process, `${message}, at ${new Date(at).toISOString()}`]
}

const logCalm: Check = function* ({ texts }) {
  for (const { from, line } of texts())
    if (from.startsWith('log/') && (!line.startsWith('{') || /"level":"(error|fatal)"/.test(line)))
      yield [from, line.slice(0, 1500)]
}

const quietReached: Check = function* ({ setting, broken }) {
  yield* broken('claims end')
  if (setting.quietAt === null) yield ['the round', 'never became quiet after the last fault']
  for (const message of setting.left) yield ['the round', message]
}

/** The clean-up removes only old test data, and deliveries with their source. After a night, all of it is gone. */
const cleanUpBounded: Check = function* (round) {
  const { dump, createdAtOf, oldest, mayBeCleaned } = round
  const there = new Set([...dump.deliveries, ...dump.products, ...dump.orders].map(({ _id }) => _id))
  for (const call of round.calls)
    for (const { id, _id = id ?? '', referenceNumber, sandbox = false, createdAt } of shownIn(call)) {
      const made = referenceNumber ? createdAtOf.get(referenceNumber) : Date.parse(createdAt ?? '')
      if (there.has(_id) || mayBeCleaned({ sandbox, createdAt: made ?? oldest })) continue
      there.add(_id)
      yield [_id, `was in the response to call ${call.call} (${call.what}), and MongoDB does not have it`]
    }
  for (const { referenceNumber, cleanedAt, ...made } of dump.intents)
    if (cleanedAt !== undefined && !mayBeCleaned(made))
      yield [referenceNumber, 'is marked for the clean-up, but is not old']
  yield* leftBehind(round)
}

function* leftBehind({ faults, setting, times, dump }: Round): Findings {
  const night = faults.findLast(
    ({ what, target, began }) => what === 'clock.jump' && began > setting.healedAt && setIn(target) >= dayMs,
  )
  if (night === undefined) return
  const oldBefore = times.shownAt(night.began) - setting.settings.sandboxRetentionDays * dayMs
  const intents = dump.intents.map((each) => ({ ...each, createdAt: each.payment?.paidAt ?? each.createdAt }))
  const others = [dump.deliveries, dump.orders, dump.products].flat()
  for (const { _id, sandbox, createdAt } of [...intents, ...others])
    if (sandbox && createdAt < oldBefore) yield [_id, 'was old before the last night, but was not removed']
}

type Shown = { _id?: string; id?: string; referenceNumber?: string; sandbox?: boolean; createdAt?: string }

function shownIn(call: Call): Shown[] {
  const data = dataOf<Shown & { items: Shown[] }>(call)
  if (/^(delivery|product|order)\.list$/.test(call.what)) return data?.items ?? []
  const isSingle = /^(delivery\.read|product\.create|product\.read|order|order\.read)$/.test(call.what)
  return data !== null && isSingle ? [data] : []
}

type Listed = { name: string; businessId: string; sandbox: boolean; status?: string; createdAt: number }
type Page = { items: Record<string, string>[]; page: number; total: number; hasMore: boolean }

const nameIn: Partial<Record<What, string>> = {
  list: 'referenceNumber',
  'delivery.list': 'id',
  'order.list': '_id',
  'product.list': '_id',
  'event.list': 'id',
  'endpoint.list': 'id',
}

const listExact: Check = function* (round) {
  const read = round.calls.filter(({ actor, status }) => actor === 'auditor' && status === 200)
  const audited = read.filter(({ what }) => what in nameIn)
  const listed = listedIn(round)
  for (const some of groupsOf(audited, listOf).values()) yield* exactly(round, some, listed)
}

const listOf = ({ what, business, sandbox, path }: Call): string =>
  [what, business, sandbox, queryOf(path).get('status')].join(' ')

function listedIn({ dump }: Round): Partial<Record<What, Listed[]>> {
  const isThere = ({ deletedAt }: { deletedAt: number | null }): boolean => deletedAt === null
  const byId = <T extends { _id: string }>(all: T[]) => all.map((each) => ({ ...each, name: each._id }))
  return {
    list: dump.intents.map((intent) => ({ ...intent, name: intent.referenceNumber })),
    'delivery.list': byId(dump.deliveries),
    'event.list': byId(dump.events.filter(({ event }) => event !== 'cleaned')),
    'order.list': byId(dump.orders),
    'product.list': byId(dump.products.filter(isThere)),
    'endpoint.list': byId(dump.webhookendpoints.filter(isThere)),
  }
}

function* exactly(round: Round, calls: Call[], listed: ReturnType<typeof listedIn>): Findings {
  const { what, business, sandbox, path } = calls[0] as Call
  const subject = `${listOf(calls[0] as Call)} ${path}`
  const status = queryOf(path).get('status')
  const own = (listed[what] ?? []).filter((thing) => {
    const isOwn = thing.businessId === business && thing.sandbox === sandbox
    return isOwn && (status ?? thing.status) === thing.status
  })
  const pages = calls.flatMap((call) => dataOf<Page>(call) ?? [])
  const names = pages.map(({ items }) => items.map((item) => item[nameIn[what] ?? ''] ?? ''))
  if (pages.at(-1)?.hasMore !== false) {
    const before = new Set(names.slice(0, -1).flat())
    if (names.at(-1)?.every((name) => before.has(name))) yield [subject, 'has no end']
    return
  }
  const shown = pages.flatMap(({ items }) => items)
  const there = new Set(own.map(({ name }) => name))
  const all = names.flat()
  // Between two pages, or before the dump, the clean-up may remove old items.
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
  const late = times.findIndex((at, index) => at > (times[index - 1] ?? at))
  if (late > 0) yield [subject, `shows ${all[late]} after an older one`]
}

/** A write that arrives later than this may be missing from the count (docs/merchants/lists.md). */
const countedMs = 5 * 60_000

const mayBeUncounted = ({ faults, times }: Round, { createdAt }: Listed): boolean => {
  const made = times.machineTime(createdAt)
  return faults.some(
    ({ what, target, began, ended }) =>
      what === 'clock.jump' && setIn(target) > countedMs && made.from <= ended && made.to + lateMs >= began,
  )
}

export const promises = {
  'round.ended': roundEnded,
  'process.lives': processLives,
  'log.calm': logCalm,
  'quiet.reached': quietReached,
  'clean-up.bounded': cleanUpBounded,
  'list.exact': listExact,
  ...ofRequests,
  ...ofIntents,
  ...ofMoney,
  ...ofEvents,
  ...ofDeliveries,
  ...ofStore,
  ...ofTrust,
} as const satisfies Record<string, Check>
export type PromiseName = keyof typeof promises
