import { parse } from 'node-html-parser'
import { Pool } from 'undici'
import { formFor } from '../dev/form.ts'
import type { Form } from './forms.ts'
import type { Merchant } from './merchants.ts'
import { order } from './order.ts'
import { createPath } from './web-and-worker.ts'

/** What every customer of these benchmarks types; the wallet of that phone, where it is the sandbox's, always pays. */
const typed = { phone: '22000001', pin: '1234' }
const AT_ONCE = 32

/** Asks for payments and opens their pages, so that the forms need only be sent. Each has a token of its own. */
export async function fillForms(origin: string, merchants: Merchant[], count: number): Promise<Form[]> {
  const pool = new Pool(origin, { connections: AT_ONCE })
  const forms: Form[] = []
  let begun = 0
  const customer = async () => {
    while (begun < count) {
      const merchant = merchants[begun % merchants.length]
      begun += 1
      if (merchant !== undefined) forms.push(await fillForm(pool, origin, merchant))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, customer))
  await pool.close()
  return forms
}

async function fillForm(pool: Pool, origin: string, merchant: Merchant): Promise<Form> {
  const { pathname } = new URL(await askForPayment(pool, merchant))
  const { fields, url } = formFor('pin', await textOf(pool, pathname), origin + pathname)
  return { path: new URL(url).pathname, body: new URLSearchParams({ ...fields, ...typed }).toString() }
}

/** Answers the address of the page. */
async function askForPayment(pool: Pool, { apiKey }: Merchant): Promise<string> {
  const answer = await pool.request({
    path: createPath,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'X-Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify(order),
  })
  const text = await answer.body.text()
  if (answer.statusCode !== 201) throw new Error(`A create was answered ${answer.statusCode}: ${text}`)
  return (JSON.parse(text) as { data: { payUrl: string } }).data.payUrl
}

async function textOf(pool: Pool, path: string): Promise<string> {
  const answer = await pool.request({ path, method: 'GET' })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`GET ${path} was answered ${answer.statusCode}`)
  return text
}

/** Bytes of a first view, as they are sent. */
export interface Weight {
  html: number
  css: number
  js: number
}

/** Weighs the page of a payment with everything that it loads. */
export async function weighPage(origin: string, [merchant]: Merchant[]): Promise<Weight> {
  if (merchant === undefined) throw new Error('No merchant was made')
  const pool = new Pool(origin)
  const { pathname } = new URL(await askForPayment(pool, merchant))
  const page = await textOf(pool, pathname)
  const html = parse(page)
  const weigh = async (selector: string, attribute: string): Promise<number> => {
    const paths = html.querySelectorAll(selector).map((element) => element.getAttribute(attribute) ?? '')
    const texts = await Promise.all(paths.map((path) => textOf(pool, path)))
    return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  }
  const [css, js] = await Promise.all([weigh('link[rel=stylesheet]', 'href'), weigh('script[src]', 'src')])
  await pool.close()
  return { html: Buffer.byteLength(page), css, js }
}
