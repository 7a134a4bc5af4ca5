import type { ShownIntent } from '../../checker/responses.ts'
import { type Context, specOf } from '../context.ts'
import { dataOf, isGood } from '../request-spec.ts'
import { keyLifetimeMs } from '../send.ts'
import { type KnownIntent, remember } from '../world.ts'

/** Amounts whose payments and refunds fail in the sandbox (SPEC 8). */
const magic = [99_901, 99_904]
const wrongAmounts = [0, -5, 1e12]

export async function createIntent(context: Context): Promise<void> {
  const { chance, tenant, world } = context
  const idempotencyKey = context.newKey()
  const json = bodyOf(context, idempotencyKey)
  const at = world.now()
  const expects = wrongAmounts.includes(json.amount ?? 0) ? ['AMOUNT_OUT_OF_RANGE'] : []
  const other = { ...json, amount: chance.whole(1, 20_000) }
  const spec = specOf(context, 'create', '/intents', { json }, { idempotencyKey, other, expects })
  const call = await context.send(spec, chance)
  if (call === null || !isGood(call)) return
  const { referenceNumber, shortCode, code, amount, status, expiresAt } = dataOf<ShownIntent>(call)
  remember(tenant.intents, {
    reference: referenceNumber,
    shortCode,
    code: code ?? '',
    amount,
    status,
    refunded: 0,
    expiresAt: Date.parse(expiresAt),
    isLeftAlone: chance.is(0.15),
    created: { spec, at, repeats: 0 },
  } satisfies KnownIntent)
}

/** Repeats a create after the intent has changed, which must get the first response again. */
export async function repeatCreate({ tenant, chance, world, makeCall }: Context): Promise<void> {
  const changed = tenant.intents.filter(
    ({ status, created }) => status !== 'PENDING' && world.now() - created.at < keyLifetimeMs,
  )
  if (changed.length === 0) return
  const { created } = chance.pick(changed)
  created.repeats += 1
  await makeCall(created.spec, 4000 + created.repeats, chance)
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
