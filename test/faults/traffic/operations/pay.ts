import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Page, What } from '../../evidence/evidence.ts'
import type { Wallet } from '../books.ts'
import { hiddenFields, isPage, unescaped } from '../page.ts'
import type { Scene } from '../scene.ts'
import type { Body, Wish } from '../wish.ts'
import type { KnownIntent } from '../world.ts'
import { pendingOf } from './intents.ts'

/** By the link that the merchant sent. */
export async function payByLink(scene: Scene): Promise<void> {
  const intent = pendingOf(scene)
  if (intent !== null) await pay(scene, customerOf(scene), intent, `/p/${intent.shortCode}`)
}

/** By the six digits, typed at the page for live codes or for those of a business's sandbox. */
export async function payByCode(scene: Scene): Promise<void> {
  const { place, chance } = scene
  const intent = pendingOf(scene)
  if (intent === null) return
  const ask = customerOf(scene)
  const path = place.sandbox ? `/sandbox/${place.business.id}` : '/'
  const code = chance.is(0.95) ? intent.code : String(chance.whole(0, 999_999)).padStart(6, '0')
  const call = await ask('pay.code', 'POST', path, { form: { code, lang: 'en' } }, 1)
  const { location } = pageOf(call)
  if (call.status === 303 && location !== null) await pay(scene, ask, intent, location)
}

type CustomerAsks = (
  what: What,
  method: Wish['method'],
  path: string,
  body: Body,
  attempt: number,
) => Promise<Call>

/** Each customer comes from somewhere else, as behind a proxy that says so. */
function customerOf({ operation, chance, ask }: Scene): CustomerAsks {
  const from = `41.${chance.whole(0, 255)}.${chance.whole(0, 255)}.${chance.whole(1, 254)}`
  const headers = { 'X-Forwarded-For': from }
  return (what, method, path, body, attempt) =>
    ask(
      {
        operation,
        actor: 'customer',
        what,
        key: null,
        method,
        path,
        idempotencyKey: null,
        body,
        otherBody: null,
        expects: [],
        headers,
      },
      attempt,
      chance,
    )
}

const pageOf = ({ response }: Call): Page =>
  isPage(response) ? response : { text: '', state: null, location: null }

/** A customer who hears nothing sends the same form again, this often. */
const mostTries = 5

async function pay(scene: Scene, ask: CustomerAsks, intent: KnownIntent, path: string): Promise<void> {
  const { chance } = scene
  const typed = intent.amount === null ? `&amount=${chance.whole(1, 200)}` : ''
  const start = `${path}${path.includes('?') ? '&' : '?'}lang=en${typed}`
  const page = pageOf(await ask('pay.page', 'GET', start, null, 1))
  const form = formIn(page.text)
  if (form === null) return
  const body = { form: { ...form.fields, ...pocketOf(scene) } }
  let answer: Call | null = null
  for (let attempt = 1; attempt <= mostTries; attempt += 1) {
    answer = await ask('pay.confirm', 'POST', form.action, body, attempt)
    if (answer.status !== null && answer.status < 500) break
    await sleep(chance.whole(200, 2000))
  }
  // The same form from a second tab, later: it pays nothing more.
  if (chance.is(0.1)) await ask('pay.confirm', 'POST', form.action, body, mostTries + 1)
  const proof = /[?&]proof=[^&]+/.exec(form.action)?.[0].slice(1) ?? ''
  const status = await ask('pay.status', 'GET', `/p/${intent.shortCode}/status?${proof}`, null, 1)
  const state = (status.response as { state?: string } | null)?.state
  intent.status = state === 'pending' ? 'PENDING' : state === 'paid' ? 'PAID' : '?'
}

/** A phone number and a PIN: mostly of somebody with money, who knows it. */
function pocketOf({ world, place, chance }: Scene): { phone: string; pin: string } {
  const wallets = place.sandbox ? world.wallets : world.providerWallets
  const who = chance.weighted({
    payer: 84,
    poor: 6,
    forgetful: 5,
    stranger: 2,
    technical: place.sandbox ? 3 : 0,
  })
  const [forgetful, poor, ...payers] = wallets
  const whole = ({ phone, pin }: Wallet = { phone: '', pin: '', balance: 0 }) => ({ phone, pin })
  switch (who) {
    case 'payer':
      return whole(chance.pick(payers))
    case 'poor':
      return whole(poor)
    case 'forgetful':
      return { ...whole(forgetful), pin: '0000' }
    case 'stranger':
      return { phone: `49${chance.whole(100_000, 999_999)}`, pin: '0000' }
    case 'technical':
      return { phone: `2200000${chance.pick([3, 4, 5])}`, pin: '1234' }
  }
}

/** The form that pays: where it goes, and what is hidden in it. Null where there is nothing to pay. */
function formIn(html: string): { action: string; fields: { [name: string]: string } } | null {
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1]
  if (action === undefined) return null
  return { action: unescaped(action), fields: hiddenFields(html) }
}
