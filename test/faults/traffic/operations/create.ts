import { type Scene, writeWish } from '../scene.ts'
import { longestMs } from '../send.ts'
import { dataOf, isGood } from '../wish.ts'
import { type KnownIntent, remember } from '../world.ts'

/** What the service answers to a create and to a read of it, as far as the traffic looks at it. */
export interface IntentData {
  referenceNumber: string
  shortCode: string
  code: string | null
  amount: number | null
  status: string
  expiresAt: string
  payment?: { amountPaid: number } | null
  totalAmountRefunded?: number
}

/** Where payments (99901) and refunds (99904) fail in the sandbox (SPEC 8). */
const magic = [99_901, 99_904]
const leftAlonePart = 0.15
/** Refused, and kept as an answer: sent again it is refused again. */
const wrongAmounts = [0, -5, 1e12]

/** The merchant asks for a payment. */
export async function createIntent(scene: Scene): Promise<KnownIntent | null> {
  const { chance, place, world } = scene
  const idempotencyKey = scene.newKey()
  const body = bodyOf(scene, idempotencyKey)
  const at = world.now()
  const wish = writeWish(scene, {
    what: 'create',
    method: 'POST',
    path: '/intents',
    idempotencyKey,
    body: { json: body },
    expects: wrongAmounts.includes(body.amount ?? 0) ? ['AMOUNT_OUT_OF_RANGE'] : [],
    otherBody: { json: { ...body, amount: chance.whole(1, 20_000) } },
  })
  const call = await scene.send(wish, chance)
  if (call === null || !isGood(call)) return null
  const { referenceNumber, shortCode, code, amount, status, expiresAt } = dataOf<IntentData>(call)
  const intent: KnownIntent = {
    reference: referenceNumber,
    shortCode,
    code: code ?? '',
    amount,
    status,
    refunded: 0,
    expiresAt: Date.parse(expiresAt),
    isLeftAlone: chance.is(leftAlonePart),
    created: { wish, at, repeats: 0 },
  }
  remember(place.intents, intent)
  return intent
}

/** Sends a create once more after the intent was paid, refunded, cancelled or has failed: the first response is due all the same. */
export async function repeatCreate({ place, chance, world, ask }: Scene): Promise<void> {
  const changed = place.intents.filter(
    ({ status, created }) => status !== 'PENDING' && world.now() - created.at < longestMs,
  )
  if (changed.length === 0) return
  const { created } = chance.pick(changed)
  created.repeats += 1
  await ask(created.wish, 4000 + created.repeats, chance)
}

function bodyOf({ chance, place: { marker, sandbox } }: Scene, idempotencyKey: string): { amount?: number } {
  const isMagic = sandbox && chance.is(0.04)
  const amount = isMagic ? chance.pick(magic) : chance.whole(1, 20_000)
  const isOpen = !isMagic && chance.is(0.1)
  return {
    amount,
    ...(isOpen && { amountType: 'OPEN' }),
    ...(chance.is(0.9) && {
      label: `${marker} نص ${chance.pick(['', 'é', '\u{1f6d2}', '"<b>"', "' or 1"])}`,
    }),
    ...(chance.is(0.6) && { metadata: { key: idempotencyKey, [`${marker}.$x`]: marker } }),
    ...(chance.is(0.2) && {
      success_url: `https://shop.example/thanks?of=${marker}`,
      cancel_url: 'https://shop.example/sorry',
    }),
    ...(chance.is(0.02) && { amount: chance.pick(wrongAmounts) }),
  }
}
