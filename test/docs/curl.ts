import { routes } from '../../src/http/routes/routes.ts'
import { createIntent, freshDelivery, post, subscribe } from '../support/acts.ts'
import type { EndpointServer } from '../support/endpoint-server.ts'
import type { Merchant, Service } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { type Block, blocksOf } from './pages.ts'
import { runProgram } from './program.ts'

/** What one curl of a block asked, and what it was answered. */
export interface Asked {
  /** As in the tables of the pages: `POST /dev/intents`; of what is no operation, without the base. */
  operation: string
  status: number
  body: { success: boolean; data?: unknown }
}

/** Tells of each call what its caller would see: its body, and below it a line of ours. */
const telling = `curl() { command curl -sS --max-time 15 -w '\\n%{http_code} %{method} %{url_effective}\\n' "$@"; }\n`

/** A line that says what to put there, as in KEY=sk_test_…: the test puts it there. */
const blank = /^(export )?[A-Z]+=\S*….*$/gm

/** The ids of things that the pages show, by what the merchant of a test has instead. */
const shownProduct = '6920c1f4e9b0a7d25c41f803'

/** A merchant who has of the things that the pages speak of those that a block names, and the variables by which it names them. */
async function settle(
  service: Service,
  endpointServer: EndpointServer,
  { text }: Block,
): Promise<Record<string, string>> {
  const merchant: Merchant = await service.merchant()
  const { referenceNumber } = await createIntent(service, merchant)
  if (text.includes('/refund'))
    await post(service, merchant, `/intents/${referenceNumber}/simulate-payment`, '')
  const variants = [{ label: '250 g', price: 15_000, stock: 40 }]
  const product = text.includes('/store/') ? await createProduct(service, merchant, { variants }) : null
  const needsReceiver = /ENDPOINT|DELIVERY/.test(text)
  const endpoint = needsReceiver ? await subscribe(service, merchant, endpointServer.url) : null
  const delivery = needsReceiver ? await freshDelivery(service, merchant) : null
  return {
    BASE: `${service.origin}/api/v1`,
    KEY: merchant.key,
    IDEMPOTENCY_KEY: 'a-key-of-mine',
    REFERENCE: referenceNumber,
    ENDPOINT: endpoint?.id ?? '',
    DELIVERY: delivery?._id ?? '',
    PRODUCT: product?._id ?? '',
    VARIANT: product?.variants[0]._id ?? '',
  }
}

/** Runs a block of curl as it stands, for a merchant of its own; answers its calls in their order. */
export async function runCurl(
  service: Service,
  endpointServer: EndpointServer,
  block: Block,
): Promise<Asked[]> {
  const environment = await settle(service, endpointServer, block)
  const script = block.text.replace(blank, '').replaceAll(shownProduct, String(environment.PRODUCT))
  const csv = blocksOf('docs/store.md').find(({ fence }) => fence === 'csv')?.text ?? ''
  const files = { 'block.sh': telling + script, 'products.csv': csv }
  const said = await runProgram(['sh', '-e', 'block.sh'], { files, environment, input: '' })
  return [...said.matchAll(/^(.*)\n(\d{3}) ([A-Z]+) (\S+)$/gm)].map(
    ([, body = '', status, method = '', url = '']) => ({
      operation: `${method} ${new URL(url).pathname.replace('/api/v1', '')}`,
      status: Number(status),
      body: JSON.parse(body),
    }),
  )
}

/** The operation of the API that a call is, or undefined. A path with `{id}` in it, as the pages write it, is one too. */
export const operationOf = (operation: string) =>
  routes.find(({ method, path }) =>
    new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(operation),
  )
