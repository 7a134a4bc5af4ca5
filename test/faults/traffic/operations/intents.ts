import type { ShownIntent } from '../../checker/responses.ts'
import type { Call } from '../../evidence/evidence.ts'
import { act, type Context, read, write } from '../context.ts'
import { dataOf, isGood } from '../request-spec.ts'
import type { KnownIntent } from '../world.ts'

/** An intent that can probably be paid or cancelled, and sometimes any other. */
export const pendingOf = (context: Context): KnownIntent | null =>
  oneOf(context, (intent) => {
    const isOpen = intent.status === 'PENDING' && intent.expiresAt > context.world.now()
    return isOpen && !intent.isLeftAlone
  })

const paidOf = (context: Context): KnownIntent | null =>
  oneOf(
    context,
    ({ status, amount, refunded }) =>
      (status === 'PAID' || status === 'REFUNDED') && (amount === null || refunded < amount),
  )

function oneOf({ tenant, chance }: Context, isWanted: (intent: KnownIntent) => boolean): KnownIntent | null {
  const candidates = chance.is(0.95) ? tenant.intents.filter(isWanted) : tenant.intents
  return candidates.length === 0 ? null : chance.pick(candidates)
}

/** Remembers the state of an intent in a response. After a refusal, the state is unknown until the next read. */
function learn(intent: KnownIntent, call: Call | null): void {
  if (call === null || !isGood(call)) {
    intent.status = call === null || call.status === 402 ? intent.status : '?'
    return
  }
  const { status, payment, totalAmountRefunded = 0 } = dataOf<ShownIntent>(call)
  Object.assign(intent, {
    status,
    amount: payment?.amountPaid ?? intent.amount,
    refunded: totalAmountRefunded,
  })
}

export async function readIntent(context: Context): Promise<void> {
  const { tenant, chance } = context
  if (tenant.intents.length === 0) return
  const unsure = tenant.intents.filter(({ status }) => status === '?')
  const intent = chance.pick(unsure.length > 0 && chance.is(0.7) ? unsure : tenant.intents)
  const key = chance.is(0.1) ? tenant.publishable : context.key
  const call = await read({ ...context, key }, 'read', `/intents/${intent.reference}`)
  if (isGood(call)) learn(intent, call)
}

export async function listIntents(context: Context): Promise<void> {
  const { chance, world } = context
  const query = new URLSearchParams({
    limit: String(chance.pick([1, 5, 20, 100])),
    page: String(chance.pick([1, 1, 1, 2, 3])),
    ...(chance.is(0.5) && { status: chance.pick(['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED']) }),
    ...(chance.is(0.2) && { from: new Date(world.now() - chance.whole(1, 60) * 1000).toISOString() }),
    ...(chance.is(0.1) && { to: new Date(world.now()).toISOString() }),
    ...(chance.is(0.2) &&
      chance.pick([{ paidFrom: '2026-01-01' }, { refundedFrom: '2026-01-01' }, { minAmount: '2' }])),
  })
  await read(context, 'list', `/intents?${query.toString()}`)
}

export async function cancelIntent(context: Context): Promise<void> {
  const intent = pendingOf(context)
  if (intent !== null) learn(intent, await act(context, 'cancel', `/intents/${intent.reference}/cancel`))
}

export async function simulatePayment(context: Context): Promise<void> {
  const { chance, tenant } = context
  const intent = pendingOf(context)
  if (intent === null) return
  const outcome = chance.weighted({ success: 85, insufficient_funds: 8, technical_error: 7 })
  const json = {
    ...(chance.is(0.7) && { outcome }),
    ...(chance.is(0.3) && { payerPhone: `22${chance.whole(100_000, 999_999)}` }),
    ...(intent.amount === null && chance.is(0.5) && { amount: chance.whole(1, 20_000) }),
  }
  const more = { other: { outcome: 'technical_error' }, expects: tenant.sandbox ? [] : ['SANDBOX_ONLY'] }
  const path = `/intents/${intent.reference}/simulate-payment`
  learn(intent, await write(context, 'simulate', path, { json }, more))
}

export async function refundIntent(context: Context): Promise<void> {
  const intent = paidOf(context)
  if (intent === null) return
  const atOnce = Number(context.chance.weighted({ 1: 85, 2: 10, 4: 5 }))
  await Promise.all(Array.from({ length: atOnce }, () => refundOnce(context, intent)))
}

async function refundOnce(context: Context, intent: KnownIntent): Promise<void> {
  const { chance, tenant } = context
  const left = (intent.amount ?? 0) - intent.refunded
  const idempotencyKey = context.newKey()
  const how = chance.weighted({ all: 25, part: 55, tooMuch: 10, expecting: 10 })
  const json = {
    reason: `${tenant.marker} ${idempotencyKey}`,
    ...(how === 'part' && { amount: chance.whole(1, Math.max(1, Math.floor(left / 2))) }),
    ...(how === 'tooMuch' && { amount: left + chance.whole(1, 500) }),
    ...(how === 'expecting' && { expectedRefundable: left }),
  }
  const more = { idempotencyKey, other: { amount: 1, reason: `${tenant.marker} other` } }
  learn(intent, await write(context, 'refund', `/intents/${intent.reference}/refund`, { json }, more))
}

/** Sends several conflicting requests for one intent at the same time. */
export async function raceFor(context: Context): Promise<void> {
  const intent = pendingOf(context)
  if (intent === null) return
  const { chance, tenant } = context
  const path = `/intents/${intent.reference}`
  const cancel = () => act(context, 'cancel', `${path}/cancel`)
  const simulate = () => write(context, 'simulate', `${path}/simulate-payment`, { json: {} })
  const rivals = tenant.sandbox ? [cancel, simulate] : [cancel]
  const [first] = await Promise.all([0, 1, 2].map(() => chance.pick(rivals)()))
  learn(intent, first ?? null)
  if (intent.status === 'PENDING') intent.status = '?'
}
