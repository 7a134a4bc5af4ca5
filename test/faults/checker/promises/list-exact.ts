import type { Call, What } from '../../evidence/evidence.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf } from '../views/answers.ts'
import { groupsOf, repeatedOf } from '../views/groups.ts'

/** One thing that a list should have. */
interface Listed {
  name: string
  businessId: string
  sandbox: boolean
  status: string
  createdAt: number
}

interface Page {
  items: Record<string, string>[]
  page: number
  total: number
  hasMore: boolean
}

/** The field by which the items of each list are known. */
const nameIn: Partial<Record<What, string>> = {
  list: 'referenceNumber',
  'delivery.list': 'id',
  'order.list': '_id',
  'product.list': '_id',
  'endpoint.list': 'id',
}

/**
 * A list has everything once, newest first, and its total is exact: what the auditor collected page by page when all was quiet is what MongoDB has, with each
 * status and without.
 */
export const listExact: Judge = function* (round) {
  const pages = round.calls.filter(
    ({ actor, what, status }) => actor === 'auditor' && what in nameIn && status === 200,
  )
  const things = thingsIn(round)
  const answered = answeredIn(round)
  for (const some of groupsOf(pages, listOf).values()) yield* one(round, some, things, answered)
}

const queryOf = ({ path }: Call): URLSearchParams => new URL(path, 'http://service').searchParams

/** A key, a list and a status: all pages of one. */
const listOf = (call: Call): string =>
  `${call.what} ${call.business} ${call.sandbox} ${queryOf(call).get('status') ?? ''}`

/** All that lists may have, by the list. */
function thingsIn({ dump }: Round): Map<What, Listed[]> {
  const { intents, deliveries, orders, products, webhookendpoints } = dump
  const there = <Thing extends { deletedAt: number | null }>(things: Thing[]) =>
    things.filter(({ deletedAt }) => deletedAt === null)
  const none = { status: '' }
  return new Map<What, Listed[]>([
    ['list', intents.map((intent) => ({ ...intent, name: intent.referenceNumber }))],
    ['delivery.list', deliveries.map((delivery) => ({ ...delivery, name: delivery._id }))],
    [
      'order.list',
      orders.filter(({ status }) => status === 'PLACED').map((order) => ({ ...order, name: order._id })),
    ],
    ['product.list', there(products).map((product) => ({ ...none, ...product, name: product._id }))],
    [
      'endpoint.list',
      // A receiver is of both environments.
      there(webhookendpoints).flatMap((endpoint) =>
        [true, false].map((sandbox) => ({ ...none, ...endpoint, sandbox, name: endpoint._id })),
      ),
    ],
  ])
}

function* one(
  round: Round,
  calls: Call[],
  things: Map<What, Listed[]>,
  answered: Map<string, number>,
): Generator<Broken> {
  const [first] = calls
  const pages = calls.flatMap((call) => dataOf<Page>(call) ?? [])
  if (first === undefined) return
  const of = `${first.what} of ${first.business}, sandbox ${first.sandbox}, ${first.path}`
  const status = queryOf(first).get('status')
  const own = (things.get(first.what) ?? []).filter(
    (thing) =>
      thing.businessId === first.business &&
      thing.sandbox === first.sandbox &&
      (status === null || thing.status === status),
  )
  const nameOf = (item: Page['items'][number]): string => item[nameIn[first.what] ?? ''] ?? ''
  if (pages.at(-1)?.hasMore !== false) {
    // Else somebody did not get the next page, which is told by its own answer.
    if (isNothingNew(pages, nameOf)) yield { of, says: 'says behind its end that there is more' }
    return
  }
  const shown = pages.flatMap(({ items }) => items)
  const names = shown.map(nameOf)
  // What is old may go between two pages, and before the dump.
  const passing = own.filter(round.mayBeCleaned).length + gone(round, shown, own, names).length
  // What a total does not count is shown all the same.
  const slack =
    passing + own.filter((thing) => mayBeLate(round, thing, answered.get(thing.name) ?? never)).length
  const told = passing === 0 ? repeatedOf(names, (name) => name) : []
  for (const name of told) yield { of, says: `shows ${name} twice` }
  if (passing === 0) yield* others(of, names, own)
  else if (Math.abs(new Set(names).size - own.length) > passing)
    yield { of, says: `shows ${new Set(names).size}, and there are ${own.length}` }
  for (const { page, total } of pages)
    if (Math.abs(total - own.length) > slack)
      yield { of, says: `says on page ${page} that there are ${total}, and there are ${own.length}` }
  const times = shown.map(({ createdAt = '' }) => Date.parse(createdAt))
  const turned = times.findIndex((at, index) => at > (times[index - 1] ?? at))
  if (turned > 0 && passing === 0) yield { of, says: `shows ${names[turned]} behind what is older` }
}

/** Each that is missing, and each that is not there. */
function* others(of: string, names: string[], own: Listed[]): Generator<Broken> {
  const [shown, there] = [new Set(names), new Set(own.map(({ name }) => name))]
  for (const name of there) if (!shown.has(name)) yield { of, says: `does not show ${name}` }
  for (const name of shown) if (!there.has(name)) yield { of, says: `shows ${name}, and it is not there` }
}

/** The last page has nothing that was not on one before it. */
function isNothingNew(pages: Page[], nameOf: (item: Page['items'][number]) => string): boolean {
  const before = new Set(pages.slice(0, -1).flatMap(({ items }) => items.map(nameOf)))
  return pages.at(-1)?.items.every((item) => before.has(nameOf(item))) ?? false
}

/** What a page shows and MongoDB does not have any more, since it is old. */
function gone(round: Round, shown: Page['items'], own: Listed[], names: string[]): unknown[] {
  const there = new Set(own.map(({ name }) => name))
  return shown.filter(
    ({ createdAt = '' }, index) =>
      !there.has(names[index] ?? '') &&
      round.mayBeCleaned({ sandbox: true, createdAt: Date.parse(createdAt) }),
  )
}

const never = Number.POSITIVE_INFINITY

/** A write stands still for no longer than a request lives, or until MongoDB goes on. */
const writeMs = 30_000
/** By so much a write may be late and still be counted (docs/pagination.md). */
const countedMs = 5 * 60_000

/**
 * What was being written while all clocks jumped is later than what is counted again: not what an answer of before showed. When the traffic is over, nothing is.
 */
function mayBeLate({ calls, faults, times }: Round, { createdAt }: Listed, shownAt: number): boolean {
  const made = times.machineTime(createdAt)
  const lastAsked = calls.findLast(({ actor }) => actor === 'merchant')?.ended ?? 0
  return faults.some(
    ({ what, target, began, ended }) =>
      what === 'clock.jump' &&
      Number(/[+](\d+)$/.exec(target)?.[1] ?? 0) > countedMs &&
      began <= lastAsked &&
      shownAt >= began &&
      made.from <= ended &&
      made.to + writeMs >= began,
  )
}

/** When the first answer that showed each thing had come, by the thing's name: of what merchants make by themselves. */
function answeredIn({ calls }: Round): Map<string, number> {
  const made = new Map<string, number>()
  for (const call of calls) {
    const data = ['create', 'order', 'product.create'].includes(call.what) ? dataOf<Named>(call) : null
    const name = data?.referenceNumber ?? data?._id
    if (name !== undefined) made.set(name, Math.min(call.ended, made.get(name) ?? call.ended))
  }
  return made
}

interface Named {
  referenceNumber?: string
  _id?: string
}
