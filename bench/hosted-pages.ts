import { parse } from 'node-html-parser'
import { Pool } from 'undici'
import { formFor } from '../dev/form.ts'
import type { Form } from './forms.ts'
import type { Merchant } from './merchants.ts'
import { order } from './order.ts'
import { createPath } from './web-and-worker.ts'

/** The input of every customer. In the sandbox, the wallet of this phone always pays. */
const input = { phone: '22000001', pin: '1234' }
const AT_ONCE = 32

/** Creates intents and opens their pages, so that the forms only need to be sent. Each form has its own token. */
export async function fillForms(origin: string, merchants: Merchant[], count: number): Promise<Form[]> {
  const pool = new Pool(origin, { connections: AT_ONCE })
  const forms: Form[] = []
  let started = 0
  const customer = async () => {
    while (started < count) {
      const merchant = merchants[started % merchants.length]
      started += 1
      if (merchant !== undefined) forms.push(await fillForm(pool, origin, merchant))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, customer))
  await pool.close()
  return forms
}

async function fillForm(pool: Pool, origin: string, merchant: Merchant): Promise<Form> {
  const { pathname } = new URL(await createPayment(pool, merchant))
  const { fields, url } = formFor('pin', await textOf(pool, pathname), origin + pathname)
  return { path: new URL(url).pathname, body: new URLSearchParams({ ...fields, ...input }).toString() }
}

/** Creates an intent. Returns the URL of its page. */
async function createPayment(pool: Pool, { apiKey }: Merchant): Promise<string> {
  const response = await pool.request({
    path: createPath,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'X-Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify(order),
  })
  const text = await response.body.text()
  if (response.statusCode !== 201) throw new Error(`A create got ${response.statusCode}: ${text}`)
  return (JSON.parse(text) as { data: { payUrl: string } }).data.payUrl
}

async function textOf(pool: Pool, path: string): Promise<string> {
  const response = await pool.request({ path, method: 'GET' })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`GET ${path} got ${response.statusCode}`)
  return text
}

/** The bytes that a first view transfers. */
export interface Weight {
  html: number
  css: number
  js: number
}

/** Weighs the page of a payment with everything that it loads. */
export async function weighPage(origin: string, [merchant]: Merchant[]): Promise<Weight> {
  if (merchant === undefined) throw new Error('No merchant was created')
  const pool = new Pool(origin)
  const { pathname } = new URL(await createPayment(pool, merchant))
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
