import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Page, What } from '../../evidence/evidence.ts'
import { hiddenFields, isPage, unescaped } from '../page.ts'
import type { Scene } from '../scene.ts'
import type { Body, Wish } from '../wish.ts'
import type { KnownIntent } from '../world.ts'
import { pendingOf } from './intents.ts'

/** A customer follows the link of the merchant. */
export async function payByLink(scene: Scene): Promise<void> {
  const intent = pendingOf(scene)
  if (intent !== null) await pay(scene, customerOf(scene), intent, `/p/${intent.shortCode}`)
}

/** A customer types the six digits, on the page for live codes or on that of the business's sandbox. */
export async function payByCode(scene: Scene): Promise<void> {
  const { place, chance } = scene
  const intent = pendingOf(scene)
  if (intent === null) return
  const ask = customerOf(scene)
  const path = place.sandbox ? `/sandbox/${place.business.id}` : '/'
  const code = chance.is(0.95) ? intent.code : String(chance.whole(0, 999_999)).padStart(6, '0')
  const call = await ask('pay.code', path, { form: { code, lang: 'en' } })
  const { location } = pageOf(call)
  if (call.status === 303 && location !== null) await pay(scene, ask, intent, location)
}

/** A GET without a body, a POST with one. */
type CustomerAsks = (what: What, path: string, body: Body, attempt?: number) => Promise<Call>

/** Each customer has an address of their own. */
function customerOf({ operation, chance, ask }: Scene): CustomerAsks {
  const from = `41.${chance.whole(0, 255)}.${chance.whole(0, 255)}.${chance.whole(1, 254)}`
  return (what, path, body, attempt = 1) => {
    const method = body === null ? 'GET' : 'POST'
    const none = { key: null, idempotencyKey: null, otherBody: null, expects: [] }
    const headers = { 'X-Forwarded-For': from }
    const wish: Wish = { ...none, operation, actor: 'customer', what, method, path, body, headers }
    return ask(wish, attempt, chance)
  }
}

const pageOf = ({ response }: Call): Page =>
  isPage(response) ? response : { text: '', state: null, location: null }

/** A customer without a response sends the same form again, so often. */
const mostAttempts = 5

async function pay(scene: Scene, ask: CustomerAsks, intent: KnownIntent, path: string): Promise<void> {
  const { chance } = scene
  const typed = intent.amount === null ? `&amount=${chance.whole(1, 200)}` : ''
  const start = `${path}${path.includes('?') ? '&' : '?'}lang=en${typed}`
  const html = pageOf(await ask('pay.page', start, null)).text
  const action = unescaped(/<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '')
  if (action === '') return
  const body = { form: { ...hiddenFields(html), ...walletOf(scene) } }
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const { status } = await ask('pay.confirm', action, body, attempt)
    if (status !== null && status < 500) break
    await sleep(chance.whole(200, 2000))
  }
  // The same form from a second tab, later: it pays nothing more.
  if (chance.is(0.1)) await ask('pay.confirm', action, body, mostAttempts + 1)
  const proof = /[?&]proof=[^&]+/.exec(action)?.[0].slice(1) ?? ''
  const { response } = await ask('pay.status', `/p/${intent.shortCode}/status?${proof}`, null)
  const state = (response as { state?: string } | null)?.state
  intent.status = state === 'pending' ? 'PENDING' : state === 'paid' ? 'PAID' : '?'
}

/** A phone number and a PIN, mostly right and with money. */
function walletOf({ world, place, chance }: Scene): { phone: string; pin: string } {
  const [forgetful, poor, ...payers] = place.sandbox ? world.wallets : world.providerWallets
  const demo = { phone: `2200000${chance.pick([3, 4, 5])}`, pin: '1234' }
  const who = {
    payer: chance.pick(payers),
    poor,
    forgetful: { phone: forgetful?.phone, pin: '0000' },
    stranger: { phone: `49${chance.whole(100_000, 999_999)}`, pin: '0000' },
    demo,
  }
  const weights = { payer: 84, poor: 6, forgetful: 5, stranger: 2, demo: place.sandbox ? 3 : 0 }
  const { phone = '', pin = '' } = who[chance.weighted(weights)] ?? {}
  return { phone, pin }
}
