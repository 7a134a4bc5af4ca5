import { formFor } from '../../dev/form.ts'
import { readable } from '../admin/staff.ts'
import type { Merchant, Service } from '../support/service.ts'

/** A page that a customer without scripts got. */
export interface Seen {
  /** Absolute. */
  url: string
  status: number
  headers: Headers
  /** Where it leads on. */
  location: string | null
  html: string
  /** What stands on it. */
  says: string
}

/** Somebody who reads English unless `headers` say otherwise. */
export async function open({ origin }: { origin: string }, path: string, headers = {}): Promise<Seen> {
  return seen(new URL(path, origin).href, { headers: { 'Accept-Language': 'en', ...headers } })
}

/** Fills in the form of a page and sends it, as a browser would; `fields` may be of any shape. */
export async function fill(page: Seen, fields: Record<string, string>, headers = {}): Promise<Seen> {
  const asked = page.html.includes('name="pin"') ? 'pin' : 'amount'
  const form = formFor(asked, page.html, page.url)
  const body = new URLSearchParams({ ...form.fields, ...fields })
  if (form.method === 'GET') return seen(`${form.url}?${body.toString()}`, {})
  return seen(form.url, { method: 'POST', body, headers: { Origin: 'null', ...headers } })
}

/** Goes where an answer leads. */
export async function follow(page: Seen): Promise<Seen> {
  if (page.location === null) throw new Error(`no way on: ${page.status} ${page.says}`)
  return seen(new URL(page.location, page.url).href, {})
}

/** Sends the form and goes where that leads, if it leads anywhere. */
export async function pay(page: Seen, fields: Record<string, string>): Promise<Seen> {
  const answer = await fill(page, fields)
  return answer.location === null ? answer : follow(answer)
}

/** The demo wallets of the sandbox. */
export const wallets = {
  pays: { phone: '22000001', pin: '1234' },
  wrongPin: { phone: '22000002', pin: '1234' },
  poor: { phone: '22000003', pin: '1234' },
  broken: { phone: '22000004', pin: '1234' },
  limited: { phone: '22000005', pin: '1234' },
  locked: { phone: '22000006', pin: '1234' },
}

export async function seen(url: string, init: RequestInit): Promise<Seen> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const html = await response.text()
  const { status, headers } = response
  return { url, status, headers, location: headers.get('location'), html, says: readable(html) }
}

/** How often money was taken from this merchant's demo wallets. */
export const debits = ({ deps }: Service, { businessId }: Merchant): Promise<number> =>
  deps.WalletMovement.countDocuments({
    accountId: { $in: Object.values(wallets).map(({ phone }) => `${businessId}-${phone}`) },
    kind: 'payment',
    'result.outcome': 'done',
  })
