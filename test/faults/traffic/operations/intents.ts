import { dataOf, type ShownIntent } from '../../checker/responses.ts'
import type { Call } from '../../evidence/evidence.ts'
import {
  act,
  type Context,
  type KnownIntent,
  keyLifetimeMs,
  read,
  remember,
  specOf,
  write,
} from '../context.ts'

/** Their payments and refunds fail in the sandbox (SPEC 8). */
const magic = [99_901, 99_904]
const wrongAmounts = [0, -5, 1e12]

async function createIntent(context: Context): Promise<void> {
  const { chance, tenant, world } = context
  const idempotencyKey = context.newKey()
  const json = bodyOf(context, idempotencyKey)
  const at = world.now()
  const expects = wrongAmounts.includes(json.amount ?? 0) ? ['AMOUNT_OUT_OF_RANGE'] : []
  const other = { ...json, amount: chance.whole(1, 20_000) }
  const spec = specOf(context, 'create', '/intents', { json }, { idempotencyKey, other, expects })
  const intent = dataOf<ShownIntent>(await context.send(spec, chance))
  const created = { spec, at, repeats: 0 }
  if (intent === null) return
  remember(tenant.intents, { ...intent, refunded: 0, isLeftAlone: chance.is(0.15), created })
}

function bodyOf({ chance, tenant: { marker, sandbox } }: Context, key: string): { amount?: number } {
  const isMagic = sandbox && chance.is(0.04)
  const isOpen = !isMagic && chance.is(0.1)
  const tail = chance.pick(['', 'é', '\u{1f6d2}', '"<b>"', "' or 1"])
  const urls = { success_url: `https://shop.example/?of=${marker}`, cancel_url: 'https://shop.example/sorry' }
  return {
    amount: isMagic ? chance.pick(magic) : chance.whole(1, 20_000),
    ...(isOpen && { amountType: 'OPEN' }),
    ...(chance.is(0.9) && { label: `${marker} نص ${tail}` }),
    ...(chance.is(0.2) && { merchantReference: `${marker} ${chance.whole(1, 20)}` }),
    ...(chance.is(0.6) && { metadata: { key, [`${marker}.$x`]: marker } }),
    ...(chance.is(0.2) && urls),
    ...(chance.is(0.02) && { amount: chance.pick(wrongAmounts) }),
  }
}

/** The intent has changed since, but the create must get its first response again. */
async function repeatCreate({ tenant, chance, world, makeCall }: Context): Promise<void> {
  const changed = tenant.intents.filter(
    ({ status, created }) => status !== 'PENDING' && world.now() - created.at < keyLifetimeMs,
  )
  if (changed.length === 0) return
  const { created } = chance.pick(changed)
  created.repeats += 1
  await makeCall(created.spec, 4000 + created.repeats, chance)
}

export const pendingOf = (context: Context): KnownIntent | null =>
  oneOf(context, ({ status, expiresAt, isLeftAlone }) => {
    return status === 'PENDING' && Date.parse(expiresAt) > context.world.now() && !isLeftAlone
  })

const paidOf = (context: Context): KnownIntent | null =>
  oneOf(context, ({ status, amount, refunded }) => {
    return (status === 'PAID' || status === 'REFUNDED') && (amount === null || refunded < amount)
  })

function oneOf({ tenant, chance }: Context, isWanted: (intent: KnownIntent) => boolean): KnownIntent | null {
  const candidates = chance.is(0.95) ? tenant.intents.filter(isWanted) : tenant.intents
  return candidates.length === 0 ? null : chance.pick(candidates)
}

function learn(intent: KnownIntent, call: Call | null): void {
  const shown = dataOf<ShownIntent>(call)
  if (shown === null) {
    if (call !== null && call.status !== 402) intent.status = '?'
    return
  }
  intent.status = shown.status
  intent.amount = shown.payment?.amountPaid ?? intent.amount
  intent.refunded = shown.totalAmountRefunded ?? 0
}

async function readIntent(context: Context): Promise<void> {
  const { tenant, chance } = context
  if (tenant.intents.length === 0) return
  const unsure = tenant.intents.filter(({ status }) => status === '?')
  const intent = chance.pick(unsure.length > 0 && chance.is(0.7) ? unsure : tenant.intents)
  const key = chance.is(0.1) ? tenant.publishable : context.key
  const call = await read({ ...context, key }, 'read', `/intents/${intent.referenceNumber}`)
  if (dataOf(call) !== null) learn(intent, call)
}

async function listIntents(context: Context): Promise<void> {
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

const cancel = (context: Context, { referenceNumber }: KnownIntent) =>
  act(context, 'cancel', `/intents/${referenceNumber}/cancel`)

async function cancelIntent(context: Context): Promise<void> {
  const intent = pendingOf(context)
  if (intent !== null) learn(intent, await cancel(context, intent))
}

async function simulatePayment(context: Context): Promise<void> {
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
  const path = `/intents/${intent.referenceNumber}/simulate-payment`
  learn(intent, await write(context, 'simulate', path, { json }, more))
}

async function refundIntent(context: Context): Promise<void> {
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
  learn(intent, await write(context, 'refund', `/intents/${intent.referenceNumber}/refund`, { json }, more))
}

async function raceFor(context: Context): Promise<void> {
  const intent = pendingOf(context)
  if (intent === null) return
  const path = `/intents/${intent.referenceNumber}/simulate-payment`
  const rivals = [() => cancel(context, intent)]
  if (context.tenant.sandbox) rivals.push(() => write(context, 'simulate', path, { json: {} }))
  const [first] = await Promise.all([0, 1, 2].map(() => context.chance.pick(rivals)()))
  learn(intent, first ?? null)
  if (intent.status === 'PENDING') intent.status = '?'
}

export const ofIntents = {
  createIntent: [260, createIntent],
  repeatCreate: [15, repeatCreate],
  readIntent: [60, readIntent],
  listIntents: [30, listIntents],
  cancelIntent: [40, cancelIntent],
  simulatePayment: [90, simulatePayment],
  raceFor: [30, raceFor],
  refundIntent: [100, refundIntent],
} as const
