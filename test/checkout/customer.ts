import { formFor } from '../../dev/form.ts'
import { readable } from '../admin/staff.ts'
import { createIntent } from '../support/actions.ts'
import type { Merchant, Service } from '../support/service.ts'

/** What a browser without scripts receives. */
export type Seen = Awaited<ReturnType<typeof seen>>

/** Creates an intent of 500.00 MRU. `path` is the path of its page. */
export async function offerOf(service: Service, merchant: Merchant, fields: object = {}) {
  const intent = await createIntent(service, merchant, { amount: 50_000, ...fields })
  return { ...intent, path: `/p/${intent.shortCode}` }
}

/** In English, unless `headers` request another language. */
export const open = async ({ origin }: { origin: string }, path: string, headers = {}): Promise<Seen> =>
  seen(new URL(path, origin).href, { headers: { 'Accept-Language': 'en', ...headers } })

/** Fills in and submits the page's form, as a browser does. `fields` may have any names and values. */
export async function fill(page: Seen, fields: Record<string, string>, headers = {}): Promise<Seen> {
  const form = formFor(page.html.includes('name="pin"') ? 'pin' : 'amount', page.html, page.url)
  const body = new URLSearchParams({ ...form.fields, ...fields })
  if (form.method === 'GET') return seen(`${form.url}?${body.toString()}`, {})
  return seen(form.url, { method: 'POST', body, headers: { Origin: 'null', ...headers } })
}

export async function follow(page: Seen): Promise<Seen> {
  if (page.location === null) throw new Error(`no redirect: ${page.status} ${page.says}`)
  return seen(new URL(page.location, page.url).href, {})
}

export async function pay(page: Seen, fields: Record<string, string>): Promise<Seen> {
  const response = await fill(page, fields)
  return response.location === null ? response : follow(response)
}

export const wallets = {
  pays: { phone: '22000001', pin: '1234' },
  wrongPin: { phone: '22000002', pin: '1234' },
  poor: { phone: '22000003', pin: '1234' },
  broken: { phone: '22000004', pin: '1234' },
  limited: { phone: '22000005', pin: '1234' },
  locked: { phone: '22000006', pin: '1234' },
}

export async function seen(url: string, init: RequestInit) {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const html = await response.text()
  const { status, headers } = response
  return { url, status, headers, location: headers.get('location'), html, says: readable(html) }
}

export const debits = ({ deps }: Service, { businessId }: Merchant): Promise<number> =>
  deps.WalletMovement.countDocuments({
    accountId: { $in: Object.values(wallets).map(({ phone }) => `${businessId}-${phone}`) },
    kind: 'payment',
    'result.outcome': 'done',
  })
