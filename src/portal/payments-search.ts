import { listQuery, normalisedText } from '../../schemas/requests.ts'
import { readFor } from '../http/operations/run-for.ts'
import type { PageRead } from '../http/operations/run-route.ts'
import { parseTypedAmount } from '../input/amount.ts'
import { presentIntent } from '../intents/present.ts'
import { searchOwnByCode } from '../intents/search.ts'
import { cutPage, type Page, parsePageRequest } from '../lists/pagination.ts'
import type { Visit } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { pathWith } from './money-locale.ts'
import type { Payment } from './payments-view.ts'

const referencePattern = /^PI-[0-9A-Z]{16}$/i
/** The end of a payment link. */
const linkEnd = /^https?:\/\/\S*\/p\/([0-9a-z]{6})(?:[/?#]\S*)?$/i

/** The API has no operation for codes, because programs know the reference. */
const byCode: PageRead = {
  scope: 'payments.intents:read',
  query: listQuery({ code: normalisedText('reference', 64) }),
  isPage: true,
  shows: 'intent',
  async run(deps, caller, { query }) {
    const { code, ...page } = query as { code: string }
    const now = deps.now()
    const found = await searchOwnByCode(deps, caller, code)
    const items = found.map((intent) => presentIntent(deps.config, intent, now))
    return cutPage(parsePageRequest(page), items, items.length)
  },
}

const none: Pick<Page<Payment>, 'items' | 'hasMore'> = { items: [], hasMore: false }

/** Texts that can't be a reference or an amount find nothing. */
const orNone = (error: unknown): typeof none => {
  const isFinal = error instanceof Refusal && error.statusCode < 500 && error.code !== 'RATE_LIMITED'
  if (isFinal) return none
  throw error
}

/** Looks for a reference, a link, a code and an amount, one after another. */
export async function searchPayments(
  { deps, res, caller, base }: Visit,
  q: string,
): Promise<{ items: Payment[]; more: string | null }> {
  if (referencePattern.test(q)) {
    const params = { referenceNumber: q.toUpperCase() }
    const read = readFor<Payment>(deps, res, caller, 'getIntent', { params })
    const { items } = await read.then(({ data }) => ({ items: [data] }), orNone)
    return { items, more: null }
  }
  const list = (operation: 'listIntents' | PageRead, query: Record<string, string>) =>
    readFor<Page<Payment>>(deps, res, caller, operation, { query }).then(({ data }) => data, orNone)
  const { items: byItsCode } = await list(byCode, { code: linkEnd.exec(q)?.[1] ?? q })
  const { items: byReference } = await list('listIntents', { merchantReference: q })
  const amount = parseTypedAmount(q)
  const exact = { minAmount: String(amount), maxAmount: String(amount) }
  const isAmount = typeof amount === 'number' && amount > 0
  const { items: byAmount, hasMore } = isAmount ? await list('listIntents', exact) : none
  const found = [...byItsCode, ...byReference, ...byAmount].map(
    (each) => [each.referenceNumber, each] as const,
  )
  const more = hasMore ? pathWith(`${base}/payments`, { minAmount: q, maxAmount: q }) : null
  return { items: [...new Map(found).values()], more }
}
