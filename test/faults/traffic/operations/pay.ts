import { setTimeout as sleep } from 'node:timers/promises'
import { hiddenFields, unescaped } from '../../../admin/staff.ts'
import { pageOf } from '../../checker/responses.ts'
import type { Call, What } from '../../evidence/evidence.ts'
import type { Body } from '../client.ts'
import type { Context, KnownIntent } from '../context.ts'
import { pendingOf } from './intents.ts'

async function payByLink(context: Context): Promise<void> {
  const intent = pendingOf(context)
  if (intent !== null) await pay(context, customerOf(context), intent, `/p/${intent.shortCode}`)
}

async function payByCode(context: Context): Promise<void> {
  const { tenant, chance } = context
  const intent = pendingOf(context)
  if (intent === null) return
  const makeCall = customerOf(context)
  const path = tenant.sandbox ? `/sandbox/${tenant.business.id}` : '/'
  const code = chance.is(0.95) ? (intent.code ?? '') : String(chance.whole(0, 999_999)).padStart(6, '0')
  const call = await makeCall('pay.code', path, { form: { code, lang: 'en' } })
  const location = pageOf(call)?.location ?? null
  if (call.status === 303 && location !== null) await pay(context, makeCall, intent, location)
}

type CustomerCall = (what: What, path: string, body?: Body, attempt?: number) => Promise<Call>

function customerOf({ operation, chance, makeCall }: Context): CustomerCall {
  const from = `41.${chance.whole(0, 255)}.${chance.whole(0, 255)}.${chance.whole(1, 254)}`
  const common = { operation, actor: 'customer', headers: { 'X-Forwarded-For': from } } as const
  return (what, path, body, attempt = 1) => {
    const sent = body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body } as const)
    return makeCall({ ...common, what, path, ...sent }, attempt, chance)
  }
}

const maxAttempts = 5

async function pay(context: Context, makeCall: CustomerCall, intent: KnownIntent, path: string) {
  const { chance } = context
  const typed = intent.amount === null ? `&amount=${chance.whole(1, 200)}` : ''
  const start = `${path}${path.includes('?') ? '&' : '?'}lang=en${typed}`
  const html = pageOf(await makeCall('pay.page', start))?.text ?? ''
  const action = unescaped(/<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '')
  if (action === '') return
  const body = { form: { ...hiddenFields(html), ...walletOf(context) } }
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { status } = await makeCall('pay.confirm', action, body, attempt)
    if (status !== null && status < 500) break
    await sleep(chance.whole(200, 2000))
  }
  // Sent again from a second tab, the form must not pay again.
  if (chance.is(0.1)) await makeCall('pay.confirm', action, body, maxAttempts + 1)
  const proof = /[?&]proof=[^&]+/.exec(action)?.[0].slice(1) ?? ''
  const { response } = await makeCall('pay.status', `/p/${intent.shortCode}/status?${proof}`)
  const state = (response as { state?: string } | null)?.state
  intent.status = state === 'pending' ? 'PENDING' : state === 'paid' ? 'PAID' : '?'
}

function walletOf({ world, tenant, chance }: Context): { phone: string; pin: string } {
  const [forgetful, poor, ...payers] = tenant.sandbox ? world.wallets : world.providerWallets
  const demo = { phone: `2200000${chance.pick([3, 4, 5])}`, pin: '1234' }
  const wallets = {
    payer: chance.pick(payers),
    poor,
    forgetful: { phone: forgetful?.phone, pin: '0000' },
    stranger: { phone: `49${chance.whole(100_000, 999_999)}`, pin: '0000' },
    demo,
  }
  const weights = { payer: 84, poor: 6, forgetful: 5, stranger: 2, demo: tenant.sandbox ? 3 : 0 }
  const { phone = '', pin = '' } = wallets[chance.weighted(weights)] ?? {}
  return { phone, pin }
}

export const ofCustomers = { payByLink: [60, payByLink], payByCode: [30, payByCode] } as const
