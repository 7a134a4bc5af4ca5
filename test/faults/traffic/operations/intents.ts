import type { Call } from '../../evidence/evidence.ts'
import { act, read, type Scene, write } from '../scene.ts'
import { dataOf, isGood } from '../wish.ts'
import type { KnownIntent } from '../world.ts'
import type { IntentData } from './create.ts'

/** An intent that can probably be paid or cancelled; sometimes any other. */
export const pendingOf = (scene: Scene): KnownIntent | null =>
  oneOf(
    scene,
    ({ status, isLeftAlone, expiresAt }) =>
      status === 'PENDING' && !isLeftAlone && expiresAt > scene.world.now(),
  )

const paidOf = (scene: Scene): KnownIntent | null =>
  oneOf(
    scene,
    ({ status, amount, refunded }) =>
      (status === 'PAID' || status === 'REFUNDED') && (amount === null || refunded < amount),
  )

function oneOf({ place, chance }: Scene, isWanted: (intent: KnownIntent) => boolean): KnownIntent | null {
  const some = chance.is(0.95) ? place.intents.filter(isWanted) : place.intents
  return some.length === 0 ? null : chance.pick(some)
}

/** Remembers what a response shows. After a refusal the state is unknown until the next read. */
function learn(intent: KnownIntent, call: Call | null): void {
  if (call === null || !isGood(call)) {
    intent.status = call === null || call.status === 402 ? intent.status : '?'
    return
  }
  const { status, payment, totalAmountRefunded = 0 } = dataOf<IntentData>(call)
  Object.assign(intent, {
    status,
    amount: payment?.amountPaid ?? intent.amount,
    refunded: totalAmountRefunded,
  })
}

export async function readIntent(scene: Scene): Promise<void> {
  const { place, chance } = scene
  if (place.intents.length === 0) return
  const unsure = place.intents.filter(({ status }) => status === '?')
  const intent = chance.pick(unsure.length > 0 && chance.is(0.7) ? unsure : place.intents)
  const key = chance.is(0.1) ? place.publishable : scene.key
  const call = await read({ ...scene, key }, 'read', `/intents/${intent.reference}`)
  if (isGood(call)) learn(intent, call)
}

export async function listIntents(scene: Scene): Promise<void> {
  const { chance, world } = scene
  const query = new URLSearchParams({
    limit: String(chance.pick([1, 5, 20, 100])),
    page: String(chance.pick([1, 1, 1, 2, 3])),
    ...(chance.is(0.5) && { status: chance.pick(['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED']) }),
    ...(chance.is(0.2) && { from: new Date(world.now() - chance.whole(1, 60) * 1000).toISOString() }),
    ...(chance.is(0.1) && { to: new Date(world.now()).toISOString() }),
  })
  await read(scene, 'list', `/intents?${query.toString()}`)
}

export async function cancelIntent(scene: Scene): Promise<void> {
  const intent = pendingOf(scene)
  if (intent !== null) learn(intent, await act(scene, 'cancel', `/intents/${intent.reference}/cancel`))
}

export async function simulatePayment(scene: Scene): Promise<void> {
  const { chance, place } = scene
  const intent = pendingOf(scene)
  if (intent === null) return
  const outcome = chance.weighted({ success: 85, insufficient_funds: 8, technical_error: 7 })
  const json = {
    ...(chance.is(0.7) && { outcome }),
    ...(chance.is(0.3) && { payerPhone: `22${chance.whole(100_000, 999_999)}` }),
    ...(intent.amount === null && chance.is(0.5) && { amount: chance.whole(1, 20_000) }),
  }
  const more = { other: { outcome: 'technical_error' }, expects: place.sandbox ? [] : ['SANDBOX_ONLY'] }
  learn(
    intent,
    await write(scene, 'simulate', `/intents/${intent.reference}/simulate-payment`, { json }, more),
  )
}

export async function refundIntent(scene: Scene): Promise<void> {
  const intent = paidOf(scene)
  if (intent === null) return
  const atOnce = Number(scene.chance.weighted({ 1: 85, 2: 10, 4: 5 }))
  await Promise.all(Array.from({ length: atOnce }, () => refundOnce(scene, intent)))
}

async function refundOnce(scene: Scene, intent: KnownIntent): Promise<void> {
  const { chance, place } = scene
  const left = (intent.amount ?? 0) - intent.refunded
  const idempotencyKey = scene.newKey()
  const how = chance.weighted({ all: 25, part: 55, tooMuch: 10, expecting: 10 })
  const json = {
    reason: `${place.marker} ${idempotencyKey}`,
    ...(how === 'part' && { amount: chance.whole(1, Math.max(1, Math.floor(left / 2))) }),
    ...(how === 'tooMuch' && { amount: left + chance.whole(1, 500) }),
    ...(how === 'expecting' && { expectedRefundable: left }),
  }
  const more = { idempotencyKey, other: { amount: 1, reason: `${place.marker} other` } }
  learn(intent, await write(scene, 'refund', `/intents/${intent.reference}/refund`, { json }, more))
}

/** Several requests want different things of one intent at the same moment. */
export async function raceFor(scene: Scene): Promise<void> {
  const intent = pendingOf(scene)
  if (intent === null) return
  const { chance, place } = scene
  const path = `/intents/${intent.reference}`
  const cancel = () => act(scene, 'cancel', `${path}/cancel`)
  const simulate = () => write(scene, 'simulate', `${path}/simulate-payment`, { json: {} })
  const rivals = place.sandbox ? [cancel, simulate] : [cancel]
  const [first] = await Promise.all([0, 1, 2].map(() => chance.pick(rivals)()))
  learn(intent, first ?? null)
  if (intent.status === 'PENDING') intent.status = '?'
}
